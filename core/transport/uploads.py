"""What a person brings to the page *Frequency transport*: a picture, a sound, or a mesh."""

import numpy as np

from core.datasets.audio import lower_rate, read_sound
from core.datasets.guard import base, check_values, counted, extension
from core.datasets.options import ACCEPTED, LIMITS
from core.datasets.pixels import pixels
from core.datasets.sniff import true_format
from core.errors import InputError
from core.transport.meshes import MESHES, read_mesh
from core.transport.shapes import mesh_solid
from core.transport.signal import Signal, picture_signal

_ARRAYS = ("npy", "npz", "safetensors", "zip")
PICTURES = tuple(e for e in ACCEPTED["images"] if e not in _ARRAYS)
SOUNDS = ACCEPTED["audio"]
LONGEST = 512
SECONDS = 600  # of a sound; a window of it is fitted
SHORTEST = 64  # samples of a sound, below which there is no frequency to speak of
_TAKES = f"one picture ({', '.join(PICTURES)}), sound ({', '.join(SOUNDS)}) or mesh ({', '.join(MESHES)})"


def read_upload(name: str, data: bytes) -> Signal:
    """Whatever it is, by its ending for meshes and by its first bytes for all else.

    Raises:
        InputError: nothing that this page takes, damaged, too large, or empty.
    """
    if extension(name) in MESHES and data:
        return mesh_solid(*read_mesh(name, data), title=base(name))
    try:
        form = true_format(name, data)
    except InputError as error:  # its sentence names what other pages take, not what this one does
        raise InputError(f"{str(error).partition(';')[0].rstrip('.')}; this page takes {_TAKES}.") from error
    if form in SOUNDS:
        return read_whole_sound(name, data)
    if form not in PICTURES:
        raise InputError(f"{base(name)} is a {form} file; this page takes {_TAKES}.")
    return read_picture(name, data)


def read_picture(name: str, data: bytes) -> Signal:
    """One picture, grey `(1, H, W)` or colour `(3, H, W)` in 0..1, at most 512 samples on its long side.

    Raises:
        InputError: no picture, damaged, too large, or without pixels.
    """
    label = base(name)
    _small(label, data, "images")
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


def read_whole_sound(name: str, data: bytes) -> Signal:
    """A sound `(1, n)`, mono, at most 16 kHz and ten minutes; a window of it is fitted (`sound_signal`).

    Raises:
        InputError: no sound, damaged, too short, or too large.
    """
    label = base(name)
    _small(label, data, "audio")
    wave, rate, notes = read_sound(label, data, seconds=SECONDS)
    wave, rate = lower_rate(wave, rate, notes)
    check_values(wave, label)
    if len(wave) < SHORTEST:
        raise InputError(f"{label} holds {counted(len(wave), 'sample')}; a sound needs {SHORTEST} or more.")
    return Signal(wave[None], "sound", label, float(rate), tuple(notes))


def _small(label: str, data: bytes, kind: str) -> None:
    if len(data) > LIMITS.bytes[kind]:
        raise InputError(f"{label} is larger than {LIMITS.bytes[kind] // 10**6} MB, the most that is accepted here.")
