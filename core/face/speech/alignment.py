"""When a recorded voice says what a synthetic voice said, by dynamic time warping of their spectra.

Source: Sakoe and Chiba 1978.
"""

from collections.abc import Sequence

import numpy as np

from core.face.network.mel import HOP, RATE, mel_spectrogram
from core.face.speech.visemes import Segment


def warp(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """`(len(a),)` for each row of `a` the place in `b` that it is matched to, never decreasing.

    The path with the least summed distance between standardised rows; steps along one side cost as much as along both.

    Args:
        a, b: `(n, d)` and `(m, d)` features.
    """
    a, b = ((x - x.mean(0)) / (x.std(0) + 1e-6) for x in (np.asarray(a, float), np.asarray(b, float)))
    distance = np.sqrt(np.maximum((a**2).sum(1)[:, None] + (b**2).sum(1)[None] - 2 * a @ b.T, 0))
    n, m = distance.shape
    total = np.full((n + 1, m + 1), np.inf)
    total[0, 0] = 0
    for i in range(n):
        for j in range(m):
            best = min(total[i, j], total[i, j + 1], total[i + 1, j])
            total[i + 1, j + 1] = distance[i, j] + best
    i, j, sums, counts = n, m, np.zeros(n), np.zeros(n)
    while i > 0 and j > 0:
        sums[i - 1] += j - 1
        counts[i - 1] += 1
        i, j = min(((i - 1, j - 1), (i - 1, j), (i, j - 1)), key=lambda at: total[at])
    return np.maximum.accumulate(sums / np.maximum(counts, 1))


def transferred(segments: Sequence[Segment], spoken: np.ndarray, recorded: np.ndarray) -> list[Segment]:
    """The phonemes of synthetic speech at the times when a recording of the same words says them.

    Args:
        segments: of the synthetic speech.
        spoken, recorded: `(n,)` at 16 kHz, alike in loudness.
    """
    rows, columns = mel_spectrogram(spoken).T, mel_spectrogram(recorded).T
    place = warp(rows, columns) * HOP / RATE
    times = np.arange(len(rows)) * HOP / RATE
    moved = [tuple(np.interp([s.begin, s.end], times, place)) for s in segments]
    return [Segment(float(b), float(e), s.ipa) for (b, e), s in zip(moved, segments, strict=True) if e > b]
