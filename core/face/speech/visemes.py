"""From timed phonemes to what the mouth does: a table from phonetics, and dominance for coarticulation.

Vowels: the jaw follows the height, rounding and spreading follow the lips' shape in the IPA vowel chart. Consonants:
the lips close for bilabials, the lower lip meets the teeth for labiodentals, postalveolars push the lips out, sibilants
close the jaw; all others leave the lips to their neighbours. Source of the blending: Cohen and Massaro 1993, "Modeling
coarticulation in synthetic visual speech".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter1d

from core.face.speech.controls import CONTROLS

# openness 0 (close) to 1 (open), whether rounded, and frontness 0 to 1
_VOWELS: Mapping[str, tuple[float, bool, float]] = {
    **{s: (o, False, 1.0) for s, o in zip("iɪeɛæa", (0.0, 0.15, 0.28, 0.5, 0.8, 0.9), strict=True)},
    **{s: (o, True, 1.0) for s, o in zip("yʏøœɶ", (0.0, 0.15, 0.28, 0.5, 0.9), strict=True)},
    **{s: (o, False, 0.5) for s, o in zip("ɨᵻɘəɚɜɝɐ", (0.05, 0.15, 0.28, 0.32, 0.3, 0.42, 0.38, 0.65), strict=True)},
    **{s: (o, False, 0.0) for s, o in zip("ɯɤʌɑ", (0.0, 0.28, 0.55, 0.95), strict=True)},
    **{s: (o, True, 0.0) for s, o in zip("uʊʉɵoɔɒ", (0.0, 0.15, 0.05, 0.3, 0.3, 0.55, 0.85), strict=True)},
}
_SIBILANT = {"jaw open": (0.05, 1.5)}
_PUSHED = {"jaw open": (0.08, 1.5), "lips funnel": (0.75, 1.2), "lips round": (0.4, 1.2), "lips wide": (0.0, 1.0)}
_SPREAD = {"jaw open": (0.1, 0.8), "lips wide": (0.6, 0.6)}
_NARROW = {"lips round": (0.95, 2.0), "lips funnel": (0.35, 1.0), "jaw open": (0.12, 1.0), "lips wide": (0.0, 1.5)}
_GROUPS: Mapping[str, Mapping[str, tuple[float, float]]] = {  # target and dominance; what is left out is below
    "pbm": {"lips pressed": (1.0, 8.0), "jaw open": (0.06, 2.0)},
    "fvɱ": {"lip to teeth": (1.0, 8.0), "jaw open": (0.1, 2.0)},
    "ɸβʋ": {"lips pressed": (0.5, 4.0), "jaw open": (0.1, 2.0)},
    "wʍɥ": _NARROW,
    "sz": _SIBILANT,
    "ʃʒɕʑʂʐ": _PUSHED,
    "tdnɾ": {"jaw open": (0.15, 0.8)},
    "θð": {"jaw open": (0.2, 1.0)},
    "lɫ": {"jaw open": (0.28, 0.6)},
    "ɹɻ": {"lips round": (0.45, 0.8), "lips funnel": (0.35, 0.8), "jaw open": (0.18, 0.6)},
    "r": {"jaw open": (0.22, 0.6)},
    "jçʝɲʎ": _SPREAD,
    "kɡgŋxɣqχʁ": {"jaw open": (0.28, 0.35)},
    "hɦʔ": {"jaw open": (0.3, 0.1)},
}
_CONSONANTS = {symbol: sound for symbols, sound in _GROUPS.items() for symbol in symbols}
_FREE = {"jaw open": (0.2, 0.3), "lips wide": (0.1, 0.12), "lips round": (0.0, 0.12), "lips funnel": (0.0, 0.12)}
_FREE |= {"lips pressed": (0.0, 1.0), "lip to teeth": (0.0, 1.0)}
_REST = dict.fromkeys(CONTROLS, (0.0, 1.0))
# seconds over which a segment's dominance falls to a third outside it: lips move early, closures are quick
_REACH = {"jaw open": 0.03, "lips wide": 0.06, "lips round": 0.07, "lips funnel": 0.06}
_REACH |= {"lips pressed": 0.01, "lip to teeth": 0.011}
_FINE = 200  # points a second at which the blend is computed
_SOFT = 0.012  # seconds, the muscles' own smoothing


@dataclass(frozen=True)
class Segment:
    """A phoneme from `begin` to `end` seconds; `ipa` is empty for a pause."""

    begin: float
    end: float
    ipa: str


def parts(ipa: str) -> list[Mapping[str, tuple[float, float]]]:
    """Targets and dominances, by control, of the one or two sounds in a phoneme (a diphthong has two)."""
    found = []
    for symbol in ipa:
        if symbol in _VOWELS:
            found.append(_vowel(*_VOWELS[symbol]))
        elif symbol in _CONSONANTS:
            found.append({**_FREE, **_CONSONANTS[symbol]})
    return found[:2]


def _vowel(openness: float, rounded: bool, front: float) -> Mapping[str, tuple[float, float]]:
    wide = (0.2 + 0.65 * front) * (1 - 0.6 * openness) if not rounded else 0.0
    out = {"jaw open": (0.1 + 0.9 * openness, 1.0), "lips wide": (wide if front else 0.1, 1.0)}
    out["lips round"] = ((1 - openness) * 0.95 if rounded else 0.0, 1.0)
    out["lips funnel"] = ((0.3 + 0.45 * openness) if rounded else 0.0, 1.0)
    return {**out, "lips pressed": (0.0, 1.0), "lip to teeth": (0.0, 1.0)}


def targets(segments: Sequence[Segment], times: np.ndarray) -> np.ndarray:
    """The controls `(T, 6)` at the given seconds `(T,)`.

    Each sound has a target and a dominance for each control; the dominance is full inside the sound and falls off
    exponentially outside it; the control is the mean of the targets weighted by their dominances at that moment. Pauses
    are sounds of a resting, closed mouth.
    """
    times = np.asarray(times, dtype=np.float64)
    last = max([times.max(initial=0.0), *(s.end for s in segments)]) + 0.2
    fine = np.arange(-0.2, last, 1 / _FINE)
    above, below = np.zeros((len(CONTROLS), len(fine))), np.zeros((len(CONTROLS), len(fine)))
    for begin, end, sound in _pieces(segments, last):
        away = np.maximum(np.maximum(begin - fine, fine - end), 0)
        for i, name in enumerate(CONTROLS):
            target, dominance = sound[name]
            weight = dominance * np.exp(-away / _REACH[name])
            above[i] += weight * target
            below[i] += weight
    blended = gaussian_filter1d(above / np.maximum(below, 1e-30), _SOFT * _FINE, axis=1, mode="nearest")
    return np.stack([np.interp(times, fine, row) for row in blended], axis=1).astype(np.float32)


def _pieces(segments: Sequence[Segment], last: float):
    yield -1.0, min([0.0, *(s.begin for s in segments)]), _REST
    for s in segments:
        sounds = parts(s.ipa) or [_REST]
        step = (s.end - s.begin) / len(sounds)
        for k, sound in enumerate(sounds):
            yield s.begin + k * step, s.begin + (k + 1) * step, sound
    yield max([0.0, *(s.end for s in segments)]), last + 1, _REST
