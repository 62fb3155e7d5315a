"""One minute with one sample: what a person does, and the view that it opens."""

from pages.directions.view import DirectionsView
from pages.home.faces import FACE, K

_SAMPLE = DirectionsView(data="sample:faces", settings={"k": K})
PATH = (
    ("Look at the directions that 100 faces have in common.", "Directions", _SAMPLE),
    ("Move one face along the first of them.", "Mixer", _SAMPLE.having(sample=FACE, mix={"weights": {"0": 2.0}})),
    ("See which faces lie at the two ends of it.", "One direction", _SAMPLE.having(tab="One direction")),
    ("See how few directions a face needs.", "One sample", _SAMPLE.having(sample=FACE, tab="One sample")),
    ("Take the basis away, or a snippet that makes it again.", "Take away", _SAMPLE.having(tab="Take away")),
)
