"""Tab *Map*: codes or directions in a plane."""

import streamlit as st

from core.errors import InputError
from core.maps.plane import METHODS, SLOW
from core.ui.components.scatter import Points, scatter
from core.ui.history import History
from core.ui.text import escape, told_apart
from pages.directions.map import colour, layout, selection
from pages.directions.map.layout import DIRECTIONS, SAMPLES, Shown
from pages.directions.naming import sample_name
from pages.directions.shown import Fitted, names_of
from pages.directions.view import DirectionsView

_KEY = "directions:map"
_ALL = f"{_KEY}:all"
_HELP = {
    "PCA": "The two orthogonal axes along which the points vary most. At once, and the same every time.",
    "UMAP": "Keeps near points near; distances between groups mean little. Takes half a minute, beside the page.",
    "t-SNE": "Keeps near points near; sizes of groups mean little. Takes half a minute, beside the page.",
}


@st.fragment
def draw(history: History[DirectionsView], fitted: Fitted) -> None:
    """Controls, the map, and the selection as a table."""
    if st.session_state.pop(_ALL, False):
        st.rerun()
    names, now = names_of(fitted, history.now.names), history.now.map
    with st.container(horizontal=True, vertical_alignment="bottom"):
        what = _pick(
            history, "what", "Map of", (SAMPLES, DIRECTIONS), now.get("what"), st.segmented_control, required=True
        )
        how = _pick(
            history, "how", "By", METHODS, now.get("how"), st.segmented_control, required=True,
            help="  \n".join(f"**{m}**: {_HELP[m]}" for m in METHODS),
        )  # fmt: skip
        on = layout.shown(fitted.key, what, fitted)
        by = "of" if what == SAMPLES else "directions"
        options = colour.choices(on)
        choice = _pick(
            history, f"colour-{by}", "Colour by", options, now.get(f"colour-{by}"), st.selectbox, width=280,
            format_func=told_apart(options, colour.naming(names)), help="A label, or the weight of any direction.",
        )  # fmt: skip
    try:
        flat, pca_trust = layout.pca(on.key, on)
    except InputError as error:
        st.info(escape(str(error)), icon=":material/info:")
        return
    points, trust, method = flat, pca_trust, "PCA"
    if how in SLOW:
        job = layout.find(on, how, history.now.seed)
        if job is not None and job.state == "done":
            points, trust, method = job.points, job.trust, how
        else:
            _wait(history, on, how)
    left, right = st.columns([2, 1], gap="medium")
    with left:
        _map(history, on, choice, names, points)
        st.caption(selection.sentence(on, trust, pca_trust, method))
    with right:
        selection.widgets(on, choice, names)
        selection.table(history, on, choice, names)


def _pick(history: History[DirectionsView], entry: str, label: str, options, value, widget, **kw):
    value = value if value in options else options[0]
    return history.bind(f"map.{entry}", widget, label, options, value=value, **kw)


def _map(history: History[DirectionsView], on: Shown, choice: str, names: list[str], points) -> None:
    colours = colour.colours(on, choice, names)
    current = history.now.direction if on.what == DIRECTIONS else history.now.sample
    place = {int(i): at for at, i in enumerate(on.ids)}
    scatter(
        f"{_KEY}:points",
        Points(
            points,
            [names[i] if on.what == DIRECTIONS else sample_name(on.fitted, i, "sample") for i in on.ids],
            colours.texts,
            colours.colour,
            colours.classes,
            colours.scale,
        ),
        thumbs=on.thumbs,
        selected=selection.chosen(on).tolist(),
        current=place.get(current),
        label=f"Map of the {on.what}",
        on_select=lambda indices: selection.choose(on, indices),
        on_pick=lambda i: selection.take(history, on, int(on.ids[i])),
    )


def _wait(history: History[DirectionsView], on: Shown, how: str) -> None:
    """Start the slow map when asked, and follow it; PCA is on the screen meanwhile."""
    seed = history.now.seed
    job = layout.find(on, how, seed)
    if job is None:
        job = layout.start(on, how, seed)
    if job.state in ("failed", "cancelled"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "Start", icon=":material/play_arrow:", key=f"{_KEY}:again", on_click=layout.start, args=(on, how, seed)
            )
            text = escape(job.error) if job.state == "failed" else f"{how} was cancelled."
            st.caption(f"{text} The map shows PCA.")
        return
    _follow(on, how, seed)


@st.fragment(run_every=0.7)
def _follow(on: Shown, how: str, seed: int) -> None:
    job = layout.find(on, how, seed)
    if job is None or job.over:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(job.share, f"{how}: {job.stage}; PCA is shown until it is there.")
        st.button("Cancel", icon=":material/close:", key=f"{_KEY}:cancel", on_click=layout.cancel, args=(on, how, seed))
