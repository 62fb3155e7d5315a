"""Widgets for a settings class, made from its own table of fields."""

from collections.abc import Collection, Mapping
from dataclasses import Field, fields, replace
from typing import Any

import streamlit as st

from core.errors import InputError
from core.settings import Settings
from core.ui.history import History


def settings_form(
    history: History,
    field: str,
    cls: type[Settings],
    *,
    after: dict[str, Any] | None = None,
    most: Mapping[str, int] | None = None,
    leave: Collection[str] = (),
) -> Settings:
    """Widgets for all settings of `cls`, bound to the dictionary `field` of the view; the rest behind *More*.

    Args:
        most: upper ends that the data sets, by setting; a larger default or value is lowered to it.
        leave: settings that get no widget.

    Returns:
        The settings as they stand. A value in the view that does not fit (an edited link) counts as the default.
    """
    settings = settings_of(cls, getattr(history.now, field), most)
    asked = [f for f in fields(cls) if f.name not in leave]
    shown = [f for f in asked if not f.metadata.get("more")]
    rest = [f for f in asked if f.metadata.get("more")]
    for f in shown:
        _widget(history, f"{field}.{f.name}", f, getattr(settings, f.name), after, (most or {}).get(f.name))
    if rest:
        with st.expander("More"):
            for f in rest:
                _widget(history, f"{field}.{f.name}", f, getattr(settings, f.name), after, (most or {}).get(f.name))
    return settings


def settings_of(cls: type[Settings], values: dict[str, Any], most: Mapping[str, int] | None = None) -> Settings:
    """Settings from a view's dictionary, leaving out what this family does not know or take."""
    kept: dict[str, Any] = {}
    for f in fields(cls):
        if f.name in values:
            try:
                cls.of({f.name: values[f.name]})
            except InputError:
                continue
            kept[f.name] = values[f.name]
    settings = cls.of(kept)
    lower = {n: end for n, end in (most or {}).items() if getattr(settings, n, end) > end}
    return replace(settings, **lower)


def label(f: Field) -> str:
    """What a setting's widget is called: its title, or its name (`k` as `K`, `batch_size` as `Batch size`)."""
    words = f.metadata.get("title") or f.name.replace("_", " ")
    return words[:1].upper() + words[1:]


def _widget(history: History, name: str, f: Field, value: Any, after: dict[str, Any] | None, most: int | None) -> None:
    meta = dict(f.metadata)
    if most is not None:
        meta["high"] = most if meta["high"] is None else min(most, meta["high"])
    common = dict(value=value, help=meta["help"], after=after)
    if meta["choices"]:
        history.bind(name, st.selectbox, label(f), meta["choices"], **common)
    elif isinstance(value, bool):
        history.bind(name, st.toggle, label(f), **common)
    elif isinstance(value, str):
        history.bind(name, st.text_input, label(f), **common)
    else:
        whole = isinstance(value, int)
        bounds = {f"{end}_value": None if at is None else type(value)(at) for end, at in _ends(meta)}
        step, form = meta["step"] or (1 if whole else None), None if whole else "%g"
        history.bind(name, st.number_input, label(f), **bounds, step=step, format=form, **common)


def _ends(meta) -> list[tuple[str, float | None]]:
    return [("min", meta["low"]), ("max", meta["high"])]
