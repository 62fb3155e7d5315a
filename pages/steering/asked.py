"""What the view asks to be written: the rows, their steers, and the desk on which this session's texts lie."""

import json
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from core.steering.desk import Desk, Piece
from core.steering.generate import Row, Writing
from core.steering.steer import AMBER, RED, Steer
from core.ui.brought import Brought
from core.ui.history import History
from core.ui.settings_form import settings_of
from pages.steering.opened import Ready
from pages.steering.view import OWN_BLOCK, SteeringView

WORDS = {
    "praise": "full of praise",
    "complaint": "as a complaint",
    "formal": "very formal",
    "casual": "casual, like to a friend",
    "question": "made of questions",
    "instructions": "as instructions, step by step",
    "code": "as Python code",
    "maths": "with numbers and sums",
    "story": "like an old tale",
    "news": "like a news report",
    "science": "like a science textbook",
    "spanish": "in Spanish",
}


@dataclass(frozen=True, eq=False)
class Vector:
    """A control vector that was brought: what it adds at each block, and the largest r of it."""

    name: str
    vectors: dict[int, np.ndarray]
    ratio: float


def writing_of(view: SteeringView) -> Writing:
    """The settings of writing."""
    return settings_of(Writing, view.writing)


def weights_of(ready: Ready, view: SteeringView) -> np.ndarray:
    """`(K,)` weights in sigma, within the ends of the sliders."""
    given = np.array([view.weights.get(n, 0.0) for n in ready.opened.names])
    ends = ready.ends(view)
    return np.clip(given, -ends, ends)


def vector_of(view: SteeringView) -> Vector | None:
    """The control vector of this session that the view names."""
    return Brought[Vector].of("steering").things.get(view.vector)


def steers_of(ready: Ready, view: SteeringView, weights: np.ndarray | None = None) -> list[Steer]:
    """What is done to the model."""
    o = ready.opened
    weights = weights_of(ready, view) if weights is None else weights
    more: dict = dict(where=view.where)
    if len(o.blocks) == 1:
        more["method"] = view.method
        if view.against in o.names:
            more["against"] = np.array(o.basis.directions[o.number(view.against)])
    steers = o.model.steers(weights, **more)
    if view.block != OWN_BLOCK and len(steers) == 1:
        steers = [replace(steers[0], block=ready.block(view))]
    given = vector_of(view)
    if given is not None and view.file:
        steers += [Steer.of_vector(b, view.file * v, where=view.where) for b, v in given.vectors.items()]
    return [s for s in steers if s.active]


def ratio_of(ready: Ready, steers: list[Steer]) -> float:
    """The largest r of any block, before the cap; steers of one block add up."""
    blocks: dict[int, np.ndarray] = {}
    for s in steers:
        if s.method != "ablate":
            blocks[s.block] = blocks.get(s.block, 0.0) + s.vector()
    return max((float(np.linalg.norm(v)) / ready.norms[b] for b, v in blocks.items()), default=0.0)


def capped(ready: Ready, steers: list[Steer], most: float = RED) -> list[Steer]:
    """The steers, all scaled down together where they are beyond the hard stop."""
    ratio = ratio_of(ready, steers)
    return steers if ratio <= most else [s.scaled(most / ratio) for s in steers]


def instruction(ready: Ready, view: SteeringView) -> str:
    """What the model is told in words: the person's own, or what the weights suggest."""
    if view.told.strip():
        return view.told.strip()
    weights = weights_of(ready, view)
    found = []
    for i in np.argsort(-np.abs(weights)):
        if abs(weights[i]) >= 0.5 and len(found) < 3:
            name = ready.opened.names[i]
            label = ready.opened.model.evidence_[i].label
            wanted = WORDS.get(label) or f"in the manner of: {view.names.get(name, name)}"
            found.append(wanted if weights[i] > 0 else f"not {wanted}")
    return f"Write {' and '.join(found)}." if found else "Write plainly."


def random_steers(ready: Ready, view: SteeringView, steers: list[Steer]) -> list[Steer]:
    """A random direction of the same length at the same block, as a control."""
    ratio = min(ratio_of(ready, steers), RED)
    block = steers[0].block if steers else ready.block(view)
    drawn = np.random.default_rng(view.random).standard_normal(
        ready.opened.model.steers([0] * ready.opened.basis.k)[0].width
    )
    drawn *= ratio * ready.norms[block] / np.linalg.norm(drawn)
    return [Steer.of_vector(block, drawn, where=view.where)] if ratio else []


