"""Speech to the mouth's controls: a small network over mel windows, as it ships with the app."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import safetensors.torch
import torch
from torch import nn

from core.device import pick
from core.errors import InputError
from core.face.clip.curves import CodeCurves
from core.face.network.mel import BANDS, FRAMES, RATE, mel_windows
from core.face.speech.controls import CONTROLS
from core.face.speech.sound import is_silent, levelled

FOLDER = Path(__file__).resolve().parents[3] / "assets" / "face" / "speech"
ARRAYS, CARD = "model.safetensors", "card.json"
FPS = 25.0
WIDTH = 96
_CHUNK = 512  # windows at a time


class MouthNetwork(nn.Module):
    """Mel windows `(N, 80, 16)` to controls `(N, 6)` in 0..1: three convolutions over time, then two linear layers.

    Args:
        width: channels of every layer.
        controls: how many controls.
    """

    def __init__(self, width: int = WIDTH, controls: int = len(CONTROLS)):
        super().__init__()
        self.over_time = nn.Sequential(
            nn.Conv1d(BANDS, width, 3, padding=1),
            nn.GELU(),
            nn.Conv1d(width, width, 3, stride=2, padding=1),
            nn.GELU(),
            nn.Conv1d(width, width, 3, stride=2, padding=1),
            nn.GELU(),
        )
        self.head = nn.Sequential(
            nn.Dropout(0.1), nn.Linear(width * FRAMES // 4, width), nn.GELU(), nn.Linear(width, controls)
        )

    def forward(self, windows: torch.Tensor) -> torch.Tensor:
        """Controls of windows whose decibels are normalised to -4..4."""
        return torch.sigmoid(self.head(self.over_time(windows / 4).flatten(1)))


class SpeechModel:
    """The network and its card.

    Args:
        network: in evaluation mode.
        card: what is known of it.
        device: where it computes; the best there is when left out.
    """

    def __init__(self, network: MouthNetwork, card: dict[str, Any], *, device: str | torch.device | None = None):
        self.device = pick(str(device)) if device is not None else pick()
        self.network, self.card = network.to(self.device).eval(), card

    def controls(self, wave: np.ndarray) -> np.ndarray:
        """`(T, 6)` controls in 0..1 of speech `(n,)` at 16 kHz, 25 a second, frame `i` from second `i / 25`.

        The loudness does not matter: it is levelled first. Silence gives a closed, resting mouth, exactly.

        Raises:
            InputError: there is no sound, or it is not finite.
        """
        wave = np.asarray(wave, dtype=np.float32)
        if wave.ndim != 1 or not len(wave) or not np.isfinite(wave).all():
            raise InputError("The sound is empty or not finite; give speech in one channel.")
        count = max(1, int(np.ceil(len(wave) * FPS / RATE - 1e-6)))
        if is_silent(wave):
            return np.zeros((count, len(CONTROLS)), dtype=np.float32)
        return self.of_windows(mel_windows(levelled(wave), frames=count)[:, 0])

    def of_windows(self, windows: np.ndarray) -> np.ndarray:
        """`(N, 6)` controls of mel windows `(N, 80, 16)` of levelled speech."""
        found = []
        with torch.inference_mode():
            for i in range(0, len(windows), _CHUNK):
                part = torch.from_numpy(np.ascontiguousarray(windows[i : i + _CHUNK], dtype=np.float32))
                found.append(self.network(part.to(self.device)).cpu().numpy())
        return np.concatenate(found)

    def curves(self, wave: np.ndarray, *, fps: float = FPS, smoothed: bool = True) -> CodeCurves:
        """The controls of speech over time, as curves of the bank `mouth`.

        Args:
            wave: `(n,)` at 16 kHz.
            fps: rows a second.
            smoothed: under the three-tap Gaussian, as the released code does with its codes.
        """
        values = self.controls(wave)
        made = CodeCurves(np.arange(len(values)) / FPS, values, CONTROLS, ("mouth",) * len(CONTROLS))
        made = made.smoothed_three() if smoothed else made
        return made if fps == FPS else made.resampled(fps)


def load_speech_model(folder: Path | str = FOLDER, *, device: str | torch.device | None = None) -> SpeechModel:
    """The model that ships with the app, or another one in a folder of `model.safetensors` and `card.json`.

    Raises:
        InputError: it is not there, or damaged.
    """
    return _load(Path(folder), str(device) if device is not None else None)


@lru_cache(maxsize=4)
def _load(folder: Path, device: str | None) -> SpeechModel:
    try:
        card = json.loads((folder / CARD).read_bytes())
        arrays = safetensors.torch.load((folder / ARRAYS).read_bytes())
        network = MouthNetwork(int(card["width"]), len(card["controls"]))
        network.load_state_dict({name: array.float() for name, array in arrays.items()})
        if tuple(card["controls"]) != CONTROLS:
            raise ValueError("other controls")
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, safetensors.SafetensorError) as error:
        raise InputError(
            "The speech model is missing or damaged; make it anew with python -m core.face.speech.train."
        ) from error
    return SpeechModel(network, card, device=device)
