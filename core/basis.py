"""A basis as an immutable value, and the module that keeps a learned one orthonormal."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import nn

ORTHONORMAL_TOLERANCE = 1e-5


class Basis:
    """K directions in a D-dimensional space, a mean, and a typical size for each direction's weight.

    A sample is `mean + code @ directions`. The value never changes: methods return new ones, and the arrays are
    read-only.

    Args:
        directions: `(K, D)`, one direction a row.
        mean: `(D,)`; zero when left out.
        scale: `(K,)` positive, the standard deviation (or another typical size) of each weight; one when left out.
        names: K names; `1 .. K` when left out.
        dual: `(K, D)` rows that read a code off a centred sample, `code = (x - mean) @ dual.T`. When left out it is
            the directions themselves if they are orthonormal, else their pseudo-inverse (least squares).

    Raises:
        ValueError: shapes that do not fit, entries that are not finite, or a scale that is not positive.
    """

    directions: np.ndarray
    mean: np.ndarray
    scale: np.ndarray
    names: tuple[str, ...]
    _dual: np.ndarray | None

    def __init__(
        self,
        directions: Any,
        mean: Any = None,
        scale: Any = None,
        names: Sequence[str] | None = None,
        dual: Any = None,
    ):
        directions = _frozen(directions, "directions")
        if directions.ndim != 2 or 0 in directions.shape:
            raise ValueError(f"directions must be (K, D) with K, D >= 1, not {directions.shape}")
        k, d = directions.shape
        scale = _frozen(np.ones(k) if scale is None else scale, "scale", (k,))
        if np.any(scale <= 0):
            raise ValueError("scale must be positive")
        names = tuple(str(n) for n in names) if names is not None else tuple(str(i + 1) for i in range(k))
        if len(names) != k:
            raise ValueError(f"{k} directions need {k} names, not {len(names)}")
        self.__dict__.update(
            directions=directions,
            mean=_frozen(np.zeros(d) if mean is None else mean, "mean", (d,)),
            scale=scale,
            names=names,
            _dual=None if dual is None else _frozen(dual, "dual", (k, d)),
        )

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a basis does not change; make a new one instead of setting {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a basis does not change; {name} stays")

    def __reduce__(self):
        return Basis, (self.directions, self.mean, self.scale, self.names, self._dual)

    @classmethod
    def from_estimator(cls, estimator: Any, samples: Any = None, names: Sequence[str] | None = None) -> "Basis":
        """A basis from a fitted scikit-learn estimator with `components_` (or FastICA's `mixing_`).

        Args:
            estimator: fitted; its `mean_`, if any, becomes the mean.
            samples: `(N, D)` to measure the scale on; without them the scale is one, or PCA's standard deviations.

        Raises:
            ValueError: the estimator has no directions, or is not fitted.
        """
        if getattr(estimator, "mixing_", None) is None and getattr(estimator, "components_", None) is None:
            raise ValueError(f"{type(estimator).__name__} has no components_; fit it, or give another estimator")
        mean = getattr(estimator, "mean_", None)
        if getattr(estimator, "mixing_", None) is not None:  # FastICA: components_ unmix, the columns of mixing_ mix
            basis = cls(estimator.mixing_.T, mean, names=names, dual=estimator.components_)
        else:
            basis = cls(estimator.components_, mean, names=names)
        variance = getattr(estimator, "explained_variance_", None)
        if samples is not None:
            # PCA may whiten its codes; ours are weights of unit directions. Others (NMF) have codes of their own.
            samples = np.asarray(samples)
            codes = basis.encode(samples) if variance is not None else estimator.transform(samples)
            return basis.with_scale(np.std(codes, axis=0, dtype=np.float64))
        return basis if variance is None else basis.with_scale(np.sqrt(variance))

    @classmethod
    def from_bank(cls, bank: "OrthogonalBank", mean: Any = None, scale: Any = None) -> "Basis":
        """A basis from the present directions of a torch bank."""
        return cls(bank.directions().detach().cpu().numpy(), mean, scale, bank.names)

    @classmethod
    def random(cls, k: int, d: int, *, seed: int = 0, mean: Any = None) -> "Basis":
        """`k <= d` orthonormal directions drawn uniformly (Haar measure), the control for every other basis."""
        if k > d:
            raise ValueError(f"{k} orthonormal directions do not fit in {d} dimensions")
        q, r = np.linalg.qr(np.random.default_rng(seed).standard_normal((d, k)))
        return cls((q * np.sign(np.diag(r))).T, mean)

    @property
    def k(self) -> int:
        """The number of directions."""
        return self.directions.shape[0]

    @property
    def d(self) -> int:
        """The dimension of the space."""
        return self.directions.shape[1]

    def __len__(self) -> int:
        return self.k

    def __repr__(self) -> str:
        return f"Basis(k={self.k}, d={self.d}, orthonormal={self.orthonormal})"

    @cached_property
    def orthonormal(self) -> bool:
        """Whether `directions @ directions.T` is the identity to 1e-5."""
        return self.k <= self.d and self.orthogonality_error() <= ORTHONORMAL_TOLERANCE

    @cached_property
    def dual(self) -> np.ndarray:
        """`(K, D)` rows that read a code off a centred sample."""
        if self._dual is not None:
            return self._dual
        if self.orthonormal:
            return self.directions
        return _frozen(np.linalg.pinv(self.directions.astype(np.float64)).T, "dual")

    @property
    def has_own_dual(self) -> bool:
        """Whether the dual was given, rather than found from the directions."""
        return self._dual is not None

    def gram(self) -> np.ndarray:
        """`(K, K)` inner products of the directions."""
        return self.directions @ self.directions.T

    def orthogonality_error(self) -> float:
        """The largest entry of `|gram - identity|`."""
        return float(np.abs(self.gram() - np.eye(self.k, dtype=np.float32)).max())

    def encode(self, samples: Any) -> np.ndarray:
        """Codes `(N, K)` of samples `(N, ...)` that flatten to D entries, or `(K,)` of a single flat sample."""
        samples = np.asarray(samples, dtype=np.float32)
        if samples.ndim == 1:
            return self.encode(samples[None])[0]
        return (self._flat(samples) - self.mean) @ self.dual.T

    def decode(self, codes: Any) -> np.ndarray:
        """Samples `(N, D)` of codes `(N, K)`, or `(D,)` of one code `(K,)`."""
        codes = np.asarray(codes, dtype=np.float32)
        if codes.shape[-1] != self.k:
            raise ValueError(f"codes must end in {self.k} weights, not {codes.shape}")
        return self.mean + codes @ self.directions

    def edit(self, weights: Any, samples: Any = None) -> np.ndarray:
        """Samples moved along the directions, everything outside their span kept.

        Args:
            weights: `(K,)` or `(N, K)`, what is added to the code, in units of `scale`.
            samples: `(N, D)` or `(D,)`; the mean when left out.
        """
        start = self.mean if samples is None else np.asarray(samples, dtype=np.float32)
        return start + (np.asarray(weights, dtype=np.float32) * self.scale) @ self.directions

    def with_scale(self, scale: Any) -> "Basis":
        """The same basis with other typical sizes; a direction that is never used keeps a tiny one."""
        scale = np.maximum(np.asarray(scale, dtype=np.float32), np.float32(1e-6))
        return Basis(self.directions, self.mean, scale, self.names, self._dual)

    def rename(self, names: Mapping[int, str]) -> "Basis":
        """The same basis with some directions renamed, by index."""
        new = [names.get(i, old) for i, old in enumerate(self.names)]
        return Basis(self.directions, self.mean, self.scale, new, self._dual)

    def subset(self, indices: Iterable[int]) -> "Basis":
        """The basis of some directions, in the order given; by index or boolean mask.

        A dual that was given is cut the same way; otherwise it is found anew for the directions that stay.
        """
        i = np.arange(self.k)[list(indices)]
        dual = None if self._dual is None else self._dual[i]
        return Basis(self.directions[i], self.mean, self.scale[i], [self.names[j] for j in i], dual)

    def reorder(self, order: Iterable[int]) -> "Basis":
        """All directions in another order.

        Raises:
            ValueError: `order` is not a permutation of `0 .. K-1`.
        """
        order = list(order)
        if sorted(order) != list(range(self.k)):
            raise ValueError("order must name every direction once")
        return self.subset(order)

    def rotate(self, rotation: Any) -> "Basis":
        """Another basis of the same span: `rotation @ directions`, `rotation` orthogonal `(K, K)`.

        The scale is carried as if the old weights were uncorrelated.

        Raises:
            ValueError: the rotation has another shape or is not orthogonal to 1e-4.
        """
        r = np.asarray(rotation, dtype=np.float64)
        if r.shape != (self.k, self.k) or np.abs(r @ r.T - np.eye(self.k)).max() > 1e-4:
            raise ValueError(f"a rotation of this basis is an orthogonal ({self.k}, {self.k}) matrix")
        scale = np.sqrt((r**2) @ (self.scale.astype(np.float64) ** 2))
        return Basis(r @ self.directions, self.mean, scale, None, None if self._dual is None else r @ self._dual)

    def _flat(self, samples: np.ndarray) -> np.ndarray:
        flat = samples.reshape(len(samples), -1)
        if flat.shape[1] != self.d:
            raise ValueError(f"samples must have {self.d} entries each, not {flat.shape[1]}")
        return flat


class OrthogonalBank(nn.Module):
    """A free matrix whose QR factor is handed out, at every forward pass, as orthonormal directions.

    Several named banks (mouth, pose, expression) are blocks of rows of one basis, so that they are orthogonal to
    each other too.

    Args:
        banks: the number of directions, or names with numbers of directions, in order.
        d: dimension of the space, at least the sum of the numbers.
        sign: `"positive"` makes the diagonal of R positive, so that the basis is a continuous function of the matrix;
            `"lapack"` leaves the signs that Householder QR gives, which released EDTalk and LIA codes assume.
        offset: added to every entry of the matrix before QR; the released networks add 1e-8.
        after: a bank that this one goes on from: its directions come first and do not depend on this one's matrix
            (QR is Gram-Schmidt in the order of the columns), so a bank can be added to a learned one without
            disturbing it. The other bank keeps its own matrix and belongs to whoever registers it.

    Source: the motion bank of LIA (Wang et al. 2022) and EDTalk (Tan et al. 2024), which take QR of a learned matrix.
    """

    def __init__(
        self,
        banks: int | Mapping[str, int],
        d: int,
        *,
        sign: str = "positive",
        offset: float = 0.0,
        after: "OrthogonalBank | None" = None,
    ):
        super().__init__()
        own = {"": int(banks)} if isinstance(banks, int) else {str(n): int(v) for n, v in banks.items()}
        earlier = {} if after is None else after.banks
        if set(own) & set(earlier):
            raise ValueError("banks that go on from each other need different names")
        self.banks = {**earlier, **own}
        k, all_k = sum(own.values()), sum(self.banks.values())
        if not 1 <= k <= all_k <= d:
            raise ValueError(f"{all_k} orthonormal directions do not fit in {d} dimensions")
        if sign not in ("positive", "lapack"):
            raise ValueError("sign is 'positive' or 'lapack'")
        self.sign, self.offset = sign, float(offset)
        self._after = (after,)  # in a tuple, so that the other bank's matrix is not registered here a second time
        self.weight = nn.Parameter(torch.randn(d, k))

    @property
    def matrix(self) -> torch.Tensor:
        """`(D, K)` the free matrix, that of the bank it goes on from first."""
        after = self._after[0]
        return self.weight if after is None else torch.cat([after.matrix, self.weight], dim=1)

    @property
    def names(self) -> list[str]:
        """One name a direction: `mouth 1`, `mouth 2`, ..., or plain numbers when there is a single bank."""
        return [f"{bank} {i + 1}".strip() for bank, n in self.banks.items() for i in range(n)]

    def rows(self, bank: str) -> slice:
        """Where the directions (and weights) of a bank stand."""
        start = 0
        for name, n in self.banks.items():
            if name == bank:
                return slice(start, start + n)
            start += n
        raise KeyError(bank)

    def directions(self) -> torch.Tensor:
        """`(K, D)` orthonormal rows; gradients flow to the free matrix. Computed in float32 or better."""
        weight = self.matrix
        weight = weight.float() if weight.dtype in (torch.float16, torch.bfloat16) else weight
        with torch.autocast(weight.device.type, enabled=False):
            q, r = torch.linalg.qr(weight + self.offset if self.offset else weight)
            if self.sign == "positive":
                signs = torch.sign(torch.diagonal(r))
                q = q * torch.where(signs == 0, torch.ones_like(signs), signs)
        return q.T

    def forward(self, codes: torch.Tensor) -> torch.Tensor:
        """Weighted sums of the directions: codes `(..., K)` to `(..., D)`."""
        return codes @ self.directions().to(codes.dtype)


def _frozen(values: Any, what: str, shape: tuple[int, ...] | None = None) -> np.ndarray:
    if isinstance(values, torch.Tensor):
        values = values.detach().cpu().numpy()
    array = np.array(values, dtype=np.float32, order="C")
    if shape is not None and array.shape != shape:
        raise ValueError(f"{what} must have shape {shape}, not {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{what} must be finite")
    array.setflags(write=False)
    return array
