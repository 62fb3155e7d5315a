"""Compatible spaces: digits over several seeds, and the time of maps and search on large matrices."""

import argparse
import resource
import time
from collections.abc import Sequence

import numpy as np

from core.compatible.maps import lambda_orthogonal, least_squares, moments, procrustes
from core.compatible.pairs import Pairs, pairs, unit_rows
from core.compatible.retrieval import retrieval
from core.compatible.samples import digits
from core.compatible.versions import VersionSettings, train_versions

WAYS = {
    "learned head": dict(head="learned"),
    "simplex": dict(head="simplex"),
    "simplex, distilled": dict(head="simplex", align="distill"),
    "simplex, contrast": dict(head="simplex", align="contrast"),
}


def digit_versions(seeds: int) -> None:
    """New/old recall@1 on held-out digits, old network of 5 classes, new of 10; maps fitted on training items."""
    print(f"digits, old on 5 classes, new on 10; recall@1 by label on held-out items, {seeds} seeds: mean (spread)")
    print(f"{'':20}{'old/old':>16}{'new/old':>16}{'+ Procrustes':>16}{'+ affine':>16}{'new/new':>16}")
    for name, way in WAYS.items():
        rows = []
        for seed in range(seeds):
            x, y, test_x, test_y = digits(seed)
            old, new = train_versions(x, y, test_x, test_y, (5, 10), VersionSettings(**way), seed=seed)
            fit = pairs(new.train_features, old.train_features, y)
            rigid = procrustes(moments(fit))
            free = least_squares(moments(fit, centre=True))
            tries = [
                (old.features, old.features),
                (new.features, old.features),
                (unit_rows(rigid(new.features)), old.features),
                (unit_rows(free(new.features)), old.features),
                (new.features, new.features),
            ]
            rows.append([retrieval(q, g, test_y, mean_ap=False).recall for q, g in tries])
        mean, spread = np.mean(rows, axis=0), np.std(rows, axis=0)
        print(
            f"{name:20}" + "".join(f"{m:>10.3f} ({s:.3f})"[-16:].rjust(16) for m, s in zip(mean, spread, strict=True))
        )


def lambda_slider(seed: int = 0) -> None:
    """What the slider does to new/old and to new/new on the digits (two learned heads)."""
    x, y, test_x, test_y = digits(seed)
    settings = VersionSettings(head="learned")
    old, new = train_versions(x, y, test_x, test_y, (5, 10), settings, seed=seed)
    m = moments(pairs(new.train_features, old.train_features))
    print("lambda      loss   new/old   new/new after the map")
    for one in lambda_orthogonal(m, [0, 0.1, 0.3, 1, 2, 3, 10, 100]):
        mapped = unit_rows(one(new.features))
        scores = [retrieval(mapped, g, test_y, mean_ap=False).recall for g in (old.features, mapped)]
        print(f"{one.details.get('lambda', 0):<8g}{one.details['loss']:>8.4f}{scores[0]:>10.3f}{scores[1]:>10.3f}")


def large(items: int, width: int, seed: int = 0) -> None:
    """Maps and recall@1 by identity on two large matrices: clustered items of 48 dimensions, two noisy views."""
    rng = np.random.default_rng(seed)
    rank = min(48, width)  # embeddings fill far fewer dimensions than they have
    latent = 1.5 * rng.standard_normal((1000, rank), dtype=np.float32)[rng.integers(0, 1000, items)]
    latent += rng.standard_normal(latent.shape, dtype=np.float32)
    views = latent, latent + 0.8 * rng.standard_normal(latent.shape, dtype=np.float32)
    new, old = (view @ rng.standard_normal((rank, width), dtype=np.float32) for view in views)
    for x in (new, old):
        for i in range(0, items, 10_000):
            x[i : i + 10_000] += 3 * rng.standard_normal(x[i : i + 10_000].shape, dtype=np.float32)
    del latent, views
    print(f"{items} x {width} against {items} x {width}")
    start, cpu = time.perf_counter(), time.process_time()
    both = pairs(new, old)
    del new, old
    m = _timed("checks, unit rows and moments", lambda: moments(both), start)
    rigid = _timed("Procrustes", lambda: procrustes(m))
    affine = _timed("affine", lambda: least_squares(m.centred()))
    for name, one in (("Procrustes", rigid), ("affine", affine)):
        mapped = Pairs(unit_rows(one(both.new)), both.old)
        found = _timed(f"recall@1 new/old, {name}", lambda p=mapped: retrieval(p.new, p.old, mean_ap=False))
        how = "exact" if found.exact else f"control: {found.control_approximate:.4f}, exact {found.control:.4f}"
        print(f"    recall@1 {found.recall:.4f} ({how})")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    cpu = time.process_time() - cpu
    print(
        f"    all together {time.perf_counter() - start:.1f} s ({cpu:.0f} s of processor time), at most {memory:.1f} GB"
    )
    _timed("one lambda-orthogonal map, not counted above", lambda: lambda_orthogonal(m, [width**0.5 / 4]))


def _timed(what: str, work, start: float | None = None):
    start, cpu = time.perf_counter() if start is None else start, time.process_time()
    result = work()
    print(
        f"    {what}: {time.perf_counter() - start:.1f} s ({time.process_time() - cpu:.1f} s of processor)", flush=True
    )
    return result


def main(argv: Sequence[str] | None = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks compatible", description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--items", type=int, default=20_000, help="rows of the large matrices (100000 in full)")
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--only", choices=("digits", "lambda", "large"))
    args = parser.parse_args(argv)
    if args.only in (None, "digits"):
        digit_versions(args.seeds)
    if args.only in (None, "lambda"):
        lambda_slider()
    if args.only in (None, "large"):
        large(args.items, args.width)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
