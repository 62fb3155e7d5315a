"""The view of a page over time: change, undo, redo, and its place in the browser's address."""

import time
from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

import streamlit as st

from core.errors import InputError
from core.ui.view import View

V = TypeVar("V", bound=View)
DEEPEST = 200
STALE_SECONDS = 3.0  # a request under way may still carry the address from before the last change
LATE_SECONDS = 10.0  # and with a click the values that widgets had before the page itself moved them
_VIEW = object()


class History(Generic[V]):
    """Past, present and future views of one page in one browser session.

    Make it at the top of the page's script; it lives in the session state. The address always holds the present
    view, and an address that changed (a pasted link, the browser's *back*) becomes the present view.

    Attributes:
        page: the page's name, which keeps its widgets' keys apart from other pages'.
        notice: one sentence about a link that could not be used, or an empty text.
    """

    def __init__(self, page: str, view: type[V]):
        self.page, self._view = page, view
        first = f"{page}:history" not in st.session_state
        fresh = {
            "past": [],
            "now": view(),
            "future": [],
            "link": None,
            "left": {},
            "moved": {},
            "bound": set(),
            "notice": "",
        }
        self._state = st.session_state.setdefault(f"{page}:history", fresh)
        asked = st.query_params.get("v")
        if asked is not None and asked != self._state["link"] and not self._just_left(asked):
            self._adopt(asked)
            if first:
                self._state["past"] = []  # there was nothing before a link that was opened
        self.show_in_address()

    def _just_left(self, link: str) -> bool:
        return time.monotonic() - self._state["left"].get(link, -STALE_SECONDS) < STALE_SECONDS

    def _adopt(self, link: str) -> None:
        try:
            asked = self._view.from_link(link)
        except InputError as error:
            self._state["notice"] = str(error)
            return
        if asked != self.now:
            self._remember(asked)

    @property
    def notice(self) -> str:
        """Said until the view changes: a page may run several times before anybody has read it."""
        return self._state["notice"]

    @property
    def now(self) -> V:
        """The present view."""
        return self._state["now"]

    def _remember(self, view: V) -> None:
        self._state["past"] = [*self._state["past"], self.now][-DEEPEST:]
        self._state["future"] = []
        self._state["now"], self._state["notice"] = view, ""

    def change(self, **fields: Any) -> None:
        """Go to a view with these fields changed; it can be undone."""
        view = self.now.having(**fields)
        if view != self.now:
            self._remember(view)
            self.show_in_address()

    def correct(self, **fields: Any) -> None:
        """Change fields without a step of undo: for what is not a decision of the person (an open tab)."""
        self._state["now"] = self.now.having(**fields)
        self.show_in_address()

    def open(self, view: V) -> None:
        """Go to another view altogether (a recipe, a model of the library)."""
        if view != self.now:
            self._remember(view)
            self.show_in_address()

    @property
    def can_undo(self) -> bool:
        return bool(self._state["past"])

    @property
    def can_redo(self) -> bool:
        return bool(self._state["future"])

    def undo(self) -> bool:
        """Back to the view before the last change; False when there is none."""
        if done := self.can_undo:
            *self._state["past"], before = self._state["past"]
            self._state["future"] = [self.now, *self._state["future"]]
            self._state["now"] = before
            self.show_in_address()
        return done

    def redo(self) -> bool:
        """Forward again after *undo*; False when there is nothing ahead."""
        if done := self.can_redo:
            after, *self._state["future"] = self._state["future"]
            self._state["past"] = [*self._state["past"], self.now]
            self._state["now"] = after
            self.show_in_address()
        return done

    def show_in_address(self) -> None:
        """Write the present view into the address, if it is not there already."""
        link = self.now.link() if self.now.changed() else None
        if link != self._state["link"]:
            self._state["left"] = {self._state["link"]: time.monotonic(), **dict(list(self._state["left"].items())[:9])}
            self._state["link"] = link
        if st.query_params.get("v") != link:
            if link is None:
                del st.query_params["v"]
            else:
                st.query_params["v"] = link

    def bind(
        self,
        field: str,
        widget: Callable[..., Any],
        *args: Any,
        value: Any = _VIEW,
        after: dict[str, Any] | None = None,
        then: Callable[[], None] | None = None,
        key: str = "",
        **kw: Any,
    ) -> Any:
        """A widget whose value is a field of the view.

        Args:
            field: a field, or `field.key` for an entry of a field that is a dictionary.
            widget: `st.slider`, `st.selectbox`, ...; what comes after its label are its options.
            value: what it shows, where that is not simply what the view holds (an entry that is not there yet).
            after: other fields to change together with it (a new data set clears the mix).
            then: called after the change.
            key: of the widget, where two widgets show one field.

        Returns:
            What the widget returns.
        """
        key = f"{self.page}:{key or field}"
        top, _, entry = field.partition(".")
        if value is _VIEW:
            value = getattr(self.now, top)[entry] if entry else getattr(self.now, top)
        options = list(args[1]) if len(args) > 1 and isinstance(args[1], Iterable) else None
        texts = [kw.get("format_func", str)(o) for o in options or ()]
        if value is not None and (st.session_state.get(key) != value or st.session_state.get(f"{key}:texts") != texts):
            if st.session_state.get(key, value) != value:
                self._state["moved"][key] = (st.session_state[key], time.monotonic())
            st.session_state[key] = value  # texts that changed (a share, a new name) reach the browser so, too
        st.session_state[f"{key}:texts"] = texts
        self._state["bound"].add(key)

        def told():
            new = st.session_state[key]
            if options is not None and not all(v in options for v in (new if isinstance(new, list) else [new])):
                return  # the text of an option that is gone; the browser had not heard of the new ones yet
            before, when = self._state["moved"].pop(key, (None, -LATE_SECONDS))
            if new == before and time.monotonic() - when < LATE_SECONDS and self._clicked():
                st.session_state[key] = value
                return
            fields = {top: {**getattr(self.now, top), entry: new} if entry else new}
            self.change(**{**(after or {}), **fields})
            if then:
                then()

        return widget(*args, key=key, on_change=told, **_default(widget, args, kw, options, value), **kw)

    def _clicked(self) -> bool:
        """Whether this request comes from a button (or a switch that no view holds), and not from a bound widget."""
        return any(v is True and k not in self._state["bound"] for k, v in st.session_state.items())


def _default(widget: Callable[..., Any], args: tuple, kw: dict[str, Any], options: list | None, value: Any) -> dict:
    """The value as the widget's own default, too.

    A browser that draws a widget anew (a slow one at the first run, one that lost its connection) begins with that
    default, and sends it back as if a person had chosen it before it hears of the value in the session state.
    """
    name = getattr(widget, "__name__", "")
    if name in ("text_input", "text_area") and isinstance(value, str):
        return {"value": value}
    if name in ("toggle", "checkbox") and isinstance(value, bool):
        return {"value": value}
    if name in ("slider", "number_input"):
        ends = [*args[1:3], kw.get("min_value"), kw.get("max_value")]
        ends = [e for e in ends if e is not None]
        alike = all(type(e) is type(value) for e in ends) and type(value) in (int, float)
        within = alike and len(ends) == 2 and ends[0] <= value <= ends[1]
        return {"value": value} if within else {}
    if options is None or not isinstance(value, list | str | int | float | bool):
        return {}
    if name in ("selectbox", "radio"):
        return {"index": options.index(value)} if value in options else {}
    if name in ("segmented_control", "pills", "multiselect"):
        chosen = value if isinstance(value, list) else [value]
        return {"default": value} if all(v in options for v in chosen) else {}
    return {"value": value} if name == "select_slider" and value in options else {}
