"""The sample of the page: the handwritten digits of scikit-learn, cut in two."""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

SOURCE = "Optical recognition of handwritten digits, Alpaydin and Kaynak 1998 (UCI), as in scikit-learn"


def digits(seed: int = 0, test: float = 0.4) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """`(x, y, test_x, test_y)`: 8x8 images as rows of 64 numbers in 0..1, classes 0 to 9, drawn by `seed`."""
    x, y = load_digits(return_X_y=True)
    x, test_x, y, test_y = train_test_split(
        (x / 16).astype(np.float32), y, test_size=test, random_state=seed, stratify=y
    )
    return x, y, test_x, test_y
