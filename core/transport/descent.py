"""Gradient descent on a signal, one step at a time: the same for every network, in a run and in a race."""

import math

import numpy as np
import torch

from core.training import mix
from core.transport.networks import Field
from core.transport.splines import positions

_RESIDENT = 2**22


class Descent:
    """Adam on mini-batches of samples, rates on a half cosine after a short rise, gradients limited in size.

    Args:
        field: the network, on its device.
        values: `(C, *shape)` the signal.
        batch: samples a step.
        rate: learning rate at its highest; the network's own when left out.
        clip: a gradient longer than this many times its running average is shortened to it, which keeps high rates
            from running away.
        seed: of the order of samples.
    """

    warm, final, betas = 0.02, 0.01, (0.9, 0.99)

    def __init__(
        self,
        field: Field,
        values: np.ndarray,
        *,
        batch: int = 1024,
        rate: float | None = None,
        clip: float = 3.0,
        seed: int = 0,
    ):
        self.field, self.seed, self.clip = field, seed, clip
        device = next(field.parameters()).device
        shape = values.shape[1:]
        places = np.stack(np.meshgrid(*positions(shape), indexing="ij"), -1).reshape(-1, len(shape))
        self.x = torch.as_tensor(places, dtype=torch.float32, device=device)
        flat = np.asarray(values, dtype=np.float32).reshape(len(values), -1).T
        self.y = torch.as_tensor(np.ascontiguousarray(flat), device=device)
        small = hasattr(field, "touch") and len(self.x) * field.grid.size <= _RESIDENT * 4
        self.touch = field.touch(self.x) if small else None
        self.batch = min(batch, len(self.x))
        self.per_epoch = max(1, len(self.x) // self.batch)
        groups = field.groups(rate)
        for group in groups:
            group["base"] = group["lr"]
        self.optimizer = torch.optim.Adam(groups, betas=self.betas, eps=1e-12, fused=True)
        self.params = [p for g in groups for p in g["params"]]
        self.step_number, self._norm, self._epoch = 0, 0.0, -1
        self._order = torch.empty(0)

    def step(self, done: float) -> torch.Tensor:
        """One step; `done` is the share of the training behind it, 0..1. Returns the mean squared error before it."""
        level = min(1.0, (done + 1e-9) / self.warm) * (
            self.final + (1 - self.final) * 0.5 * (1 + math.cos(math.pi * min(done, 1.0)))
        )
        for group in self.optimizer.param_groups:
            group["lr"] = group["base"] * max(level, 1e-3)
        index = self._indices()
        loss = ((self._at(index) - self.y[index]) ** 2).mean()
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self._limit()
        self.optimizer.step()
        self.step_number += 1
        return loss.detach()

    def _at(self, index: torch.Tensor) -> torch.Tensor:
        if self.touch is None:
            return self.field(self.x[index])
        return self.field(self.x[index], self.touch[index])

    def _indices(self) -> torch.Tensor:
        epoch, place = divmod(self.step_number, self.per_epoch)
        if epoch != self._epoch:
            generator = torch.Generator().manual_seed(mix(self.seed, 2, epoch))
            self._order = torch.randperm(len(self.x), generator=generator).to(self.x.device)
            self._epoch = epoch
        return self._order[place * self.batch : (place + 1) * self.batch]

    def _limit(self) -> None:
        if not self.clip:
            return
        norm = float(torch.nn.utils.get_total_norm([p.grad for p in self.params if p.grad is not None]))
        bound = self.clip * self._norm if self.step_number > 20 else math.inf
        if not math.isfinite(norm):
            for p in self.params:
                p.grad = None
            return
        if norm > bound > 0:
            for p in self.params:
                p.grad.mul_(bound / norm)
            norm = bound
        self._norm = norm if self.step_number == 0 else 0.98 * self._norm + 0.02 * norm

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
        return {**flat, "norm": self._norm}

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
        self._norm, self.step_number = float(flat["norm"]), int(flat["step"])


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
