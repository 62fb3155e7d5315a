"""What the address of the page *Learned transforms* holds."""

from dataclasses import dataclass, field

from core.store import Card
from core.ui.view import View

LARGEST_SEED = 2**31 - 1
PARTS = {"wavelets": "Wavelets", "spectrogram": "Spectrogram", "curves": "Curves", "operators": "Operators"}
FAMILIES = {
    "wavelets": "transforms.wavelets",
    "spectrogram": "transforms.spectrogram",
    "curves": "transforms.adafnn",
    "operators": "transforms.deeponet",
}
FIRST = {
    "wavelets": "sample:ecg",
    "spectrogram": "sample:narrow",
    "curves": "sample:tecator",
    "operators": "sample:antiderivative",
}


@dataclass(frozen=True)
class TransformsView(View):
    """The state that a copied link reopens. What belongs to one part is an entry by the part's name.

    Attributes:
        part: one of `PARTS`.
        data: `sample:<name>`, or `upload:<fingerprint>` of a file that is only in the session that gave it.
        titles: what uploads were called, so that a link can ask for them.
        models: `run:<id>` of a training or `model:<place>/<name>` of the library.
        seed: of everything drawn at random.
        tab: the open tab.
        wavelets: `angles` in degrees where they were moved by hand, `sample` looked at.
        spectrogram: `clip`, `filter`, `kernel` looked at; `seconds` of a clip.
        curves: `beside`, the classical basis next to the learned one.
        operators: `pair` looked at, `kept` functions.
        wavelets_settings, spectrogram_settings, curves_settings, operators_settings: of the families.
    """

    part: str = "wavelets"
    data: dict = field(default_factory=dict)
    titles: dict = field(default_factory=dict)
    models: dict = field(default_factory=dict)
    seed: int = 0
    tab: str = ""
    wavelets: dict = field(default_factory=dict)
    spectrogram: dict = field(default_factory=dict)
    curves: dict = field(default_factory=dict)
    operators: dict = field(default_factory=dict)
    wavelets_settings: dict = field(default_factory=dict)
    spectrogram_settings: dict = field(default_factory=dict)
    curves_settings: dict = field(default_factory=dict)
    operators_settings: dict = field(default_factory=dict)

    def __post_init__(self):
        # an edited link or recipe may hold anything of the right type
        words = lambda d: {p: v for p, v in d.items() if p in PARTS and isinstance(v, str)}  # noqa: E731
        kept = dict(
            part=self.part if self.part in PARTS else "wavelets",
            seed=min(max(self.seed, 0), LARGEST_SEED),
            data=words(self.data),
            titles=words(self.titles),
            models=words(self.models),
        )
        for name, value in kept.items():
            object.__setattr__(self, name, value)

    def chosen(self, part: str) -> str:
        """The data of a part."""
        return self.data.get(part, FIRST[part])

    def entry(self, part: str, name: str, default, low: float | None = None, high: float | None = None):
        """A choice of a part; the default where a link holds another type or a number out of range."""
        value = getattr(self, part).get(name, default)
        if isinstance(default, (int, float)) and not isinstance(default, bool):
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                return default
            value = type(default)(value)
            if (low is not None and value < low) or (high is not None and value > high):
                return default
            return value
        return value if isinstance(value, type(default)) else default

    def fresh_model(self, part: str) -> dict:
        """Fields that change when the part's model no longer belongs to the choices."""
        return dict(models={p: ref for p, ref in self.models.items() if p != part}, **_untouched(self, part))

    def fresh_data(self, part: str) -> dict:
        """Fields that change when the part gets other data."""
        titles = {p: t for p, t in self.titles.items() if p != part}
        return {**self.fresh_model(part), part: {}, "titles": titles}


def _untouched(view: TransformsView, part: str) -> dict:
    if part != "wavelets":
        return {}
    return {"wavelets": {k: v for k, v in view.wavelets.items() if k != "angles"}}


def view_of(card: Card, ref: str) -> TransformsView:
    """The view that shows a model.

    Args:
        card: of the model.
        ref: `run:` or `model:` reference; empty to learn anew with the same settings.
    """
    part = next((p for p, name in FAMILIES.items() if name == card.family), "wavelets")
    data = card.more.get("data")
    data = data if isinstance(data, str) and data.startswith(("sample:", "upload:")) else FIRST[part]
    return TransformsView(
        part=part,
        data={part: data},
        titles={part: card.data} if data.startswith("upload:") else {},
        models={part: ref} if ref else {},
        seed=card.seed,
        **{f"{part}_settings": dict(card.settings)},
    )
