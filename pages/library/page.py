"""The page *Library*: pretrained, saved and running models in one table, and what can be done with them."""

import streamlit as st

from core.store import list_models
from core.ui.frame import device_line, header
from core.ui.owner import owner_key, remember_owner
from core.ui.server_runs import runs
from core.ui.text import told_apart
from pages.library import actions, importing
from pages.library.rows import Row, row_of_entry, row_of_run

_NEAREST = ("own", "shared", "pretrained")
_PICK, _TABLE, _CLICKED = "library:pick", "library:table", "library:clicked"
_REFRESH_SECONDS = 3.0  # of the table, while a run goes on
_IDLE_SECONDS = 20.0  # while none does: another tab may start one
# Widths in pixels: all columns together fit a laptop's screen; a cut cell is whole in the card below.
_COLUMNS = {
    "Name": st.column_config.Column(width=175, pinned=True),
    "Where": st.column_config.Column(width=80),
    "Family": st.column_config.Column(width=110),
    "Data": st.column_config.Column(width=110),
    "Directions": st.column_config.Column(width=75),
    "Measures": st.column_config.Column(width=140),
    "Made": st.column_config.Column(width=120),
    "Size / KB": st.column_config.NumberColumn(format="%.0f", width=65),
    "Licence of the data": st.column_config.Column("Licence", width=90),
}


def main() -> None:
    """The page, top to bottom."""
    header(
        "Library",
        "Pretrained, saved and running models: open one in its page, compare two, take one away or bring one.",
        "Models are safetensors and a card that says how they were made. Nothing in them can run code.",
    )
    with st.sidebar:
        importing.draw()
        importing.private_link()
        device_line()
        remember_owner()
    actions.said()
    rows = _rows()
    if not rows:
        st.info(
            "There is no model here yet. Train one on a page, or keep one under *Take away*; it then stands here.",
            icon=":material/inventory_2:",
        )
        return
    row = _choose(rows)
    actions.draw(row, rows)


def _rows() -> list[Row]:
    entries = sorted(list_models(owner_key()), key=lambda e: _NEAREST.index(e.place))
    return [row_of_run(r, runs().size(r.id)) for r in runs().list(owner_key())] + [row_of_entry(e) for e in entries]


def _choose(rows: list[Row]) -> Row:
    """The table, and below it the same choice as a list, for the keyboard."""
    refs = [r.ref for r in rows]
    # set each time: the browser holds the text of the choice, which a new name or a second model of that name changes
    known = st.session_state.get(_PICK)
    st.session_state[_PICK] = known if known in refs else refs[0]
    under_way = any(r.run and r.run.active for r in rows)
    st.fragment(_table, run_every=_REFRESH_SECONDS if under_way else _IDLE_SECONDS)(_standing(rows), [rows])
    names = {r.ref: f"{r.name} ({'run' if r.run else r.cells['Where']})" for r in rows}  # they stay while a run goes on
    picked = st.selectbox("Model", refs, key=_PICK, format_func=told_apart(refs, names.__getitem__))
    return next(r for r in rows if r.ref == picked)


def _standing(rows: list[Row]) -> list[tuple[str, str]]:
    """What decides which choices and actions the page offers: the lines, and the states of the runs."""
    return [(r.ref, r.run.state if r.run else "") for r in rows]


def _table(drawn: list[tuple[str, str]], read: list[list[Row]]) -> None:
    """The table as it is now; the whole page anew when more than numbers has changed, or a line was clicked.

    Args:
        drawn: how the page stands.
        read: the lines that the run of the whole page has just read, taken by its first draw; later ones read anew.
    """
    rows = read.pop() if read else _rows()
    if _standing(rows) != drawn or all(r.ref != st.session_state[_PICK] for r in rows):
        st.rerun()

    picked = next(i for i, r in enumerate(rows) if r.ref == st.session_state[_PICK])

    def clicked() -> None:
        selection = st.session_state[_TABLE]["selection"]
        # a click into a line marks a cell, and one at its head the line
        chosen = [r for r in [*(row for row, _ in selection["cells"]), *selection["rows"]] if r != picked]
        if chosen and chosen[0] < len(rows):
            st.session_state[_PICK] = rows[chosen[0]].ref
            st.session_state[_CLICKED] = True

    # what the list or an action chose is marked too, and stays so where lines come and go above it
    st.session_state[_TABLE] = {"selection": {"rows": [picked], "columns": [], "cells": []}}
    st.dataframe(
        [r.cells for r in rows],
        key=_TABLE,
        hide_index=True,
        on_select=clicked,
        selection_mode=["single-row-required", "single-cell"],
        column_config=_COLUMNS,
        alt="All models and runs",
    )
    if st.session_state.pop(_CLICKED, False):
        st.rerun()


main()
