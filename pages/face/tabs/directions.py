"""Tab *Directions*: are they orthonormal, what do they move, which weights does this face have."""

import numpy as np
import streamlit as st

from core.face.editing.actor import MeshActor
from core.face.photo.mesh import stored
from core.figures import chart
from core.figures.faces import arrows
from core.ui.history import History
from pages.face import second
from pages.face.opened import Opened
from pages.face.view import FaceView


def draw(history: History[FaceView], on: Opened) -> None:
    """The motion of one direction and the face's weights on the left, the Gram matrix on the right."""
    left, right = st.columns(2, gap="large")
    with left:
        if isinstance(on.actor, MeshActor):
            _flow(on)
        _weights(history, on)
    with right:
        _gram(on)
        if isinstance(on.actor, MeshActor):
            _purity(on)
        else:
            _linear(on)


def _flow(on: Opened) -> None:
    st.subheader("Motion of one direction", anchor=False)
    keys = [d.key for d in on.directions]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        key = st.selectbox("Direction", keys, key="face:flow")
        amount = st.slider("Scales", -3.0, 3.0, 3.0, 0.5, key="face:flow-amount")
    d = next(d for d in on.directions if d.key == key)
    code = on.actor.own.copy()
    code[d.index] += amount * d.scale
    flow = on.actor.motion.flow(code)
    x0, y0, *_ = on.stage.shown
    points = on.stage.face.points[:, :2] - [x0, y0]
    drawn = arrows(np.ascontiguousarray(on.stage.cut(on.stage.picture)), points, flow)
    st.image(drawn, width="stretch", caption=f"Where the landmarks go; at most {np.hypot(*flow.T).max():.1f} pixels.")


def _weights(history: History[FaceView], on: Opened) -> None:
    st.subheader("Weights of this face", anchor=False)
    scale = np.array([d.scale for d in on.directions])
    names = [d.name for d in on.directions]
    fig = chart.figure("weight, scales", "", height=110 + 24 * len(names), legend=True)
    rows = {"this face": on.actor.own / scale}
    other = second.codes(on, history.now)
    if other is not None:
        rows["second face"] = other / scale
    for name, values in rows.items():
        fig.add_bar(y=names, x=values, orientation="h", name=name, hovertemplate="%{y}: %{x:.2f}<extra></extra>")
    fig.update_yaxes(autorange="reversed", showgrid=False)
    fig.update_xaxes(zeroline=True, zerolinecolor=chart.LINE)
    st.plotly_chart(fig, key="face:weights", config=dict(displayModeBar=False))
    st.caption("Zero is an average face at rest; people and photographs differ by a scale or two.")


def _gram(on: Opened) -> None:
    st.subheader("Gram matrix", anchor=False)
    rows = np.concatenate([b.directions for b in on.actor.banks.values()]).astype(np.float64)
    gram = rows @ rows.T
    names = [d.name for d in on.directions]
    error = float(np.abs(gram - np.eye(len(gram))).max())
    fig = chart.heatmap(gram, x="", y="", value="inner product", x_names=names, y_names=names, height=430, largest=1.0)
    st.plotly_chart(fig, key="face:gram", config=dict(displayModeBar=False))
    st.caption(
        f"All banks together, in {rows.shape[1]:,} coordinates. Largest difference from the identity: {error:.1e}."
    )


def _purity(on: Opened) -> None:
    st.subheader("How near to their names", anchor=False)
    purity = np.concatenate([stored()[f"purity.{bank}"] for bank in on.actor.banks])
    names = [d.name for d in on.directions]
    fig = chart.bars(names, purity, value="cosine", horizontal=True, height=110 + 20 * len(names))
    st.plotly_chart(fig, key="face:purity", config=dict(displayModeBar=False))
    st.caption(
        "Cosine between a direction and the movement that it is named after. The movements overlap; what overlaps is "
        "shared out when they are made orthogonal."
    )


def _linear(on: Opened) -> None:
    st.subheader("From the latent to the codes", anchor=False)
    table, start = on.network.network.code_matrix()
    names = [d.name for d in on.directions]
    height = 120 + 18 * len(names)
    fig = chart.heatmap(table.numpy(), x="entry of the latent h", y="", value="A", y_names=names, height=height)
    st.plotly_chart(fig, key="face:linear", config=dict(displayModeBar=False))
    st.caption(
        f"The heads have no activations, so all codes are A h + b with A of {table.shape[0]} x {table.shape[1]}; "
        f"the length of b is {float(start.norm()):.2f}."
    )
