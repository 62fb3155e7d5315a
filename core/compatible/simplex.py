"""Fixed classifier directions at the corners of a regular simplex."""

import numpy as np
import torch
from torch import nn

from core.errors import InputError


def simplex(classes: int) -> np.ndarray:
    """`(C, C-1)` unit rows, any two with inner product -1/(C-1): the corners of a regular simplex around the origin.

    The C-1 unit vectors and `(1 - sqrt(C)) / (C-1)` times the vector of ones are equally far apart; moved to their
    mean and given unit length, they are the corners (Pernici and others 2019).

    Raises:
        InputError: fewer than two classes.
    """
    if classes < 2:
        raise InputError(f"A simplex needs at least two classes, not {classes}.")
    n = classes - 1
    corners = np.vstack([np.eye(n), np.full((1, n), (1 - np.sqrt(1 + n)) / n)])
    corners -= corners.mean(axis=0)
    return corners / np.linalg.norm(corners, axis=1, keepdims=True)


class SimplexHead(nn.Module):
    """Cosines of features `(B, C-1)` with C fixed directions, times a scale; nothing in it is trained.

    Room for classes that come later is kept from the start, so that each keeps its place (CoReS: Biondi and others
    2023).
    """

    def __init__(self, classes: int, scale: float = 12.0):
        super().__init__()
        self.register_buffer("weight", torch.as_tensor(simplex(classes), dtype=torch.float32))
        self.scale = scale

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Logits `(B, C)`."""
        return self.scale * nn.functional.normalize(features, dim=1) @ self.weight.T
