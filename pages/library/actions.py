"""What can be done with the model that was chosen in the library."""

import dataclasses
import importlib.util
import re
from collections.abc import Callable
from pathlib import Path

import streamlit as st

from core.errors import InputError
from core.store import Card, Entry, add_copy, annotate, delete, export_file, places, rename, snippet, undelete
from core.ui.owner import owner_key
from core.ui.run_panel import run_panel
from core.ui.server_runs import runs
from core.ui.text import escape, say_error, told_apart
from pages.library.rows import Row

_DIGEST = re.compile("[0-9a-f]{32,}")  # nobody reads it to its end
_SAID, _GONE = "library:said", "library:gone"


def said() -> None:
    """The outcome of the last action, and *Undo* for a deletion."""
    if _SAID in st.session_state:
        say_error(st.session_state.pop(_SAID))
    if _GONE in st.session_state:
        name, gone, ref = st.session_state[_GONE]
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"*{escape(name)}* was deleted.")
            st.button("Undo", icon=":material/undo:", key="library:undelete", on_click=_act(_undelete, gone, ref))


def draw(row: Row, rows: list[Row]) -> None:
    """Actions, card, note, snippet and comparison of one model; of a run first its panel."""
    if row.run is not None:
        _run(row)
        return
    entry = row.entry
    if entry.card is None:
        st.warning(escape(entry.broken), icon=":material/broken_image:")
        st.button("Delete", icon=":material/delete:", key="library:delete", on_click=_act(_delete, entry, row.name))
        return
    with st.container(horizontal=True):
        _open_buttons(entry.card, row.ref)
        _downloads(entry)
        if entry.place != "own":
            st.button(
                "Copy to mine", icon=":material/content_copy:", key="library:copy", on_click=_act(_copy, entry, "own")
            )
        if entry.place == "own":
            st.button(
                "Share with everyone here", icon=":material/group:", key="library:share",
                on_click=_act(_copy, entry, "shared"), help="Copies it where everyone on this server may read it.",
            )  # fmt: skip
        if entry.place != "pretrained":
            st.button("Delete", icon=":material/delete:", key="library:delete", on_click=_act(_delete, entry, row.name))
    if entry.place != "pretrained":
        _name_and_note(entry)
    card, other = st.columns(2, gap="large")
    with card:
        st.subheader("Card", anchor=False)
        _card_table({"This model": entry.card})
    with other:
        st.subheader("Compare with", anchor=False)
        _compare(entry, rows)
        st.subheader("In Python", anchor=False)
        st.code(snippet(entry.card))


def _run(row: Row) -> None:
    view = run_panel(row.run.id, key="library:run")
    if view is None:
        return
    with st.container(horizontal=True):
        if view.active or not view.kept:
            page = _page_of(view.family)
            if page and st.button("Open in its page", icon=":material/open_in_new:", key="library:open"):
                _open(
                    page,
                    Card(view.family, view.settings, (1,), "table", more=view.more, data=view.data["title"]),
                    row.ref,
                )
        else:
            _open_buttons(runs().card(view.id), row.ref)
            st.button(
                "Keep in my library", icon=":material/bookmark:", key="library:keep", on_click=_act(_keep, view.id)
            )
        if not view.active:
            st.button("Delete", icon=":material/delete:", key="library:delete", on_click=_act(runs().remove, view.id))


def _open_buttons(card: Card, ref: str) -> None:
    page = _page_of(card.family)
    if page is None:
        return
    if st.button("Open in its page", type="primary", icon=":material/open_in_new:", key="library:open"):
        _open(page, card, ref)
    if st.button(
        "Use its settings", icon=":material/content_paste_go:", key="library:again",
        help="Opens its page with the same settings, to learn a new model from other data or another seed.",
    ):  # fmt: skip
        _open(page, card, "")


def _page_of(family: str) -> str | None:
    """The folder of the page that shows models of a family, if there is one."""
    folder = family.partition(".")[0]
    return folder if folder.isidentifier() and importlib.util.find_spec(f"pages.{folder}") else None


