"""Mesh motion: a photographed face moved by codes on the banks mouth, pose and expression."""

from collections.abc import Mapping

import numpy as np
from scipy.ndimage import gaussian_filter

from core.basis import Basis
from core.errors import InputError
from core.face.photo import interior
from core.face.photo.canonical import fitted, turn
from core.face.photo.codes import angles, blank, measure, scales, split
from core.face.photo.directions import BANKS, FULL, PIVOT, bases, solid
from core.face.photo.lids import BROW, CREASE, Lid
from core.face.photo.mesh import LOWER_LIP, POINTS, UPPER_LIP, lids, strip
from core.face.photo.photo import Face
from core.face.photo.raster import sample, trace
from core.face.photo.surround import sheet

CAMERA = 16.0  # decimetres from the camera to the head's pivot, as portraits are taken
_CLOSED = 0.1  # of the mouth's width: lips nearer than this hide the teeth
_ROOM = 0.5  # share of the skin between brow and lid that a lowered brow may take
_RIM = 0.6  # pixels
_SAME = 1e-5  # scales
_STILL = 0.02  # pixels; less is no motion


class MeshMotion:
    """One face in one photograph, ready to be moved.

    Codes are flat `(K,)` vectors, mouth then pose then expression, on the banks of `core.face.photo.directions`. The
    face's own code is what was measured on it; rendering it gives the photograph back, bit by bit.

    Args:
        picture: `(H, W, 3)` uint8.
        face: from `core.face.photo.photo`.
    """

    def __init__(self, picture: np.ndarray, face: Face):
        if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype != np.uint8:
            raise ValueError("a picture is (H, W, 3) uint8")
        self.picture, self.face = np.ascontiguousarray(picture), face
        self.placed = fitted(face.points)
        self._own = measure(face.points) if face.measured else blank()
        self._sheet = sheet(face.points, self.placed)
        self._bases = bases()
        self._scales = scales()
        self._pivot = self.placed.apply(PIVOT[None])[0]
        self._far = CAMERA * self.placed.scale
        self._eyes = [_Hole(face.points, u, v) for u, v in lids()]
        self._lids = [Lid(face.points, i, u, v) for i, (u, v) in enumerate(lids())]
        self._mouth = _Hole(face.points, UPPER_LIP, LOWER_LIP)
        self._light = self._brightness()

    def bases(self) -> dict[str, Basis]:
        """The three banks, orthonormal in 1404 coordinates of the mesh (see `core.face.photo.directions.flat`)."""
        return dict(self._bases)

    def codes(self) -> np.ndarray:
        """`(K,)` the face's own code: measured on its landmarks; zero where a person drew the box."""
        return self._own.copy()

    def moved(self, codes: np.ndarray | Mapping[str, np.ndarray]) -> np.ndarray:
        """`(V, 3)` where the points of face and surround go in the picture."""
        return self._moved(self._change(codes))[0]

    def flow(self, codes: np.ndarray | Mapping[str, np.ndarray]) -> np.ndarray:
        """`(468, 2)` how far each landmark moves in the picture, pixels."""
        return self.moved(codes)[:POINTS, :2] - self.face.points[:, :2]

    def reach(self) -> np.ndarray:
        """`(K,)` how far each direction moves the landmarks at one scale, in pixels on average; to sort sliders by."""
        steps = np.diag(self._scales)
        return np.array([np.linalg.norm(self.flow(self._own + step), axis=1).mean() for step in steps])

    def render(self, codes: np.ndarray | Mapping[str, np.ndarray]) -> np.ndarray:
        """The photograph `(H, W, 3)` uint8 with the face moved to codes.

        Args:
            codes: `(K,)`, or weights by bank; banks that are left out keep the face's own.

        Raises:
            InputError: codes of another length, or not finite.
        """
        change = self._change(codes)
        out = self.picture.copy()
        if not np.any(change):
            return out
        rest = self._blink(change, out)
        if not np.any(rest):
            return out
        picture = out.copy() if np.any(rest != change) else self.picture
        target, still = self._moved(rest)
        window = self._window(target)
        if window is None:
            return out
        x0, y0, w, h = window
        place, _ = trace(target, self._sheet.points[:, :2], self._sheet.triangles, x0, y0, w, h)
        rows, columns = np.mgrid[:h, :w]
        away = np.abs(place - np.stack([columns + (x0 + 0.5), rows + (y0 + 0.5)], -1)).max(-1)
        place[~(away > _STILL)] = np.nan  # also where there is no triangle: those pixels stay as they are
        part = picture[y0 : y0 + h, x0 : x0 + w].astype(np.float32)
        sample(picture, place, part)
        self._fill_mouth(part, window, picture, target, still)
        out[y0 : y0 + h, x0 : x0 + w] = np.rint(part).astype(np.uint8)
        return out

    def _blink(self, change: np.ndarray, out: np.ndarray) -> np.ndarray:
        """Close the lids in `out`; the changes that are left."""
        rest = change.copy()
        basis, weights = self._bases["expression"], split(rest)["expression"]
        for lid, name, (upper, lower) in zip(self._lids, ("blink right", "blink left"), lids(), strict=True):
            i = basis.names.index(name)
            if weights[i]:
                step = basis.directions[i].reshape(POINTS, 3)[:, 1] * self.placed.scale
                closing = float(np.median(step[list(upper[3:6])] - step[list(lower[3:6])]))  # pixels to a weight of one
                full = FULL * float(basis.scale[i]) * closing
                gain = max(1.0, 1.1 * lid.gap / full)  # wide eyes close, too
                lid.close(self.picture, out, weights[i] * closing * gain / max(lid.gap, 1e-6))
                weights[i] = 0
        return rest

    # -- geometry --------------------------------------------------------------------------------------------------

    def _change(self, codes: np.ndarray | Mapping[str, np.ndarray]) -> np.ndarray:
        """`(K,)` difference from the face's own code."""
        if isinstance(codes, Mapping):
            full = split(self._own)
            if unknown := set(codes) - set(BANKS):
                raise InputError(f"There is no bank {unknown.pop()!r}; there are {', '.join(BANKS)}.")
            codes = np.concatenate([np.asarray(codes.get(b, full[b]), dtype=np.float64).ravel() for b in BANKS])
        codes = np.asarray(codes, dtype=np.float64)
        if codes.shape != self._own.shape or not np.isfinite(codes).all():
            raise InputError(f"A code of this face has {len(self._own)} finite numbers; these are {codes.shape}.")
        change = codes - self._own
        change[np.abs(change) < _SAME * self._scales] = 0  # a code that went through a file is still the own one
        return change

    def _moved(self, change: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where the sheet goes with `(K,)` changes, and where the head alone would take its 468 face points."""
        own, parts = split(self._own), split(change)
        step = self._step("mouth", parts["mouth"])
        brows = np.array([name.startswith("brows") for name in self._bases["expression"].names])
        step += self._step("expression", np.where(brows, 0, parts["expression"]))
        step += self._above_lids(self._step("expression", np.where(brows, parts["expression"], 0)))
        step = self.placed.scale * step @ self.placed.rotation.T
        face = self.face.points + step
        for hole in (*self._eyes, self._mouth):
            hole.part(face)
        step = face - self.face.points
        step = self._sheet.face[:, None] * step[self._sheet.parent]
        points = self._sheet.points + step
        if not np.any(parts["pose"]):
            return points, self.face.points.copy()
        rotation = turn(*angles(own["pose"] + parts["pose"])) @ turn(*angles(own["pose"])).T
        solid = self._sheet.solid
        moved = self._sheet.head[:, None] * (self._turned(solid + step, rotation) - solid - step)
        still = self._turned(solid[:POINTS], rotation) - solid[:POINTS]
        moved[:, 2] += solid[:, 2] - self._sheet.points[:, 2]  # which of two points is nearer is seen on the solid
        return points + moved, self.face.points + still

    def _step(self, bank: str, weights: np.ndarray) -> np.ndarray:
        return solid(weights @ self._bases[bank].directions.astype(np.float64))

    def _above_lids(self, step: np.ndarray) -> np.ndarray:
        """A motion of the brows `(468, 3)`, made smaller where it would push them through the lids."""
        rest = self.placed.undo(self.face.points)
        for brow, crease in zip(BROW, CREASE, strict=True):
            up, low = list(brow), list(crease[1:6])
            room = np.maximum(rest[low, 1] - rest[up, 1], 1e-3)
            used = np.maximum(step[up, 1] - step[low, 1], 1e-9)
            step = step * min(1.0, float((_ROOM * room / used).min()))
        return step

    def _turned(self, points: np.ndarray, rotation: np.ndarray) -> np.ndarray:
        """Points turned about the head's pivot, seen by a camera at a finite distance; no turn changes nothing."""
        arm = points - self._pivot
        depth = self._far + arm[:, 2:]
        real = np.column_stack([arm[:, :2] * depth / self._far, arm[:, 2:]])
        new = real @ rotation.T
        return np.column_stack([new[:, :2] * self._far / (self._far + new[:, 2:]), new[:, 2:]]) + self._pivot

    def _window(self, target: np.ndarray) -> tuple[int, int, int, int] | None:
        move = np.abs(target[:, :2] - self._sheet.points[:, :2]).max(1)
        near = move[self._sheet.triangles].max(1) > _STILL / 2
        if not near.any():
            return None
        i = np.unique(self._sheet.triangles[near])
        both = np.concatenate([target[i, :2], self._sheet.points[i, :2]])
        return interior.window_of(both, self.picture.shape, 1)

    def _fill_mouth(self, part, window, picture, target, still) -> None:
        """Put teeth and the inside of the mouth behind the lips, into the part of the new picture in a window."""
        up, low = list(UPPER_LIP), list(LOWER_LIP)
        upper, lower, still_upper, still_lower = target[up, :2], target[low, :2], still[up, :2], still[low, :2]
        change = max(np.abs(upper - still_upper).max(), np.abs(lower - still_lower).max())
        box = interior.window_of(np.concatenate([upper, lower]), picture.shape, 3)
        if change < _STILL or box is None:
            return
        x0, y0, w, h = box
        left, top = x0 - window[0], y0 - window[1]
        if left < 0 or top < 0 or left + w > window[2] or top + h > window[3]:
            return
        under = part[top : top + h, left : left + w]
        points = np.zeros((POINTS, 2))
        points[up], points[low] = interior.outward(still_upper, upper, still_lower), still_lower
        kept, there = interior.content(
            picture, self.face.points[:, :2], points, strip(UPPER_LIP, LOWER_LIP).astype(np.int32), box
        )
        closed = self._mouth.mean_gap < _CLOSED * self._mouth.width
        inside = interior.painted_mouth(box, upper, lower, still_upper, still_lower, self._light, closed)
        if not closed:
            # from under the upper lip, so that only the lower edge of the teeth is soft; without the lower lip's rim
            above, below = points[up] - 3 * self._mouth.down, points[low] - _RIM * self._mouth.down
            seen = gaussian_filter(interior.opening(above, below, box), _RIM)[..., None]
            inside = inside + seen * (np.where(there[..., None], kept, under) - inside)
        cover = interior.opening(upper, lower, box)[..., None] * min(1.0, change / 0.5)
        under += cover * (inside - under)

    def _brightness(self) -> float:
        """How light the face is, against an evenly lit pale one."""
        x0, y0, x1, y1 = (int(v) for v in self.face.box)
        h, w = self.picture.shape[:2]
        skin = self.picture[max(0, y0) : min(h, y1), max(0, x0) : min(w, x1)]
        return float(np.clip(np.percentile(skin.mean(-1), 75) / 190, 0.15, 1.1)) if skin.size else 1.0


class _Hole:
    """The opening between two rows of points of a face."""

    def __init__(self, points: np.ndarray, upper: tuple[int, ...], lower: tuple[int, ...]):
        self.upper, self.lower = upper, lower
        up, low = points[list(upper), :2], points[list(lower), :2]
        across = up[-1] - up[0]
        self.width = float(np.linalg.norm(across))
        self.down = np.array([-across[1], across[0]]) / max(self.width, 1e-9)
        if self.down[1] < 0:
            self.down = -self.down
        self.gaps = ((low - up) @ self.down)[1:-1]
        self.mean_gap = float(np.maximum(self.gaps, 0).mean())

    def part(self, face: np.ndarray) -> None:
        """Where the rows of a moved face `(468, 3)` cross, let them meet instead; in place."""
        up, low = list(self.upper[1:-1]), list(self.lower[1:-1])
        over = np.minimum(0.0, (face[low, :2] - face[up, :2]) @ self.down - np.minimum(self.gaps, 0))
        share = 0.5
        face[np.ix_(up, (0, 1))] += share * over[:, None] * self.down
        face[np.ix_(low, (0, 1))] -= (1 - share) * over[:, None] * self.down
