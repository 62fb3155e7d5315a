"""Basis directions: the encoder of PSD against FISTA, dictionary learning against scikit-learn, LL-VQ against VQ.

One thread each. Ratios are taken within a run: the two sides take turns, and medians over the turns are printed.
"""

import argparse
import statistics
import time
import warnings
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from threadpoolctl import threadpool_limits

from core.datasets import Dataset, sample
from core.device import use_one_thread
from core.directions.dictionary import first_atoms
from core.directions.fista import energy, fista, ista
from core.directions.psd import PSD
from core.directions.quantised import VQ, Lattice
from core.directions.sparse import Standard
from core.directions.sparse_coding import DictionaryLearner
from core.training import Batches, mix

SIDE = 12
SPARSITY = 0.1


def main(argv: Sequence[str] = ()) -> int:
    """Print the figures; a full run takes about five minutes on a quiet core."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks directions", description=main.__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes: under a minute, for a look")
    quick = parser.parse_args(list(argv)).quick
    use_one_thread()
    with threadpool_limits(1):
        encoder_of_psd(quick)
        dictionary_learning(quick)
        lattice(quick)
    return 0


def photo_patches(count: int, held_out: int) -> tuple[Dataset, Dataset]:
    """Two sets of 12 x 12 patches of the photographs in scikit-learn, the mean of each patch taken out."""
    both = sample("photo-patches", size=SIDE, count=count + held_out, contrast="centre")
    return both.take(slice(0, count)), both.take(slice(count, None))


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def encoder_of_psd(quick: bool) -> None:
    """Time and energy of the trained encoder, of ISTA and of FISTA on held-out patches."""
    k, turns = (64, 5) if quick else (256, 15)
    data, held_out = photo_patches(4000 if quick else 20_000, 2000)
    how = dict(steps=100, encoder_steps=400) if quick else {}
    model = PSD(k=k, sparsity=SPARSITY, device="cpu", **how).fit(data, seed=0)
    x = torch.tensor(held_out.matrix - model.basis_.mean)
    d, lam = torch.tensor(model.basis_.directions), model.lam_
    unit = float(model.arrays()["unit"])
    ways = {"encoder": lambda: unit * model.predictor_(x / unit)}
    ways |= {f"ISTA {n}": lambda n=n: ista(x, d, lam, n) for n in (20, 200)}
    ways |= {f"FISTA {n}": lambda n=n: fista(x, d, lam, n) for n in (10, 50, 200)}
    times: dict[str, list[float]] = {name: [] for name in ways}
    with torch.no_grad():
        least = energy(x, fista(x, d, lam, 2000, tol=1e-7), d, lam).mean()
        above = {name: float(energy(x, way(), d, lam).mean() / least - 1) for name, way in ways.items()}
        for _ in range(turns):
            for name, way in ways.items():
                times[name].append(_seconds(way))
    print(f"PSD, {k} atoms, {len(x)} held-out {SIDE}x{SIDE} patches, medians of {turns} turns")
    for name in ways:
        print(
            f"  {name:10}{statistics.median(times[name]) * 1e3:10.2f} ms   energy {above[name]:+8.2%} above the least"
        )
    ratio = statistics.median(b / a for a, b in zip(times["encoder"], times["FISTA 200"], strict=True))
    excess = (1 + above["encoder"]) / (1 + above["FISTA 200"]) - 1
    print(
        f"  encoder against FISTA 200: {ratio:.0f} times faster, {excess:.1%} more energy (aim: 100 times, under 25 %)"
    )


def dictionary_learning(quick: bool) -> None:
    """Time to the held-out objective that scikit-learn's MiniBatchDictionaryLearning has after its time."""
    count, k, budget, turns = (5000, 64, 4.0, 1) if quick else (50_000, 256, 40.0, 3)
    data, held_out = photo_patches(count, 1000)
    standard = Standard(data.matrix)
    lam = 2 * SPARSITY * data.d**0.5
    test = torch.tensor((held_out.matrix - standard.mean) / standard.unit)

    def objective(atoms) -> float:
        d = torch.as_tensor(np.asarray(atoms), dtype=torch.float32)
        return float(energy(test, fista(test, d, lam, 500, tol=1e-4), d, lam).mean()) / data.d

    ratios, lines = [], []
    for seed in range(turns):
        theirs, reached, batches = _clock(_scikit_learn(standard.x.numpy(), k, lam, seed), objective, budget)
        ours, _, ours_batches = _clock(_ours(standard.x, k, lam, seed), objective, budget, reached)
        ratios.append(theirs / ours)
        lines.append(
            f"  seed {seed}: objective {reached:.4f}; scikit-learn {theirs:6.1f} s ({batches} batches of 256), "
            f"here {ours:6.2f} s ({ours_batches} of 512)"
        )
    print(f"dictionary learning, {count} patches of {SIDE}x{SIDE}, {k} atoms, lam {lam:.2f} (alpha {lam / 2:.2f})")
    print(
        "  objective: |x - zD|^2 + lam |z|_1 on 1000 held-out patches, an entry, by one exact coder; same first atoms"
    )
    print(*lines, sep="\n")
    print(f"  time to the same objective: {statistics.median(ratios):.1f} times faster (aim: 3 times)")


