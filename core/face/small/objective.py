"""What the small network learns from: ordered pairs of pictures of one person, and a loss on what changes."""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F

from core.face.head.factors import BANKS, FACTORS
from core.face.head.motion import flow
from core.face.head.people import Person, draw_person
from core.face.head.render import Renderer
from core.face.head.tuples import VIEWS, Tuples

REACH = 2.0  # the code of a factor runs from -REACH to REACH
_SIGNED = np.array([name in BANKS["pose"] for name in FACTORS])
_MIRRORED = np.array([-1.0 if name in ("yaw", "roll", "x") else 1.0 for name in FACTORS], dtype=np.float32)
# which bank of a picture comes from the other person's factors
_ORIGIN = {"source": "", "mouth": "m", "pose": "p", "expression": "e", "all": "mpe"}
_LETTERS = {"mouth": "m", "pose": "p", "expression": "e"}


def labels(factors: np.ndarray) -> np.ndarray:
    """The codes that factors `(..., 13)` stand for: centred, from -REACH to REACH."""
    return np.where(_SIGNED, factors, 2 * factors - 1).astype(np.float32) * np.float32(REACH)


def pairs(changed: tuple[str, ...]) -> list[tuple[int, int, tuple[str, ...]]]:
    """Ordered pairs of views in which exactly some banks change, all of them towards the same factors.

    Args:
        changed: of the banks; a pair may change any non-empty part of them.

    Returns:
        From which view, to which, and the banks that change.
    """
    found = []
    for a, of_a in _ORIGIN.items():
        for b, of_b in _ORIGIN.items():
            moved = tuple(bank for bank, letter in _LETTERS.items() if (letter in of_a) != (letter in of_b))
            one_way = set(of_a) < set(of_b) or set(of_b) < set(of_a)
            if one_way and set(moved) <= set(changed):
                found.append((VIEWS.index(a), VIEWS.index(b), moved))
    return found


@dataclass(frozen=True)
class Batch:
    """Pictures of a step, all in -1..1.

    Attributes:
        source, driver, target: `(B, 3, S, S)`.
        of_source, of_driver: `(B, 13)` labels.
        taken: `(B, 3)` booleans, which banks of the driver are to be taken: mouth, pose, expression.
        flow: `(B, 2, S/2, S/2)` where each place of the target was in the source; 2 is the picture's width.
        sure: `(B, 1, S/2, S/2)` how certain that is, 0 to 1.
    """

    source: torch.Tensor
    driver: torch.Tensor
    target: torch.Tensor
    of_source: torch.Tensor
    of_driver: torch.Tensor
    taken: torch.Tensor
    flow: torch.Tensor
    sure: torch.Tensor


class Motions:
    """Exact flows between the pictures of some tuples.

    Args:
        renderer: that drew them.
        tuples: with their surfaces.
    """

    def __init__(self, renderer: Renderer, tuples: Tuples):
        self._renderer, self.tuples = renderer, tuples
        self._people: dict[int, Person] = {}

    def between(self, row: int, a: int, b: int) -> tuple[np.ndarray, np.ndarray]:
        """`(S/2, S/2, 2)` from view b back to view a of a tuple, 2 is the width; `(S/2, S/2)` how certain."""
        shown, seed = self.tuples, int(self.tuples.people[row, 0])
        if seed not in self._people:
            self._people[seed] = draw_person(self._renderer.head, seed)
        f, s = shown.factors[row], shown.surfaces[row]
        found, sure = flow(self._renderer, self._people[seed], f[a], f[b], s[a], s[b])
        return found * np.float32(2 / (self._renderer.size - 1)), sure


def draw_batch(
    motions: Motions,
    rows: np.ndarray,
    choices: list,
    rng: np.random.Generator,
    *,
    own: float = 0.1,
) -> Batch:
    """Pairs out of some tuples. Where the change is towards the other person's factors, that person drives;
    otherwise the target drives itself. Half of the tuples are mirrored, and colours and light are varied.

    Args:
        motions: between the pictures of the tuples.
        rows: of the tuples.
        choices: from `pairs`.
        own: share of pairs in which nothing changes.
    """
    n, banks, tuples = len(rows), list(_LETTERS), motions.tuples
    views = np.zeros((n, 3), dtype=int)
    taken = np.zeros((n, len(banks)), dtype=bool)
    groups = sorted(
        {moved for _, _, moved in choices}
    )  # each set of banks is equally likely, however many pairs it has
    for i in range(n):
        group = groups[rng.integers(len(groups))]
        of_group = [c for c in choices if c[2] == group]
        a, b, moved = of_group[rng.integers(len(of_group))]
        towards = len(_ORIGIN[VIEWS[b]]) > len(_ORIGIN[VIEWS[a]])
        views[i] = a, VIEWS.index("other") if towards else b, b
        taken[i] = [bank in moved for bank in banks]
        if rng.random() < own:
            views[i, 2], taken[i] = a, False
    pictures = np.stack([tuples.pictures[row][views[i]] for i, row in enumerate(rows)])  # (n, 3, S, S, 3)
    factors = np.stack([tuples.factors[row, views[i, :2]] for i, row in enumerate(rows)])
    x, known, mirrored = _varied(pictures, factors, rng)
    flows, sures = zip(*(motions.between(row, views[i, 0], views[i, 2]) for i, row in enumerate(rows)), strict=True)
    flows, sures = np.stack(flows), np.stack(sures)
    flows[mirrored] = flows[mirrored][:, :, ::-1] * np.array([-1, 1], dtype=np.float32)
    sures[mirrored] = sures[mirrored][:, :, ::-1]
    moved, sure = torch.from_numpy(flows).permute(0, 3, 1, 2), torch.from_numpy(sures)[:, None]
    return Batch(x[:, 0], x[:, 1], x[:, 2], known[:, 0], known[:, 1], torch.from_numpy(taken), moved, sure)


