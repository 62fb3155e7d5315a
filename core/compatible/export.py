"""A fitted map as a file, and a few lines that apply it."""

import io

import numpy as np

from core.compatible.maps import LinearMap
from core.datasets.arrays import read_npz
from core.errors import InputError


def to_npz(linear_map: LinearMap) -> bytes:
    """The map as the bytes of an `npz` with `weight`, `offset` and `width`; `y = x @ weight + offset`."""
    buffer = io.BytesIO()
    np.savez(
        buffer,
        weight=linear_map.weight.astype(np.float32),
        offset=(linear_map.mean_out - linear_map.mean_in @ linear_map.weight).astype(np.float32),
        width=np.int64(linear_map.width),
        name=np.array(linear_map.name),
    )
    return buffer.getvalue()


def from_npz(data: bytes) -> LinearMap:
    """A map out of such a file.

    Raises:
        InputError: another file, shapes that do not fit, or entries that are not finite.
    """
    try:
        file = read_npz("the map", data)  # checks sizes before anything is unpacked
        weight, offset = file["weight"].astype(np.float64), file["offset"].astype(np.float64)
        width, name = int(file["width"]), str(file["name"])
    except (InputError, KeyError, TypeError, ValueError) as error:
        raise InputError("This file is not a map; an npz with weight, offset and width is accepted.") from error
    sound = weight.ndim == 2 and offset.shape == weight.shape[1:] and 0 < width <= weight.shape[1]
    if not sound or not (np.isfinite(weight).all() and np.isfinite(offset).all()):
        raise InputError("The map in this file has shapes that do not fit or entries that are not finite.")
    return LinearMap(name[:40], weight, np.zeros(len(weight)), offset, width)


def snippet(linear_map: LinearMap, file: str = "map.npz") -> str:
    """A Python snippet that applies the file with NumPy alone."""
    d_in, d_out = linear_map.weight.shape
    lines = [
        "import numpy as np",
        "",
        f'with np.load("{file}", allow_pickle=False) as saved:',
        '    weight, offset = saved["weight"], saved["offset"]',
        f'new = np.load("new.npy")  # (N, {d_in}) embeddings of the new model',
        "new = new / np.linalg.norm(new, axis=1, keepdims=True)",
        f"mapped = new @ weight + offset  # (N, {d_out})",
        "mapped = mapped / np.linalg.norm(mapped, axis=1, keepdims=True)",
    ]
    if d_out > linear_map.width:
        lines.append(f"# old embeddings: append {d_out - linear_map.width} zeros to each before they are compared")
    return "\n".join(lines) + "\n"
