"""The centre of the page: the prompt, the texts as they are written, and their numbers."""

import streamlit as st

from core.errors import InputError
from core.figures.text import number
from core.steering.desk import Piece
from core.steering.examples import meter_of
from core.steering.meters import METERS, Meter, distinct_bigrams
from core.ui.components.tokens import Column, tokens
from core.ui.history import History
from core.ui.text import escape, say_error
from pages.steering.asked import go_on, rows_of, start, weights_of, writing_of
from pages.steering.opened import Ready
from pages.steering.view import BESIDE, LARGEST_SEED, SteeringView

REFRESH_SECONDS = 0.5
MORE_TOKENS = 60


def draw(history: History[SteeringView], ready: Ready) -> Piece | None:
    """Prompt, buttons, columns."""
    _prompt(history)
    buttons = st.container(horizontal=True, vertical_alignment="center")
    try:
        piece = start(ready, history)
    except InputError as error:
        say_error(error)
        return None
    _buttons(history, ready, piece, buttons)
    if piece is None:
        st.info("Press *Write* to have it written.", icon=":material/edit_note:")
        return None
    st.fragment(_columns, run_every=REFRESH_SECONDS if piece.active else None)(history, ready, piece, piece.active)
    return piece


def _prompt(history: History[SteeringView]) -> None:
    chat = writing_of(history.now).chat
    history.bind(
        "prompt", st.text_area, "Prompt", height=80, max_chars=20_000,
        help="A request, in a chat; otherwise the beginning of a text. Ctrl + Enter writes.",
        placeholder="What did you do today?" if chat else "My friend told me that",
    )  # fmt: skip


def _buttons(history: History[SteeringView], ready: Ready, piece: Piece | None, place) -> None:
    view = history.now
    writing = writing_of(view)

    def seed_on() -> None:
        history.change(writing={**view.writing, "seed": (writing.seed + 1) % LARGEST_SEED})
        start(ready, history, again=True)

    with place:
        if piece is None:
            st.button("Write", type="primary", icon=":material/edit:", key="steering:write",
                      on_click=lambda: start(ready, history, again=True))  # fmt: skip
        elif piece.active:
            st.button("Stop", icon=":material/stop_circle:", key="steering:stop", on_click=piece.stop,
                      help="End here and keep what there is.")  # fmt: skip
        else:
            st.button(
                "Write on", icon=":material/resume:", key="steering:on", disabled=piece.ended,
                on_click=lambda: go_on(ready, history, MORE_TOKENS),
                help="Go on from here. In half precision a pause can change what follows: rounding differs a little.",
            )  # fmt: skip
        st.button(
            "Another seed", icon=":material/casino:", key="steering:again", on_click=seed_on,
            help="Write anew with other random numbers; every column has the same.",
        )  # fmt: skip
        history.bind(
            "writing.chat", st.segmented_control, "Mode", [False, True], value=writing.chat, required=True,
            format_func={False: "Completion", True: "Chat"}.get, label_visibility="collapsed",
        )  # fmt: skip
        history.bind(
            "beside", st.pills, "Also", list(BESIDE), format_func=BESIDE.get, selection_mode="multi",
            label_visibility="collapsed",
            help="The same request in words instead of a steer, and a random direction of the same length.",
        )  # fmt: skip


def _columns(history: History[SteeringView], ready: Ready, piece: Piece, was_active: bool) -> None:
    piece.look()
    if was_active and not piece.active:
        st.rerun()
    st.caption(status(piece))
    view, over = history.now, not piece.active
    chat = writing_of(view).chat
    rows = rows_of(ready, view)
    if len(rows) != len(piece.rows):
        return
    meters = _meters(ready, view)
    columns = []
    for i, (title, note, _) in enumerate(rows):
        found = list(piece.rows[i])
        text = "".join(t.text for t in found)
        columns.append(
            Column(
                f"{id(piece)}:{i}", title, note, "" if chat else view.prompt,
                [(t.text, t.kl, t.chance) for t in found],
                [(t.top, t.top_unsteered) for t in found] if over else (),
                facts(piece, i, text, meters, kl=title not in ("Unsteered", "Told in words")),
                piece.active and not (found and found[-1].ended), bool(found and found[-1].ended),
            )
        )  # fmt: skip
    tokens("steering:columns", columns, least_height=220)
    if piece.error:
        say_error(piece.error)
    for note in piece.notes:
        st.caption(escape(note))


def status(piece: Piece) -> str:
    """How far the writing is, in one line."""
    if piece.state == "loading":
        return ":material/hourglass_top: Loading the language model …"
    if piece.state == "waiting":
        others = piece.position
        return f":material/groups: Waiting: {others} other{'s' if others != 1 else ''} before this one in the queue"
    rate = f" · {piece.rate:.1f} tokens a second a column" if piece.rate == piece.rate else ""
    said = {"writing": "Writing", "done": "Written", "stopped": "Stopped", "failed": "Failed"}[piece.state]
    return f"{said}: {piece.length} tokens{rate} · shaded by KL from unsteered (full at 2 nats)"


def facts(piece: Piece, row: int, text: str, meters: list[Meter], *, kl: bool = True) -> list[str]:
    """The numbers below a text."""
    if not piece.rows[row]:
        return []
    found = [f"KL {number(piece.kl(row), 2)}"] if kl else []
    found += [f"perplexity {number(piece.perplexity(row))}", f"distinct pairs {distinct_bigrams(text):.0f}%"]
    return found + [f"{m.title} {number(m.read(text), 2)}{'%' if m.unit == '%' else ''}" for m in meters]


def _meters(ready: Ready, view: SteeringView) -> list[Meter]:
    """The meters that say most about the directions that are moved."""
    weights, evidence = weights_of(ready, view), ready.opened.model.evidence_
    order = sorted((i for i in range(len(weights)) if weights[i]), key=lambda i: -abs(weights[i]))
    names = dict.fromkeys(meter_of(evidence[i].label) for i in order)
    return [METERS[n] for n in names if n != "distinct"][:3]