def rows_of(ready: Ready, view: SteeringView) -> list[tuple[str, str, Row]]:
    """Title, note and row of each column."""
    steers = capped(ready, steers_of(ready, view))
    chat = writing_of(view).chat
    found = [
        ("Unsteered", "", Row(view.prompt)),
        ("Steered", described(ready, view) or "all weights are 0", Row(view.prompt, steers or None)),
    ]
    if "told" in view.beside:
        told = instruction(ready, view)
        row = Row(view.prompt, system=told) if chat else Row(f"{told}\n\n{view.prompt}")
        found.append(("Told in words", told, row))
    if "random" in view.beside:
        found.append(("Random direction", "same length", Row(view.prompt, random_steers(ready, view, steers) or None)))
    return found


def described(ready: Ready, view: SteeringView) -> str:
    """The weights other than 0 in words, the largest first."""
    weights = weights_of(ready, view)
    order = [i for i in np.argsort(-np.abs(weights)) if weights[i]]
    names = ready.opened.names
    parts = [f"{view.names.get(names[i], names[i])} {weights[i]:+.1f}" for i in order[:4]]
    if len(order) > 4:
        parts.append(f"{len(order) - 4} more")
    given = vector_of(view)
    if given is not None and view.file:
        parts.append(f"{given.name} × {view.file:g}")
    return ", ".join(parts)


def key_of(ready: Ready, view: SteeringView) -> str:
    """Names everything that the texts follow from, but the number of tokens."""
    writing = writing_of(view).as_dict()
    writing.pop("tokens")
    given = view.vector if vector_of(view) is not None and view.file else ""
    parts = [
        ready.opened.key, view.prompt, weights_of(ready, view).tolist(), given, view.file if given else 0, writing,
        view.method, view.where, view.against, ready.block(view), view.beside,
        instruction(ready, view) if "told" in view.beside else "", view.random if "random" in view.beside else 0,
    ]  # fmt: skip
    return json.dumps(parts)


def desk() -> Desk:
    """This session's."""
    return st.session_state.setdefault("steering:desk", Desk())


def safest(ready: Ready, view: SteeringView, weights: dict[str, float], wanted: float = 0.0) -> dict[str, float]:
    """Weights scaled down together until no slider is beyond its end and r is at most 0.35 in all.

    Args:
        wanted: the r that they are scaled to before; as they are when 0.
    """
    o, ends = ready.opened, ready.ends(view)
    full = np.array([weights.get(n, 0.0) for n in o.names])
    if wanted and full.any():
        full = full * wanted / max(ratio_of(ready, o.model.steers(full)), 1e-9)
    beyond = float(np.max(np.abs(full) / ends, initial=0.0))
    full = full / max(beyond, 1.0)
    ratio = ratio_of(ready, o.model.steers(full))
    full = full * min(1.0, AMBER / ratio) if ratio else full
    full = np.trunc(full * 10) / 10
    return {n: round(float(w), 1) for n, w in zip(o.names, full, strict=True) if w}


def start(ready: Ready, history: History[SteeringView], *, again: bool = False) -> Piece | None:
    """The texts that the view asks for, being written; None when the person writes at the press of a button."""
    view, key = history.now, key_of(ready, history.now)
    piece = desk().find(key)
    if piece is None and not view.auto and not again:
        return None
    rows = [row for _, _, row in rows_of(ready, view)]
    return desk().want("columns", key, ready.opened.source, rows, writing_of(view))


def go_on(ready: Ready, history: History[SteeringView], more: int) -> None:
    """Write on: what was stopped, to its end; what is complete, by so many tokens."""
    view = history.now
    piece = desk().find(key_of(ready, view))
    writing = writing_of(view)
    if piece is not None and piece.length >= writing.tokens:
        history.change(writing={**view.writing, "tokens": min(1024, writing.tokens + more)})
        view, writing = history.now, writing_of(history.now)
    if piece is not None and not piece.active:
        piece.start(ready.opened.source, [row for _, _, row in rows_of(ready, view)], writing)
