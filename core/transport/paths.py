"""Carrying the local spectrum along a curve by the equation alone, beside the true one and beside *S constant*."""

from dataclasses import dataclass

import numpy as np
import torch

from core.transport.law import Law, field_along
from core.transport.spectrum import LocalSpectrum


@dataclass(frozen=True, eq=False)
class Carried:
    """Along a curve of T places.

    Attributes:
        points: `(T, d)`; length: `(T,)` along the curve.
        true, carried: `(T, M)`.
        error, constant: `(T,)` relative error of what was carried, and of standing still, against the true one.
    """

    points: np.ndarray
    length: np.ndarray
    true: np.ndarray
    carried: np.ndarray
    error: np.ndarray
    constant: np.ndarray


def polyline(corners: np.ndarray, steps: int = 128, *, closed: bool = False) -> np.ndarray:
    """`(steps + 1, d)` places at even distances along straight pieces between corners `(P, d)`."""
    corners = np.asarray(corners, dtype=float)
    if closed:
        corners = np.concatenate([corners, corners[:1]])
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(corners, axis=0), axis=1))])
    at = np.linspace(0, along[-1], steps + 1)
    return np.stack([np.interp(at, along, corners[:, a]) for a in range(corners.shape[1])], 1)


def carry(spectrum: LocalSpectrum, law: Law, points: np.ndarray) -> Carried:
    """Integrate `dS = F(x, S) . dx` along places `(T, d)`, or along many curves at once `(P, T, d)` (then median).

    The midpoint rule is used. What runs away is held at a thousand times its start.
    """
    many = points.ndim == 3
    curves = points if many else points[None]
    p, t, d = curves.shape
    field = law.settings.field
    true = field_along(spectrum, curves.reshape(-1, d), field).reshape(p, t, -1)
    s = torch.as_tensor(true[:, 0])
    bound = 1e3 * s.norm(dim=1, keepdim=True).clamp_min(1e-9)
    x = torch.as_tensor(curves, dtype=torch.float32)
    out = [s]
    net = law.transport.to("cpu")
    with torch.no_grad():
        for i in range(t - 1):
            move = (x[:, i + 1] - x[:, i])[:, :, None]
            half = s + 0.5 * (net(x[:, i], s) * move).sum(1)
            s = s + (net(0.5 * (x[:, i] + x[:, i + 1]), half) * move).sum(1)
            size = s.norm(dim=1, keepdim=True)
            s = torch.where(size > bound, s * (bound / size), s)
            if field == "amplitude":
                s = s.clamp_min(0)
            out.append(s)
    carried = torch.stack(out, 1).numpy()
    size = np.maximum(np.linalg.norm(true, axis=2), 1e-9)
    error = np.linalg.norm(carried - true, axis=2) / size
    constant = np.linalg.norm(true[:, :1] - true, axis=2) / size
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(curves[0], axis=0), axis=1))])
    if many:
        return Carried(curves, length, true, carried, np.median(error, 0), np.median(constant, 0))
    return Carried(curves[0], length, true[0], carried[0], error[0], constant[0])


def random_paths(spectrum: LocalSpectrum, length: float, count: int = 64, *, seed: int = 0, steps: int = 64):
    """`(count, steps + 1, d)` straight paths of one length (longest sides) inside the signal.

    A length that does not fit is shortened to nine tenths of the shortest side.
    """
    rng = np.random.default_rng(seed)
    box = np.array(spectrum.shape) / max(spectrum.shape)
    length = min(length, 0.9 * float(box.min()))
    out = []
    while len(out) < count:
        start, way = rng.uniform(0, 1, spectrum.d) * box, rng.standard_normal(spectrum.d)
        end = start + length * way / np.linalg.norm(way)
        if np.all((end >= 0) & (end <= box)):
            out.append(polyline(np.stack([start, end]), steps))
    return np.stack(out)


def loop(centre: np.ndarray, radius: float, steps: int = 128) -> np.ndarray:
    """`(steps + 1, 2)` a closed circle; what comes back differs from what left by the loop's holonomy."""
    turn = 2 * np.pi * np.arange(steps + 1) / steps
    return np.asarray(centre) + radius * np.stack([np.sin(turn), np.cos(turn)], 1)


def holonomy(carried: Carried) -> float:
    """`|S_end - S_start| / |S_start|` of a closed curve; a law that one may integrate has none."""
    start, end = carried.carried[0], carried.carried[-1]
    return float(np.linalg.norm(end - start) / max(np.linalg.norm(start), 1e-9))
