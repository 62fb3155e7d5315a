"""The server's language models: each loaded once for all who use it, and let go when nobody does."""

import gc
import threading
import time

import torch

from core.device import fast_format, pick
from core.steering.language_model import LanguageModel
from core.steering.loading import DEFAULT

MOST_LOADED = 2
IDLE_SECONDS = 20 * 60.0
_loaded: dict[tuple, LanguageModel] = {}
_lock, _sweeping = threading.Lock(), threading.Event()


def shared(source: str = DEFAULT, device: str | None = None, dtype: torch.dtype | None = None) -> LanguageModel:
    """The model of a source; loaded by whoever asks first, while the others wait.

    It is released when nothing was computed with it for twenty minutes, or when more than two are loaded. So keep
    the arguments, not the model: ask again for every piece of work.

    Raises:
        InputError: it cannot be had (one sentence).
    """
    device = pick(device)
    key = (source.strip(), str(device), dtype or fast_format(device))
    with _lock:
        model = _loaded.pop(key, None)
        if model is None:
            _release(MOST_LOADED - 1)
            gc.freeze()  # for the same reason: pages that wait for the model would hold up the thread that loads it
            model = LanguageModel.load(source, str(device), key[2])
            _settle()
        model.used = time.monotonic()
        _loaded[key] = model
        if not _sweeping.is_set():
            _sweeping.set()
            threading.Thread(target=_sweep, daemon=True).start()
        return model


def loaded() -> list[str]:
    """Names of the models that are in memory."""
    return [m.name for m in _loaded.values()]


def release(idle: float = 0.0) -> int:
    """Let go of the models that were not used for `idle` seconds; how many those were."""
    with _lock:
        old = [k for k, m in _loaded.items() if time.monotonic() - m.used >= idle]
        for key in old:
            del _loaded[key]
    if old:
        gc.unfreeze()
        _settle()
    return len(old)


def _settle() -> None:
    """Take all that is in memory now out of garbage collection: Streamlit collects after every rerun, and going through
    the 200,000 objects of transformers holds up the thread that writes for a twelfth of a second each time."""
    gc.collect()
    gc.freeze()


def _release(room: int) -> None:
    for key in sorted(_loaded, key=lambda k: _loaded[k].used)[: max(0, len(_loaded) - room)]:
        del _loaded[key]


def _sweep() -> None:
    while _sweeping.wait():
        time.sleep(60)
        release(IDLE_SECONDS)
        with _lock:
            if not _loaded:
                _sweeping.clear()
                return
