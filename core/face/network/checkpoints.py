"""Released checkpoints of EDTalk, LIA and Audio2Lip, from a file or an upload: tensors only."""

import argparse
import io
import pickle
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_safetensors
from torch import nn

from core.datasets.guard import counted, listed, shown
from core.errors import InputError
from core.face.network.layers import place
from core.face.network.lia import LIA
from core.face.network.network import FaceNetwork
from core.face.network.sizes import EDTALK, EDTALK_MOUTH_POSE
from core.face.network.speech import SpeechNetwork

MOST_BYTES = 2_000_000_000
NETWORKS: dict[str, Callable[[], nn.Module]] = {
    "EDTalk": lambda: FaceNetwork(EDTALK),
    "EDTalk (mouth and pose)": lambda: FaceNetwork(EDTALK_MOUTH_POSE),
    "LIA": LIA,
    "Audio2Lip": SpeechNetwork,
}
FILES = "EDTalk.pt, EDTalk_lip_pose.pt, Audio2Lip.pt and LIA's vox.pt, taichi.pt or ted.pt, as .pt or .safetensors"


@dataclass(frozen=True)
class Checkpoint:
    """A released network: its name in `NETWORKS`, and itself, ready to use."""

    name: str
    network: FaceNetwork | SpeechNetwork


def load_checkpoint(source: bytes | str | Path, *, device: str | torch.device | None = None) -> Checkpoint:
    """The network of a released checkpoint; which one it is shows in the names of its tensors.

    Args:
        source: the bytes of an upload, or a path.
        device: where the network computes; the best there is when left out.

    Raises:
        InputError: it is no checkpoint, holds more than tensors, belongs to another network, or lacks some of it.
    """
    groups = _groups(_unpacked(_read(source)))
    name, tensors = max(
        ((name, group) for name in NETWORKS for group in groups), key=lambda pair: _likeness(*pair), default=("", {})
    )
    if not name or _likeness(name, tensors) < 0.5:
        raise InputError(f"The file holds the weights of another network; accepted are {FILES}.")
    _check(name, tensors)
    with torch.device("meta"):
        network = NETWORKS[name]()
    wanted = network.state_dict()
    network.load_state_dict({n: t.to(wanted[n].dtype) for n, t in tensors.items()}, assign=True)
    place(network, device)
    return Checkpoint(name, network)


@cache
def shapes(name: str) -> Mapping[str, tuple[int, ...]]:
    """Names and shapes of all tensors of a released network."""
    with torch.device("meta"):
        return {n: tuple(t.shape) for n, t in NETWORKS[name]().state_dict().items()}


def _read(source: bytes | str | Path) -> bytes:
    if isinstance(source, (bytes, bytearray, memoryview)):
        data = bytes(source)
    else:
        path = Path(source).expanduser()
        try:
            if path.stat().st_size > MOST_BYTES:
                raise InputError(f"The checkpoint {shown(path.name)} is larger than 2 GB; accepted are {FILES}.")
            data = path.read_bytes()
        except OSError as error:
            raise InputError(f"The checkpoint {shown(path.name)} cannot be read; give the path of a file.") from error
    if len(data) > MOST_BYTES:
        raise InputError(f"The checkpoint is larger than 2 GB; accepted are {FILES}.")
    return data


def _unpacked(data: bytes) -> Any:
    """What is in the file, without running anything that is in it."""
    none = f"The file is not a checkpoint, or it is damaged; accepted are {FILES}."
    if data[:2] != b"PK":
        try:
            return load_safetensors(data)
        except (SafetensorError, ValueError, KeyError, OverflowError, RuntimeError, TypeError) as error:
            raise InputError(none) from error
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > MOST_BYTES:
                raise InputError(f"The checkpoint unpacks to more than 2 GB; accepted are {FILES}.")
        # Training scripts keep their options beside the weights: a Namespace holds plain values and runs nothing
        with torch.serialization.safe_globals([argparse.Namespace]):
            return torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
    except InputError:
        raise
    except pickle.UnpicklingError as error:
        raise InputError(
            f"The file holds more than tensors and is not opened for safety; accepted are {FILES}."
        ) from error
    except Exception as error:
        raise InputError(none) from error


def _groups(content: Any) -> list[dict[str, torch.Tensor]]:
    """The groups of named tensors in a file: the file itself, or the mappings inside it (`gen`, `audio2lip`)."""
    if not isinstance(content, Mapping):
        return []
    found = []
    for group in (content, *(v for v in content.values() if isinstance(v, Mapping))):
        tensors = {str(n).removeprefix("module."): t for n, t in group.items() if isinstance(t, torch.Tensor)}
        if tensors and len(tensors) == sum(not isinstance(v, Mapping) for v in group.values()):
            found.append(tensors)
    return found


def _likeness(name: str, tensors: Mapping[str, torch.Tensor]) -> float:
    wanted = shapes(name).keys() if name else set()
    return len(wanted & tensors.keys()) / max(1, len(wanted | tensors.keys()))


def _check(name: str, tensors: Mapping[str, torch.Tensor]) -> None:
    wanted = shapes(name)
    if missing := [n for n in wanted if n not in tensors]:
        raise InputError(
            f"The checkpoint is one of {name} but lacks {len(missing)} of its tensors ({listed(missing, 2)})."
        )
    if more := [n for n in tensors if n not in wanted]:
        raise InputError(
            f"The checkpoint has {counted(len(more), 'tensor')} that {name} does not have ({listed(more, 2)})."
        )
    for n, tensor in tensors.items():
        if tuple(tensor.shape) != wanted[n]:
            raise InputError(
                f"The tensor {shown(n)} of the checkpoint has the shape {_by(tensor.shape)}; {name} has "
                f"{_by(wanted[n])} there, so it was trained at another size."
            )
        if tensor.layout != torch.strided or tensor.is_quantized or tensor.is_complex():
            raise InputError(f"The tensor {shown(n)} of the checkpoint is not stored as plain numbers.")
        if not torch.isfinite(tensor).all():
            raise InputError(f"The tensor {shown(n)} of the checkpoint has values that are not finite.")


def _by(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) or "single number"
