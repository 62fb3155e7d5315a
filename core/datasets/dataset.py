"""What an upload or a sample becomes: typed samples, and what is needed to draw one of them."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

KINDS = ("table", "images", "curves", "audio", "text", "video", "graph", "mesh", "activations")


@dataclass(frozen=True, eq=False)
class Dataset:
    """Samples of one kind, read-only.

    Attributes:
        samples: `(N, *shape)` float32 (for text: `(N,)` of strings). Images are `(N, H, W)` or `(N, H, W, 3)` in 0..1.
        kind: one of `KINDS`.
        title: what a person calls it.
        names: N names of samples; their numbers `0 .. N-1` when left out.
        labels: `(N,)` strings or numbers, or None.
        features: D names of the entries of one flat sample (columns of a table, wavelengths of a spectrum), or None.
        axis: what runs along a curve or spectrum, with unit, such as `wavelength / nm`; empty when unknown.
        rate: samples a second of audio, else None.
        source: where it comes from, with a citation; shown beside the data.
        licence: under what terms it may be used; shown beside the data.
        notes: what the loader or a preparation did, one sentence each (columns left out, rows dropped, resized).
        extra: further read-only arrays by name (the columns that colour a map, the phase of a spectrogram).
    """

    samples: np.ndarray
    kind: str
    title: str = "data"
    names: Sequence[str] = ()
    labels: np.ndarray | None = None
    features: Sequence[str] | None = None
    axis: str = ""
    rate: float | None = None
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    extra: dict[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self):
        if self.kind not in KINDS:
            raise ValueError(f"kind must be one of {KINDS}, not {self.kind!r}")
        samples = np.asarray(self.samples)
        if self.kind != "text":
            samples = np.ascontiguousarray(samples, dtype=np.float32)
        samples = samples.view()
        samples.setflags(write=False)
        object.__setattr__(self, "samples", samples)
        n = len(samples)
        names = tuple(str(v) for v in self.names) if len(self.names) else tuple(str(i) for i in range(n))
        object.__setattr__(self, "names", names)
        if len(names) != n:
            raise ValueError(f"{n} samples need {n} names, not {len(names)}")
        if self.labels is not None:
            object.__setattr__(self, "labels", np.asarray(self.labels))
            if len(self.labels) != n:
                raise ValueError(f"{n} samples need {n} labels, not {len(self.labels)}")
        if self.features is not None:
            object.__setattr__(self, "features", tuple(str(v) for v in self.features))
            if len(self.features) != self.d:
                raise ValueError(f"{self.d} entries need {self.d} feature names, not {len(self.features)}")

    def __len__(self) -> int:
        return len(self.samples)

    def __repr__(self) -> str:
        return f"Dataset({self.title!r}, {self.kind}, {len(self)} x {self.shape})"

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one sample."""
        return self.samples.shape[1:]

    @property
    def d(self) -> int:
        """The number of entries of one flat sample."""
        return int(np.prod(self.shape, dtype=int))

    @property
    def matrix(self) -> np.ndarray:
        """The samples as `(N, D)`, without copying."""
        return self.samples.reshape(len(self), -1)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of kind, shape and all sample bytes (and labels): the same content has the same fingerprint.

        Arrays of `extra` that hold numbers for each sample, as the inputs of an operator do, are content too.
        """
        digest = hashlib.sha256(f"{self.kind}{self.samples.shape}".encode())
        if self.kind == "text":
            for text in self.samples:
                digest.update(str(text).encode() + b"\0")
        else:
            digest.update(self.samples.data)
        if self.labels is not None:
            digest.update("\0".join(map(str, self.labels.tolist())).encode())
        for name, values in self.extra.items():
            if values.ndim > 1 and len(values) == len(self) and values.dtype.kind == "f":
                digest.update(f"{name}{values.shape}".encode() + np.ascontiguousarray(values).tobytes())
        return digest.hexdigest()

    @cached_property
    def identity(self) -> str:
        """SHA-256 of everything in it, names, title and notes as well: what caches that sessions share are keyed by."""
        digest = hashlib.sha256(self.fingerprint.encode())
        words = (self.title, self.names, self.features, self.axis, self.rate, self.source, self.licence, self.notes)
        digest.update(repr(words).encode())
        for name, values in self.extra.items():
            digest.update(f"{name}{values.dtype}{values.shape}".encode())
            whole = repr(values.tolist()).encode() if values.dtype.hasobject else np.ascontiguousarray(values).tobytes()
            digest.update(whole)
        return digest.hexdigest()

    def take(self, indices: Sequence[int] | np.ndarray) -> "Dataset":
        """The dataset of some samples, by index or boolean mask."""
        i = np.arange(len(self))[indices]
        return replace(
            self,
            samples=self.samples[i],
            names=[self.names[j] for j in i],
            labels=None if self.labels is None else self.labels[i],
            extra={k: v[i] if len(v) == len(self) else v for k, v in self.extra.items()},
        )

    def noted(self, *sentences: str, **changes) -> "Dataset":
        """The same dataset with fields changed and sentences added to `notes`."""
        return replace(self, notes=self.notes + sentences, **changes)
