"""The state of a training as bytes, and back: safetensors with a JSON part, no pickle."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import safetensors
import safetensors.torch
import torch

_ARRAY = "array:"  # these names come back as numpy arrays, all others as tensors


def pack_state(state: Mapping[str, Any], about: Mapping[str, Any]) -> bytes:
    """Bytes of a flat mapping of names to tensors, arrays, numbers or strings.

    Args:
        about: of the checkpoint itself (`serial`, `step`, `seconds`), for whoever looks at it without the arrays.

    Raises:
        TypeError: a value of another type.
    """
    tensors, values = {}, {}
    for name, value in state.items():
        if isinstance(value, torch.Tensor):
            tensors[name] = value.detach().to("cpu", copy=True).contiguous()
        elif isinstance(value, np.ndarray):
            tensors[_ARRAY + name] = torch.from_numpy(np.array(value, order="C"))
        elif isinstance(value, np.generic):
            values[name] = value.item()
        elif value is None or isinstance(value, (bool, int, float, str)):
            values[name] = value
        else:
            raise TypeError(f"the state {name!r} is a {type(value).__name__}; tensors, arrays, numbers and strings go")
    notes = {"values": json.dumps(values), "about": json.dumps(dict(about))}
    return safetensors.torch.save(tensors, metadata=notes)


def unpack_state(content: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """The state and what is noted about it.

    Raises:
        ValueError: the bytes are not a whole checkpoint.
    """
    notes = _notes(content)
    try:
        tensors = safetensors.torch.load(content)
        state: dict[str, Any] = {
            name.removeprefix(_ARRAY): tensor.numpy() if name.startswith(_ARRAY) else tensor
            for name, tensor in tensors.items()
        }
        state.update(json.loads(notes["values"]))
    except (safetensors.SafetensorError, KeyError) as error:
        raise ValueError("this is not a whole checkpoint") from error
    return state, json.loads(notes["about"])


def about_state(content: bytes) -> dict[str, Any]:
    """What is noted about a checkpoint, from its first bytes alone.

    Raises:
        ValueError: the bytes are not a checkpoint.
    """
    try:
        return json.loads(_notes(content)["about"])
    except KeyError as error:
        raise ValueError("this is not a checkpoint") from error


def _notes(content: bytes) -> dict[str, str]:
    size = int.from_bytes(content[:8], "little")
    if len(content) < 8 + size:
        raise ValueError("this is not a whole checkpoint")
    return json.loads(content[8 : 8 + size])["__metadata__"]
