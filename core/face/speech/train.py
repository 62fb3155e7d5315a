"""Make the speech model that ships: `python -m core.face.speech.train`.

It needs espeak-ng and flite (`apt-get install espeak-ng flite`) and takes about ten minutes on one core. The voices
speak our sentences and tell their phonemes; the phonemes say what the mouth does (`visemes`); a small network learns to
read that from mel windows. Sentences and voices that were held out give the numbers on the card, beside two baselines.
"""

import datetime
import importlib.metadata
import json
import platform
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.torch
import torch

from core.device import describe, use_one_thread
from core.face.speech import corpus
from core.face.speech.controls import CONTROLS
from core.face.speech.model import ARRAYS, CARD, FOLDER, WIDTH, MouthNetwork, SpeechModel
from core.progress import CallbackRun, Run
from core.store.disk import write_folder
from core.training import Batches, TrainSettings, seeded, train

COMMAND = "python -m core.face.speech.train"
SETTINGS = TrainSettings(steps=6000, batch=256, lr=2e-3, warmup=100, weight_decay=0.01, ema=0.998)
LICENCE = (
    "Learned from speech that espeak-ng (GPL-3) and flite (BSD-like) made of sentences written for this project; what "
    "the programs speak is free to use, and neither is part of this model."
)


def fit(
    windows: np.ndarray,
    controls: np.ndarray,
    *,
    width: int = WIDTH,
    seed: int = 0,
    settings: TrainSettings = SETTINGS,
    run: Run | None = None,
) -> MouthNetwork:
    """A network trained on windows `(N, 80, 16)` and controls `(N, 6)`.

    The loss is the mean square error, each control in units of its own variance; moments of closed lips count more,
    since they are few and the eye looks for them.
    """
    with seeded(seed):
        network = MouthNetwork(width)
    inputs, wanted = torch.from_numpy(windows), torch.from_numpy(controls.astype(np.float32))
    spread = wanted.var(0) + 1e-4
    closed = 1 + 2 * wanted[:, [CONTROLS.index("lips pressed"), CONTROLS.index("lip to teeth")]].amax(1, keepdim=True)

    def loss(rows: torch.Tensor, step) -> tuple[torch.Tensor, Mapping[str, torch.Tensor]]:
        made = network(inputs[rows].float())
        return (closed[rows] * (made - wanted[rows]) ** 2 / spread).mean(), {}

    train(network, loss, Batches(torch.arange(len(inputs)), settings.batch, seed=seed), settings, seed=seed, run=run)
    return network


def scores(made: np.ndarray, wanted: np.ndarray) -> dict[str, dict[str, float]]:
    """Correlation and R² of each control, and their means, over all frames."""
    r = [
        float(np.corrcoef(a, b)[0, 1]) if a.std() > 1e-9 and b.std() > 1e-9 else 0.0
        for a, b in zip(made.T, wanted.T, strict=True)
    ]
    r2 = (1 - ((made - wanted) ** 2).sum(0) / ((wanted - wanted.mean(0)) ** 2).sum(0)).tolist()
    found = {name: {"correlation": round(a, 3), "R2": round(b, 3)} for name, a, b in zip(CONTROLS, r, r2, strict=True)}
    return {**found, "mean": {"correlation": round(float(np.mean(r)), 3), "R2": round(float(np.mean(r2)), 3)}}


def energy(windows: np.ndarray) -> np.ndarray:
    """`(N, 33)` all that a loudness meter knows: the mean decibels of the 16 spectra, their squares, one."""
    loud = windows.mean(1).astype(np.float64)
    return np.concatenate([loud, loud**2, np.ones((len(loud), 1))], axis=1)


def spectra(windows: np.ndarray) -> np.ndarray:
    """`(N, 1281)` the whole window, and one."""
    return np.concatenate([windows.reshape(len(windows), -1).astype(np.float32), np.ones((len(windows), 1))], axis=1)


def ridge(features: Callable, windows: np.ndarray, controls: np.ndarray, penalty: float = 30.0) -> Callable:
    """Ridge regression of the controls on features of the windows; gathers in parts, so that memory is bounded."""
    gram = cross = 0.0
    for i in range(0, len(windows), 4096):
        x = features(windows[i : i + 4096].astype(np.float32)).astype(np.float64)
        gram, cross = gram + x.T @ x, cross + x.T @ controls[i : i + 4096]
    table = np.linalg.solve(gram + penalty * np.eye(len(gram)), cross)
    return lambda part: np.clip(features(part.astype(np.float32)) @ table, 0, 1)


def measure(model: SpeechModel, baselines: Mapping[str, Callable]) -> dict[str, Any]:
    """The scores of the model and of the baselines on everything held out."""
    found: dict[str, Any] = {}
    for name, utterances in corpus.held_out().items():
        windows, wanted = corpus.gathered(utterances)
        ways = {"this model": model.of_windows, **baselines}
        found[name] = {"frames": len(wanted), **{way: scores(make(windows), wanted) for way, make in ways.items()}}
    return found


def main(argv: list[str], folder: Path = FOLDER) -> int:
    """Speak, train, measure and write the model with its card."""
    use_one_thread()
    start = time.perf_counter()
    windows, controls = corpus.gathered(corpus.training(np.random.default_rng(0)), np.float16)
    print(f"{len(windows):,} windows after {time.perf_counter() - start:.0f} s", flush=True)
    losses: list[dict[str, float]] = []

    def note(report) -> None:
        losses.append({"step": report.step, **report.metrics})

    network = fit(windows, controls, run=CallbackRun(note))
    card = {
        "what": "speech to the mouth's controls",
        "format": 1,
        "controls": list(CONTROLS),
        "width": WIDTH,
        "input": "80 mel bands x 16 frames (200 ms) of 16 kHz speech at -23 dB, 25 windows a second",
        "made by": COMMAND,
        "data": {
            "windows": len(windows),
            "hours": round(len(windows) / corpus.FPS / 3600, 2),
            "espeak-ng accents and variants": [*corpus.ACCENTS, *corpus.VARIANTS],
            "languages": ["en", *corpus.LANGUAGES],
            "flite voices": list(corpus.PEOPLE),
            "held-out voices": list(corpus.HELD_OUT.values()),
            "targets": "timed phonemes, a viseme table, dominance functions (Cohen and Massaro 1993)",
        },
        "licence": LICENCE,
        "limits": "It has heard synthetic voices only. Targets are what a phoneme table says, not filmed mouths.",
    }
    model = SpeechModel(network, card, device="cpu")
    baselines = {
        "loudness only (ridge)": ridge(energy, windows, controls),
        "mel window (ridge)": ridge(spectra, windows, controls),
    }
    card |= {
        "measured": measure(model, baselines),
        "seconds": round(time.perf_counter() - start),
        "device": describe("cpu"),
        "versions": {
            "python": platform.python_version(),
            **{n: importlib.metadata.version(n) for n in ("numpy", "torch")},
        },
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }
    arrays = {name: tensor.half().contiguous() for name, tensor in network.state_dict().items()}
    content = json.dumps(card, indent=1, ensure_ascii=False).encode()
    write_folder(folder, {ARRAYS: safetensors.torch.save(arrays), CARD: content})
    for name, ways in card["measured"].items():
        print(name, {way: s["mean"] for way, s in ways.items() if way != "frames"})
    print(folder)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
