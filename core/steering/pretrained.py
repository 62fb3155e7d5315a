"""The pretrained skills of this page and its saved results: `python -m core.steering.pretrained [skills|examples]`.

Skills take about a minute on one core, the saved results about ten; both read and write in float32.
"""

import sys
import time

import torch

from core.device import use_one_thread
from core.models import family
from core.progress import CallbackRun, Progress
from core.steering.corpus import corpus
from core.steering.language_model import LanguageModel
from core.store import Card, load, save
from core.store.library import SHIPPED

FOLDER = "skills-styles"
RECIPES = {FOLDER: ("steering.skills", dict(k=12))}
COMMAND = "python -m core.steering.pretrained"


def build(folder: str, model: LanguageModel) -> None:
    """Fit one of `RECIPES` to the sample corpus with seed 0 and write it to `assets/models/`."""
    name, settings = RECIPES[folder]
    dataset, metrics = corpus(), {}

    def note(report: Progress) -> None:
        metrics.clear()
        metrics.update(report.metrics)

    start = time.perf_counter()
    skills = family(name)(family(name).Settings.of(settings), device="cpu")
    skills.language_model = model
    skills.fit(dataset, seed=0, run=CallbackRun(note))
    card = Card.of(
        skills,
        dataset,
        name=f"{skills.title} of {dataset.title.lower()}",
        note=f"Made by {COMMAND}",
        metrics=metrics,
        seconds=time.perf_counter() - start,
        more={"model": model.name, "fingerprint": model.fingerprint},
    )
    save(skills, SHIPPED / folder, card)


def main(argv: list[str]) -> None:
    """Make both, or the one that is named."""
    from core.steering.examples import FILE, make, save_examples

    use_one_thread()
    model = LanguageModel.load(device="cpu", dtype=torch.float32)
    if not argv or "skills" in argv:
        for recipe in RECIPES:
            build(recipe, model)
            print(SHIPPED / recipe)
    if not argv or "examples" in argv:
        skills, _ = load(SHIPPED / FOLDER, device="cpu")
        save_examples(make(skills, model, f"{COMMAND} examples"))
        print(FILE)


if __name__ == "__main__":
    main(sys.argv[1:])
