"""What stands beside a learned basis: classical bases of equal size, judged on the same held-out samples."""

from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import RidgeCV

from core.datasets.dataset import Dataset
from core.errors import InputError
from core.transforms.adafnn import AdaFNN, split_curves
from core.transforms.curves import BASELINES, Baseline, baseline
from core.transforms.deeponet import pod, split_pairs


def curve_baselines(dataset: Dataset, k: int, *, share: float, seed: int, network: bool = False) -> dict[str, Baseline]:
    """FPCA, B-splines and PLS with k functions on the split that AdaFNN uses.

    Raises:
        InputError: targets that are no numbers, or more functions than the curves allow.
    """
    y = AdaFNN.target(dataset.labels)
    fit, test = split_curves(len(y), share, seed)
    x = dataset.samples.astype(np.float64)
    return {n: baseline(n, x[fit], y[fit], x[test], y[test], k, network=network, seed=seed) for n in BASELINES}


@dataclass(frozen=True, eq=False)
class PodBeside:
    """POD on the split that DeepONet uses.

    Attributes:
        mean: `(P,)`, modes: `(K, P)`, singular_values: all of the training outputs.
        counts: `(C,)` numbers of modes.
        projection: `(C,)` mean relative error of the best weights, which no operator on these modes undercuts.
        linear: `(C,)` mean relative error with weights from a linear (ridge) regression on the inputs.
        test: indices of the test pairs.
        regression: from inputs to weights of all modes.
    """

    mean: np.ndarray
    modes: np.ndarray
    singular_values: np.ndarray
    counts: np.ndarray
    projection: np.ndarray
    linear: np.ndarray
    test: np.ndarray
    regression: RidgeCV

    def predict(self, inputs: np.ndarray) -> np.ndarray:
        """`(M, P)` outputs by the linear regression."""
        codes = self.regression.predict(np.asarray(inputs, dtype=np.float64))
        return self.mean + codes.reshape(len(inputs), -1) @ self.modes

    def error(self, inputs: np.ndarray, outputs: np.ndarray) -> float:
        """Mean relative L2 error of the linear regression."""
        return relative_error(self.predict(inputs), outputs)


def relative_error(predicted: np.ndarray, outputs: np.ndarray) -> float:
    """Mean over functions of the L2 error relative to the L2 norm."""
    size = np.maximum(np.linalg.norm(outputs, axis=1), 1e-12)
    return float(np.mean(np.linalg.norm(predicted - outputs, axis=1) / size))


def pod_beside(dataset: Dataset, k: int, *, train_count: int, seed: int) -> PodBeside:
    """POD modes and a linear operator on them.

    Raises:
        InputError: no pairs, or more training pairs than there are.
    """
    inputs = dataset.extra.get("inputs")
    if inputs is None:
        raise InputError("Pairs of input and output functions are needed here.")
    fit, test = split_pairs(len(dataset), train_count, seed)
    outputs, u = dataset.samples.astype(np.float64), np.asarray(inputs, dtype=np.float64)
    k = min(k, len(fit), outputs.shape[1])
    mean, modes, values = pod(outputs[fit], k)
    codes, truth = (outputs - mean) @ modes.T, outputs[test]
    # modes far below the first one are rounding noise; one rate of shrinkage serves all
    regression = RidgeCV(np.geomspace(1e-8, 1e4, 13)).fit(u[fit], codes[fit])
    guess = regression.predict(u[test]).reshape(len(test), -1)
    counts = np.unique(np.geomspace(1, k, min(k, 24)).round().astype(int))

    def error(weights: np.ndarray, n: int) -> float:
        return relative_error(mean + weights[:, :n] @ modes[:n], truth)

    return PodBeside(
        mean=mean,
        modes=modes,
        singular_values=values,
        counts=counts,
        projection=np.array([error(codes[test], n) for n in counts]),
        linear=np.array([error(guess, n) for n in counts]),
        test=test,
        regression=regression,
    )


def trunk_errors(model, dataset: Dataset, counts: np.ndarray, test: np.ndarray) -> np.ndarray:
    """`(C,)` mean relative error of a DeepONet on test pairs when only its strongest functions are kept."""
    u, truth = dataset.extra["inputs"][test], dataset.samples[test].astype(np.float64)
    order, weights, functions = model.by_energy(u), model.branch(u), model.functions()
    kept = (order[:n] for n in counts)
    return np.array([relative_error(weights[:, k] @ functions[k] + model.offset(), truth) for k in kept])


def unit_functions(functions: np.ndarray) -> np.ndarray:
    """Functions `(K, T)` of root mean square one, their largest value positive, to be drawn together."""
    size = np.sqrt(np.mean(functions**2, axis=1, keepdims=True))
    unit = functions / np.where(size > 0, size, 1.0)
    signs = np.sign(unit[np.arange(len(unit)), np.abs(unit).argmax(axis=1)])
    return unit * np.where(signs == 0, 1.0, signs)[:, None]
