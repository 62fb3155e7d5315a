"""Frequency transport: exact fit, read-outs, peers at equal numbers and processor time, and the equation."""

import argparse
from collections.abc import Sequence

import numpy as np

from core.device import use_one_thread
from core.transport.contenders import NETWORKS
from core.transport.fit import SpectrumSettings, fit_spectrum, operator_for, psnr
from core.transport.law import LawSettings, compare, fit_law
from core.transport.narrow import narrow_share
from core.transport.paths import carry, random_paths
from core.transport.race import exact_entry, race, yardsticks
from core.transport.readouts import KINDS, read
from core.transport.samples import MADE, photograph
from core.transport.score import score
from core.transport.yardsticks import structure_tensor, windowed_fft

PICTURES = ("camera", "astronaut", "brick", "grass")


def picture(name: str) -> np.ndarray:
    """`(1, 128, 128)` of a photograph or a made signal."""
    made = MADE[name]()[0] if name in MADE else photograph(name)
    return made[None].astype(np.float32)


def frequencies() -> None:
    """Each read-out of the exact fit, and the two yardsticks, against the true frequency."""
    print("local frequency: correlation, median error, share within 10 %, median angle error")
    for name, make in MADE.items():
        signal, truth = make()
        fitted = fit_spectrum(signal[None].astype(np.float32), SpectrumSettings())
        drawn, spent = fitted.spectrum.synthesise(), sum(fitted.seconds.values())
        print(f"  {name}: {fitted.spectrum.stored} numbers, {psnr(signal[None], drawn):.1f} dB, {spent:.2f} s")
        fields = {kind: read(fitted.spectrum, kind) for kind in KINDS}
        fields |= {"windowed FFT": windowed_fft(signal), "structure tensor": structure_tensor(signal)}
        for kind, field in fields.items():
            s = score(field, truth.frequency, truth.amplitude)
            print(f"    {kind:16} {s.correlation:6.3f} {100 * s.error:6.1f} % {100 * s.within:5.0f} % {s.angle:6.2f}°")


def solvers() -> None:
    """The exact solve beside SciPy's LSMR (Fong and Saunders 2011) on the same matrix-free least squares, no price."""
    import time

    import torch
    from scipy.sparse.linalg import LinearOperator, lsmr

    from core.transport.solve import solve

    print("exact solve beside scipy.sparse.linalg.lsmr, the same problem: PSNR after processor seconds and iterations")
    for name in ("warped fringe", "camera"):
        values = picture(name)
        spectrum = fit_spectrum(values, SpectrumSettings()).spectrum
        operator, level = operator_for(spectrum), values.mean()
        target = torch.as_tensor(values - level)
        shape = spectrum.coefficients.shape

        def wave(s, operator=operator, shape=shape):
            full = torch.view_as_complex(torch.as_tensor(np.float32(s)).reshape(*shape, 2))
            return operator.forward(full).numpy().ravel()

        def back(f, operator=operator, values=values):
            return torch.view_as_real(operator.adjoint(torch.as_tensor(np.float32(f)).reshape(values.shape))).numpy()

        size = 2 * int(np.prod(shape))
        peer = LinearOperator((values.size, size), wave, lambda f, back=back: back(f).ravel(), dtype=np.float64)
        for limit in (20, 60):
            ours = solve(operator, target, rho=0.0, iterations=limit)
            began = time.process_time()
            found, _, done, *_ = lsmr(peer, target.double().numpy().ravel(), atol=0, btol=0, conlim=0, maxiter=limit)
            spent = time.process_time() - began
            with torch.no_grad():
                mine = psnr(values, operator.forward(ours.coefficients).numpy() + level)
            theirs = psnr(values, wave(found).reshape(values.shape) + level)
            print(
                f"  {name}: ours {mine:.1f} dB, {ours.seconds:.2f} s, {ours.iterations}; "
                f"LSMR {theirs:.1f} dB, {spent:.2f} s, {done}",
                flush=True,
            )


