"""What a comparison of bases says, in words with its numbers."""

from collections.abc import Callable

import numpy as np

from core.graphs.regression import Regression

NAMES = {
    "monomial": "Monomial",
    "chebyshev": "Chebyshev",
    "bernstein": "Bernstein",
    "favard": "Favard",
    "optimal": "OptBasis",
}
ROUNDED = 1e15  # condition numbers above this are only known to be large
AT_FLOOR = 1.01


def steps_to_floor(found: Regression, kind: str) -> int | None:
    """The first recorded step within 1 % of the least-squares error (and rounding), or None."""
    fit = found.fits[kind]
    near = fit.curve <= AT_FLOOR * found.floor + 1e-14 * fit.curve[0]
    return int(fit.steps[np.argmax(near)]) if near.any() else None


def why(found: Regression, text: Callable[[float], str] = "{:.3g}".format) -> str:
    """Why the bases differ on this graph and signal, in two or three sentences."""
    fits = found.fits
    errors = np.array([f.error for f in fits.values()])
    steps = next(iter(fits.values())).steps[-1]
    tiny = 1e-20 * max(f.curve[0] for f in fits.values())
    same = np.ptp(errors) <= 0.01 * errors.min() + tiny
    first = (
        f"All {len(fits)} bases span the same polynomials, so least squares leaves one error, {text(found.floor)}."
        if same
        else f"In exact numbers all {len(fits)} bases leave one error, {text(found.floor)}; here rounding keeps "
        f"{', '.join(NAMES[k] for k, f in fits.items() if f.error > 1.01 * errors.min() + tiny)} above it."
    )
    ends = {k: f.curve[-1] for k, f in fits.items()}
    best, worst = min(ends, key=ends.get), max(ends, key=ends.get)
    if ends[worst] <= AT_FLOOR * found.floor + tiny:
        return first + f" After {steps:,} steps each of them has reached it."
    ratio = lambda k: ends[k] / max(found.floor, tiny, 1e-300)  # noqa: E731
    times = f"{text(ratio(worst))} times that error" if found.floor > tiny else f"an error of {text(ends[worst])}"
    second = (
        " Descent does not see the span but the columns: the condition number is "
        f"{_condition(fits[worst].condition, text)} for {NAMES[worst]}, which after {steps:,} steps is still at {times}"
    )
    if best == "optimal":
        reached = steps_to_floor(found, "optimal")
        end = f"is there after {reached:,} step{'s' if reached != 1 else ''}" if reached is not None else "is nearest"
        return first + second + f", and 1 for OptBasis, which {end}."
    if "optimal" not in ends:
        return first + second + f"; {NAMES[best]} is nearest, at {text(ends[best])}."
    return (
        first
        + second
        + f". OptBasis does not win here: {NAMES[best]} is at {text(ends[best])}, OptBasis at {text(ends['optimal'])}."
    )


def _condition(value: float, text: Callable[[float], str]) -> str:
    return text(value) if value < ROUNDED else "above 1e15 (lost in rounding)"
