"""A basis on its way to the browser: small, sent once, known by its content."""

import hashlib
import json
import struct
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from core.ui.components.form import Form

LEVELS = 32767  # of a 16-bit integer, for the largest entry of a direction


@dataclass(frozen=True, eq=False)
class Payload:
    """Directions, mean and scale of a basis with the form of a sample. Make it once for a model, not at every rerun.

    Directions travel as 16-bit integers with one step a row, which is exact to 1/65534 of a row's largest entry:
    good for drawing. Exact numbers stay in Python.

    Attributes:
        directions: `(K, D)`.
        form: of one sample; its shape has D entries.
        mean: `(D,)`, zero when left out.
        scale: `(K,)` positive, one when left out.

    Raises:
        ValueError: shapes that do not fit, or numbers that are not finite.
    """

    directions: np.ndarray
    form: Form
    mean: np.ndarray | None = None
    scale: np.ndarray | None = None

    def __post_init__(self):
        directions = np.ascontiguousarray(self.directions, dtype=np.float32)
        if directions.ndim != 2 or directions.shape[1] != self.form.d or not len(directions):
            raise ValueError(f"directions of this form are (K, {self.form.d}), not {directions.shape}")
        k, d = directions.shape
        mean = np.zeros(d, np.float32) if self.mean is None else np.asarray(self.mean, dtype=np.float32)
        scale = np.ones(k, np.float32) if self.scale is None else np.asarray(self.scale, dtype=np.float32)
        if mean.shape != (d,) or scale.shape != (k,):
            raise ValueError(f"mean and scale are ({d},) and ({k},), not {mean.shape} and {scale.shape}")
        if not all(np.isfinite(a).all() for a in (directions, mean, scale)) or np.any(scale <= 0):
            raise ValueError("directions, mean and scale must be finite, and scale positive")
        for name, value in (("directions", directions), ("mean", mean), ("scale", scale)):
            object.__setattr__(self, name, value)

    @property
    def k(self) -> int:
        """The number of directions."""
        return len(self.directions)

    @cached_property
    def nonnegative(self) -> bool:
        """Whether no direction has a negative entry (atoms of NMF, centres of k-means)."""
        return bool((self.directions >= 0).all())

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything in it."""
        digest = hashlib.sha256(repr(self.form).encode())
        for array in (self.directions, self.mean, self.scale):
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()

    @cached_property
    def blob(self) -> bytes:
        """Header length, JSON header, then scale, mean and steps as float32 and directions as int16; little-endian.

        The header begins with the digest. Streamlit names a large file after a few of its parts only, so two bases
        that agree there would else be taken for one.
        """
        largest = np.abs(self.directions).max(axis=1)
        step = (np.where(largest > 0, largest, 1) / LEVELS).astype("<f4")
        whole = np.clip(np.rint(self.directions / step[:, None]), -LEVELS, LEVELS).astype("<i2")
        fields = {
            "digest": self.digest,
            "k": self.k,
            "d": self.form.d,
            "nonnegative": self.nonnegative,
            "form": self.form.as_dict(),
        }
        header = json.dumps(fields, separators=(",", ":")).encode()
        header += b" " * (-len(header) % 4)
        arrays = (self.scale.astype("<f4"), self.mean.astype("<f4"), step, whole)
        return struct.pack("<I", len(header)) + header + b"".join(a.tobytes() for a in arrays)


def unpack(blob: bytes) -> tuple[dict[str, Any], np.ndarray, np.ndarray, np.ndarray]:
    """What the browser makes of a blob: header, directions `(K, D)`, mean `(D,)`, scale `(K,)`."""
    (length,) = struct.unpack_from("<I", blob)
    header = json.loads(blob[4 : 4 + length])
    k, d = header["k"], header["d"]
    floats = np.frombuffer(blob, "<f4", 2 * k + d, 4 + length)
    scale, mean, step = floats[:k], floats[k : k + d], floats[k + d :]
    whole = np.frombuffer(blob, "<i2", k * d, 4 + length + 4 * (2 * k + d)).reshape(k, d)
    return header, whole * step[:, None], mean, scale


def pack_array(values: Any) -> bytes:
    """Numbers as float32 after their own SHA-256 (see `Payload.blob` for why)."""
    raw = np.ascontiguousarray(values, dtype="<f4").tobytes()
    return hashlib.sha256(raw).digest() + raw


def pack(head: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """Length of the header, the header as JSON (digest first), then arrays, each on a multiple of four bytes."""
    kinds = {"float32": "f4", "uint8": "u1"}
    listed = [[name, kinds[a.dtype.name], a.size] for name, a in arrays.items()]
    parts = [a.tobytes() + b"\0" * (-a.nbytes % 4) for a in arrays.values()]
    body = {**head, "arrays": listed}
    digest = hashlib.sha256(json.dumps(body).encode() + b"".join(parts)).hexdigest()
    text = json.dumps({"digest": digest, **body}, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    return struct.pack("<I", len(text)) + text + b"".join(parts)