def _clock(
    learner: Iterator, objective: Callable, budget: float, goal: float | None = None
) -> tuple[float, float, int]:
    """Run a learner that yields its atoms after every batch until its time is up or the goal is reached.

    Returns:
        Seconds of learning (without those of measuring), the objective then, and the number of batches.
    """
    spent, n, due, value = 0.0, 0, 0.0, float("inf")
    while True:
        began = time.perf_counter()
        atoms = next(learner)
        spent, n = spent + time.perf_counter() - began, n + 1
        if goal is not None and spent >= due:
            due = spent + 0.02 * budget
            value = objective(atoms)
            if value <= goal:
                return spent, value, n
        if spent > budget:
            return spent, objective(atoms), n


def _scikit_learn(x: np.ndarray, k: int, lam: float, seed: int) -> Iterator[np.ndarray]:
    from sklearn.decomposition import MiniBatchDictionaryLearning

    # float64: in float32 its coordinate descent misses its own tolerance and runs to the limit, which is slower
    x = x.astype(np.float64)
    start = first_atoms(torch.from_numpy(x), k, torch.Generator().manual_seed(mix(seed, 4))).numpy()
    how = dict(fit_algorithm="cd", batch_size=256, dict_init=start, random_state=seed)
    model = MiniBatchDictionaryLearning(k, alpha=lam / 2, **how)
    batches, number = Batches(np.arange(len(x)), 256, seed=seed), 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while True:
            yield model.partial_fit(x[batches.at(number).numpy()]).components_
            number += 1


def _ours(x: torch.Tensor, k: int, lam: float, seed: int) -> Iterator[torch.Tensor]:
    learner = DictionaryLearner(x, k, 10, seed=seed, device=torch.device("cpu"))
    batches, number = Batches(x, 512, seed=seed), 0
    while True:
        batch = batches.at(number)
        learner.learn(number, batch, fista(batch, learner.dictionary, lam, 20), revive=True)
        yield learner.dictionary
        number += 1


def lattice(quick: bool) -> None:
    """Distinct codes, measured entropy and error of VQ and LL-VQ at one nominal size."""
    data, _ = photo_patches(4000 if quick else 20_000, 2)
    how = dict(codes=64, d=4, steps=300 if quick else 1500, device="cpu")
    models = {
        "VQ": VQ(**how),
        "VQ, means, restarts": VQ(ema=True, restart=True, **how),
        **{f"LL-VQ, gamma {g:g}": Lattice(gamma=g, **how) for g in (1.0, 0.1)},
    }
    print(f"quantised autoencoders, {len(data)} patches of {SIDE}x{SIDE}, latent of 4, nominal size 64")
    print(f"  {'':22}{'distinct':>9}{'bits':>8}{'mse / var':>11}")
    variance = float(np.square(Standard(data.matrix).unit))
    for name, model in models.items():
        model.fit(data, seed=0)
        print(f"  {name:22}{model.distinct_:9}{model.bits_:8.2f}{model.error_ / variance:11.3f}")
    ratio = models["LL-VQ, gamma 1"].distinct_ / models["VQ"].distinct_
    print(f"  distinct codes, LL-VQ (gamma 1) against VQ: {ratio:.1f} times (aim: 5 times); the rates differ: see bits")
