"""What the address of the page *Steer generations* holds."""

import math
from dataclasses import dataclass, field

from core.steering.steer import METHODS, PLACES
from core.ui.view import View

TABS = (
    "One direction",
    "Strip of strengths",
    "Map of texts",
    "Over time",
    "Dose",
    "Build",
    "Value vectors",
    "Selection",
    "Take away",
    "How it works",
)
SHIPPED = "model:pretrained/skills-styles"
BESIDE = {"told": "Told in words", "random": "Random direction"}
LARGEST_SEED = 2**31 - 1
LONGEST_PROMPT = 20_000  # characters
OWN_BLOCK = -1


@dataclass(frozen=True)
class SteeringView(View):
    """The state that a copied link reopens.

    Attributes:
        model: the directions: `model:<id>` of the library, or `run:<id>` of a training.
        prompt: what the model goes on from or answers.
        weights: in sigma, by the name that the direction has in its model.
        names: a person's own names of directions, by that name.
        file: share of the control vector that was brought, 1 for as it is; and its fingerprint as `vector`.
        writing: settings of `Writing`.
        method, where: of `Steer`.
        against: name of a direction that the steer leaves alone, or empty.
        block: that is steered; `OWN_BLOCK` for the one of the directions.
        beside: further columns, names of `BESIDE`.
        told: what the model is told in words instead; empty for what the weights suggest.
        random: seed of the random direction.
        auto: write as soon as something has changed.
        direction: name of the one that tabs look at.
        tab: the open one.
        strip, map, dose, build, values, selection: choices of those tabs.
    """

    model: str = SHIPPED
    prompt: str = "My friend told me that"
    weights: dict = field(default_factory=lambda: {"question": 4.0})
    names: dict = field(default_factory=dict)
    vector: str = ""
    file: float = 0.0
    writing: dict = field(default_factory=lambda: {"chat": False})
    method: str = "add"
    where: str = "both"
    against: str = ""
    block: int = OWN_BLOCK
    beside: list = field(default_factory=list)
    told: str = ""
    random: int = 0
    auto: bool = True
    direction: str = ""
    tab: str = TABS[0]
    strip: dict = field(default_factory=dict)
    map: dict = field(default_factory=dict)
    dose: dict = field(default_factory=dict)
    build: dict = field(default_factory=dict)
    values: dict = field(default_factory=dict)
    selection: dict = field(default_factory=dict)

    def __post_init__(self):
        # an edited link or recipe may hold anything of the right type
        weights = {str(n): round(float(w), 2) for n, w in self.weights.items() if _finite(w)}
        kept = dict(
            prompt=self.prompt[:LONGEST_PROMPT],
            weights={n: w for n, w in weights.items() if w},
            names={str(n): v.strip()[:60] for n, v in self.names.items() if isinstance(v, str) and v.strip()},
            file=float(min(max(self.file, -4.0), 4.0)) if _finite(self.file) else 0.0,
            method=self.method if self.method in METHODS else "add",
            where=self.where if self.where in PLACES else "both",
            block=max(self.block, OWN_BLOCK),
            beside=[b for b in BESIDE if b in self.beside],
            told=self.told[:2000],
            random=min(max(self.random, 0), LARGEST_SEED),
        )
        for name, value in kept.items():
            object.__setattr__(self, name, value)


def _finite(value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


# What is reset when other directions are chosen.
FRESH_MODEL = dict(
    weights={}, names={}, against="", block=OWN_BLOCK, direction="", strip={}, map={}, dose={}, selection={}
)
