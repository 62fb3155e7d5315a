"""The frame around every page: title, one sentence, source line, undo and share, device."""

import streamlit as st

from core.device import describe
from core.ui.history import History


def header(title: str, sentence: str, source: str) -> None:
    """Title, what the page shows, and where it comes from."""
    st.html("<style>" + _STYLE + "</style>")
    st.title(title, anchor=False)
    st.markdown(f"{sentence} :small[:gray[{source}]]")


def steps(history: History) -> None:
    """Undo, redo and the link of the present view, in the sidebar."""
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Undo",
            icon=":material/undo:",
            key=f"{history.page}:undo",
            on_click=lambda: history.undo() or st.toast("There is nothing to undo."),
            help="Back to the view before the last change.",
        )
        st.button(
            "Redo",
            icon=":material/redo:",
            key=f"{history.page}:redo",
            on_click=lambda: history.redo() or st.toast("There is nothing to redo."),
            help="Forward again.",
        )
    if history.notice:
        st.warning(history.notice, icon=":material/link_off:")


def abreast(name: str, count: int, **options) -> list:
    """Columns that stay beside each other on a phone, for small pictures that are compared.

    Args:
        name: names them on the page, once.
        options: of `st.columns`.
    """
    with st.container(key=f"abreast-{name}"):
        return st.columns(count, **options)


def device_line() -> None:
    """Which device computes, at the foot of the sidebar."""
    st.caption(f":material/memory: Computing on {describe()}")


_STYLE = """
[data-testid="stMainBlockContainer"] {padding-top: 1.5rem; padding-bottom: 3rem; max-width: 1500px}
[data-testid="stHeader"] {background: transparent; height: 2rem}
[data-testid="stMainBlockContainer"] h1 {padding: 0; font-size: 1.8rem}
/* Text at the end of a row of fields stands level with what is written in them. */
[class*="st-key-level-"] {min-height: 2.5rem; justify-content: center}
/* Tables wrap their words and not their first column; on a phone they scroll before their last columns get thin. */
[data-testid="stTable"] td:first-child {white-space: nowrap}
[data-testid="stTable"] td:last-child {min-width: 9rem}
[data-testid="stTable"] td:nth-last-child(-n+2):nth-child(n+4) {min-width: 11rem}
/* Tables are downloaded by our own buttons: this one writes cells that a spreadsheet takes for formulas. */
[data-testid="stElementToolbar"] [aria-label^="Download as CSV"] {display: none}
/* Under a finger a chart's buttons would always lie over its legend: they come when it is touched. */
@media (hover: none) {
  .js-plotly-plot:not(:hover) .modebar-container {visibility: hidden}
}
@media (max-width: 640px) {
  [data-testid="stMainBlockContainer"] {padding: 2.5rem 1rem 3rem}
  [data-testid="stMainBlockContainer"] h1 {font-size: 1.5rem}
  [class*="st-key-abreast-"] [data-testid="stHorizontalBlock"] {flex-wrap: nowrap; gap: 0.5rem}
  [data-testid="stButtonGroup"] > [role="radiogroup"] {flex-wrap: wrap; row-gap: 0.25rem}
  [class*="st-key-abreast-"] [data-testid="stColumn"] {min-width: 0; width: auto; flex: 1 1 0}
}
"""
