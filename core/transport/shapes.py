"""Shapes as signed distances (negative inside, in units of the box's side), in two and three dimensions."""

import numpy as np
from scipy.ndimage import distance_transform_edt
from scipy.spatial import cKDTree

from core.errors import InputError
from core.transport.signal import Signal
from core.transport.splines import positions

SOLIDS = ("torus", "gyroid", "metaballs")
MOST_FACES = 500_000


def outline(corners: np.ndarray, n: int = 128, title: str = "outline") -> Signal:
    """Exact signed distance of a closed polygon `(P, 2)` of (y, x) places in the unit box, on `n` x `n` samples.

    Raises:
        InputError: fewer than three corners, or corners that are not finite.
    """
    corners = np.asarray(corners, dtype=float)
    if corners.ndim != 2 or corners.shape[1] != 2 or len(corners) < 3 or not np.isfinite(corners).all():
        raise InputError("An outline needs at least three corners, each two finite numbers.")
    y, x = np.meshgrid(*positions((n, n)), indexing="ij")
    points = np.stack([y.ravel(), x.ravel()], 1)
    best, inside = np.full(len(points), np.inf), np.zeros(len(points), dtype=bool)
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        edge, to = b - a, points - a
        t = np.clip(to @ edge / max(edge @ edge, 1e-18), 0, 1)
        best = np.minimum(best, ((to - t[:, None] * edge) ** 2).sum(1))
        crosses = (a[0] > points[:, 0]) != (b[0] > points[:, 0])
        if crosses.any():
            at = a[1] + (points[:, 0] - a[0]) * (b[1] - a[1]) / (b[0] - a[0] if b[0] != a[0] else 1.0)
            inside ^= crosses & (points[:, 1] < at)
    distance = np.where(inside, -1, 1) * np.sqrt(best)
    return Signal(distance.reshape(1, n, n).astype(np.float32), "outline", title)


def mask_outline(mask: np.ndarray, title: str = "outline") -> Signal:
    """Signed distance of the dark or light part of a picture, from a boolean `(H, W)`."""
    mask = np.asarray(mask, dtype=bool)
    if mask.all() or not mask.any():
        raise InputError("The outline needs a picture with an inside and an outside; this one is all one of them.")
    distance = distance_transform_edt(~mask) - distance_transform_edt(mask)
    distance = distance - 0.5 * np.sign(distance)
    return Signal((distance[None] / max(mask.shape)).astype(np.float32), "outline", title)


def star(points: int = 5, inner: float = 0.17, outer: float = 0.4) -> np.ndarray:
    """`(2 points, 2)` corners of a star in the unit box."""
    turn = np.pi * np.arange(2 * points) / points
    radius = np.where(np.arange(2 * points) % 2, inner, outer)
    return 0.5 + np.stack([-radius * np.cos(turn), radius * np.sin(turn)], 1)


def solid(name: str, n: int = 48) -> Signal:
    """An analytic shape on `n`^3 samples: the distance of a torus is exact, the others are scaled level functions.

    Raises:
        InputError: no shape of that name.
    """
    z, y, x = (a - 0.5 for a in np.meshgrid(*positions((n, n, n)), indexing="ij"))
    if name == "torus":
        values = np.hypot(np.hypot(x, y) - 0.28, z) - 0.12
    elif name == "gyroid":
        k = 2 * np.pi * 2
        level = np.sin(k * x) * np.cos(k * y) + np.sin(k * y) * np.cos(k * z) + np.sin(k * z) * np.cos(k * x)
        values = np.maximum((np.abs(level) - 0.5) / (1.5 * k), np.sqrt(x**2 + y**2 + z**2) - 0.45)
    elif name == "metaballs":
        centres = np.array([[-0.12, -0.08, 0.0], [0.14, 0.05, 0.08], [0.0, 0.15, -0.12]])
        level = sum(0.16**2 / ((z - c[0]) ** 2 + (y - c[1]) ** 2 + (x - c[2]) ** 2 + 1e-6) for c in centres)
        values = 0.08 * (1 - np.sqrt(level))
    else:
        raise InputError(f"There is no shape {name!r} here; there are {', '.join(SOLIDS)}.")
    return Signal(values[None].astype(np.float32), "solid", name)


