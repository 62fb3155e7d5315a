"""The small EDTalk fitted to the frames of one person: the generator learns their looks, codes keep their meaning."""

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
import torch

from core.errors import InputError
from core.face.small.model import SmallFace, SmallSettings
from core.face.small.objective import picture_loss
from core.models import register, setting
from core.store import load
from core.store.library import SHIPPED
from core.training import Batches, Step, TrainSettings, train

NAME = "face-small"


@dataclass(frozen=True)
class PersonalSettings(SmallSettings):
    steps: int = setting(300, "How many batches of pairs of frames to learn from.", low=1, high=1_000_000, log=True)


@register
class PersonalFace(SmallFace):
    """Pairs of frames: the first is drawn under the codes of the second and compared with it.

    Encoder, heads and banks stay those of the model it starts from (the shipped one), so sliders mean what they meant.
    The other settings are taken from that model.
    """

    family = "face.personal"
    title = "Small EDTalk of one person"
    summary = "The shipped model with its generator fitted to the frames of a clip."
    source = "Tan et al. 2024 (EDTalk)"
    Settings = PersonalSettings
    smallest = 2

    def _fit(self, dataset, *, seed, run):
        start, _ = load(SHIPPED / NAME, device=str(self.device))
        self.go_on_from(start, dataset, seed=seed, run=run)

    def go_on_from(self, start: SmallFace, dataset, *, seed: int, run) -> None:
        """Fit, from a given model on.

        Args:
            start: a fitted model; it is left as it is.
            dataset: frames `(N, side, side, 3)` in 0..1.

        Raises:
            InputError: frames of another size, or fewer than two.
        """
        side = start.settings.side
        if dataset.shape != (side, side, 3):
            raise InputError(f"This model takes colour pictures of {side} x {side} pixels.")
        if len(dataset) < 2:
            raise InputError("A person is learned from at least two frames.")
        own = {f.name: getattr(start.settings, f.name) for f in fields(SmallSettings)}
        own |= {n: getattr(self.settings, n) for n in ("steps", "batch", "lr", "ema")}
        self.settings = PersonalSettings(**own)
        frames = torch.from_numpy(np.array(dataset.samples)).permute(0, 3, 1, 2) * 2 - 1
        network = self.start(seed)
        network.load_state_dict(start.network_.state_dict())
        for name, weight in network.named_parameters():
            weight.requires_grad_(name.startswith("dec."))
        s = self.settings
        how = TrainSettings(s.steps, s.batch, s.lr, warmup=min(20, s.steps // 10), final=0.05, ema=s.ema)
        batches = Batches(torch.arange(len(frames)), s.batch, seed=seed, device=self.device)
        train(network, self._loss(frames), batches, how, seed=seed, run=run)
        network.requires_grad_(True).eval()
        self.reference_ = np.array(dataset.samples[0])
        codes = self.encode(dataset.samples)
        self.scale_ = np.maximum(codes.std(0), start.scale_ / 10).astype(np.float32)

    def _loss(self, frames: torch.Tensor) -> Callable:
        def loss(batch: torch.Tensor, step: Step) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
            others = torch.randint(len(frames), (len(batch),), generator=step.generator, device=step.generator.device)
            source, driver = (frames[i.cpu()].to(self.device) for i in (batch, others))
            with torch.no_grad():
                codes = self.network_.encode(driver).codes
                encoded = self.network_.encode(source)
            error = picture_loss(self.network_.draw(encoded, codes).picture, source, driver).mean()
            return error, {"picture": error}

        return loss
