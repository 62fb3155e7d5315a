"""What the address of the page *Basis directions* holds."""

from dataclasses import dataclass, field

from core.store import Card
from core.ui.view import View

TABS = (
    "Directions",
    "One direction",
    "One sample",
    "Map",
    "Diagnostics",
    "Training",
    "Compare",
    "Take away",
    "How it works",
)
LARGEST_SEED = 2**31 - 1
ORDERS = ("energy", "use", "name")


@dataclass(frozen=True)
class DirectionsView(View):
    """The state that a copied link reopens.

    Attributes:
        data: `sample:<name>`, or `upload:<fingerprint>` of a file that is only in the session that gave it.
        title: what the upload was called, so that a link can ask for it.
        preparation: settings of the preparation of the data.
        family, settings, seed: which basis.
        model: `run:<id>` of a training, `model:<place>/<name>` of the library, or empty when the page fits by itself.
        order: of the directions.
        sample: index of the sample in the mixer.
        mix: what the mixer changed (see `core.ui.components.MixerState`).
        direction: index of the direction looked at, in the model's own order.
        names: new names of directions by index.
        tab: the open tab.
        map, compare: choices of those tabs.
    """

    data: str = "sample:digits"
    title: str = ""
    preparation: dict = field(default_factory=dict)
    family: str = "directions.pca"
    settings: dict = field(default_factory=dict)
    seed: int = 0
    model: str = ""
    order: str = "energy"
    sample: int = 0
    mix: dict = field(default_factory=dict)
    direction: int = 0
    names: dict = field(default_factory=dict)
    tab: str = TABS[0]
    map: dict = field(default_factory=dict)
    compare: dict = field(default_factory=dict)

    def __post_init__(self):
        # an edited link or recipe may ask for a seed that no generator takes
        object.__setattr__(self, "seed", min(max(self.seed, 0), LARGEST_SEED))


# What is reset when the basis, or the data under it, becomes another one.
FRESH_BASIS = dict(mix={}, names={}, direction=0, model="")
FRESH_DATA = dict(FRESH_BASIS, sample=0, preparation={}, map={}, compare={})


def view_of(card: Card, ref: str) -> DirectionsView:
    """The view that shows a model.

    Args:
        card: of the model.
        ref: what `DirectionsView.model` names it by; empty to learn anew with the same settings.
    """
    data, preparation = card.more.get("data", ""), card.more.get("preparation")  # whatever an imported card holds
    return DirectionsView(
        data=data if isinstance(data, str) and data else DirectionsView().data,
        title=card.data if str(data).startswith("upload:") else "",
        preparation=dict(preparation) if isinstance(preparation, dict) else {},
        family=card.family,
        settings=dict(card.settings),
        seed=card.seed,
        model=ref,
    )
