"""What is selected on the map, as a table that can be taken away."""

import numpy as np
import streamlit as st

from core.figures.text import number
from core.tables import to_csv
from core.ui.history import History
from core.ui.text import escape
from pages.directions.map import colour
from pages.directions.map.layout import DIRECTIONS, Shown
from pages.directions.naming import has_names, sample_name
from pages.directions.view import DirectionsView

_KEY = "directions:map"
_CHOSEN = f"{_KEY}:chosen"


def chosen(on: Shown) -> np.ndarray:
    """Indices (on the map) of the selected points."""
    key, indices = st.session_state.get(_CHOSEN, ("", ()))
    return np.asarray(indices if key == on.key else (), dtype=int)


def choose(on: Shown, indices) -> None:
    """Select these points and no others."""
    st.session_state[_CHOSEN] = (on.key, sorted(int(i) for i in indices))


def widgets(on: Shown, choice: str, names: list[str]) -> None:
    """Select without a lasso: by the value that colours the map."""
    found = colour.values(on, choice)
    if found is None:
        return
    title = colour.naming(names)(choice)
    colours = colour.colours(on, choice, names)
    if colours.classes:
        shown = [name for name, *_ in colours.classes]
        key = f"{_KEY}:classes:{on.key}:{choice}"

        def picked() -> None:
            wanted = [shown.index(c) for c in st.session_state[key]]
            choose(on, np.flatnonzero(np.isin(colours.colour, wanted)))

        st.multiselect(f"Select by {title}", shown, key=key, placeholder="Choose values", on_change=picked)
        return
    key = f"{_KEY}:range:{on.key}:{choice}"

    def told() -> None:
        low, high = np.percentile(found, st.session_state[key])
        choose(on, np.flatnonzero((found >= low) & (found <= high)))

    st.slider(
        f"Select by {title}", 0, 100, (0, 100), format="%d%%", key=key, on_change=told,
        help="From which to which percentile: 90% to 100% selects the tenth with the largest values.",
    )  # fmt: skip


def table(history: History[DirectionsView], on: Shown, choice: str, names: list[str]) -> None:
    """The selected points (or all of them) with names, and a download."""
    picked = chosen(on)
    indices = picked if len(picked) else np.arange(len(on.ids))
    title = f"{len(picked):,} selected" if len(picked) else f"All {len(indices):,} points (nothing is selected)"
    st.markdown(f"**{title}**")
    columns = _columns(on, on.ids[indices], names)
    found = colour.values(on, choice)
    hidden = () if on.what == DIRECTIONS or has_names(on.fitted) else ("name",)
    shown = {n: v for n, v in list(columns.items())[: 3 if on.what != DIRECTIONS else 5] if n not in hidden}
    if found is not None and choice != colour.LABEL:
        shown[colour.naming(names)(choice)] = found[indices]
    event = st.dataframe(
        shown, hide_index=True, height=280, key=f"{_KEY}:table", on_select="rerun", selection_mode="single-row",
        alt=f"{title}: numbers, names and values",
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "Download as csv",
            lambda: to_csv(list(columns), zip(*columns.values(), strict=True)),
            "selection.csv",
            "text/csv",
            icon=":material/download:",
            key=f"{_KEY}:csv",
            on_click="ignore",
            help="Numbers, names, labels and all weights of the points in the table.",
        )
        rows = event.selection.rows if event else []
        if rows and rows[0] < len(indices):
            _go(history, on, int(on.ids[indices[rows[0]]]))


def _go(history: History[DirectionsView], on: Shown, index: int) -> None:
    if on.what == DIRECTIONS:
        st.button("Open in One direction", key=f"{_KEY}:go", on_click=take, args=(history, on, index))
    else:
        name = escape(sample_name(on.fitted, index, "sample"))
        st.button(f"Show {name} in the mixer", key=f"{_KEY}:go", on_click=take, args=(history, on, index))


def take(history: History[DirectionsView], on: Shown, index: int) -> None:
    """Look at that sample or direction."""
    if on.what == DIRECTIONS:
        history.change(direction=index)
        history.correct(tab="One direction")
    else:
        history.change(sample=index, mix={})
    st.session_state[f"{_KEY}:all"] = True


def _columns(on: Shown, ids: np.ndarray, names: list[str]) -> dict[str, list]:
    fitted, data = on.fitted, on.fitted.dataset
    if on.what == DIRECTIONS:
        return {
            "number": (ids + 1).tolist(),
            "name": [names[i] for i in ids],
            "energy": fitted.energy[ids].tolist(),
            "use": fitted.use[ids].tolist(),
            "scale": fitted.basis.scale[ids].tolist(),
        }
    columns = {"sample": ids.tolist(), "name": [data.names[i] for i in ids]}
    if data.labels is not None:
        columns["label"] = data.labels[ids].tolist()
    return columns | {f"weight of {n} ({k + 1})": fitted.codes[ids, k].tolist() for k, n in enumerate(names)}


def sentence(on: Shown, trust: float, pca_trust: float, method: str) -> str:
    """What the map keeps of the neighbourhoods, beside PCA."""
    kept = f"Trustworthiness {number(trust)}" + ("" if method == "PCA" else f", PCA {number(pca_trust)}")
    part = "" if len(on.ids) == on.all else f" It shows {len(on.ids):,} of {on.all:,}, drawn at random."
    worse = " PCA keeps neighbours better here." if method != "PCA" and trust < pca_trust - 0.005 else ""
    if on.what == DIRECTIONS and on.fitted.basis.orthonormal:
        part += " Orthonormal directions are all equally far from each other, so where they lie here says little."
    return f"{kept} (1: points that are near on the map are near in all dimensions).{worse}{part}"
