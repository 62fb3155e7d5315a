"""What the address of the page *Basis directions* holds."""

from dataclasses import dataclass, field

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
ORDERS = ("energy", "use", "name")


@dataclass(frozen=True)
class DirectionsView(View):
    """The state that a copied link reopens.

    Attributes:
        data: `sample:<name>`, or `upload:<fingerprint>` of a file that is only in the session that gave it.
        title: what the upload was called, so that a link can ask for it.
        preparation: settings of the preparation of the data.
        family, settings, seed: which basis.
        run: id of the run or saved model whose result is shown; empty when the page fits by itself.
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
    run: str = ""
    order: str = "energy"
    sample: int = 0
    mix: dict = field(default_factory=dict)
    direction: int = 0
    names: dict = field(default_factory=dict)
    tab: str = TABS[0]
    map: dict = field(default_factory=dict)
    compare: dict = field(default_factory=dict)
