"""What the address of the page *Frequency transport* holds."""

from dataclasses import dataclass
from dataclasses import field as entries

from core.errors import InputError
from core.store import Card
from core.ui.view import View

LARGEST_SEED = 2**31 - 1
SIZES = (64, 128, 256, 512)
WINDOWS = (0.5, 1.0, 2.0, 4.0)
TABS = ("Field", "Band gains", "Equation", "Race", "Take away", "How it works")
FIRST = "sample:warped fringe"
SPECTRUM = "transport.spectrum"


@dataclass(frozen=True)
class TransportView(View):
    """The state that a copied link reopens.

    Attributes:
        data: `sample:<name>`, or `upload:<fingerprint>` of a file that is only in the session that gave it.
        title: what the upload was called, so that a link can ask for it.
        size: samples on the picture's long side.
        colour: fit three colours, where the picture has them.
        outline: fit the signed distance to the dark part of a picture instead of the picture.
        window: `start` and `seconds` of what is fitted of a sound.
        model: `run:<id>` or `model:<place>/<id>` of a network that is shown in the race.
        seed: of everything drawn at random.
        settings: of the local spectrum of a picture (`core.transport.fit.SpectrumSettings`); `sound_settings`,
            `outline_settings`, `solid_settings` of the other kinds of signal.
        field: `readout`, `layer` on the picture, `row` and `column` of the place (`time` in a sound, `slice` of a
            solid), `along` which way ticks lie.
        gains: dB by the name of a band.
        edit: `preset`, `cut`, `angle` of it; `where` it acts, the `rows` and `columns` of a rectangle (or `times` of a
            sound) in percent, the `mask` that was drawn by hand; `pitch` in semitones; `rest` whether what the fit
            missed is added.
        kept: edits that were made before and stay.
        law: settings of F.
        joint: `weight` and `steps` of the training that takes the equation in.
        path: ends A and B as row and column, `shape` of the curve.
        race: `budget`, `seconds`, `names`.
        network: settings of the network that is trained to be kept, and which `kind` it is.
        tab: the open tab.
    """

    data: str = FIRST
    title: str = ""
    size: int = 128
    colour: bool = False
    outline: bool = False
    window: dict = entries(default_factory=dict)
    model: str = ""
    seed: int = 0
    settings: dict = entries(default_factory=dict)
    sound_settings: dict = entries(default_factory=dict)
    outline_settings: dict = entries(default_factory=dict)
    solid_settings: dict = entries(default_factory=dict)
    field: dict = entries(default_factory=dict)
    gains: dict = entries(default_factory=dict)
    edit: dict = entries(default_factory=dict)
    kept: list = entries(default_factory=list)
    law: dict = entries(default_factory=dict)
    joint: dict = entries(default_factory=dict)
    path: dict = entries(default_factory=dict)
    race: dict = entries(default_factory=dict)
    network: dict = entries(default_factory=dict)
    tab: str = TABS[0]

    def __post_init__(self):
        # an edited link or recipe may hold anything of the right type
        kept = dict(
            size=min(SIZES, key=lambda s: abs(s - self.size)),
            seed=min(max(self.seed, 0), LARGEST_SEED),
            gains=decibels(self.gains),
            edit={n: list(v) if isinstance(v, tuple) else v for n, v in self.edit.items()},  # as a link gives it back
            kept=[k for k in self.kept if isinstance(k, dict)][:8],
        )
        for name, value in kept.items():
            object.__setattr__(self, name, value)


def decibels(values: dict) -> dict[str, float]:
    """Gains by name that are numbers, held between silence and +24 dB."""
    kept = {k: v for k, v in values.items() if isinstance(v, (int, float)) and not isinstance(v, bool) and v == v}
    return {k: float(min(max(v, -60.0), 24.0)) for k, v in kept.items()}


# What is reset when another signal is chosen, and when it is fitted at another resolution or in another part.
FRESH_SIGNAL = dict(field={}, gains={}, edit={}, kept=[], path={}, model="")
FRESH_DATA = dict(**FRESH_SIGNAL, window={}, outline=False, title="")


def view_of(card: Card, ref: str) -> TransportView:
    """The view that shows a model.

    Args:
        card: of the model.
        ref: `run:` or `model:` reference; empty to fit anew with the same settings.
    """
    choice = card.more.get("view")
    try:
        view = TransportView.of(choice if isinstance(choice, dict) else {})
    except InputError:
        view = TransportView()
    view = view.having(title=card.data if view.data.startswith("upload:") else "", seed=card.seed)
    if card.family == SPECTRUM:  # fitted again in a moment, so that nothing has to be read
        return view
    return view.having(model=ref, network={"kind": card.family, **card.settings}, tab="Race")