def _open(folder: str, card: Card, ref: str) -> None:
    view = importlib.import_module(f"pages.{folder}.view").view_of(card, ref)
    st.switch_page(f"pages/{folder}/page.py", query_params={"v": view.link()})


def _downloads(entry: Entry) -> None:
    st.download_button(
        "Export", lambda: _exported(entry), f"{entry.folder.name}.basis.zip", "application/zip", on_click="ignore",
        icon=":material/download:", key="library:export", help="The model and its card in one file.",
    )  # fmt: skip


def _exported(entry: Entry) -> bytes:
    try:
        return export_file(entry.folder)
    except InputError as error:  # damaged since the table was drawn
        return str(error).encode()


def _name_and_note(entry: Entry) -> None:
    name, note = st.columns([1, 2])
    key = entry.folder.name
    with name:
        st.text_input(
            "Name", entry.card.name, key=f"library:name:{key}", max_chars=120,
            on_change=lambda: _try(rename, entry, st.session_state[f"library:name:{key}"]),
        )  # fmt: skip
    with note:
        st.text_input(
            "Note", entry.card.note, key=f"library:note:{key}", max_chars=10_000,
            on_change=lambda: _try(annotate, entry, st.session_state[f"library:note:{key}"]),
        )  # fmt: skip


def _compare(entry: Entry, rows: list[Row]) -> None:
    others = {r.ref: r for r in rows if r.entry is not None and r.entry.card is not None and r.entry != entry}
    if not others:
        st.caption("There is no other model to compare with yet.")
        return
    ref = st.selectbox(
        "The other model", ["", *others], key="library:other", label_visibility="collapsed",
        format_func=told_apart(["", *others], lambda r: others[r].name if r else "Choose a model"),
    )  # fmt: skip
    if ref:
        _card_table({"This model": entry.card, "The other": others[ref].entry.card}, only_different=True)


def _card_table(cards: dict[str, Card], *, only_different: bool = False) -> None:
    tables = {title: _flat(card) for title, card in cards.items()}
    names = list(dict.fromkeys(n for t in tables.values() for n in t))
    lines = [{"": name, **{title: t.get(name, "") for title, t in tables.items()}} for name in names]
    if only_different:
        lines = [line for line in lines if len({line[t] for t in tables}) > 1]
    st.table([{k: escape(v) for k, v in line.items()} for line in lines], hide_index=True)


def _flat(card: Card) -> dict[str, str]:
    """The lines of a card that a person reads; nested ones as `settings: k`."""
    flat: dict[str, str] = {}
    for field in dataclasses.fields(card):
        value = getattr(card, field.name)
        if field.name in ("curve", "features", "format") or value in ("", None, {}, ()):
            continue
        if isinstance(value, dict):
            flat |= {f"{field.name}: {k}".replace("_", " "): _said_as(v) for k, v in value.items()}
        else:
            flat[field.name] = _said_as(value)
    return flat


def _said_as(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, (list, tuple)):
        return " x ".join(map(str, value))
    text = str(value)
    return text[:16] + "…" if _DIGEST.fullmatch(text) else text


def _copy(entry: Entry, place: str) -> None:
    copied = add_copy(entry.folder, places(owner_key())[place])
    st.session_state["library:pick"] = f"model:{copied.id}"


def _keep(run_id: str) -> None:
    kept = runs().keep(run_id, places(owner_key())["own"])
    st.session_state["library:pick"] = f"model:{kept.id}"


def _delete(entry: Entry, name: str) -> None:
    st.session_state[_GONE] = (name, delete(entry), f"model:{entry.id}")


def _undelete(gone: Path, ref: str) -> None:
    st.session_state.pop(_GONE, None)
    undelete(gone)
    st.session_state["library:pick"] = ref


def _act(what: Callable, *args) -> Callable[[], None]:
    return lambda: _try(what, *args)


def _try(what: Callable, *args) -> None:
    try:
        what(*args)
    except InputError as error:
        st.session_state[_SAID] = str(error)
