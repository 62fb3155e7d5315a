"""The card of a model: what it is, what it was made from, and how well it does."""

import datetime
import importlib.metadata
import json
import math
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from core.datasets.dataset import KINDS, Dataset
from core.device import describe
from core.errors import InputError
from core.models import Model

FORMAT = 1
MOST_CARD_BYTES = 4 * 2**20
MOST_TEXT = 10_000
MOST_CURVE = 200
MOST_NAME = 120
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "torch")


@dataclass(frozen=True)
class Card:
    """All that is known of a saved model beside its arrays.

    Attributes:
        family: such as `directions.pca`.
        settings: of the family, as plain values.
        shape: of one sample.
        kind: of the data, one of `KINDS`.
        name: what a person calls the model.
        note: what a person wrote about it.
        data: title of the dataset.
        samples: how many samples it was fitted to.
        fingerprint: of the dataset.
        source, licence: of the data, as they were shown beside it.
        features, axis, rate: of the data, as in `Dataset`; needed to draw directions.
        sizes: `[K, D]` of each basis inside, by bank.
        seed: of the training.
        metrics: last named numbers of the training.
        curve: up to 200 points of the training, each a mapping with `step` and metrics.
        seconds: how long it took; None when unknown.
        device: in words.
        versions: of Python and the libraries.
        date: when it was made, ISO 8601 with the time zone.
        more: anything a page wants back, such as how the data was prepared.
        format: version of this layout.
    """

    family: str
    settings: dict[str, Any]
    shape: tuple[int, ...]
    kind: str
    name: str = ""
    note: str = ""
    data: str = ""
    samples: int = 0
    fingerprint: str = ""
    source: str = ""
    licence: str = ""
    features: tuple[str, ...] | None = None
    axis: str = ""
    rate: float | None = None
    sizes: dict[str, list[int]] = field(default_factory=dict)
    seed: int = 0
    metrics: dict[str, float] = field(default_factory=dict)
    curve: list[dict[str, float]] = field(default_factory=list)
    seconds: float | None = None
    device: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    date: str = ""
    more: dict[str, Any] = field(default_factory=dict)
    format: int = FORMAT

    @classmethod
    def of(cls, model: Model, dataset: Dataset | None = None, **values: Any) -> "Card":
        """The card of a fitted model.

        Args:
            dataset: what it was fitted to.
            values: any of the attributes, such as `name`, `metrics`, `seconds`, `curve`.
        """
        about: dict[str, Any] = {"kind": "table"}
        if dataset is not None:
            about = dict(
                kind=getattr(model, "kind_", dataset.kind),  # a model may encode what it made of the data
                data=dataset.title,
                samples=len(dataset),
                fingerprint=dataset.fingerprint,
                source=dataset.source,
                licence=dataset.licence,
                features=dataset.features,
                axis=dataset.axis,
                rate=dataset.rate,
            )
        about.update(
            family=model.family,
            settings=model.settings.as_dict(),
            shape=tuple(model.shape_),
            name=f"{model.title} of {about['data']}" if dataset is not None else model.title,
            sizes={bank: [basis.k, basis.d] for bank, basis in model.bases().items()},
            seed=getattr(model, "seed_", 0),
            device=describe(model.device),
            versions={"python": platform.python_version(), **{n: importlib.metadata.version(n) for n in _LIBRARIES}},
            date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        )
        about.update(values)
        about["metrics"] = _finite(about.get("metrics") or {})
        about["curve"] = thinned([_finite(point) for point in about.get("curve") or []])
        return cls(**about)

    def to_json(self) -> bytes:
        """The card as the content of `card.json`."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False, allow_nan=False).encode()

    @classmethod
    def from_json(cls, content: bytes) -> "Card":
        """A card out of the content of `card.json`.

        Raises:
            InputError: it is not a card of this format.
        """
        if len(content) > MOST_CARD_BYTES:
            raise InputError(f"The card of this model is larger than {MOST_CARD_BYTES // 2**20} MB.")
        try:
            values = json.loads(content, parse_constant=_refuse)
        except (ValueError, RecursionError):
            raise InputError("The card of this model is not valid JSON.") from None
        if not isinstance(values, dict):
            raise InputError("The card of this model is not a JSON object.")
        version = values.get("format")
        if not isinstance(version, int) or isinstance(version, bool) or version < 1:
            raise InputError("The card of this model does not say its format.")
        if version > FORMAT:
            raise InputError(f"This model has format {version}; this version of the app reads up to {FORMAT}.")
        for name in values:
            if name not in _CHECKS:
                raise InputError(f"The card of this model has an unknown entry {name[:40]!r}.")
        for name in ("family", "settings", "shape", "kind"):
            if name not in values:
                raise InputError(f"The card of this model lacks its entry {name!r}.")
        for name, value in values.items():
            if not _CHECKS[name](value):
                raise InputError(f"The entry {name!r} in the card of this model is not what it should be.")
        values["shape"] = tuple(values["shape"])
        values["features"] = None if values.get("features") is None else tuple(values["features"])
        return cls(**values)


def thinned(points: Sequence[Any], most: int = MOST_CURVE) -> list[Any]:
    """At most `most` of the points, evenly taken, the first and the last among them."""
    if len(points) <= most:
        return list(points)
    return [points[round(i * (len(points) - 1) / (most - 1))] for i in range(most)]


def one_line(name: str) -> str:
    """A name as one line of at most 120 characters; what cannot be printed, or turns the text around, is left out."""
    return "".join(c for c in " ".join(name.split()) if c.isprintable())[:MOST_NAME].strip()


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _finite(numbers: Mapping[str, Any]) -> dict[str, float]:
    return {k: v if isinstance(v, int) else float(v) for k, v in numbers.items() if math.isfinite(v)}


def _text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MOST_TEXT


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _table(check):
    return lambda value: isinstance(value, dict) and all(_text(k) and check(v) for k, v in value.items())


def _row(check, most: int):
    return lambda value: isinstance(value, list) and len(value) <= most and all(check(v) for v in value)


def _optional(check):
    return lambda value: value is None or check(value)


_CHECKS = {
    "format": _whole,
    "family": _text,
    "settings": _table(lambda v: _text(v) or isinstance(v, bool) or _number(v)),
    "shape": _row(lambda v: _whole(v) and 0 < v < 2**31, 8),
    "kind": lambda value: value in KINDS,
    "samples": lambda value: _whole(value) and value >= 0,
    "features": _optional(_row(_text, 10_000_000)),
    "rate": _optional(lambda v: _number(v) and v > 0),
    "sizes": _table(lambda v: isinstance(v, list) and len(v) == 2 and all(map(_whole, v))),
    "seed": _whole,
    "metrics": _table(_number),
    "curve": _row(_table(_number), MOST_CURVE),
    "seconds": _optional(_number),
    "versions": _table(_text),
    "more": lambda value: isinstance(value, dict),
    **dict.fromkeys(("name", "note", "data", "fingerprint", "source", "licence", "axis", "device", "date"), _text),
}
assert set(_CHECKS) == {f.name for f in fields(Card)}
