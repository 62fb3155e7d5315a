"""What the address of the page *Facial motion* holds."""

from dataclasses import dataclass
from dataclasses import field as entries

from core.face.editing.edits import GAINS, MOST_SIGMA, numbers
from core.store import Card
from core.ui.view import View, entry

TABS = ("Mix faces", "Drive", "Leak meter", "Directions", "Train", "Take away", "How it works")
FIRST = "sample:astronaut"
MOST_LAYERS = 8
MESH = "mesh"


@dataclass(frozen=True)
class FaceView(View):
    """The state that a copied link reopens. Weights are in units of each direction's scale.

    Attributes:
        data: `sample:<name>`, or `upload:<fingerprint>` of a photograph that is only in the session that gave it.
        title: what the upload was called, so that a link can ask for it.
        face: which of the faces, the largest is 0.
        box: `left`, `top`, `right`, `bottom` in percent of the picture, of a face marked by hand;
            `on` whether it counts.
        model: what moves the face.
        weights: of sliders that were moved, by `bank: name`.
        gains: by bank, where not 1.
        layers: changes that were kept: `title`, `changes` by `bank: name`, `strength`.
        other: the second face: `data`, `title`, `face`; `shares` by bank, 0 to 1.
        drive: what drives the face in a clip: `source` and its settings, `gains` by bank, `edits` of the curves.
        train: settings of a training, and the `run` that was started.
        whole: the pictures show the whole photograph, not only the face.
        seed: of everything drawn at random.
        tab: the open tab.
    """

    data: str = FIRST
    title: str = ""
    face: int = 0
    box: dict = entries(default_factory=dict)
    model: str = MESH
    weights: dict = entries(default_factory=dict)
    gains: dict = entries(default_factory=dict)
    layers: list = entries(default_factory=list)
    other: dict = entries(default_factory=dict)
    drive: dict = entries(default_factory=dict)
    train: dict = entries(default_factory=dict)
    whole: bool = False
    seed: int = 0
    tab: str = TABS[0]

    def __post_init__(self):
        # an edited link or recipe may hold anything of the right type
        kept = dict(
            face=min(max(self.face, 0), 99),
            drive={n: list(v) if isinstance(v, tuple) else v for n, v in self.drive.items()},
            box={n: list(v) if isinstance(v, tuple) else v for n, v in self.box.items()},  # as a link gives it back
            seed=min(max(self.seed, 0), 2**31 - 1),
            weights=numbers(self.weights, -MOST_SIGMA, MOST_SIGMA),
            gains={b: g for b, g in numbers(self.gains, *GAINS).items() if g != 1},
            layers=[_layer(x) for x in self.layers if isinstance(x, dict)][:MOST_LAYERS],
        )
        for name, value in kept.items():
            object.__setattr__(self, name, value)


def _layer(values: dict) -> dict:
    return dict(
        title=str(values.get("title", ""))[:60],
        changes=numbers(values.get("changes"), -MOST_SIGMA, MOST_SIGMA),
        strength=entry(values, "strength", 1.0, 0.0, 2.0),
    )


# What is reset when another face is chosen.
FRESH_FACE = dict(weights={}, layers=[])
FRESH_DATA = dict(**FRESH_FACE, face=0, box={}, title="")


def view_of(card: Card, ref: str) -> FaceView:
    """The view that shows a model.

    Args:
        card: of the model.
        ref: `run:` or `model:` reference; empty for its settings, to train anew.
    """
    if ref:
        return FaceView(model=ref, train={"run": ref.removeprefix("run:")} if ref.startswith("run:") else {})
    return FaceView(tab="Train", train=dict(card.settings))
