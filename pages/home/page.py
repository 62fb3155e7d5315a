"""The start page: what a learned basis is, in a picture to be moved, and where to go from there."""

import streamlit as st

from core.store import list_models
from core.ui.frame import device_line, header
from core.ui.owner import owner_key, remember_owner
from core.ui.text import escape
from pages import PAGES
from pages.home import faces
from pages.home.path import PATH
from pages.library.rows import row_of_entry

RECENT = 5


def main() -> None:
    """The page, top to bottom."""
    header(
        "Basis Explorer",
        "Many systems learn a *basis*: a handful of directions whose weighted sums make faces move, texts change their "
        "style, graphs filter. Here you see the directions, move them, and try them on your own data.",
        "Nothing leaves this machine.",
    )
    with st.sidebar:
        device_line()
        remember_owner()
    st.markdown(
        "**This face is a sum** of a mean face and sixteen directions, each with a weight. Drag one, or let it walk."
    )
    faces.draw()
    st.subheader("Where to go", anchor=False)
    _cards()
    guided, recent = st.columns([3, 2], gap="large")
    with guided:
        st.subheader("One minute with one sample", anchor=False)
        _path()
    with recent:
        st.subheader("Newest models", anchor=False)
        _recent()


def _cards() -> None:
    """A card for each page."""
    places = [c for _ in range(0, len(PAGES), 4) for c in st.columns(4)]
    for page, place in zip(PAGES, places, strict=False):
        with place, st.container(border=True, height="stretch"):
            st.page_link(page.script, label=f"**{page.title}**", icon=page.icon)
            st.markdown(page.sentence)
            st.caption(page.needs)


def _path() -> None:
    """The same sample through five views of one page."""
    for number, (sentence, name, view) in enumerate(PATH, 1):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"{number}. {sentence}", width="stretch")
            st.page_link(
                "pages/directions/page.py", label=name, icon=":material/arrow_forward:", icon_position="right",
                query_params={"v": view.link()},
            )  # fmt: skip


def _recent() -> None:
    """The models made last, of this person's and of everybody's."""
    entries = [e for e in list_models(owner_key()) if not e.broken]
    for entry in sorted(entries, key=lambda e: e.card.date, reverse=True)[:RECENT]:
        cells = row_of_entry(entry).cells
        st.markdown(f"**{escape(entry.card.name)}**  \n:small[:gray[{escape(cells['Family'])} · {cells['Made']}]]")
    st.page_link("pages/library/page.py", label="All models", icon=":material/arrow_forward:", icon_position="right")


main()
