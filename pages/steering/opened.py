"""Which directions: shipped, of the library, or just learned; and the language model that they belong to."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st

from core.basis import Basis
from core.errors import InputError
from core.models import families
from core.steering.assets import SMOLLM2
from core.steering.language_model import known_token_norms
from core.steering.loading import DEFAULT
from core.steering.reading import ReadingModel
from core.steering.shared import shared
from core.steering.skills import presets
from core.steering.steer import AMBER
from core.store import Entry, find, list_models, load
from core.ui.background import background
from core.ui.history import History
from core.ui.owner import owner_key
from core.ui.server_runs import runs
from core.ui.text import escape, say_error, told_apart
from pages.steering.view import FRESH_MODEL, OWN_BLOCK, SHIPPED, SteeringView

FAMILY = "steering."


@dataclass(frozen=True, eq=False)
class Opened:
    """Directions with what every view of them needs; shared by all sessions that look at the same.

    Attributes:
        key: names the model; equal keys have equal contents.
        ref: `model:...` or `run:...`.
        title: for people.
        model: the fitted model.
    """

    key: str
    ref: str
    title: str
    model: ReadingModel

    @cached_property
    def basis(self) -> Basis:
        """Directions, mean and sigma, with names that differ from each other."""
        basis: Basis = self.model.bases()["directions"]
        seen: dict[int, str] = {}
        for i, name in enumerate(basis.names):
            seen[i] = name if name not in seen.values() else f"{name} {i + 1}"
        return basis.rename(seen)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the directions, as in the model."""
        return self.basis.names

    @property
    def source(self) -> str:
        """The language model."""
        return self.model.settings.source

    @property
    def blocks(self) -> list[int]:
        """That the directions live in."""
        return self.model.blocks_

    @cached_property
    def codes(self) -> np.ndarray:
        """`(N, K)` weights of the texts, in sigma."""
        return self.model.codes_ / self.basis.scale

    @cached_property
    def presets(self) -> dict[str, dict[str, float]]:
        """Weights by name at which each label's texts lie."""
        return {
            label: {n: round(float(w), 1) for n, w in zip(self.names, weights, strict=True) if abs(w) >= 0.05}
            for label, weights in presets(self.model).items()
        }

    def number(self, name: str) -> int:
        """Of a direction; the first where there is none of that name."""
        return self.names.index(name) if name in self.names else 0


@dataclass(frozen=True, eq=False)
class Ready:
    """Directions with the lengths of tokens in each block, so that strengths mean something."""

    opened: Opened
    norms: np.ndarray

    def block(self, view: SteeringView) -> int:
        """The block that is steered."""
        own = self.opened.blocks[0]
        return own if view.block == OWN_BLOCK or len(self.opened.blocks) > 1 else min(view.block, len(self.norms) - 1)

    def end(self, i: int, block: int) -> float:
        """The weight, in sigma, at which direction i alone has r = 0.35."""
        o = self.opened
        if len(o.blocks) == 1:
            shares = [float(o.basis.scale[i]) / self.norms[block]]
        else:
            shares = [
                float(np.linalg.norm(part)) * float(o.basis.scale[i]) / self.norms[b]
                for b, part in o.model.slices(i).items()
            ]
        return max(0.1, np.floor(10 * AMBER / max(shares)) / 10)

    def ends(self, view: SteeringView) -> np.ndarray:
        """Of all directions, `(K,)`."""
        return np.array([self.end(i, self.block(view)) for i in range(self.opened.basis.k)])


def names_of(opened: Opened, view: SteeringView) -> list[str]:
    """The names of the directions, a person's own first."""
    return [view.names.get(n, n) for n in opened.names]


