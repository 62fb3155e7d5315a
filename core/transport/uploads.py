"""What a person brings to the page *Frequency transport*: one picture."""

import numpy as np

from core.datasets.guard import base
from core.datasets.options import ACCEPTED, LIMITS
from core.datasets.pixels import pixels
from core.datasets.sniff import true_format
from core.errors import InputError
from core.transport.signal import Signal, picture_signal

_ARRAYS = ("npy", "npz", "safetensors", "zip")
PICTURES = tuple(e for e in ACCEPTED["images"] if e not in _ARRAYS)
LONGEST = 512


def read_picture(name: str, data: bytes) -> Signal:
    """One picture, grey `(1, H, W)` or colour `(3, H, W)` in 0..1, at most 512 samples on its long side.

    Raises:
        InputError: no picture, damaged, too large, or without pixels.
    """
    label = base(name)
    if len(data) > LIMITS.bytes["images"]:
        raise InputError(
            f"{label} is larger than {LIMITS.bytes['images'] // 10**6} MB, the most that is accepted here."
        )
    form = true_format(name, data)
    if form not in PICTURES:
        raise InputError(f"{label} is a {form} file; this page takes one picture: {', '.join(PICTURES)}.")
    remarks: dict[str, int] = {}
    found = pixels(label, data, grey=False, remarks=remarks)
    if not np.ptp(found, axis=2).any():
        found = found[..., 0]
    made = picture_signal(found, longest=LONGEST, title=label)
    notes = tuple(what[0].upper() + what[1:] + "." for what in remarks) + made.notes
    return Signal(made.values, "picture", label, notes=notes)