def peers(
    names: Sequence[str],
    budgets: Sequence[int],
    seconds: Sequence[float],
    seeds: int,
    networks: Sequence[str] = NETWORKS,
) -> None:
    """PSNR, mean and deviation over seeds; all methods of one seed take turns on the processor.

    With the deep model and SIREN both running, also the mean of their difference seed by seed, and its deviation.
    """
    for name in names:
        values = picture(name)
        print(f"{name}: {100 * narrow_share(values[0]):.0f} % of the local energy around one frequency", flush=True)
        for budget in budgets:
            lines = [exact_entry(values, budget), *yardsticks(values, budget)]
            print(f"  {budget} numbers: " + ", ".join(f"{e.title} {e.final:.1f} dB" for e in lines), flush=True)
            for limit in seconds:
                got: dict[str, list[float]] = {n: [] for n in networks}
                steps: dict[str, int] = {}
                for seed in range(seeds):
                    *_, entries = race(values, budget=budget, seconds=limit, names=networks, seed=seed, judgements=2)
                    for e in entries:
                        if e.name in got:
                            got[e.name].append(e.final)
                            steps[e.name] = e.steps
                table = "  ".join(f"{n} {np.mean(v):.2f} ±{np.std(v):.2f} ({steps[n]} steps)" for n, v in got.items())
                print(f"    {limit:g} s: {table}", flush=True)
                if {"deep", "siren"} <= set(got):
                    ahead = np.subtract(got["deep"], got["siren"])
                    print(f"      deep above SIREN: {ahead.mean():+.2f} dB ±{ahead.std():.2f}", flush=True)


def equation() -> None:
    """Unexplained share for each kind of input, and carried against standing still."""
    for name in ("warped fringe", "camera"):
        spectrum = fit_spectrum(picture(name), SpectrumSettings()).spectrum
        for field in ("amplitude", "signed"):
            shares = compare(spectrum, LawSettings(field=field))
            line = ", ".join(
                f"F({n}) {s.unexplained:.2f} / {s.seen:.2f} ({s.size})" for n, s in shares.items() if s.size
            )
            print(f"  {name}, {field}: unexplained on held-out tiles / where trained (size of F): {line}", flush=True)
        law = fit_law(spectrum, LawSettings(width=128, depth=2, noise=0.1))
        pieces = []
        for length in (0.03, 0.06, 0.12, 0.25):
            one = carry(spectrum, law, random_paths(spectrum, length))
            pieces.append(f"{length:g}: {one.error[-1]:.2f} ({one.constant[-1]:.2f})")
        print(f"  {name}, amplitude carried over a length (S constant): " + ", ".join(pieces), flush=True)


def main(argv: Sequence[str]) -> int:
    """Print the tables; `--full` is the long one, five seeds on four photographs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks transport", description=__doc__)
    parser.add_argument("--only", choices=("frequencies", "solvers", "peers", "equation"), help="one table")
    parser.add_argument(
        "--full", action="store_true", help="four photographs, 2.8k and 9k numbers, 6 and 20 s, five seeds"
    )
    parser.add_argument("--quick", action="store_true", help="one second and one seed of each network")
    parser.add_argument("--pictures", nargs="+", default=None, help="which pictures race")
    parser.add_argument("--numbers", nargs="+", type=int, default=None, help="stored numbers")
    parser.add_argument("--seconds", nargs="+", type=float, default=None, help="processor seconds")
    parser.add_argument("--seeds", type=int, default=None, help="seeds a cell")
    parser.add_argument("--networks", nargs="+", choices=NETWORKS, default=NETWORKS, help="which networks race")
    args = parser.parse_args(argv)
    use_one_thread()
    if args.only in (None, "frequencies"):
        frequencies()
    if args.only in (None, "solvers"):
        solvers()
    if args.only in (None, "peers"):
        names = args.pictures or (PICTURES if args.full else ("warped fringe", "camera", "brick"))
        budgets = args.numbers or ((2800, 9000) if args.full else (9000,))
        seconds = args.seconds or ((1.0,) if args.quick else (6.0, 20.0) if args.full else (6.0,))
        peers(names, budgets, seconds, args.seeds or (5 if args.full else 1), args.networks)
    if args.only in (None, "equation") and not args.quick:
        equation()
    return 0
