"""What the address of the page *Graph spectra* holds."""

from dataclasses import dataclass, field

from core.graphs.filters import TARGETS
from core.graphs.polynomials import KINDS
from core.graphs.study import DRAWN
from core.ui.components.curve import checked
from core.ui.view import View

TABS = (
    "Bases compared",
    "Basis signals",
    "Recurrence",
    "Orthogonality",
    "Node classes",
    "Take away",
    "How it works",
)
LARGEST_SEED = 2**31 - 1
DOMAIN, LIMITS = (0.0, 2.0), (-0.5, 1.5)
STEPS = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
METHODS = {"gradient": "Gradient descent", "adam": "Adam", "exact": "Least squares"}
TARGET_KINDS = {"filter": "A filter", "values": "Node values"}
BESIDE = {"answer": "Fitted signal", "target": "Target", "difference": "Fitted − target"}


@dataclass(frozen=True)
class GraphsView(View):
    """The state that a copied link reopens.

    Attributes:
        data: `sample:<name>`, or `upload:<fingerprint>` of a file that is only in the session that gave it.
        title: what the upload was called, so that a link can ask for it.
        source: the signal, a choice of `core.graphs.signals`; empty for the sample's own first one.
        node: where an impulse is.
        noise: share of noise added to the signal.
        seed: of the noise.
        target: one of `TARGET_KINDS`.
        filter: a preset, or `drawn` through `points`.
        goal: the values to be reached, like `source`; empty for the source without noise.
        basis, degree: of the polynomial.
        method, steps, lr: how its weights are found.
        beside: the second drawing.
        tab: the open tab.
        orthogonality, classes: choices of those tabs.
    """

    data: str = "sample:image"
    title: str = ""
    source: str = ""
    node: int = 0
    noise: float = 0.0
    seed: int = 0
    target: str = "filter"
    filter: str = "low-pass"
    points: list = field(default_factory=list)
    goal: str = ""
    basis: str = "optimal"
    degree: int = 10
    method: str = "gradient"
    steps: int = 500
    lr: float = 0.01
    beside: str = "answer"
    tab: str = TABS[0]
    orthogonality: dict = field(default_factory=dict)
    classes: dict = field(default_factory=dict)

    def __post_init__(self):
        # an edited link or recipe may hold anything of the right type
        points = checked(self.points, DOMAIN, LIMITS)
        known = self.filter in TARGETS or (self.filter == DRAWN and points is not None)
        kept = dict(
            node=max(self.node, 0),
            noise=float(min(max(self.noise, 0.0), 2.0)),
            seed=min(max(self.seed, 0), LARGEST_SEED),
            target=self.target if self.target in TARGET_KINDS else "filter",
            filter=self.filter if known else "low-pass",
            points=points or [],
            basis=self.basis if self.basis in KINDS else "optimal",
            degree=min(max(self.degree, 1), 200),
            method=self.method if self.method in METHODS else "gradient",
            steps=min(STEPS, key=lambda s: abs(s - self.steps)),
            lr=float(min(max(self.lr, 1e-4), 1.0)),
            beside=self.beside if self.beside in BESIDE else "answer",
        )
        for name, value in kept.items():
            object.__setattr__(self, name, value)


# What is reset when another graph is chosen.
FRESH_DATA = dict(source="", node=0, noise=0.0, goal="", classes={}, title="")