def mesh_solid(vertices: np.ndarray, faces: np.ndarray, n: int = 48, *, seed: int = 0, title: str = "mesh") -> Signal:
    """Signed distance of a triangle mesh, holes or not, on `n`^3 samples of a box with a margin.

    The distance is that to many samples of the surface; the sign is the generalised winding number (Jacobson et al.
    2013) over them far from the surface, and the side of the nearest sample close to it.

    Raises:
        InputError: no triangles, too many, indices that do not exist, or a flat mesh without area.
    """
    v, f = np.asarray(vertices, dtype=float), np.asarray(faces, dtype=np.int64)
    if v.ndim != 2 or v.shape[1] != 3 or f.ndim != 2 or f.shape[1] != 3 or not len(f) or not np.isfinite(v).all():
        raise InputError("A mesh needs finite vertices (x, y, z) and triangles.")
    if len(f) > MOST_FACES:
        raise InputError(f"The mesh has {len(f):,} triangles; at most {MOST_FACES:,} are taken.")
    if f.min() < 0 or f.max() >= len(v):
        raise InputError("The mesh has triangles whose corners do not exist.")
    used = v[f]
    low, high = used.reshape(-1, 3).min(0), used.reshape(-1, 3).max(0)
    size = float((high - low).max())
    if size <= 0:
        raise InputError("The mesh is a single point; it has no surface.")
    used = (used - (low + high) / 2) / size * 0.84 + 0.5
    points, normals, area = _surface_samples(used, 40_000, np.random.default_rng(seed))
    axes = positions((n, n, n))
    lattice = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3)
    distance, nearest = cKDTree(points).query(lattice)
    winding = _winding(lattice, points[::16], normals[::16], area)
    side = ((lattice - points[nearest]) * normals[nearest]).sum(1)
    close = distance < 1.0 / n
    inside = np.where(close, side < 0, np.abs(winding) > 0.5)
    if (winding > 0.5).sum() < (winding < -0.5).sum():  # triangles that face inwards
        inside = np.where(close, side > 0, inside)
    values = np.where(inside, -distance, distance)
    notes = ("The mesh has holes; they were covered over, so that it has an inside.",) if _is_open(v, f) else ()
    return Signal(values.reshape(1, n, n, n).astype(np.float32), "solid", title, notes=notes)


def _is_open(vertices: np.ndarray, faces: np.ndarray) -> bool:
    """Whether an edge ends an odd number of triangles; corners at the same place are one corner."""
    _, corner = np.unique(vertices, axis=0, return_inverse=True)
    f = corner.reshape(-1)[faces].astype(np.int64)
    f = f[(f[:, 0] != f[:, 1]) & (f[:, 1] != f[:, 2]) & (f[:, 2] != f[:, 0])]
    edges = np.sort(np.concatenate([f[:, [0, 1]], f[:, [1, 2]], f[:, [2, 0]]]), axis=1)
    _, times = np.unique(edges[:, 0] * len(vertices) + edges[:, 1], return_counts=True)
    return bool((times % 2).any())


def _surface_samples(triangles: np.ndarray, count: int, rng) -> tuple[np.ndarray, np.ndarray, float]:
    cross = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    area = np.linalg.norm(cross, axis=1) / 2
    total = float(area.sum())
    if total <= 0:
        raise InputError("The mesh has no area; its triangles are lines or points.")
    chosen = rng.choice(len(area), count, p=area / total)
    u, w = rng.random((2, count, 1))
    flip = u + w > 1
    u, w = np.where(flip, 1 - u, u), np.where(flip, 1 - w, w)
    t = triangles[chosen]
    points = t[:, 0] + u * (t[:, 1] - t[:, 0]) + w * (t[:, 2] - t[:, 0])
    return points, cross[chosen] / (2 * area[chosen])[:, None], total


def _winding(at: np.ndarray, points: np.ndarray, normals: np.ndarray, area: float) -> np.ndarray:
    """Generalised winding number: the share of the full solid angle under which the surface is seen from inside."""
    out = np.empty(len(at), dtype=np.float32)
    p, m = points.astype(np.float32), normals.astype(np.float32)
    each = area / len(points) / (4 * np.pi)
    dots = (p * m).sum(1)
    square = (p**2).sum(1)
    for start in range(0, len(at), 64):  # few at a time and in place, so that it stays in the processor's cache
        q = at[start : start + 64].astype(np.float32)
        far = q @ (-2 * p.T)
        far += square
        far += (q**2).sum(1)[:, None]
        np.maximum(far, 1e-6, out=far)
        far *= np.sqrt(far)
        facing = dots - q @ m.T
        facing /= far
        out[start : start + 64] = each * facing.sum(1)
    return out


def surface(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices `(V, 3)` in the unit box and triangles `(F, 3)` of the zero level of `(n, n, n)`; empty where none.

    Marching cubes (Lorensen and Cline 1987; Lewiner et al. 2003) of scikit-image.
    """
    from skimage.measure import marching_cubes

    values = np.asarray(values, dtype=np.float32)
    if not values.min() < 0 < values.max():
        return np.zeros((0, 3)), np.zeros((0, 3), dtype=int)
    vertices, faces, _, _ = marching_cubes(values, 0.0)
    return (vertices + 0.5) / max(values.shape), faces


def iou(a: np.ndarray, b: np.ndarray) -> float:
    """Intersection over union of the insides of two signed distances; 1 when both are empty."""
    a, b = np.asarray(a) < 0, np.asarray(b) < 0
    union = (a | b).sum()
    return float((a & b).sum() / union) if union else 1.0


def chamfer(a: tuple[np.ndarray, np.ndarray], b: tuple[np.ndarray, np.ndarray], *, count: int = 20_000, seed: int = 0):
    """Mean distance from each surface to the other, in box sides, averaged over both ways; NaN when one is empty."""
    if not len(a[1]) or not len(b[1]):
        return float("nan")
    rng = np.random.default_rng(seed)
    one, two = (_surface_samples(v[f], count, rng)[0] for v, f in (a, b))
    return float((cKDTree(two).query(one)[0].mean() + cKDTree(one).query(two)[0].mean()) / 2)
