"""One of the processes that share a training. It ends by itself when the process that started it is gone."""

import os
import sys
import threading
import time


def main() -> None:
    """Hear what to fit, fit it together with the other ranks, say how it went, and wait for the end."""
    threading.Thread(target=_leave_with, args=(int(sys.argv[2]),), daemon=True).start()
    import traceback

    from core.runs.ranks import Link

    link = Link(int(sys.argv[1]))
    try:
        _, values, about = link.hear()
        try:
            arrays = _fit(link, values, about)
            link.say("done", arrays if about["rank"] == 0 else {})
        except (EOFError, ConnectionError):
            raise
        except Exception as error:  # the process that started this one raises it there
            words = {"kind": type(error).__name__, "words": str(error), "trace": traceback.format_exc()}
            link.say("failed", rank=about["rank"], **words)
        link.hear()  # nothing comes: leaving sooner would break what the other ranks are still doing together
    except (EOFError, ConnectionError):
        pass
    os._exit(0)


def _fit(link, values: dict, about: dict) -> dict:
    import importlib
    from datetime import timedelta

    import numpy as np
    import torch.distributed as dist

    from core.datasets.io import from_bytes
    from core.device import backend, of_rank, use_one_thread
    from core.models import family
    from core.runs.ranks import FarRun

    use_one_thread()
    rank, device = about["rank"], of_rank(about["device"], about["rank"])
    dist.init_process_group(
        backend(device),
        init_method=f"file://{about['place']}/meeting",
        rank=rank,
        world_size=about["count"],
        timeout=timedelta(minutes=30),  # rank 0 may be writing a large checkpoint
    )
    importlib.import_module(about["module"])
    cls = family(about["family"])
    dataset = from_bytes(values.pop("data").tobytes())
    state = {name.removeprefix("state."): value for name, value in values.items()} if about["resumed"] else None
    model = cls(cls.Settings.of(about["settings"]), device=device)
    model.fit(dataset, seed=about["seed"], run=FarRun(link, state))
    return {name: np.asarray(array) for name, array in model.arrays().items()} if rank == 0 else {}


def _leave_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


if __name__ == "__main__":
    main()
