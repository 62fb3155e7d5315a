"""Run the benchmarks: all, or those named.

    python -m benchmarks                        every benchmark, one after the other
    python -m benchmarks list                   their names
    python -m benchmarks directions --quick     one of them; what follows the name is its own

A benchmark is a module of this package with `main(argv) -> int`.
"""

import importlib
import pkgutil
import sys
import time
from collections.abc import Sequence

import benchmarks


def names() -> list[str]:
    """The modules of this package that are benchmarks."""
    return sorted(m.name for m in pkgutil.iter_modules(benchmarks.__path__) if not m.name.startswith("_"))


def main(argv: Sequence[str]) -> int:
    """List, run one with its own arguments, or run all; the exit status is the worst."""
    known = names()
    wanted = argv[0] if argv else None
    if wanted not in (None, "list", *known):
        print(__doc__, f"There is no benchmark {wanted!r}; there are {', '.join(known)}.", sep="\n", file=sys.stderr)
        return 2
    if wanted == "list":
        for name in known:
            print(f"{name:16}{(importlib.import_module(f'benchmarks.{name}').__doc__ or '').splitlines()[0]}")
        return 0
    worst = 0
    for name in known if wanted is None else [wanted]:
        print(f"== {name} ==", flush=True)
        began = time.monotonic()
        worst = max(worst, importlib.import_module(f"benchmarks.{name}").main(list(argv[1:])) or 0)
        print(f"== {name}: {time.monotonic() - began:.0f} s ==\n", flush=True)
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
