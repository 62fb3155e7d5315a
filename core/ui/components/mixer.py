"""The mixer: sliders over the weights of a sample, and pictures that follow while they move."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

from core.errors import InputError
from core.ui.components.arguments import indices, texts
from core.ui.components.assets import LIBRARY, script, style
from core.ui.components.events import answer, receive
from core.ui.components.media import publish
from core.ui.components.payload import Payload, pack_array
from core.ui.components.state import MixerState

_component = st.components.v2.component(
    "basis_mixer",
    html='<div class="mixer"></div>',
    css=style("shared", "mixer"),
    js=script(*LIBRARY, "mix", "row", "panels", "mixer"),
)


def mixer(
    key: str,
    *,
    payload: Payload,
    code: Sequence[float],
    original: Any = None,
    state: MixerState | None = None,
    names: Sequence[str] | None = None,
    captions: Sequence[str] | None = None,
    groups: Sequence[str] | None = None,
    order: Iterable[int] | None = None,
    first: int = 8,
    nonnegative: bool = False,
    ranges: Any = None,
    affine: bool = True,
    pictures: Mapping[str, Any] | None = None,
    can_undo: bool = False,
    can_redo: bool = False,
    seed: int = 0,
    on_change: Callable[[MixerState], None] | None = None,
    on_undo: Callable[[], None] | None = None,
    on_redo: Callable[[], None] | None = None,
) -> MixerState:
    """Sliders over the weights of one sample, with original, reconstruction, edited sample and difference.

    The pictures of an affine basis follow the hand inside the browser; Python hears of a move once, on release.
    Callbacks run before the script, so that the script already sees what they changed. Without `on_change` the new
    state is what this function returns in that run.

    Args:
        key: of the component, different from all others on the page.
        payload: the basis and the form of a sample.
        code: `(K,)` the sample's own code.
        original: the sample itself, D numbers, or None to leave that panel out.
        state: what the sliders show. When left out, the mixer remembers it under its key.
        names, captions: K texts for the rows; numbers when left out.
        groups: K names of banks; rows of a bank stand under its heading.
        order: indices of directions in the order of the rows; others are not shown.
        first: how many rows are shown before *More*.
        nonnegative: weights are never negative (NMF, k-means, sparse codes).
        ranges: `(K, 2)` ends of the sliders in units of scale; -3 to 3, or 0 to 3, when left out. They are widened to
            take in the sample's own weight.
        affine: `decode` is `mean + code @ directions`. If not, give `pictures` for the present state.
        pictures: D numbers each of `reconstruction` and `edited`.
        can_undo, can_redo: whether those buttons can be pressed. They are shown where there is a callback.
        seed: of the *random* button.
        on_change: called with the new state after a release or a button.
        on_undo, on_redo: called for those buttons; the page keeps the history.

    Returns:
        The state that is shown. `state.apply(mixer(...), code, scale)` is the edited code.

    Raises:
        ValueError: numbers of entries that do not fit the payload.
    """
    k, d = payload.k, payload.form.d
    code = np.asarray(code, dtype=np.float64)
    if code.shape != (k,):
        raise ValueError(f"code must be ({k},), not {code.shape}")
    kept, waiting = f"{key}:state", f"{key}:waiting"

    def handle(event: dict[str, Any]) -> None:
        if event.get("kind") == "undo" and on_undo:
            on_undo()
        elif event.get("kind") == "redo" and on_redo:
            on_redo()
        elif event.get("kind") == "change":
            try:
                new = MixerState.from_dict(event.get("state"), k)
            except InputError:  # of the basis shown before
                return
            st.session_state[kept] = new
            if on_change:
                on_change(new)
            else:
                st.session_state[waiting] = new

    new = st.session_state.pop(waiting, None)
    if new is not None:
        state = new
    elif state is None:
        state = st.session_state.get(kept, MixerState())
        if any(i >= k for i in (*state.weights, *state.muted, *state.flipped, *state.solo)):
            state = MixerState()

    def array(values: Any, name: str) -> str | None:
        if values is None:
            return None
        flat = np.asarray(values, dtype=np.float32).ravel()
        if flat.size != d:
            raise ValueError(f"{name} must have {d} entries, not {flat.size}")
        return publish(pack_array(flat), f"{key}.{name}")

    _component(
        key=key,
        data={
            "payload": {"url": publish(payload.blob, f"{key}.payload"), "digest": payload.digest},
            "code": [float(f"{w:.7g}") for w in code],
            "original": array(original, "original"),
            "pictures": {n: array((pictures or {}).get(n), n) for n in ("reconstruction", "edited")},
            "names": texts(names, k, "names"),
            "captions": texts(captions, k, "captions"),
            "groups": texts(groups, k, "groups"),
            "order": indices(order, k),
            "first": int(first),
            "nonnegative": bool(nonnegative),
            "ranges": None if ranges is None else np.asarray(ranges, dtype=np.float64).reshape(k, 2).tolist(),
            "affine": bool(affine),
            "state": state.as_dict(),
            "answer": answer(key),
            "undo": None if on_undo is None else bool(can_undo),
            "redo": None if on_redo is None else bool(can_redo),
            "seed": int(seed),
        },
        on_event_change=receive(key, handle),
    )
    return state
