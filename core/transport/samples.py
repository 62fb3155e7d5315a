"""Signals that the page opens with: made ones with known local frequency, and pictures that lie in the packages."""

from dataclasses import dataclass

import numpy as np

from core.errors import InputError


@dataclass(frozen=True)
class Truth:
    """What is known of a made signal.

    Attributes:
        frequency: `(d, *shape)` cycles a side, the wave vector at each sample (its sign means nothing).
        amplitude: `(*shape)` weight of each sample in a score.
    """

    frequency: np.ndarray
    amplitude: np.ndarray


def _mesh(n: int) -> tuple[np.ndarray, np.ndarray]:
    x = (np.arange(n) + 0.5) / n
    return np.meshgrid(x, x, indexing="ij")


def _picture(phase: np.ndarray, fy: np.ndarray, fx: np.ndarray, amplitude=1.0) -> tuple[np.ndarray, Truth]:
    wave = 0.5 + 0.5 * amplitude * np.cos(2 * np.pi * phase)
    return wave, Truth(np.stack([fy, fx]), np.broadcast_to(np.asarray(amplitude, dtype=float), phase.shape))


def warped_fringe(n: int = 128) -> tuple[np.ndarray, Truth]:
    """Stripes bent by a smooth map, `(n, n)` in 0..1, 14 to 32 cycles a side, and their wave vectors."""
    y, x = _mesh(n)
    u, v = 2 * np.pi * (0.9 * y + 0.2), 2 * np.pi * 0.6 * x
    phase = 20 * x + 3 * y + 6 * x * y + 2 * np.sin(u) * np.cos(v)
    fx = 20 + 6 * y - 2 * 2 * np.pi * 0.6 * np.sin(u) * np.sin(v)
    fy = 3 + 6 * x + 2 * 2 * np.pi * 0.9 * np.cos(u) * np.cos(v)
    return _picture(phase, fy, fx)


def linear_chirp(n: int = 128, low: float = 3.0, high: float = 40.0) -> tuple[np.ndarray, Truth]:
    """Stripes whose frequency rises linearly from left to right."""
    y, x = _mesh(n)
    return _picture(low * x + 0.5 * (high - low) * x**2, np.zeros_like(y), low + (high - low) * x)


def zone_plate(n: int = 128, highest: float = 34.0) -> tuple[np.ndarray, Truth]:
    """Rings whose frequency grows with the distance from the centre, up to `highest` in the middle of an edge."""
    y, x = _mesh(n)
    y, x = y - 0.5, x - 0.5
    return _picture(highest * (y**2 + x**2), 2 * highest * y, 2 * highest * x)


def crossed(n: int = 128) -> tuple[np.ndarray, Truth]:
    """Two chirps that cross; the truth is that of the stronger one."""
    y, x = _mesh(n)
    first = np.cos(2 * np.pi * (10 * x + 6 * x**2))
    second = np.cos(2 * np.pi * (14 * y + 5 * y * x))
    truth = Truth(np.stack([np.zeros_like(x), 10 + 12 * x]), np.ones_like(x))
    return 0.5 + 0.3 * first + 0.15 * second, truth


MADE = {
    "warped fringe": warped_fringe,
    "linear chirp": linear_chirp,
    "zone plate": zone_plate,
    "two crossed chirps": crossed,
}
PACKAGED = {
    "brick": "CC0, scikit-image",
    "grass": "CC0, scikit-image",
    "gravel": "CC0, scikit-image",
    "camera": "CC0, scikit-image",
    "astronaut": "public domain, NASA, in scikit-image",
}


def photograph(name: str, n: int = 128, *, colour: bool = False) -> np.ndarray:
    """A packaged picture, `(n, n)` or `(n, n, 3)` in 0..1, resampled with anti-aliasing.

    Raises:
        InputError: no picture of that name.
    """
    if name not in PACKAGED:
        raise InputError(f"There is no picture {name!r} here; there are {', '.join(PACKAGED)}.")
    import skimage.data
    from skimage.transform import resize

    picture = np.asarray(getattr(skimage.data, name)(), dtype=np.float32) / 255
    if picture.ndim == 3 and not colour:
        picture = picture @ np.array([0.299, 0.587, 0.114], dtype=np.float32)
    if picture.ndim == 2 and colour:
        picture = np.repeat(picture[..., None], 3, axis=2)
    out = resize(picture, (n, n, *picture.shape[2:]), order=1, anti_aliasing=True)
    return np.clip(out, 0, 1).astype(np.float32)
