"""What the address of the page *Compatible spaces* holds."""

from dataclasses import dataclass, field

from core.compatible.study import POSITIONS
from core.ui.view import View

TABS = (
    "Maps",
    "Re-indexing",
    "Versions",
    "Simplex heads",
    "Convergent learning",
    "Take away",
    "How it works",
)
LARGEST_SEED = 2**31 - 1
MAPS = {
    "none": "None",
    "procrustes": "Rigid",
    "lambda": "Rigid to free",
    "affine": "Affine",
    "bt2": "Extra dimensions",
}


@dataclass(frozen=True)
class CompatibleView(View):
    """The state that a copied link reopens.

    Attributes:
        data: `sample:<name>`, or `upload:<fingerprint>` of files that are only in the session that gave them.
        title: what the upload was called, so that a link can ask for it.
        by: a match is right by `label` or by `identity`.
        share: percent of the items that maps are fitted on (uploads only).
        seed: of the split and of the sample's networks.
        map: one of `MAPS`.
        position: of the slider between rigid (0) and free (`POSITIONS`).
        extra: extra dimensions of BT2.
        rigid: whether the compatible block of BT2 is rigid.
        tab: the open tab.
        reindexing, versions, heads, convergent: choices of those tabs.
    """

    data: str = "sample:digits-learned"
    title: str = ""
    by: str = "label"
    share: int = 50
    seed: int = 0
    map: str = "lambda"
    position: int = 12
    extra: int = 4
    rigid: bool = True
    tab: str = TABS[0]
    reindexing: dict = field(default_factory=dict)
    versions: dict = field(default_factory=dict)
    heads: dict = field(default_factory=dict)
    convergent: dict = field(default_factory=dict)

    def __post_init__(self):
        # an edited link or recipe may hold anything of the right type
        kept = dict(
            by=self.by if self.by in ("label", "identity") else "label",
            share=min(max(self.share, 5), 95),
            seed=min(max(self.seed, 0), LARGEST_SEED),
            map=self.map if self.map in MAPS else "lambda",
            position=min(max(self.position, 0), POSITIONS),
            extra=max(self.extra, 0),
        )
        for name, value in kept.items():
            object.__setattr__(self, name, value)


# What is reset when other data is chosen.
FRESH_DATA = dict(by="label", convergent={}, reindexing={})
