"""Audio2Lip: mel windows of speech to mouth codes."""

import contextlib

import torch
import torch.nn.functional as F
from torch import nn

from core.device import half_precision
from core.errors import InputError
from core.face.network.layers import place

# In and out channels, kernel, stride, padding and whether the input is added, of each convolution
BLOCKS = (
    (1, 32, 3, 1, 1, False),
    (32, 32, 3, 1, 1, True),
    (32, 32, 3, 1, 1, True),
    (32, 64, 3, (3, 1), 1, False),
    (64, 64, 3, 1, 1, True),
    (64, 64, 3, 1, 1, True),
    (64, 128, 3, 3, 1, False),
    (128, 128, 3, 1, 1, True),
    (128, 128, 3, 1, 1, True),
    (128, 256, 3, (3, 2), 1, False),
    (256, 256, 3, 1, 1, True),
    (256, 512, 3, 1, 0, False),
    (512, 512, 1, 1, 0, False),
)
BANDS, FRAMES = 80, 16


class Block(nn.Module):
    """Convolution, batch normalisation, the input added if `residual`, ReLU."""

    def __init__(self, a: int, b: int, size: int, stride: int | tuple[int, int], padding: int, residual: bool):
        super().__init__()
        self.conv_block = nn.Sequential(nn.Conv2d(a, b, size, stride, padding), nn.BatchNorm2d(b))
        self.residual = residual

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.conv_block(x)
        return F.relu(y + x if self.residual else y)


class SpeechNetwork(nn.Module):
    """Mel windows `(N, 1, 80, 16)` to mouth codes `(N, 20)`; in evaluation mode nothing keeps gradients.

    Args:
        codes: how many mouth codes.
        width: share of the released channels, for smaller networks.
        device: where it computes; the best there is when left out.

    Source: the audio encoder of Wav2Lip (Prajwal et al. 2020); one linear layer to the mouth bank of EDTalk
    (Tan et al. 2024), section 3.5.
    """

    def __init__(self, codes: int = 20, *, width: float = 1.0, device: str | torch.device | None = None):
        super().__init__()

        def wide(channels: int) -> int:
            return 1 if channels == 1 else max(1, round(channels * width))

        self.audio_encoder = nn.Sequential(*(Block(wide(a), wide(b), *rest) for a, b, *rest in BLOCKS))
        self.mapping = nn.Linear(wide(BLOCKS[-1][1]), codes)
        nn.init.zeros_(self.mapping.bias)
        place(self, device)

    def forward(self, windows: torch.Tensor) -> torch.Tensor:
        """Codes of windows.

        Raises:
            InputError: another shape.
        """
        if windows.ndim != 4 or windows.shape[1:] != (1, BANDS, FRAMES):
            raise InputError(f"Speech is given as mel windows of {BANDS} bands by {FRAMES} frames.")
        device = self.mapping.weight.device
        with (
            torch.set_grad_enabled(self.training and torch.is_grad_enabled()),
            contextlib.nullcontext() if self.training else half_precision(device),
        ):
            return self.mapping(self.audio_encoder(windows.to(device, torch.float32)).flatten(1)).float()
