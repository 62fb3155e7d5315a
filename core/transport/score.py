"""How right a frequency field is: against the truth of a made signal, or against yardsticks where there is none."""

from dataclasses import dataclass

import numpy as np

from core.transport.readouts import FrequencyField


@dataclass(frozen=True)
class FrequencyScore:
    """One read-out against another field.

    Attributes:
        correlation: Pearson, of the magnitudes.
        error: median relative error of the magnitude.
        within: share of places within 10 %.
        angle: median angle between the wave vectors' lines, in degrees; 0 along one axis.
        octaves: median of `|log2 ratio|` of the magnitudes.
    """

    correlation: float
    error: float
    within: float
    angle: float
    octaves: float


def score(
    field: FrequencyField,
    frequency: np.ndarray,
    weight: np.ndarray | None = None,
    *,
    border: float = 0.08,
    least: float = 3.0,
) -> FrequencyScore:
    """Compare a field to wave vectors `(d, *shape)` at the same samples.

    Args:
        weight: `(*shape)`, of each place; even when left out.
        border: share of the side that is left out at every edge.
        least: places where the true frequency is below this many cycles a side are left out.
    """
    true = np.sqrt((frequency**2).sum(0))
    weight = np.ones(true.shape) if weight is None else np.asarray(weight, dtype=float)
    inside = np.zeros(true.shape, dtype=bool)
    inside[tuple(slice(int(border * n), n - int(border * n)) for n in true.shape)] = True
    keep = inside & (true >= least) & (weight > 0)
    if keep.sum() < 2:
        return FrequencyScore(*[float("nan")] * 5)
    a, b, w = field.magnitude[keep], true[keep], weight[keep]
    relative = np.abs(a - b) / b
    dot = np.abs((field.frequency * frequency).sum(0))[keep] / np.maximum(a * b, 1e-12)
    angles = np.degrees(np.arccos(np.clip(dot, 0, 1)))
    return FrequencyScore(
        correlation=_correlation(a, b, w),
        error=_median(relative, w),
        within=float(np.average(relative <= 0.1, weights=w)),
        angle=_median(angles, w) if len(frequency) > 1 else 0.0,
        octaves=_median(np.abs(np.log2(np.maximum(a, 1e-6) / b)), w),
    )


def agreement(field: FrequencyField, yardstick: FrequencyField, **options) -> FrequencyScore:
    """The same where no truth is known: against a yardstick, weighted by its energy."""
    return score(field, yardstick.frequency, yardstick.energy, **options)


def _correlation(a: np.ndarray, b: np.ndarray, w: np.ndarray) -> float:
    a, b = a - np.average(a, weights=w), b - np.average(b, weights=w)
    size = np.sqrt(np.average(a * a, weights=w) * np.average(b * b, weights=w))
    return float(np.average(a * b, weights=w) / size) if size > 0 else float("nan")


def _median(values: np.ndarray, weight: np.ndarray) -> float:
    order = np.argsort(values)
    mass = np.cumsum(weight[order])
    return float(values[order][np.searchsorted(mass, mass[-1] / 2)])


def turned(field: FrequencyField) -> FrequencyField:
    """The field of a picture that was turned by 90 degrees (`numpy.rot90`), turned back.

    `rot90` moves the y axis onto the x axis: what was found along x in the turned picture lies along y in this one.
    """
    back = np.rot90(field.frequency, -1, axes=(1, 2))
    return FrequencyField(np.stack([back[1], -back[0]]), np.rot90(field.energy, -1))


def shifted(field: FrequencyField, by: int, axis: int) -> FrequencyField:
    """The field of a signal that was rolled by some samples, rolled back."""
    return FrequencyField(np.roll(field.frequency, -by, axis=axis + 1), np.roll(field.energy, -by, axis=axis))
