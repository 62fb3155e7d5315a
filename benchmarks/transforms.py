"""Learned transforms over several seeds: wavelets, mel filters, AdaFNN and DeepONet beside their classical rivals."""

import argparse
import time
from collections.abc import Callable, Sequence

import numpy as np
import pywt
import torch
from sklearn.model_selection import train_test_split

from core.datasets.dataset import Dataset
from core.datasets.samples import sample
from core.transforms.adafnn import AdaFNN, span_r2
from core.transforms.clips import narrow_bands
from core.transforms.curves import BASELINES, baseline, case_three
from core.transforms.deeponet import DeepONet
from core.transforms.operators import OPERATORS, operator_pairs
from core.transforms.spectrogram import TrainableSpectrogram
from core.transforms.wavelet_model import WaveletModel
from core.transforms.wavelets import classical, left_over


def over_seeds(name: str, seeds: int, measure: Callable[[int], float]) -> None:
    """Print mean, spread and every value of a measure."""
    start, cpu = time.perf_counter(), time.process_time()
    found = np.array([measure(seed) for seed in range(seeds)])
    wall, cpu = (time.perf_counter() - start) / seeds, (time.process_time() - cpu) / seeds
    values = " ".join(f"{v:.4f}" for v in found)
    print(
        f"  {name:34} {found.mean():.4f} ({found.std():.4f})  {wall:.1f} s ({cpu:.1f} s of processor) each: {values}",
        flush=True,
    )


def wavelets(seeds: int) -> None:
    """Energy outside the 64 largest coefficients of PyWavelets' ECG (1024 samples, 5 levels, 8 taps)."""
    x = pywt.data.ecg().astype(np.float32)[None].repeat(2, 0)
    print("energy of the ECG outside 64 coefficients, 8 taps, 5 levels")
    for name in ("haar", "db2", "db4", "sym4"):
        print(f"  {name:34} {float(left_over(torch.as_tensor(x[:1]).double(), classical(name), 5, 64)):.4f}")
    data = Dataset(x, "curves")
    for form in ("orthogonal", "free", "lifting"):
        fit = lambda seed, f=form: WaveletModel(form=f, start="db" if seed % 2 else "sym").fit(data, seed=seed)  # noqa: E731
        over_seeds(f"learned, {form}", 2, lambda seed, fit=fit: fit(seed).loss_)
    over_seeds("learned, random start, low-pass", seeds, lambda s: WaveletModel(start="random").fit(data, seed=s).loss_)


def mel(seeds: int) -> None:
    """Held-out accuracy on the narrow bands with ten mel filters."""
    print("accuracy on five narrow bands, 10 mel filters")
    for trained in ("none", "mel", "kernels", "both"):
        over_seeds(
            f"trained: {trained}",
            seeds,
            lambda s, t=trained: TrainableSpectrogram(trained=t).fit(narrow_bands(seed=s), seed=s).accuracy_,
        )


def adafnn(seeds: int, steps: int) -> None:
    """Case 3: share of the true function in the learned span; and error on the Tecator spectra."""
    print("AdaFNN, case 3: share of phi_5 in the span of 4 learned functions, then R2 on test curves")
    fits = {}

    def span(seed: int) -> float:
        data, truth = case_three(seed=seed)
        fits[seed] = AdaFNN(steps=steps).fit(data, seed=seed)
        return span_r2(fits[seed].functions(), truth)

    over_seeds(f"span, {steps} steps", seeds, span)
    over_seeds("R2", seeds, lambda seed: fits[seed].r2_)
    for kind in BASELINES:

        def r2(seed: int, kind: str = kind) -> float:
            data, _ = case_three(seed=seed)
            x, y = data.samples, data.labels
            return baseline(kind, x[:3200], y[:3200], x[3200:], y[3200:], 4, network=True, seed=seed).r2

        over_seeds(f"R2, {kind} and a network", seeds, r2)
    print("Tecator, root mean squared error of fat in percent, 8 functions")
    data = sample("tecator")
    x, y = data.samples, np.asarray(data.labels, dtype=float)
    over_seeds("AdaFNN", seeds, lambda s: AdaFNN(k=8, steps=steps, batch=64).fit(data, seed=s).rmse_)
    for kind in BASELINES:

        def error(seed: int, kind: str = kind) -> float:
            fit, test = train_test_split(np.arange(len(y)), test_size=0.2, random_state=seed)
            return baseline(kind, x[fit], y[fit], x[test], y[test], 8).rmse

        over_seeds(kind, seeds, error)


def deeponet(seeds: int) -> None:
    """Mean relative error on 1,000 test functions."""
    print("DeepONet, 150 training functions, 100 sensors: mean relative error")
    for name in OPERATORS:
        data = operator_pairs(name)
        over_seeds(f"{name}, trunk", seeds, lambda s, d=data: DeepONet().fit(d, seed=s).error_)
        over_seeds(f"{name}, POD, 16 modes", seeds, lambda s, d=data: DeepONet(basis="pod", k=16).fit(d, seed=s).error_)


def main(argv: Sequence[str] | None = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks transforms", description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=3000, help="training steps of AdaFNN")
    parser.add_argument("--only", choices=("wavelets", "mel", "adafnn", "deeponet"))
    args = parser.parse_args(argv)
    if args.only in (None, "wavelets"):
        wavelets(args.seeds)
    if args.only in (None, "mel"):
        mel(args.seeds)
    if args.only in (None, "adafnn"):
        adafnn(args.seeds, args.steps)
    if args.only in (None, "deeponet"):
        deeponet(args.seeds)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
