"""The pretrained models of this page, and the command that makes them: `python -m core.directions.pretrained`."""

import sys
import time

from core.datasets import sample
from core.datasets.preparation import PREPARATIONS, prepare
from core.device import use_one_thread
from core.models import family
from core.progress import CallbackRun, Progress
from core.store import Card, save, thinned
from core.store.library import SHIPPED

RECIPES = {
    "psd-photo-patches": ("directions.psd", "photo-patches", dict(k=64)),
    "sae-digits": ("directions.sae", "digits", dict(k=64, active=8)),
    "lattice-photo-patches": ("directions.lattice", "photo-patches", {}),
}


def build(folder: str) -> None:
    """Train one of `RECIPES` with seed 0 on the CPU and write it to `assets/models/`, replacing what is there."""
    name, data, settings = RECIPES[folder]
    raw = sample(data)
    preparation = PREPARATIONS[raw.kind]()
    dataset = prepare(raw, preparation)
    curve: list[dict[str, float]] = []

    def note(report: Progress) -> None:
        curve.append({"step": report.step, **report.metrics})

    start = time.perf_counter()
    model = family(name)(family(name).Settings.of(settings), device="cpu").fit(dataset, seed=0, run=CallbackRun(note))
    card = Card.of(
        model,
        dataset,
        name=f"{model.title} of {raw.title}",
        note="Made by python -m core.directions.pretrained",
        metrics={k: v for k, v in curve[-1].items() if k != "step"} if curve else {},
        curve=thinned(curve),
        seconds=time.perf_counter() - start,
        more={"kind": raw.kind, "preparation": preparation.as_dict(), "data": f"sample:{data}"},
    )
    save(model, SHIPPED / folder, card)


if __name__ == "__main__":
    use_one_thread()
    for recipe in sys.argv[1:] or RECIPES:
        build(recipe)
        print(SHIPPED / recipe)