def choose(history: History[SteeringView]) -> Opened | None:
    """The chooser in the sidebar; a model that cannot be opened leaves the shipped one and says why."""
    families("steering")
    entries = {f"model:{e.id}": e for e in list_models(owner_key(), family=FAMILY) if e.card}
    now = history.now.model
    options = [*([SHIPPED] if SHIPPED in entries else []), *(r for r in entries if r != SHIPPED)]
    if now.startswith("run:"):
        options.insert(0, now)
    titles = {ref: _called(entries[ref]) if ref in entries else "Just learned" for ref in options}
    history.bind(
        "model", st.selectbox, "Directions", options, value=now if now in options else None,
        format_func=told_apart(options, titles.get), after=FRESH_MODEL,
        help="A basis of a language model's activations. The tab *Build* makes one of your own texts.",
    )  # fmt: skip
    try:
        return _open(now, titles.get(now, ""))
    except InputError as error:
        say_error(error)
    return _open(SHIPPED, titles.get(SHIPPED, "")) if now != SHIPPED else None


def ready(opened: Opened) -> Ready | None:
    """The directions with the lengths of tokens; None while the language model is loaded for the first time."""
    if opened.source != DEFAULT and not may_choose():
        say_error(f"These directions belong to the language model {opened.source!r}, which this server does not load.")
        return None
    norms = known_token_norms(opened.model.about_.get("fingerprint", ""))
    if norms is not None and max(opened.blocks) < len(norms):
        return Ready(opened, norms)

    def measure(run) -> np.ndarray:
        model = shared(opened.source)
        opened.model.check(model)
        return model.token_norms

    norms = background(
        "steering:norms",
        f"steering:norms:{opened.key}",
        measure,
        "Loading the language model for the first time",
    )
    return None if norms is None else Ready(opened, norms)


def may_choose() -> bool:
    """Whether a person may name any language model, such as a folder: only where nobody else can reach the server."""
    return str(st.get_option("server.address")) in ("127.0.0.1", "localhost", "::1")


def missing(source: str) -> str | None:
    """One sentence with the command that gets the language model; None where nothing is known to be missing."""
    return SMOLLM2.missing() if source == DEFAULT else None


def about(opened: Opened) -> None:
    """Where the directions come from."""
    model, names = opened.model, opened.names
    with st.popover(
        f"{len(names)} direction{'s' if len(names) > 1 else ''}, block {_blocks(opened)}", icon=":material/info:"
    ):
        st.markdown(
            f"**{escape(opened.title)}**: {escape(model.title)} of {escape(model.about_.get('model', opened.source))}, "
            f"{model.settings.pooling} over tokens, from {len(model.codes_):,} texts."
        )
        st.caption(escape(model.source))
        if (auc := model.about_.get("auc")) is not None:
            st.caption(f"Separates held-out texts with an AUC of {auc:.3f}.")


def _blocks(opened: Opened) -> str:
    b = opened.blocks
    return str(b[0]) if len(b) == 1 else f"{b[0]} to {b[-1]}"


def _called(entry: Entry) -> str:
    return f"{entry.card.name} ({entry.place})"


def _open(ref: str, title: str) -> Opened | None:
    kind, _, name = ref.partition(":")
    if kind == "run":
        view = runs().follow(name)
        if view.active or not view.kept:
            raise InputError("This training has not ended with a model; the tab Build shows how far it is.")
        return _loaded(f"{ref}:{view.step}", ref, view.name or title, lambda: runs().result(name)[0])
    entry = find(name, owner_key())
    if entry.card is None:
        raise InputError(entry.broken or "This model is broken; choose another.")
    mark = (entry.folder / "card.json").stat().st_mtime_ns
    return _loaded(f"{entry.folder}:{mark}", ref, entry.card.name, lambda: load(entry.folder)[0])


@st.cache_resource(max_entries=8, show_spinner="Opening the directions ...")
def _loaded(key: str, _ref: str, _title: str, _load) -> Opened:
    model = _load()
    if not isinstance(model, ReadingModel):
        raise InputError("This model holds no directions of a language model; choose another.")
    return Opened(key, _ref, _title, model)
