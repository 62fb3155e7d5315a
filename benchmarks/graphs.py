"""Graph spectra: polynomial bases on the image grid, node classification over seeds, and a graph of a million edges."""

import argparse
import resource
import time
from collections.abc import Sequence

import numpy as np

from core.graphs.classify import BASES, ClassifySettings, classify
from core.graphs.filters import TARGETS, apply_filter
from core.graphs.graph import graph
from core.graphs.layout import layout
from core.graphs.loaders import read_graph
from core.graphs.polynomials import optimal, orthogonality_loss
from core.graphs.regression import RegressionSettings, regress
from core.graphs.samples import sample

LABELS = {"karate": "club", "digits": "digit", "opposites": "class"}


def regression(degree: int = 10) -> None:
    """Condition, least-squares error and error after 500 steps of each basis."""
    image = sample("image")
    p, x = image.propagation(), image.numbers("grey")
    print(f"image grid, {len(image)} nodes, degree {degree}: mean squared error, least squares and after 500 steps")
    for name, g in TARGETS.items():
        y = apply_filter(p, x, g).signal
        plain = regress(p, x, y, RegressionSettings(degree=degree))
        adam = regress(p, x, y, RegressionSettings(degree=degree, method="adam"), kinds=list(plain.fits))
        print(f"  {name}: least squares {plain.floor:.2e}")
        for kind, fit in plain.fits.items():
            print(
                f"    {kind:10} condition {fit.condition:8.1e}   error {fit.error:.2e}   "
                f"gradient {fit.curve[-1]:.2e}   Adam {adam.fits[kind].curve[-1]:.2e}"
            )
    drift = orthogonality_loss(optimal(p, x, 100, reorthogonalise=False).columns)
    kept = orthogonality_loss(optimal(p, x, 100).columns)
    print(
        f"  loss of orthogonality at degree 20, 50, 100: {drift[20]:.1e}, {drift[50]:.1e}, {drift[100]:.1e}; ", end=""
    )
    print(f"re-orthogonalised {kept[100]:.1e}")


def classification(seeds: int) -> None:
    """Test accuracy over seeds; seed s draws both the split and the initial weights."""
    print(f"node classification, 60/20/20 splits, {seeds} seeds: test accuracy, mean (spread)")
    for name, attribute in LABELS.items():
        made = sample(name)
        for basis in BASES:
            found = [classify(made, attribute, ClassifySettings(basis=basis), seed=s) for s in range(seeds)]
            scores = np.array([f.test for f in found])
            print(f"  {name:10} {basis:10} {scores.mean():.3f} ({scores.std():.3f})", flush=True)
        print(f"  {name:10} largest class {np.mean([f.majority for f in found]):.3f}")


def large(edges: int, degree: int = 10) -> None:
    """Load, filter and fit on a random geometric graph of many edges."""
    rng = np.random.default_rng(0)
    n = edges // 2
    side = int(np.sqrt(n))
    a = rng.integers(0, side * side, edges)
    near = (a + rng.choice([1, 2, 3, side, side + 1, side + 2, side - 1, 2 * side, 3 * side], edges)) % (side * side)
    csv = ("source,target\n" + "\n".join(f"{u},{v}" for u, v in zip(a, near, strict=True))).encode()
    start = time.perf_counter()

    def lap(what: str) -> None:
        print(f"    {what}: {time.perf_counter() - start:.1f} s since the start", flush=True)

    made = read_graph("edges.csv", csv)
    print(f"{len(made):,} nodes, {made.edges:,} edges")
    lap("read from csv")
    p, x = made.propagation(), rng.standard_normal(len(made))
    y = apply_filter(p, x, TARGETS["band-pass"]).signal
    lap("filtered")
    found = regress(p, x, y, RegressionSettings(degree=degree, learn_favard=False))
    lap(f"all bases fitted, least squares {found.floor:.2e}")
    layout(made)
    lap("placed for drawing")
    made = graph(
        *made.edge_list().T, nodes=len(made), attributes={"side": (np.arange(len(made)) % side > side // 2) * 1}
    )
    result = classify(made, "side", ClassifySettings(basis="favard", degree=5, hidden=16, steps=10))
    lap(f"10 steps of FavardGNN, test accuracy {result.test:.2f}")
    print(f"    at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.1f} GB")


def main(argv: Sequence[str] | None = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks graphs", description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--edges", type=int, default=100_000, help="of the large graph (1000000 in full)")
    parser.add_argument("--only", choices=("regression", "classification", "large"))
    args = parser.parse_args(argv)
    if args.only in (None, "regression"):
        regression()
    if args.only in (None, "classification"):
        classification(args.seeds)
    if args.only in (None, "large"):
        large(args.edges)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
