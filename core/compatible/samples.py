"""The samples of the page: small networks trained on the handwritten digits of scikit-learn."""

from collections.abc import Sequence

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from core.compatible.loading import Embeddings
from core.compatible.versions import Version, VersionSettings, train_versions
from core.progress import Run

SOURCE = "Optical recognition of handwritten digits, Alpaydin and Kaynak 1998 (UCI), as in scikit-learn"
STEPS = 250  # of each network of a sample: enough for 94 % or more of held-out digits

SAMPLES = {
    "digits-learned": "Digits, learned heads",
    "digits-simplex": "Digits, simplex heads",
    "digits-twins": "Digits, two seeds",
}


def digits(seed: int = 0, test: float = 0.4) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """`(x, y, test_x, test_y)`: 8x8 images as rows of 64 numbers in 0..1, classes 0 to 9, drawn by `seed`."""
    x, y = load_digits(return_X_y=True)
    x, test_x, y, test_y = train_test_split(
        (x / 16).astype(np.float32), y, test_size=test, random_state=seed, stratify=y
    )
    return x, y, test_x, test_y


def digit_embeddings(name: str, *, seed: int = 0, run: Run | None = None) -> Embeddings | None:
    """Train the two networks of a sample and embed all digits with both.

    Args:
        name: one of `SAMPLES`. In the first two the old network knows the digits 0 to 4 only.

    Returns:
        None when the run was stopped before both were trained.
    """
    head = "simplex" if name == "digits-simplex" else "learned"
    known = (10, 10) if name == "digits-twins" else (5, 10)
    data = digits(seed)
    versions = train_versions(*data, known, VersionSettings(head=head, steps=STEPS), seed=seed, run=run)
    if len(versions) < 2:
        return None
    x, y, test_x, test_y = data
    old, new = (np.concatenate([v.train_features, v.features]) for v in versions)
    every = np.concatenate([x, test_x])
    hidden = tuple(activations(v, every) for v in reversed(versions))
    accuracy = [f"{v.accuracy:.1%} of held-out digits of its {len(v.classes)} classes right" for v in versions]
    return Embeddings(
        old,
        new,
        np.concatenate([y, test_y]),
        SAMPLES[name],
        fitted=np.arange(len(every)) < len(x),
        units={"last hidden layer": hidden},
        notes=(
            "Two small networks (64-128-128-9) trained here and then, each from its own random start.",
            f"Old network: {accuracy[0]}; new network: {accuracy[1]}.",
            f"Maps are fitted on the {len(x):,} training digits and judged on the {len(test_x):,} held-out ones.",
        ),
    )


@torch.no_grad()
def activations(version: Version, x: np.ndarray) -> np.ndarray:
    """`(N, hidden)` activations of a version's last hidden layer."""
    return version.module.body[:-1](torch.as_tensor(x)).numpy()


def few_digits(classes: int, seed: int = 0) -> Sequence[np.ndarray]:
    """`digits` of the first classes only."""
    x, y, test_x, test_y = digits(seed)
    return x[y < classes], y[y < classes], test_x[test_y < classes], test_y[test_y < classes]
