"""What a face model is worth, against exact renders of people it never saw. Knows a model by three calls only."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np
from sklearn.feature_selection import mutual_info_regression
from sklearn.linear_model import Ridge

from core.face.head.factors import BANKS, FACTORS, columns
from core.face.head.tuples import VIEWS, Tuples

CHANGED = 0.05  # a pixel has changed when the mean difference of its colours is more than this, of 0..1
RIDGE = 1e-3


class Face(Protocol):
    """What is measured: codes of pictures, pictures under codes, and where the codes of each bank stand."""

    def encode(self, samples: np.ndarray) -> np.ndarray: ...

    def animate(self, pictures: np.ndarray, codes: np.ndarray) -> np.ndarray: ...

    def rows(self) -> Mapping[str, slice]: ...


@dataclass(frozen=True)
class Measures:
    """Numbers of one draw of people. Banks are in the order mouth, pose, expression; factors are the 13 of `FACTORS`.

    Attributes:
        psnr: of the faces under their own codes, dB, mean over the pictures.
        probe: `(3, 13)` R2 of a linear probe from each bank's codes to each factor, fitted to half of the people and
            tested on the others.
        ceiling: `(13,)` how much of a change of each factor the probe reads off exact renders.
        response: `(3, 13)` how much of the other face's change of each factor appears in a picture whose codes of one
            bank were swapped, divided by the ceiling: 1 on the bank's own factors and 0 elsewhere would be perfect.
        exact: `(3, 13)` the same of the exact renders of the swap: not quite the ideal, since the probe errs on
            foreign factors too.
        leak: `(3, 13)` the part of the response that the other face's factor alone explains, the face's own factor
            standing beside it; a swap that blurs responds to foreign factors without leaking.
        kept: `(3, 13)` how much of the face's own factor is still read after the swap: 1 on foreign factors and 0 on
            the bank's own would be perfect.
        removed: `(3,)` by how much a swap reduces the error on the pixels that truly change, against no edit.
        information: `(3, 13)` the largest mutual information of a code of each bank with each factor, nats.
        orthogonality: largest entry of `|Q Q' - 1|` over all banks together.
    """

    psnr: float
    probe: np.ndarray
    ceiling: np.ndarray
    response: np.ndarray
    exact: np.ndarray
    leak: np.ndarray
    kept: np.ndarray
    removed: np.ndarray
    information: np.ndarray
    orthogonality: float

    def figures(self) -> dict[str, float]:
        """The numbers that acceptance looks at, by name."""
        own = np.zeros((len(BANKS), len(FACTORS)), dtype=bool)
        for i, bank in enumerate(BANKS):
            own[i, columns(bank)] = True
        foreign = np.where(own, -np.inf, self.information).max(0)
        mine = np.where(own, self.information, -np.inf).max(0)
        out = {"own-code PSNR": self.psnr, "orthogonality error": self.orthogonality}
        for i, bank in enumerate(BANKS):
            out[f"{bank}: error removed"] = self.removed[i]
            out[f"{bank}: response"] = self.response[i, own[i]].mean()
            out[f"{bank}: smallest response"] = self.response[i, own[i]].min()
            out[f"{bank}: foreign response"] = np.abs(self.response[i, ~own[i]]).mean()
            out[f"{bank}: largest foreign response"] = np.abs(self.response[i, ~own[i]]).max()
            out[f"{bank}: largest foreign leak"] = np.abs(self.leak[i, ~own[i]]).max()
            out[f"{bank}: foreign factors kept"] = self.kept[i, ~own[i]].mean()
            out[f"{bank}: probe R2"] = self.probe[i, own[i]].mean()
        out["factors with most information in their own bank"] = float((mine > foreign).sum())
        return {name: float(value) for name, value in out.items()}


def measure(face: Face, tuples: Tuples, *, seed: int = 0) -> Measures:
    """Measure a model.

    Args:
        face: the model.
        tuples: of people it was not trained on; a probe needs some tens of tuples.
        seed: of the split of the people.
    """
    n, views = tuples.factors.shape[:2]
    pictures = np.asarray(tuples.pictures, dtype=np.float32) / 255
    codes = face.encode(pictures.reshape(n * views, *pictures.shape[2:])).reshape(n, views, -1)
    rows = face.rows()
    half = _half(tuples.people[:, 0], seed)
    probe = np.stack([_probe(codes[..., rows[bank]], tuples.factors, half) for bank in BANKS])
    read = _reader(codes.reshape(n * views, -1), tuples.factors.reshape(n * views, -1))
    source, other = pictures[:, VIEWS.index("source")], VIEWS.index("other")
    own = face.animate(source, codes[:, 0])
    error = ((own - source) ** 2).reshape(n, -1).mean(1)
    mine, asked = tuples.factors[:, 0], tuples.factors[:, other] - tuples.factors[:, 0]
    at_start, response, exact, parts, removed = read(codes[:, 0]), [], [], [], []
    for bank in BANKS:
        mixed = codes[:, 0].copy()
        mixed[:, rows[bank]] = codes[:, other, rows[bank]]
        drawn = face.animate(source, mixed)
        truth = pictures[:, VIEWS.index(bank)]
        change = read(face.encode(drawn)) - at_start
        response.append(_slopes(change, asked)[0])
        parts.append(_slopes(change, tuples.factors[:, other], mine))
        exact.append(_slopes(read(codes[:, VIEWS.index(bank)]) - at_start, asked)[0])
        removed.append(_removed(source, drawn, truth))
    exact = np.stack(exact)
    ceiling = np.concatenate([exact[i, columns(bank)] for i, bank in enumerate(BANKS)])
    safe = np.where(np.abs(ceiling) > 0.05, ceiling, np.nan)  # a factor that nobody can read has no response
    flat = codes.reshape(n * views, -1)
    return Measures(
        psnr=float(np.mean(-10 * np.log10(np.maximum(error, 1e-10)))),
        probe=probe,
        ceiling=ceiling,
        response=np.nan_to_num(np.stack(response) / safe),
        exact=np.nan_to_num(exact / safe),
        leak=np.nan_to_num(np.stack([of_other for of_other, _ in parts]) / safe),
        kept=np.nan_to_num(1 + np.stack([of_own for _, of_own in parts]) / safe),
        removed=np.array(removed),
        information=_information(flat, tuples.factors.reshape(n * views, -1), rows, seed),
        orthogonality=_orthogonality(face),
    )


def _half(people: np.ndarray, seed: int) -> np.ndarray:
    """`(N,)` booleans: whether a tuple's person is one of those that the probe is fitted to."""
    known = np.unique(people)
    chosen = np.random.default_rng(seed).permutation(known)[: max(1, len(known) // 2)]
    return np.isin(people, chosen)


def _probe(codes: np.ndarray, factors: np.ndarray, half: np.ndarray) -> np.ndarray:
    # the other person of a tuple may belong to the other half: only views of the tuple's own person are used
    def flat(x: np.ndarray, kept: np.ndarray) -> np.ndarray:
        return x[kept][:, : VIEWS.index("other")].reshape(-1, x.shape[-1])

    model = Ridge(RIDGE).fit(flat(codes, half), flat(factors, half))
    truth = flat(factors, ~half)
    rest = ((truth - model.predict(flat(codes, ~half))) ** 2).sum(0)
    return 1 - rest / ((truth - truth.mean(0)) ** 2).sum(0)


def _reader(codes: np.ndarray, factors: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    return Ridge(RIDGE).fit(codes, factors).predict


def _slopes(found: np.ndarray, *asked: np.ndarray) -> list[np.ndarray]:
    """`(13,)` slopes of a change that was found against each table of `(N, 13)` causes, all beside each other."""
    fit = np.linalg.lstsq(np.column_stack([*asked, np.ones(len(found))]), found, rcond=None)[0]
    k = found.shape[1]
    return [np.diag(fit[i * k : (i + 1) * k]) for i in range(len(asked))]


def _removed(source: np.ndarray, drawn: np.ndarray, truth: np.ndarray) -> float:
    changed = np.abs(source - truth).mean(-1) > CHANGED
    before = np.abs(source - truth).mean(-1)[changed].sum()
    after = np.abs(drawn - truth).mean(-1)[changed].sum()
    return float(1 - after / before) if before > 0 else 0.0


def _information(codes: np.ndarray, factors: np.ndarray, rows: Mapping[str, slice], seed: int) -> np.ndarray:
    out = np.zeros((len(BANKS), factors.shape[1]))
    for j in range(factors.shape[1]):
        each = mutual_info_regression(codes, factors[:, j], random_state=seed)
        out[:, j] = [each[rows[bank]].max() for bank in BANKS]
    return out


def _orthogonality(face: Any) -> float:
    if not hasattr(face, "bases"):
        return 0.0
    q = np.concatenate([basis.directions for basis in face.bases().values()])
    return float(np.abs(q @ q.T - np.eye(len(q), dtype=q.dtype)).max())


def spread(draws: list[Measures]) -> dict[str, tuple[float, float]]:
    """Mean and standard deviation over draws of each of the figures."""
    tables = [d.figures() for d in draws]
    return {name: (float(np.mean(v)), float(np.std(v))) for name in tables[0] if (v := [t[name] for t in tables])}


def as_lists(draws: list[Measures]) -> dict[str, Any]:
    """The mean over draws of every array, as plain lists for a card."""
    values = [asdict(d) for d in draws]
    means = {name: np.mean([v[name] for v in values], axis=0) for name in values[0]}
    return {name: np.round(mean, 5).tolist() for name, mean in means.items()}
