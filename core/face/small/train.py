"""The training of the small EDTalk on the parametric head, in three stages; rebuilds the shipped model:

    python -m core.face.small.train

Stages, after Tan et al. 2024, section 3, with one difference that every card tells: the pictures are drawn, so their
factors are known, and the code heads are anchored to them.

1. *anchor*: encoder and heads learn to read the 13 factors. Without it the mouth, two percent of the picture, is
   never found: pose alone serves the pixels.
2. *motion*: pictures of one person that differ in mouth or pose; the codes of what changes come from another person's
   picture, the target is the exact render, and the flow is drawn towards the exact one. Banks and generator learn
   from the pictures; encoder and heads go on with the factors, unless these are given no weight.
3. *expression*: encoder, the heads and banks of mouth and pose are held fixed; head, bank and enhancement of the
   expression and the generator learn what is left.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from core.assets import cache
from core.device import use_one_thread
from core.errors import InputError
from core.face.head.factors import columns
from core.face.head.mesh import Head, load_head
from core.face.head.render import Renderer
from core.face.head.tuples import Tuples, on_disk
from core.face.network import FaceNetwork, Source
from core.face.small.model import SmallFace, SmallSettings
from core.face.small.objective import Batch, Motions, draw_batch, draw_pictures, flow_loss, pairs, picture_loss
from core.face.small.pictures import renders as renders  # where the page finds it
from core.face.small.stages import Stage
from core.progress import Run
from core.training import Batches, Step, TrainSettings, mix, train

MOTION = ("mouth", "pose")
ALL = ("mouth", "pose", "expression")
PREVIEW_SECONDS = 20.0
_FROZEN = {  # names of the network's parts that a stage leaves alone
    "anchor": ("dec.", "direction_"),
    "motion": ("direction_exp.", "dec.fineadainresblock."),
    "expression": ("enc.", "fc.", "lip_fc.", "pose_fc.", "direction_lipnonlip."),
}


def fit(
    model: SmallFace,
    *,
    seed: int,
    run: Run,
    head: Head | None = None,
    tuples: Tuples | None = None,
    start: SmallFace | None = None,
) -> None:
    """Train a model in place; stopping keeps what there is, and a run that was resumed gives the same numbers.

    Args:
        model: with its settings and `reference_`.
        head: that the pictures are drawn of; the fetched one when left out.
        tuples: to learn from; drawn into the cache when left out.
        start: a model of the same sizes to go on from.

    Raises:
        InputError: the parametric head has not been fetched, or the training diverged.
    """
    s = model.settings
    total = s.anchor + s.motion + s.enhance
    head = head or load_head()
    if tuples is None:

        def told(done: int, n: int) -> None:
            run.progress(0, total, {"drawn": done / n})
            if run.should_stop() and done < n:
                raise InputError("The training was stopped while its pictures were drawn; a new start goes on there.")

        tuples = on_disk(head, cache() / "face", s.tuples, s.people, size=s.side, seed=seed, progress=told)
    motions = Motions(Renderer(head, s.side), tuples)
    network = model.start(seed)
    if start is not None:
        network.load_state_dict(start.network_.state_dict())
    state, before, ended = run.restore(), 0, False
    for name, steps, loss in (
        ("anchor", s.anchor, _anchor_loss),
        ("motion", s.motion, _motion_loss),
        ("expression", s.enhance, _expression_loss),
    ):
        stage = Stage(run, name, before, total, state)
        before += steps
        if not steps or ended or (state and _later(state["stage"], name)):
            continue
        for part, weight in network.named_parameters():
            weight.requires_grad_(not part.startswith(_FROZEN[name]))
        size = 2 * s.batch if name == "anchor" else s.batch
        how = TrainSettings(steps, size, s.lr, warmup=min(50, steps // 10), final=0.05, ema=s.ema)
        batches = Batches(torch.arange(len(tuples)), size, seed=mix(seed, len(name)), device=model.device)
        own = mix(seed, before)
        bound = loss(network, motions, s, model.device)
        preview = _preview(network, tuples, model.device, name == "expression") if name != "anchor" else None
        ended = train(network, bound, batches, how, seed=own, run=stage, preview=preview).ended == "stopped"
    network.requires_grad_(True).eval()
    model.scale_ = _spread(model, tuples)


def _later(at: str, name: str) -> bool:
    order = list(_FROZEN)
    return order.index(at) > order.index(name)


def _anchor_loss(network: FaceNetwork, motions: Motions, s: SmallSettings, device: torch.device) -> Callable:
    def loss(batch: torch.Tensor, step: Step) -> tuple[torch.Tensor, dict[str, Any]]:
        pictures, known = draw_pictures(motions.tuples, batch.cpu().numpy(), _random(step))
        error = _misread(network, _encoded(network, pictures.to(device)).codes, known.to(device))
        return error.mean(), {name: error[:, i].mean() for i, name in enumerate(ALL)}

    return loss


def _motion_loss(network: FaceNetwork, motions: Motions, s: SmallSettings, device: torch.device) -> Callable:
    return _pair_loss(network, motions, s, device, pairs(MOTION), expression=False)


def _expression_loss(network: FaceNetwork, motions: Motions, s: SmallSettings, device: torch.device) -> Callable:
    return _pair_loss(network, motions, s, device, pairs(ALL), expression=True)


def _pair_loss(network, motions, s, device, choices, *, expression: bool) -> Callable:
    def loss(batch: torch.Tensor, step: Step) -> tuple[torch.Tensor, dict[str, Any]]:
        part = _moved(draw_batch(motions, batch.cpu().numpy(), choices, _random(step)), device)
        source, driver = _encoded(network, part.source), _encoded(network, part.driver).codes
        misread = _misread(network, torch.cat([source.codes, driver]), torch.cat([part.of_source, part.of_driver]))
        if s.known > 0:  # else the pictures undo in a hundred steps what encoder and heads have learned to read
            source, driver = _detached(source), driver.detach()
        taken = torch.cat(
            [part.taken[:, i : i + 1].expand(-1, k) for i, k in enumerate(network.sizes.counts.values())], 1
        )
        drawn = network.draw(source, torch.where(taken, driver, source.codes), expression=expression)
        error = picture_loss(drawn.picture, part.source, part.target)
        edited = part.taken.any(1)
        nothing = picture_loss(part.source, part.source, part.target)[edited].sum().clamp_min(1e-3)
        astray, still = flow_loss(drawn.flow, part), flow_loss(torch.zeros_like(drawn.flow), part)
        numbers = {
            "picture": error.mean(),
            "of no edit": error[edited].sum() / nothing,
            "of no flow": astray[edited].sum() / still[edited].sum().clamp_min(1e-4),
            "misread": misread.mean(),
        }
        return error.mean() + s.moved * astray.mean() + s.known * misread.mean(), numbers

    return loss


def _encoded(network: FaceNetwork, pictures: torch.Tensor) -> Source:
    """As `FaceNetwork.encode`, without what only the enhancement needs of a source: some stages never ask for it."""
    # convolutions of a batch are a quarter faster with the channels last
    h, maps = network.enc(pictures.contiguous(memory_format=torch.channels_last))
    h = h.float()
    return Source(pictures, h, maps, network.codes_of(h), [])


def _detached(source: Source) -> Source:
    maps = [m.detach() for m in source.maps]
    return Source(source.picture, source.h.detach(), maps, source.codes.detach(), [])


def _misread(network: FaceNetwork, codes: torch.Tensor, known: torch.Tensor) -> torch.Tensor:
    """`(N, 3)` mean squared difference between the codes of each bank and the factors, in units of their reach.

    A bank with more directions than factors keeps the others free.
    """
    error = []
    for bank, rows in network.rows().items():
        own = known[:, columns(bank)]
        error.append((codes[:, rows][:, : own.shape[1]] - own).square().mean(1))
    return torch.stack(error, 1)


def _random(step: Step) -> np.random.Generator:
    return np.random.default_rng(
        int(torch.randint(2**62, (1,), generator=step.generator, device=step.generator.device))
    )


def _moved(batch: Batch, device: torch.device) -> Batch:
    return replace(batch, **{name: value.to(device) for name, value in vars(batch).items()})


def _preview(
    network: FaceNetwork, tuples: Tuples, device: torch.device, expression: bool
) -> Callable[[], np.ndarray | None]:
    rows, last = np.arange(min(2, len(tuples))), [-np.inf]

    def draw() -> np.ndarray | None:
        if time.monotonic() - last[0] < PREVIEW_SECONDS:  # it takes about as long as half a step
            return None
        last[0], lines = time.monotonic(), []
        for view, bank in ((1, "mouth"), (2, "pose"), (3, "expression")):
            pictures = torch.from_numpy(np.array(tuples.pictures[rows][:, [0, 5, view]])).to(device)
            x = pictures.float().permute(1, 0, 4, 2, 3) / 127.5 - 1
            network.eval()
            source, driver = network.encode(x[0]), network.encode(x[1])
            codes = network.mix(source.codes, {bank: network.split(driver.codes)[bank]})
            drawn = network.decode(source, codes, expression=expression)
            network.train()
            lines += [torch.cat([x[0][i], x[1][i], drawn[i], x[2][i]], 2) for i in range(len(rows))]
        return ((torch.cat(lines, 1).permute(1, 2, 0).cpu().numpy() + 1) / 2).clip(0, 1)

    return draw


def _spread(model: SmallFace, tuples: Tuples, n: int = 256) -> np.ndarray:
    codes = model.encode(np.asarray(tuples.pictures[:n, 0], dtype=np.float32) / 255)
    return np.maximum(codes.std(0), 1e-3).astype(np.float32)


if __name__ == "__main__":
    from core.face.small.rebuild import main

    use_one_thread()
    sys.exit(main())
