"""What a training does otherwise when several processes, the ranks, share it: PyTorch's DistributedDataParallel.

Every rank holds the whole module and takes its share of every batch. Rank 0 decides, reports and keeps; the others
follow it. `core.runs.ranks` starts the processes. It is tested with two processes on a CPU (gloo); on several GPUs
(nccl) it has not been run yet.
"""

from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any, Self

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from core.progress import Run


class Team(Run):
    """The run of a training that is shared: rank 0 asks and tells the run it was given, the others hear from rank 0.

    Attributes:
        rank, count: which of how many this process is.
    """

    def __init__(self, run: Run, rank: int, count: int):
        self._run, self.rank, self.count = run, rank, count

    @classmethod
    def of(cls, run: Run) -> Self | None:
        """The team that this process belongs to, None when it trains alone."""
        if not (dist.is_available() and dist.is_initialized()) or dist.get_world_size() == 1:
            return None
        return cls(run, dist.get_rank(), dist.get_world_size())

    def share(self, size: int) -> slice:
        """Which samples of a batch are this rank's: equal shares, the incomplete rest is left out.

        A batch with fewer samples than ranks is everybody's.
        """
        each = size // self.count
        return slice(self.rank * each, (self.rank + 1) * each) if each else slice(None)

    def loss(self, module: nn.Module, loss: Callable) -> Callable:
        """The loss, of which `backward` leaves the mean of all ranks' gradients in every rank's module.

        The module of every rank becomes that of rank 0 here.
        """
        # a loss may leave weights out in some steps (dead units), and call methods of the module beside its forward
        return DistributedDataParallel(_Loss(module, loss), forward_sync_buffers=False, find_unused_parameters=True)

    @torch.no_grad()
    def follow(self, module: nn.Module) -> None:
        """Weights and buffers become those of rank 0: what a step changes beside the gradient differs by rank.

        Buffers that count what a batch did (idle units, running means) thus count the share of rank 0.
        """
        works = [dist.broadcast(t.data, 0, async_op=True) for t in chain(module.parameters(), module.buffers())]
        for work in works:
            work.wait()

    def mean(self, numbers: Mapping[str, Any], device: torch.device) -> dict[str, torch.Tensor]:
        """Named numbers (or tensors of one number), each the mean over the ranks."""
        values = torch.stack(
            [torch.as_tensor(v, dtype=torch.float64, device=device).reshape(()) for v in numbers.values()]
        )
        dist.all_reduce(values)
        return dict(zip(numbers, values / self.count, strict=True))

    def number(self, ask: Callable[[], float]) -> float:
        """What rank 0 answers; only there it is asked."""
        answer = torch.tensor(float(ask()) if self.rank == 0 else 0.0, dtype=torch.float64)
        dist.broadcast(answer, 0)
        return float(answer)

    def progress(self, step, total, metrics=None, preview=None):
        if self.rank == 0:
            self._run.progress(step, total, metrics, preview)

    def should_stop(self):
        return bool(self.number(self._run.should_stop))

    def checkpoint(self, state):
        if self.rank == 0:
            self._run.checkpoint(state)

    def restore(self):
        return self._run.restore()  # every rank was given the same


class _Loss(nn.Module):
    def __init__(self, module: nn.Module, loss: Callable):
        super().__init__()
        self.module, self._loss = module, loss

    def forward(self, batch: torch.Tensor, step: Any) -> tuple[torch.Tensor, dict[str, Any]]:
        value, more = self._loss(batch, step)
        # what is only looked at must not look as if gradients came from it
        return value, {n: v.detach() if isinstance(v, torch.Tensor) else v for n, v in more.items()}