def draw_pictures(tuples: Tuples, rows: np.ndarray, rng: np.random.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """One picture `(B, 3, S, S)` of each of some tuples, varied in the same way, and its labels `(B, 13)`."""
    views = rng.integers(len(VIEWS), size=len(rows))
    x, known, _ = _varied(tuples.pictures[rows, views][:, None], tuples.factors[rows, views][:, None], rng)
    return x[:, 0], known[:, 0]


def _varied(
    pictures: np.ndarray, factors: np.ndarray, rng: np.random.Generator
) -> tuple[torch.Tensor, torch.Tensor, np.ndarray]:
    """Pictures of each row `(n, v, S, S, 3)` mirrored, in other colours and light, all of a row alike; labels; and
    which rows were mirrored."""
    n, known = len(pictures), labels(factors)
    mirrored = rng.random(n) < 0.5
    pictures, known = pictures.copy(), known.copy()
    pictures[mirrored] = pictures[mirrored][:, :, :, ::-1]
    known[mirrored] *= _MIRRORED
    x = torch.from_numpy(pictures).permute(0, 1, 4, 2, 3).float() / 127.5 - 1
    gain = rng.uniform(0.85, 1.15, (n, 1, 3, 1, 1)) * rng.uniform(0.8, 1.2, (n, 1, 1, 1, 1))
    lift = rng.uniform(-0.15, 0.15, (n, 1, 1, 1, 1))
    x = (x * torch.from_numpy(gain.astype(np.float32)) + torch.from_numpy(lift.astype(np.float32))).clamp(-1, 1)
    return x, torch.from_numpy(known), mirrored


def change(source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """`(B, 1, S, S)` weights that add up to one in each picture: three quarters where the two differ, the rest even.

    A change of a few pixels only counts less, and no change at all leaves even weights.
    """
    differ = F.avg_pool2d((source - target).abs().mean(1, keepdim=True), 3, 1, 1)
    differ = (differ / 0.2).clamp(max=1)
    pixels = differ[0].numel()
    share = differ / (differ.sum((2, 3), keepdim=True) + 0.003 * pixels)
    weight = 0.75 * share + 0.25 / pixels
    return weight / weight.sum((2, 3), keepdim=True)


def picture_loss(drawn: torch.Tensor, source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """`(B,)` weighted absolute error of each picture: of the pixels, their slopes, and half and quarter sizes.

    Every picture counts the same, however small the part that changes.
    """
    weight = change(source, target)
    total = ((drawn - target).abs().mean(1, keepdim=True) * weight).sum((1, 2, 3))
    for axis in (2, 3):
        slope = (drawn.diff(dim=axis) - target.diff(dim=axis)).abs().mean(1, keepdim=True)
        total = total + (slope * weight.narrow(axis, 1, weight.shape[axis] - 1)).sum((1, 2, 3))
    for _ in range(2):
        drawn, target, weight = F.avg_pool2d(drawn, 2), F.avg_pool2d(target, 2), 4 * F.avg_pool2d(weight, 2)
        total = total + 0.5 * ((drawn - target).abs().mean(1, keepdim=True) * weight).sum((1, 2, 3))
    return total


def flow_loss(found: torch.Tensor, batch: Batch) -> torch.Tensor:
    """`(B,)` weighted absolute error of flows `(B, 2, S, S)`, three quarters of the weight where something moves."""
    found = F.avg_pool2d(found, 2)
    moves = (batch.flow.abs().sum(1, keepdim=True) * (found.shape[-1] / 2)).clamp(max=1) * batch.sure
    pixels = moves[0].numel()
    weight = 0.75 * moves / (moves.sum((2, 3), keepdim=True) + 0.003 * pixels) + 0.25 / pixels
    weight = weight * batch.sure
    return ((found - batch.flow).abs().sum(1, keepdim=True) * weight).sum((1, 2, 3))
