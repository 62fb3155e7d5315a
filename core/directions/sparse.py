"""What the families share that are one overcomplete dictionary with a sparse code of their own."""

import numpy as np
import torch

from core.basis import Basis
from core.directions.fista import energy, fista
from core.directions.preview import montage
from core.errors import InputError
from core.linear import LinearModel, count
from core.models import setting

CHUNK = 4096
EXACT_STEPS, EXACT_TOLERANCE = 500, 1e-5


def sparsity_setting(default: float = 0.1):
    """The penalty as a share, so that it means the same for any data; `SparseModel.lam_` is what it comes to."""
    return setting(
        default,
        "How strongly small codes are preferred: 0 not at all, 1 silences a sample of usual size.",
        low=0.001,
        high=1.0,
        log=True,
    )


class Standard:
    """Samples moved to mean zero and scaled, as a whole, to a root mean square of one.

    Raises:
        InputError: all samples are the same.
    """

    def __init__(self, matrix: np.ndarray):
        self.mean = matrix.mean(axis=0, dtype=np.float64).astype(np.float32)
        self.x = torch.from_numpy(matrix - self.mean)
        self.unit = float(self.x.double().square().mean().sqrt())
        if not self.unit > 1e-7 * (1e-30 + float(np.abs(self.mean).max())):
            raise InputError("All samples of this data are the same; a basis needs samples that differ.")
        self.x /= self.unit


class SparseModel(LinearModel):
    """A model whose directions are unit atoms; a sample is `mean + code @ directions` with few weights at work.

    After fitting: `basis_`, and `lam_`, the penalty of the energy `||x - mean - z D||^2 + lam |z|_1` in data units.
    """

    iterative = True
    lam_: float

    def _standard(self, dataset, k: int) -> torch.Tensor:
        """`(N, D)` standardised samples; keeps their mean and unit for `_finish`."""
        count(k, len(dataset), dataset.d, most=len(dataset))
        standard = Standard(dataset.matrix)
        self._mean, self._unit = standard.mean, standard.unit
        return standard.x

    def _finish(self, dictionary: torch.Tensor, x: torch.Tensor, rearrange=None) -> None:
        """Sort the atoms by the energy they carry and make the basis.

        Args:
            dictionary: `(K, D)` unit atoms of standardised samples.
            x: `(N, D)` standardised samples, some of which are encoded to measure the weights.
            rearrange: called with the order, to sort what else belongs to the atoms before samples are encoded anew.
        """
        atoms = dictionary.detach().float().cpu().numpy()
        self.basis_ = Basis(atoms, self._mean)
        some = x[:: max(1, len(x) // CHUNK)][:CHUNK].numpy() * np.float32(self._unit) + self._mean
        size = np.sqrt(np.square(self.encode(some), dtype=np.float64).mean(axis=0))
        order = np.argsort(-size, kind="stable")
        self.basis_ = Basis(atoms[order], self._mean).with_scale(size[order])
        if rearrange is not None:
            rearrange(order)

    def _preview(self, dictionary: torch.Tensor) -> np.ndarray | None:
        return montage(dictionary.detach()[:64].float().cpu().numpy(), self.shape_)

    def _centred(self, samples: np.ndarray) -> torch.Tensor:
        samples = np.asarray(samples, dtype=np.float32)
        return torch.from_numpy(samples.reshape(len(samples), -1) - self.basis_.mean)

    def _mapped(self, samples: np.ndarray, code) -> np.ndarray:
        """Codes of samples, chunk by chunk on the device; `code` maps a centred `(n, D)` tensor to `(n, K)`."""
        with torch.no_grad():
            parts = [code(part.to(self.device)).cpu() for part in self._centred(samples).split(CHUNK)]
        return torch.cat(parts).numpy() if parts else np.zeros((0, self.basis_.k), np.float32)

    def exact(self, samples: np.ndarray, nonnegative: bool = False) -> np.ndarray:
        """Codes `(N, K)` that minimise the energy, by FISTA to a duality gap of 1e-5."""
        d = torch.tensor(self.basis_.directions, device=self.device)
        return self._mapped(samples, lambda x: fista(x, d, self.lam_, EXACT_STEPS, nonnegative, EXACT_TOLERANCE))

    def energy(self, samples: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """`(N,)` energies `||x - mean - z D||^2 + lam |z|_1` of samples and codes."""
        d = torch.tensor(self.basis_.directions)
        return energy(self._centred(samples), torch.as_tensor(codes), d, self.lam_).numpy()

    def arrays(self):
        # The dual is left out: codes here are not linear, and it is a pseudo-inverse away for whoever wants it.
        b = self.basis_
        return {"directions": b.directions, "mean": b.mean, "scale": b.scale, "lam": np.float64(self.lam_)}

    def _load(self, arrays):
        self.basis_ = Basis(arrays["directions"], arrays["mean"], arrays["scale"])
        self.lam_ = float(arrays["lam"])


def flops_seconds(flops: float) -> float:
    """Seconds for that many floating point operations on one ordinary core, as small matrix products run here."""
    return flops / 2e10
