"""Codes over time: the motion of a face in a clip, as a value that can be looked at, smoothed, cut and edited."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.ndimage import convolve1d, gaussian_filter1d

from core.errors import InputError

MOST_TIMES, MOST_CODES = 100_000, 1000
GAINS = (0.0, 2.0)
THREE_TAPS = np.exp(-0.5 * (np.array([-1.0, 0.0, 1.0])) ** 2)
THREE_TAPS = THREE_TAPS / THREE_TAPS.sum()  # a Gaussian of one frame: 0.274, 0.452, 0.274, as in the released code


@dataclass(frozen=True)
class CodeCurves:
    """The codes of a face at increasing times. A value: every method gives a new one.

    Attributes:
        times: `(T,)` seconds, increasing.
        values: `(T, K)` codes; where there is no face they may hold anything finite.
        names: of the K directions.
        banks: name of the bank of each of the K directions.
        present: `(T,)` whether a face was found; everywhere when left out.

    Raises:
        InputError: parts that do not fit together, no time, times that do not increase, or values that are not finite.
    """

    times: np.ndarray
    values: np.ndarray
    names: tuple[str, ...]
    banks: tuple[str, ...]
    present: np.ndarray | None = None

    def __post_init__(self):
        times, values = np.array(self.times, dtype=float), np.array(self.values, dtype=np.float32)
        present = np.ones(len(times), bool) if self.present is None else np.array(self.present, dtype=bool)
        names, banks = tuple(map(str, self.names)), tuple(map(str, self.banks))
        if times.ndim != 1 or values.shape != (len(times), len(names)) or len(banks) != len(names):
            raise InputError("Code curves need one row of codes for each time and one name and bank for each code.")
        if not 1 <= len(times) <= MOST_TIMES or not 1 <= len(names) <= MOST_CODES or present.shape != times.shape:
            raise InputError(f"Code curves need 1 to {MOST_TIMES:,} times and 1 to {MOST_CODES:,} codes.")
        if not np.isfinite(times).all() or (np.diff(times) <= 0).any():
            raise InputError("The times of code curves must be finite and increase from row to row.")
        values[~present] = np.where(np.isfinite(values[~present]), values[~present], 0)
        if not np.isfinite(values).all():
            raise InputError("Code curves hold a value that is not a finite number; all codes must be finite.")
        if len(set(zip(banks, names, strict=True))) < len(names):
            raise InputError("Two directions of one bank have the same name; each code needs its own.")
        for array in (times, values, present):
            array.setflags(write=False)
        for name, value in (("times", times), ("values", values), ("present", present)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "banks", banks)

    @property
    def fps(self) -> float:
        """Rows a second, by the median step; 25 for a single row."""
        return float(1 / np.median(np.diff(self.times))) if len(self.times) > 1 else 25.0

    @property
    def seconds(self) -> float:
        """From the first row to one step after the last one."""
        return float(self.times[-1] - self.times[0] + 1 / self.fps)

    def bank(self, name: str) -> np.ndarray:
        """`(T, k)` the codes of one bank.

        Raises:
            InputError: there is no such bank.
        """
        return self.values[:, self.columns(name)]

    def columns(self, bank: str) -> np.ndarray:
        """`(k,)` which codes belong to a bank.

        Raises:
            InputError: there is no such bank.
        """
        found = np.flatnonzero([b == bank for b in self.banks])
        if not len(found):
            raise InputError(
                f"These curves have no bank {bank[:40]!r}; there are {', '.join(dict.fromkeys(self.banks))}."
            )
        return found

    def with_values(self, values: np.ndarray) -> Self:
        """The same curves with other codes `(T, K)`."""
        return replace(self, values=values)

    def held(self) -> Self:
        """Gaps filled with the last codes before them (a gap at the start with the first ones after it).

        Raises:
            InputError: no face was found at any time.
        """
        if not self.present.any():
            raise InputError("No face was found in any frame of this clip; choose a clip that shows one.")
        last = np.maximum.accumulate(np.where(self.present, np.arange(len(self.times)), -1))
        last[last < 0] = np.flatnonzero(self.present)[0]
        return replace(self, values=self.values[last], present=np.ones_like(self.present))

    def smoothed(self, seconds: float, *, bank: str | None = None) -> Self:
        """Each code after a Gaussian of this standard deviation; the ends continue with their own value.

        Args:
            seconds: 0 leaves all as it is.
            bank: only this one.

        Raises:
            InputError: a negative width, or no such bank.
        """
        if not 0 <= seconds <= 60:
            raise InputError("Curves are smoothed over 0 to 60 seconds.")
        if seconds == 0:
            return self
        steady = self if self._steady() else self.resampled(self.fps)
        done = gaussian_filter1d(steady.values.astype(float), seconds * steady.fps, axis=0, mode="nearest", truncate=6)
        return self._only(bank, steady.with_values(done)._at(self.times))

    def smoothed_three(self) -> Self:
        """Each code after the three-tap Gaussian of the released code; the ends continue with their own value."""
        return self.with_values(convolve1d(self.values.astype(float), THREE_TAPS, axis=0, mode="nearest"))

    def driving(
        self,
        own: np.ndarray,
        *,
        gains: Mapping[str, float] | None = None,
        relative: bool = True,
        start: np.ndarray | None = None,
    ) -> Self:
        """What a face with its own codes gets from these curves.

        Relative: `own + gain * (curve - start)`, so that the first frame leaves the face as it is; absolute:
        `own + gain * (curve - own)`, so that gain 1 takes the codes over. Gain 0 leaves a bank alone in both.

        Args:
            own: `(K,)` the face's own codes.
            gains: for each bank, 0 to 2; 1 when left out.
            relative: which of the two.
            start: `(K,)` codes that count as the start; those of the first row when left out.

        Raises:
            InputError: a gain out of range, an unknown bank, or own codes of another number.
        """
        own = np.asarray(own, dtype=np.float32)
        if own.shape != (len(self.names),):
            raise InputError(f"These curves have {len(self.names)} codes and the face has {own.size}; they must agree.")
        gain = np.ones(len(self.names), dtype=np.float32)
        for bank, value in (gains or {}).items():
            if not GAINS[0] <= value <= GAINS[1]:
                raise InputError(f"The gain of a bank is 0 to 2; {bank[:40]} has {value:g}.")
            gain[self.columns(bank)] = value
        full = self.held()
        origin = own if not relative else full.values[0] if start is None else np.asarray(start, dtype=np.float32)
        return full.with_values(own + gain * (full.values - origin))

    def cut(self, begin: float, end: float) -> Self:
        """The rows from `begin` to before `end` seconds, their times counted from the first of them.

        Raises:
            InputError: nothing lies between them.
        """
        kept = (self.times >= begin - 1e-9) & (self.times < end - 1e-9)
        if not kept.any():
            raise InputError(f"There is nothing between {begin:g} and {end:g} s; the curves last {self.seconds:.2f} s.")
        times = self.times[kept]
        return replace(self, times=times - times[0], values=self.values[kept], present=self.present[kept])

    def resampled(self, fps: float) -> Self:
        """At a steady rate, straight lines between the rows; a row counts as present where both neighbours are.

        Raises:
            InputError: a rate out of range, or too many rows.
        """
        if not 0.1 <= fps <= 1000 or self.seconds * fps > MOST_TIMES:
            raise InputError(f"Curves are resampled to 0.1 to 1000 rows a second, at most {MOST_TIMES:,} rows.")
        count = int(np.floor((self.times[-1] - self.times[0]) * fps + 1e-6)) + 1
        return self._at(self.times[0] + np.arange(count) / fps)

    def joined(self, other: "CodeCurves") -> Self:
        """These codes and those of another one at these times, such as a mouth from speech and a pose from a clip.

        The other one's last row is held after its end. Banks of the other one replace banks of the same name.
        """
        other = other.held()._at(self.times)
        mine = [i for i, b in enumerate(self.banks) if b not in other.banks]
        return replace(
            self,
            values=np.concatenate([self.values[:, mine], other.values], axis=1),
            names=tuple(self.names[i] for i in mine) + other.names,
            banks=tuple(self.banks[i] for i in mine) + other.banks,
        )

    def _at(self, times: np.ndarray) -> Self:
        values = [np.interp(times, self.times, column) for column in self.values.T]
        there = np.interp(times, self.times, self.present.astype(float)) > 1 - 1e-6
        return replace(self, times=times, values=np.stack(values, axis=1), present=there)

    def _steady(self) -> bool:
        steps = np.diff(self.times)
        return len(steps) < 2 or float(np.ptp(steps)) < 1e-3 * float(np.median(steps)) + 1e-9

    def _only(self, bank: str | None, changed: Self) -> Self:
        if bank is None:
            return self.with_values(changed.values)
        values = self.values.copy()
        columns = self.columns(bank)
        values[:, columns] = changed.values[:, columns]
        return self.with_values(values)


def still(
    codes: np.ndarray, names: Sequence[str], banks: Sequence[str], seconds: float, fps: float = 25.0
) -> CodeCurves:
    """Curves `(T, K)` that stay at one code `(K,)`, to edit or to join others to."""
    times = np.arange(max(1, round(seconds * fps))) / fps
    return CodeCurves(times, np.tile(np.asarray(codes, dtype=np.float32), (len(times), 1)), tuple(names), tuple(banks))
