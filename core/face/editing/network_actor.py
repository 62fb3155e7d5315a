"""A photograph moved by a face network: the face is cut out, aligned, moved, and pasted back."""

import threading
from dataclasses import dataclass

import numpy as np
import torch

from core.basis import Basis
from core.face.editing.actor import directions_of
from core.face.network.network import FaceNetwork
from core.face.photo.crop import EDTALK, OURS, Frame, aligned, cut, pasted
from core.face.photo.photo import Face

QUICK = 128  # pixels: up to this side a network draws in hundredths of a second on one core
_SAME = 1e-5  # scales
_WIDE = 2.0  # scale of released expression codes, whose entries reach from -5 to 5


@dataclass(frozen=True, eq=False)
class Network:
    """A face network, ready to move faces.

    Attributes:
        network: in evaluation mode.
        title: of it.
        frame: how its pictures hold a face.
        banks: bases by name, in the order of its codes, with the typical size of each weight.
    """

    network: FaceNetwork
    title: str
    frame: Frame
    banks: dict[str, Basis]
    turn: threading.Lock

    @property
    def side(self) -> int:
        """Pixels of its pictures."""
        return self.network.sizes.side

    @property
    def quick(self) -> bool:
        """Whether it answers a slider at once without a GPU."""
        return self.side <= QUICK or self.network.device.type == "cuda"


def released(network: FaceNetwork, title: str) -> Network:
    """A released network; its cards tell no typical sizes, so those of the published presets are taken."""
    banks = {
        name: Basis(b.directions, b.mean, np.full(b.k, _WIDE if name == "expression" else 1.0, np.float32), b.names)
        for name, b in network.bases().items()
    }
    return Network(network, title, EDTALK, banks, threading.Lock())


def small(model) -> Network:
    """A small EDTalk of ours (`core.face.small.model.SmallFace`, fitted or loaded)."""
    return Network(model.network_, model.title, OURS, model.bases(), threading.Lock())


class NetworkActor:
    """A face in a photograph, moved by a network.

    Args:
        picture: `(H, W, 3)` uint8.
        face: in it.
        network: what moves it.
    """

    def __init__(self, picture: np.ndarray, face: Face, network: Network):
        self.picture, self.face, self.network = np.ascontiguousarray(picture), face, network
        self.title, self.banks = network.title, network.banks
        self.square = aligned(face.points, network.frame)
        self.crop = cut(self.picture, self.square, network.side)
        with network.turn, torch.no_grad():
            self._source = network.network.encode(_tensor(self.crop))
        self.own = self._source.codes[0].double().cpu().numpy()
        self._scale = np.array([d.scale for d in directions_of(self)])
        self._before = self._drawn(self.own)

    def render(self, codes: np.ndarray) -> np.ndarray:
        """The photograph `(H, W, 3)` uint8 under codes `(K,)`: the change of the crop is pasted at its place."""
        codes = np.asarray(codes, dtype=np.float64)
        if np.all(np.abs(codes - self.own) <= _SAME * self._scale):
            return self.picture.copy()
        return pasted(self.picture, self.square, self._before, self._drawn(codes))

    def face_only(self, codes: np.ndarray) -> np.ndarray:
        """The moved crop `(side, side, 3)` uint8, as the network draws it."""
        return self._drawn(np.asarray(codes, dtype=np.float64))

    def codes_of(self, picture: np.ndarray, face: Face) -> np.ndarray:
        """`(K,)` the code that the network gives another face."""
        crop = cut(np.ascontiguousarray(picture), aligned(face.points, self.network.frame), self.network.side)
        with self.network.turn, torch.no_grad():
            return self.network.network.encode(_tensor(crop)).codes[0].double().cpu().numpy()

    def reach(self) -> np.ndarray | None:
        """How much each direction changes the crop, of 255; None where drawing it would take long."""
        if not self.network.quick:
            return None
        found = []
        for d in directions_of(self):
            code = self.own.copy()
            code[d.index] += 2 * d.scale
            found.append(np.abs(self._drawn(code).astype(np.int16) - self._before).mean())
        return np.array(found)

    def _drawn(self, codes: np.ndarray) -> np.ndarray:
        """What the network cannot draw of the source is carried along (see `FaceNetwork.decode`)."""
        wanted = torch.as_tensor(codes[None], dtype=torch.float32)
        with self.network.turn, torch.no_grad():
            picture = self.network.network.decode(self._source, wanted, keep_detail=True)[0]
        return np.rint((picture.float().cpu().permute(1, 2, 0).numpy() + 1) * 127.5).astype(np.uint8)


class Cropped:
    """Only the crop of a face that a network moves, for strips.

    Args:
        actor: the whole one.
    """

    def __init__(self, actor: NetworkActor):
        self._actor = actor
        self.banks, self.own, self.title, self.face = actor.banks, actor.own, actor.title, actor.face
        self.picture = actor.face_only(actor.own)

    def render(self, codes: np.ndarray) -> np.ndarray:
        """The crop `(side, side, 3)` uint8 under codes."""
        return self._actor.face_only(codes)

    def codes_of(self, picture: np.ndarray, face: Face) -> np.ndarray:
        """See `NetworkActor`."""
        return self._actor.codes_of(picture, face)

    def reach(self) -> np.ndarray | None:
        """See `NetworkActor`."""
        return self._actor.reach()


def _tensor(crop: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(crop.astype(np.float32).transpose(2, 0, 1)[None] / 127.5 - 1)
