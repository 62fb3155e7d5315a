"""Tab *Leak meter*: what every slider moves, beside what it should move."""

import numpy as np
import streamlit as st

from core.errors import InputError
from core.face.editing import leak
from core.face.editing.actor import MeshActor
from core.face.photo import networks
from core.face.photo.landmarks import around_points, landmarks
from core.figures import chart
from core.ui.background import background
from core.ui.history import History
from core.ui.text import escape
from pages.face import swap
from pages.face.opened import Opened
from pages.face.view import FaceView

_MESH, _SEEN = "the moved mesh", "the pictures, by the face finder"


def draw(history: History[FaceView], on: Opened) -> None:
    """The matrix, the ideal one beside it, and the numbers that sum it up."""
    st.markdown(
        f"Each slider in turn goes up by {leak.STEP:g} scales. How much do the opening of the mouth, the pose, brows, "
        "eyes and smile change? Each column is counted in units of the largest change that the measure's own sliders "
        "make."
    )
    found = _found(on)
    if found is None:
        return
    mean, largest, what = found.foreign()
    with st.container(horizontal=True, gap="medium"):
        st.metric("Mean leak", f"{mean:.3f}", width="content", help="Mean size over all measures of other banks.")
        st.metric("Largest leak", f"{largest:.2f}", width="content", help=escape(what))
    st.caption(escape(f"Largest: {what}."))
    left, right = st.columns(2, gap="large")
    names = [k.partition(": ")[2] for k in found.keys]
    height = 120 + 19 * len(names)
    with left:
        st.markdown("**Measured**")
        fig = _matrix(found.share, names, height)
        st.plotly_chart(fig, key="face:leak", config=dict(displayModeBar=False))
    with right:
        st.markdown("**Ideal**", help="White: should not move. Grey: may, since it is of the measure's own bank.")
        fig = _matrix(found.ideal, names, height)
        st.plotly_chart(fig, key="face:leak-ideal", config=dict(displayModeBar=False))
    with st.expander("In millimetres and degrees"):
        import pandas as pd

        columns = [f"{m}, {u}" for m, u in zip(leak.MEASURES, leak.UNITS, strict=True)]
        table = pd.DataFrame(found.change.round(2), index=list(found.keys), columns=columns)
        st.dataframe(table, width="stretch")
    st.caption(
        "Lengths are taken on the face turned to the front. A direction that was made orthogonal to the others is a "
        "little different from the movement it is named after, and that is what is seen here."
    )
    swap.draw()


def _found(on: Opened) -> leak.Leak | None:
    options = [_MESH, _SEEN] if isinstance(on.actor, MeshActor) else [_SEEN]
    lacking = networks.missing()
    if lacking:
        options = [o for o in options if o != _SEEN]
    if not options:
        st.info(escape(lacking), icon=":material/download:")
        return None
    how = st.segmented_control("Measured on", options, default=options[0], required=True, key="face:leak-how")
    if how == _MESH:
        return leak.on_mesh(on.actor)
    return background(
        "face:leak", f"{on.key}:{id(on.actor)}", lambda run: _seen(on), "Measuring the pictures", lane="face"
    )


def _seen(on: Opened) -> leak.Leak:
    square = around_points(on.stage.face.points)

    def points(picture: np.ndarray) -> np.ndarray:
        found, score = landmarks(picture, square)
        found, score = landmarks(picture, around_points(found))
        if score < 0.5:
            raise InputError("The face finder does not see the face in one of the pictures.")
        return found

    return leak.on_pictures(on.actor, points)


def _matrix(values: np.ndarray, names: list[str], height: int):
    fig = chart.heatmap(
        values, x="", y="", value="share", x_names=leak.MEASURES, y_names=names, height=height, largest=1.0
    )
    ticks = dict(tickmode="array", tickvals=list(range(len(names))), ticktext=[chart.short(n) for n in names])
    fig.update_yaxes(**ticks)
    fig.update_xaxes(tickmode="array", tickvals=list(range(len(leak.MEASURES))), ticktext=list(leak.MEASURES))
    if np.isnan(values).any():  # what may move
        grey = [[0, "rgba(128, 128, 128, 0.4)"], [1, "rgba(128, 128, 128, 0.4)"]]
        fig.add_heatmap(z=np.where(np.isnan(values), 1.0, np.nan), colorscale=grey, showscale=False, hoverinfo="skip")
    return fig
