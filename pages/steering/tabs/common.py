"""What several tabs need: which direction they look at, and where texts lie on the directions."""

import hashlib
import json

import numpy as np
import streamlit as st

from core.errors import MissingValues
from core.steering.activations import activations
from core.steering.shared import shared
from core.ui.background import background
from core.ui.history import History
from core.ui.text import escape, say_error
from core.ui.uploads import uploads
from pages.steering.opened import Opened, names_of
from pages.steering.view import SteeringView

SLOW = "language model"  # the lane of work that takes minutes


def pick_direction(history: History[SteeringView], opened: Opened, *, width: int = 280) -> int:
    """The number of the direction that the tabs look at."""
    names = dict(zip(opened.names, names_of(opened, history.now), strict=True))
    now = history.now.direction
    if now not in names:  # the one that is moved most, until somebody chooses
        now = max(opened.names, key=lambda n: abs(history.now.weights.get(n, 0.0)))
    history.bind(
        "direction", st.selectbox, "Direction", list(opened.names), value=now, format_func=names.get, width=width
    )
    return opened.number(now)


def title_of(opened: Opened, view: SteeringView, i: int) -> str:
    """The name of a direction, safe for Markdown."""
    return escape(names_of(opened, view)[i])


def digest(*parts) -> str:
    """A short name for whatever it is given, for the keys of shared work."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


def codes_of(opened: Opened, texts: list[str], name: str, label: str = "Reading the text") -> np.ndarray | None:
    """`(N, K)` weights of texts in sigma, NaN for one without a word; None while they are read."""

    def compute(run) -> np.ndarray:
        model, s = shared(opened.source), opened.model.settings
        opened.model.check(model)
        blocks = opened.blocks if len(opened.blocks) > 1 else opened.blocks[0]
        read = activations(model, texts, blocks=blocks, pooling=s.pooling, chat=s.chat)
        codes = np.full((len(texts), opened.basis.k), np.nan)
        codes[read.extra["text"]] = opened.model.encode(read.samples) / opened.basis.scale
        return codes

    return background(f"steering:{name}", f"steering:codes:{opened.key}:{digest(texts)}", compute, label)


def bring_texts(history: History[SteeringView], part: str, label: str, key: str) -> None:
    """An uploader of texts; what was read is named in `data` of a part of the view, and a bad file in one sentence."""
    own = uploads()
    file = st.file_uploader(
        label, key=f"{key}:{own.generation}", help="Nothing leaves this server, and nobody else sees it."
    )
    if file is not None:
        try:
            found = own.read([(file.name, file.getvalue())], "text")
        except MissingValues as error:
            own.error, found = str(error), None
        own.generation += 1
        if found:
            history.change(**{part: {**getattr(history.now, part), "data": found}})
        st.rerun()
    if own.error:
        say_error(own.error)


def table(rows: list[dict]) -> None:
    """Rows of texts, whole; whatever they hold is shown as it is written."""
    st.table([{k: escape(v) for k, v in row.items()} for row in rows], hide_index=True)


def needs_model() -> None:
    """Say that this part waits for the language model."""
    st.info("This part needs the language model; see the message at the top of the page.", icon=":material/download:")
