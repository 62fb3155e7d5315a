"""Measure a small EDTalk against exact renders, print the numbers beside the aims, write them into its card.

`python -m core.face.small.report`, with `--keep` to write.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from core.device import use_one_thread
from core.errors import InputError
from core.face.head.factors import BANKS, FACTORS
from core.face.head.mesh import load_head
from core.face.head.tuples import HELD_BACK, tuples
from core.face.small.measure import Measures, as_lists, measure, spread
from core.face.small.rebuild import NAME
from core.store import change_card, load
from core.store.library import SHIPPED

LEAST = {"smallest response": 0.8, "error removed": 0.6}  # of each bank; the expression's error has an aim of its own
MOST = {"largest foreign response": 0.1}


def aim(name: str) -> str:
    """What a figure should be, in words; empty where it has no aim."""
    bank, _, what = name.partition(": ")
    if what in LEAST:
        return f"at least {0.4 if (bank, what) == ('expression', 'error removed') else LEAST[what]}"
    if what in MOST:
        return f"at most {MOST[what]}"
    return {"factors with most information in their own bank": "13", "orthogonality error": "at most 1e-5"}.get(
        name, ""
    )


def text(draws: list[Measures]) -> str:
    """The figures and the matrices of some draws, to be read."""
    lines = [f"{name:48s} {mean:9.3g} +- {sd:<9.2g} {aim(name)}" for name, (mean, sd) in spread(draws).items()]
    for title, name in (
        ("Response, share of the ceiling", "response"),
        ("The same of exact renders", "exact"),
        ("Leak, what the other face's factor alone explains of it", "leak"),
        ("Kept of the face's own factor", "kept"),
        ("R2 of a linear probe", "probe"),
        ("Mutual information, nats", "information"),
    ):
        lines += ["", title, " " * 12 + " ".join(f"{f[-7:]:>7s}" for f in FACTORS)]
        table = np.mean([getattr(d, name) for d in draws], 0)
        lines += [f"{bank:12s}" + " ".join(f"{v:7.2f}" for v in row) for bank, row in zip(BANKS, table, strict=True)]
    lines += ["", "Ceiling", " " * 12 + " ".join(f"{v:7.2f}" for v in np.mean([d.ceiling for d in draws], 0))]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """See `--help`."""
    parser = argparse.ArgumentParser(prog="python -m core.face.small.report", description=__doc__)
    parser.add_argument("model", nargs="?", type=Path, default=SHIPPED / NAME, help="folder of the model")
    parser.add_argument("--draws", type=int, default=5, help="draws of unseen people, each from a seed of its own")
    parser.add_argument("--tuples", type=int, default=100, help="tuples of six pictures a draw")
    parser.add_argument("--people", type=int, default=25, help="people a draw")
    parser.add_argument("--keep", action="store_true", help="write the figures into the model's card")
    a = parser.parse_args(argv)
    try:
        model, card = load(a.model)
        head = load_head()
        draws = []
        for seed in range(a.draws):
            first = HELD_BACK + 1000 * seed
            shown = tuples(head, a.tuples, a.people, size=model.settings.side, seed=seed, first=first)
            draws.append(measure(model, shown, seed=seed))
        print(text(draws))
        if a.keep:
            found = {
                f"{name} {what}": v
                for name, pair in spread(draws).items()
                for what, v in zip(("mean", "sd"), pair, strict=True)
            }
            about = f"{a.draws} draws of {a.people} people each, none of them in the training, {a.tuples} tuples a draw"
            measures = {**as_lists(draws), "factors": list(FACTORS), "banks": list(BANKS), "about": about}
            change_card(a.model, metrics=found, more={**card.more, "measures": measures})
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    use_one_thread()
    sys.exit(main())
