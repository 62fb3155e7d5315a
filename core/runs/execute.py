"""One training from its folder to its model; the same for a worker and for the terminal."""

import traceback

from core.datasets.dataset import Dataset
from core.device import describe
from core.errors import InputError
from core.models import family
from core.runs.folder_run import FolderRun, Interrupted
from core.runs.ranks import fit
from core.runs.view import Journal
from core.store import Card, save


def execute(run: FolderRun, dataset: Dataset, *, where: str = "", shared: bool = True) -> str:
    """Train what the run's folder says and write the model there.

    Args:
        where: of the worker, in words.
        shared: whether the folder is the app's own.

    Returns:
        How it ended: `done`, `stopped` (what there was is kept), `failed`, or `interrupted` (nothing is kept but
        the checkpoint). The folder says the same.
    """
    folder, settings = run.folder, run.folder.settings
    try:
        cls = family(settings["family"])
        model = cls(cls.Settings.of(settings["settings"]), device=settings.get("device") or None)
        run.event("started", attempt=run.attempt, device=describe(model.device), where=where, shared=shared)
        run.begin()
        trained = not run.stop.is_set()
        if trained:
            fit(model, dataset, seed=settings["seed"], run=run)
        run.tell()
        ended = "stopped" if run.stop.is_set() and (run.step < run.total or not run.total) else "done"
        kept = _keep(run, model, dataset, must=ended == "done")
        # one that was stopped before it began keeps the time of the attempts before
        run.event(ended, kept=kept, **({"seconds": round(run.seconds, 3)} if trained else {}))
        return ended
    except Interrupted:
        return "interrupted"
    except InputError as error:
        run.event("failed", error=str(error))
    except MemoryError:
        run.event(
            "failed", error="The training needs more memory than this machine has; take less data or fewer directions."
        )
    except Exception as error:  # whatever a training trips over is the run's end, not the worker's
        (folder.path / "error.txt").write_text(traceback.format_exc())
        words = " ".join(str(error).split())[:300]
        run.event("failed", error=f"The training met an error of its own ({type(error).__name__}: {words}).")
    return "failed"


def _keep(run: FolderRun, model, dataset: Dataset, *, must: bool) -> bool:
    settings, points = run.folder.settings, Journal(run.folder).refresh().history
    try:
        card = Card.of(
            model,
            dataset,
            metrics={k: v for k, v in run.metrics.items() if v is not None},
            seconds=round(run.seconds, 3),
            curve=[{k: v for k, v in p.items() if v is not None} for p in points],
            more=settings.get("more") or {},
            **({"name": settings["name"]} if settings.get("name") else {}),
        )
        save(model, run.folder.model_path, card)
        return True
    except (AttributeError, InputError):  # stopped before there was anything to keep
        if must:
            raise
        return False
