"""Gradient descent on a signal, one step at a time: the same for every network, in a run and in a race."""

import math

import numpy as np
import torch

from core.training import mix
from core.transport.networks import Field
from core.transport.splines import positions

_RESIDENT = 2**24  # numbers in a table of what each knot gives to each sample


class Descent:
    """Adam on mini-batches of samples, rates on a half cosine after a short rise.

    Rates are as high as short trainings want them. Over longer ones that can be too much, so two rules watch the error,
    the same for every network. Sine layers can collapse early: the output becomes the mean and no gradient leads back;
    a training whose error is still that of a constant at a checkpoint starts again from its first weights, slower. And
    one whose error has risen goes on at half the rate.

    Args:
        field: the network, on its device.
        values: `(C, *shape)` the signal.
        batch: samples a step.
        rate: learning rate at its highest; the network's own when left out.
        seed: of the order of samples.
    """

    warm, final, betas = 0.05, 0.01, (0.9, 0.99)
    checkpoints, slower, flat, fewest = (0.12, 0.25, 0.5), 0.5, 0.92, 64
    parts, risen = 40, 1.1  # how often the error is compared with its lowest, and the ratio that counts as a rise

    def __init__(
        self, field: Field, values: np.ndarray, *, batch: int = 1024, rate: float | None = None, seed: int = 0
    ):
        self.field, self.seed = field, seed
        device = next(field.parameters()).device
        shape = values.shape[1:]
        places = np.stack(np.meshgrid(*positions(shape), indexing="ij"), -1).reshape(-1, len(shape))
        self.x = torch.as_tensor(places, dtype=torch.float32, device=device)
        flat = np.asarray(values, dtype=np.float32).reshape(len(values), -1).T
        self.y = torch.as_tensor(np.ascontiguousarray(flat), device=device)
        small = hasattr(field, "touch") and len(self.x) * field.grid.size <= _RESIDENT
        self.touch = field.touch(self.x) if small else None
        self.batch = min(batch, len(self.x))
        self.per_epoch = max(1, len(self.x) // self.batch)
        groups = field.groups(rate)
        for group in groups:
            group["base"] = group["lr"]
        self.optimizer = torch.optim.Adam(groups, betas=self.betas, eps=1e-12, fused=True)
        self._first = {n: t.detach().clone() for n, t in field.state_dict().items()}
        self._variance = float(self.y.var(dim=0, unbiased=False).mean())
        self.step_number, self.scale, self.begun, self._checked = 0, 1.0, 0.0, 0
        self._part, self._lowest, self._steps, self._sum = 0, math.inf, 0, torch.zeros((), device=device)
        self._epoch, self._order = -1, torch.empty(0)
        self._recent: list[torch.Tensor] = []

    def step(self, done: float) -> torch.Tensor:
        """One step; `done` is the share of the training behind it, 0..1. Returns the mean squared error before it."""
        self._look(done)
        self._slow(done)
        along = min(1.0, (done - self.begun) / (1 - self.begun))
        rise = min(1.0, along / self.warm)
        level = max(1e-3, rise * (self.final + (1 - self.final) * 0.5 * (1 + math.cos(math.pi * along))))
        for group in self.optimizer.param_groups:
            group["lr"] = group["base"] * self.scale * level
        index = self._indices()
        loss = ((self._at(index) - self.y.index_select(0, index)) ** 2).mean()
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        self.step_number += 1
        loss = loss.detach()
        self._recent = [*self._recent[-7:], loss]
        self._sum, self._steps = self._sum + loss, self._steps + 1
        return loss

    def _slow(self, done: float) -> None:
        """Once in each part of the training: half the rate when the part's mean error is above the lowest so far."""
        part = int(done * self.parts)
        if part == self._part or self._steps < self.fewest / 2:
            return
        mean = float(self._sum) / self._steps
        if mean > self.risen * self._lowest:
            self.scale *= self.slower
        self._part, self._lowest = part, min(mean, self._lowest)
        self._steps, self._sum = 0, torch.zeros_like(self._sum)

    def _look(self, done: float) -> None:
        """At a checkpoint: begin again, slower, when nothing was learnt."""
        if self._checked >= len(self.checkpoints) or done < self.checkpoints[self._checked] or not self._recent:
            return
        self._checked += 1
        if not self.field.can_collapse or self.step_number < self.fewest:
            return
        error = float(torch.stack(self._recent).mean())
        if error < self.flat * self._variance:
            return
        self.field.load_state_dict(self._first)
        self.optimizer.state.clear()
        self.scale, self.begun = self.scale * self.slower, done

    def _at(self, index: torch.Tensor) -> torch.Tensor:
        x = self.x.index_select(0, index)
        return self.field(x) if self.touch is None else self.field(x, self.touch.index_select(0, index))

    def _indices(self) -> torch.Tensor:
        epoch, place = divmod(self.step_number, self.per_epoch)
        if epoch != self._epoch:
            generator = torch.Generator().manual_seed(mix(self.seed, 2, epoch))
            self._order = torch.randperm(len(self.x), generator=generator).to(self.x.device)
            self._epoch = epoch
        return self._order[place * self.batch : (place + 1) * self.batch]

    def draw(self, chunk: int = 2**16) -> np.ndarray:
        """The field at every sample, `(N, C)`."""
        with torch.no_grad():
            parts = [self._at(i) for i in torch.arange(len(self.x), device=self.x.device).split(chunk)]
        return torch.cat(parts).cpu().numpy()

    def state(self) -> dict:
        """Everything a resume needs, as a flat mapping."""
        flat = {f"field.{n}": t for n, t in self.field.state_dict().items()}
        for i, one in self.optimizer.state_dict()["state"].items():
            flat.update({f"adam.{i}.{n}": v for n, v in one.items()})
        recent = torch.stack(self._recent) if self._recent else torch.zeros(0)
        flat |= {"scale": self.scale, "begun": self.begun, "checked": self._checked, "recent": recent}
        return {**flat, "part": self._part, "lowest": self._lowest, "steps": self._steps, "sum": self._sum}

    def load(self, flat: dict) -> None:
        """The inverse of `state`, at the step number that the run restores."""
        self.field.load_state_dict({n[6:]: t for n, t in flat.items() if n.startswith("field.")})
        state: dict[int, dict] = {}
        for name, value in flat.items():
            if name.startswith("adam."):
                _, i, key = name.split(".", 2)
                state.setdefault(int(i), {})[key] = value
        groups = self.optimizer.state_dict()["param_groups"]
        self.optimizer.load_state_dict({"state": state, "param_groups": groups})
        self.scale, self.begun, self._checked = float(flat["scale"]), float(flat["begun"]), int(flat["checked"])
        self._part, self._lowest, self._steps = int(flat["part"]), float(flat["lowest"]), int(flat["steps"])
        self._sum = torch.as_tensor(flat["sum"]).to(self._sum)
        self._recent, self.step_number = list(torch.as_tensor(flat["recent"])), int(flat["step"])


def draw_at(field: Field, axes: list[np.ndarray], chunk: int = 2**15) -> np.ndarray:
    """`(C, *shape)` a field at the product of positions along each axis, a chunk at a time."""
    device = next(field.parameters()).device
    shape = tuple(len(a) for a in axes)
    places = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, len(shape)).astype(np.float32)
    with torch.no_grad():
        parts = [
            field(torch.as_tensor(p, device=device)).cpu() for p in np.array_split(places, -(-len(places) // chunk))
        ]
    return torch.cat(parts).numpy().T.reshape(-1, *shape)
