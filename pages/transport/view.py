"""What the address of the page *Frequency transport* holds."""

from dataclasses import dataclass
from dataclasses import field as entries
from typing import Any

from core.ui.view import View

LARGEST_SEED = 2**31 - 1
SIZES = (64, 128, 256, 512)
TABS = ("Field", "Band gains", "Equation", "Race", "Take away", "How it works")
FIRST = "sample:warped fringe"


@dataclass(frozen=True)
class TransportView(View):
    """The state that a copied link reopens.

    Attributes:
        data: `sample:<name>`, or `upload:<fingerprint>` of a file that is only in the session that gave it.
        title: what the upload was called, so that a link can ask for it.
        size: samples on the picture's long side.
        colour: fit three colours, where the picture has them.
        seed: of everything drawn at random.
        settings: of the local spectrum (`core.transport.fit.SpectrumSettings`).
        field: `readout`, `layer` on the picture, `row` and `column` of the place, `along` which way ticks lie,
            `carrier` whose map is shown.
        gains: dB by the name of a band.
        edit: `preset`, `cut`, `angle` of it; `inside` whether only in a rectangle, its `rows` and `columns` in percent;
            `rest` whether what the fit missed is added.
        kept: edits that were made before and stay.
        law: settings of F.
        path: `from` and `to` as row and column, `shape` of the curve.
        race: `budget`, `seconds`, `names`.
        tab: the open tab.
    """

    data: str = FIRST
    title: str = ""
    size: int = 128
    colour: bool = False
    seed: int = 0
    settings: dict = entries(default_factory=dict)
    field: dict = entries(default_factory=dict)
    gains: dict = entries(default_factory=dict)
    edit: dict = entries(default_factory=dict)
    kept: list = entries(default_factory=list)
    law: dict = entries(default_factory=dict)
    path: dict = entries(default_factory=dict)
    race: dict = entries(default_factory=dict)
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

    def entry(self, part: str, name: str, default: Any, low: float | None = None, high: float | None = None) -> Any:
        """A choice of a part; the default where a link holds another type, and the nearest number in range."""
        return entry(getattr(self, part), name, default, low, high)


def entry(choices: dict, name: str, default: Any, low: float | None = None, high: float | None = None) -> Any:
    """One of `choices`, of the type of `default`; numbers are held between `low` and `high`."""
    value = choices.get(name, default)
    if isinstance(default, bool) or isinstance(value, bool):
        return value if isinstance(value, bool) and isinstance(default, bool) else default
    if isinstance(default, (int, float)):
        if not isinstance(value, (int, float)) or value != value:
            return default
        value = value if low is None else max(value, low)
        return type(default)(value if high is None else min(value, high))
    return value if isinstance(value, type(default)) else default


def decibels(values: dict) -> dict[str, float]:
    """Gains by name that are numbers, held between silence and +24 dB."""
    kept = {k: v for k, v in values.items() if isinstance(v, (int, float)) and not isinstance(v, bool) and v == v}
    return {k: float(min(max(v, -60.0), 24.0)) for k, v in kept.items()}


# What is reset when another picture is chosen.
FRESH_DATA = dict(field={}, gains={}, edit={}, kept=[], path={}, title="")
