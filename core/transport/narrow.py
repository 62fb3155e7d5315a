"""How locally narrow-band a signal is: the one number that says whether few carriers can serve it."""

import numpy as np

from core.transport.windowed import Window, centres_of, local_spectra


def narrow_share(signal: np.ndarray, *, sigma: float | None = None, places: int = 256) -> float:
    """Share of the local energy that lies around the strongest local frequency, 0..1.

    In windows all over the signal: the power within the lobe of the peak over all power of the window (its mean taken
    off), averaged with the power as weight. A pure chirp has nearly 1, noise little; 1 for a signal that is flat.

    Args:
        signal: `(*shape)`.
        sigma: of the window in samples; as for the carriers when left out.
    """
    d, longest = signal.ndim, max(signal.shape)
    if sigma is None:
        sigma = float(np.clip(longest / 16, 4, 12)) if d > 1 else float(np.clip(longest / 256, 8, 128))
    sigma = max(1.0, min(sigma, min(signal.shape) / 6 if d > 1 else longest / 6, 3.0 if d == 3 else np.inf))
    window = Window.of(sigma, signal.shape, pad=1 if d == 3 else 2)
    near_sum = total = 0.0
    reach = window.lobe
    for _, power in local_spectra(signal, centres_of(signal.shape, places), window):
        power[..., 1:-1] *= 2  # the half that a real signal's transform leaves out
        flat = power.reshape(len(power), -1)
        at = np.array(np.unravel_index(flat.argmax(1), power.shape[1:]))
        for one, place in zip(power, at.T, strict=True):
            index = [np.arange(p - reach, p + reach + 1) % n for p, n in zip(place[:-1], one.shape[:-1], strict=True)]
            last = np.abs(np.arange(place[-1] - reach, place[-1] + reach + 1))
            index.append(np.unique(last[last < one.shape[-1]]))
            near_sum += float(one[np.ix_(*index)].sum())
        total += float(flat.sum())
    return near_sum / total if total > 0 else 1.0
