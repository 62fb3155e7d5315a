"""Facial motion: decode time of the full network with the depthwise blur and with a plain blur, channel by channel."""

import argparse
import time
from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F

from core.device import use_one_thread
from core.face.network import EDTALK, SMALL, FaceNetwork
from core.face.network.layers import Blur, Enlarge

LEAST = 1.5


def chain(x: torch.Tensor, kernel: torch.Tensor, up: int, before: int, after: int) -> torch.Tensor:
    """Spread, pad and filter `(N, C, H, W)` as `N * C` pictures of one channel.

    This is the plain chain for any factor, which public code of these networks runs where no CUDA kernel is compiled.
    """
    n, c, h, w = x.shape
    spread = F.pad(x.reshape(n * c, 1, h, 1, w, 1), (0, up - 1, 0, 0, 0, up - 1)).reshape(n * c, 1, h * up, w * up)
    filtered = F.conv2d(F.pad(spread, (before, after, before, after)), kernel[None, None])
    return filtered.reshape(n, c, *filtered.shape[2:])


class PlainBlur(Blur):
    """The same filter by the plain chain."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return chain(x, self.kernel, 1, *self.pad)


class PlainEnlarge(Enlarge):
    """The same enlargement by the plain chain."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return chain(x, self.kernel, 2, 2, 1)


def plain(network: FaceNetwork) -> FaceNetwork:
    """A network with the same weights and plain blurs; the weights are shared."""
    other = FaceNetwork(network.sizes, device="cpu")
    other.load_state_dict(network.state_dict(), assign=True)
    for module in other.modules():
        if type(module) is Blur:
            module.__class__ = PlainBlur
        elif type(module) is Enlarge:
            module.__class__ = PlainEnlarge
    return other


def seconds(tries: int, *jobs: Callable[[], object]) -> list[float]:
    """Least processor seconds of each job, tried in turn so that all meet the same load."""
    least = [float("inf")] * len(jobs)
    for _ in range(tries):
        for i, job in enumerate(jobs):
            began = time.process_time()
            job()
            least[i] = min(least[i], time.process_time() - began)
    return least


def blur(tries: int) -> bool:
    """Depthwise against plain, with and without the expression; whether the aim is met."""
    torch.manual_seed(0)
    network = FaceNetwork(EDTALK, device="cpu")
    peer = plain(network)
    picture = F.interpolate(torch.rand(1, 3, 8, 8) * 2 - 1, size=256, mode="bicubic").clamp(-1, 1)
    source = network.encode(picture)
    codes = source.codes + 0.1
    ours, theirs = network.draw(source, codes).picture, peer.draw(source, codes).picture
    apart = float((ours - theirs).norm() / theirs.norm())
    print(f"full EDTalk, 256 pixels, {sum(p.numel() for p in network.parameters()):,} parameters, one thread")
    print(f"  pictures apart by {apart:.1e} of their size")
    found = seconds(tries, lambda: network.encode(picture), lambda: peer.encode(picture))
    print(
        f"  encode                      depthwise {found[0]:.2f} s, plain {found[1]:.2f} s: {found[1] / found[0]:.2f}x"
    )
    good = apart < 1e-3
    for expression in (True, False):
        fast, slow = seconds(
            tries,
            lambda e=expression: network.decode(source, codes, expression=e),
            lambda e=expression: peer.decode(source, codes, expression=e),
        )
        words = f"decode, {'three banks' if expression else 'mouth and pose'}"
        print(f"  {words:27} depthwise {fast:.2f} s, plain {slow:.2f} s: {slow / fast:.2f}x (aim {LEAST}x)")
        good &= slow >= LEAST * fast
    return good


def small(tries: int) -> None:
    """Encode and decode of the size that is shipped."""
    network = FaceNetwork(SMALL, device="cpu")
    picture = torch.rand(1, 3, SMALL.side, SMALL.side) * 2 - 1
    source = network.encode(picture)
    encode, decode = seconds(3 * tries, lambda: network.encode(picture), lambda: network.decode(source))
    count = sum(p.numel() for p in network.parameters())
    print(
        f"small, {SMALL.side} pixels, {count:,} parameters: encode {1e3 * encode:.0f} ms, decode {1e3 * decode:.0f} ms"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Print the times; 1 when the aim is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two tries each")
    tries = 2 if parser.parse_args(argv).quick else 5
    use_one_thread()
    good = blur(tries)
    small(tries)
    return 0 if good else 1
