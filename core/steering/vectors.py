"""Control vectors as GGUF files, the form that repeng, llama.cpp and EasySteer read and write.

`general.architecture` is `controlvector`, `controlvector.model_hint` names the model's family, and a tensor
`direction.<block>` (float32, the width of the model) is added to the output of that block.
llama.cpp leaves block 0 out.
"""

import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from core.errors import InputError
from core.steering.language_model import LanguageModel
from core.steering.steer import Steer

ARCHITECTURE = "controlvector"
MOST_BYTES = 64 * 2**20


def to_gguf(vectors: Mapping[int, np.ndarray], model: LanguageModel) -> bytes:
    """A control-vector file of vectors `(W,)` by block.

    Raises:
        InputError: no vector, or one that does not fit the model.
    """
    from gguf import GGUFWriter

    if not vectors:
        raise InputError("There is no direction with a strength other than 0, so there is nothing to write.")
    _check_fit(vectors, model)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vector.gguf"
        writer = GGUFWriter(path, ARCHITECTURE)
        writer.add_string(f"{ARCHITECTURE}.model_hint", model.architecture)
        writer.add_uint32(f"{ARCHITECTURE}.layer_count", len(vectors))
        for block, vector in sorted(vectors.items()):
            writer.add_tensor(f"direction.{block}", np.ascontiguousarray(vector, dtype=np.float32))
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return path.read_bytes()


def from_gguf(content: bytes, model: LanguageModel) -> dict[int, np.ndarray]:
    """Vectors `(W,)` by block out of the content of a control-vector file.

    Raises:
        InputError: too large, no control vector, damaged, or made for another model (one sentence).
    """
    from gguf import GGUFReader

    if len(content) > MOST_BYTES:
        raise InputError(f"A control-vector file has at most {MOST_BYTES // 2**20} MB; this one is larger.")
    if content[:4] != b"GGUF":
        raise InputError("This is no GGUF file; give a control vector as repeng or llama.cpp write it.")
    vectors: dict[int, np.ndarray] = {}
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "vector.gguf"
            path.write_bytes(content)
            reader = GGUFReader(path)
            kind = str(reader.get_field("general.architecture").contents())
            if kind != ARCHITECTURE:
                raise InputError(
                    f"This GGUF file holds something else ({kind[:40]!r}), not a control vector; give one with the "
                    f"architecture {ARCHITECTURE!r}."
                )
            hint = reader.get_field(f"{ARCHITECTURE}.model_hint")
            hint = "" if hint is None else str(hint.contents())
            for tensor in reader.tensors:
                name, _, number = tensor.name.partition(".")
                if name != "direction" or not number.isdecimal() or tensor.tensor_type.name != "F32":
                    raise InputError(
                        f"This control vector has a tensor {tensor.name[:40]!r} that is not understood; they are named "
                        "direction.1, direction.2 … and hold float32."
                    )
                vectors[int(number)] = np.array(tensor.data, dtype=np.float32).reshape(-1)
            del reader, tensor
    except InputError:
        raise
    except Exception as error:  # the reader meets bytes that somebody made up
        raise InputError("This control-vector file is damaged or cut short.") from error
    if hint and hint != model.architecture:
        raise InputError(
            f"This control vector was made for a model of the kind {hint[:40]!r}; {model.name} is of the kind "
            f"{model.architecture!r}."
        )
    _check_fit(vectors, model)
    return vectors


def mixed(steers: Steer | list[Steer]) -> dict[int, np.ndarray]:
    """The vectors by block of steers that add: what a control-vector file holds of a mix of sliders.

    Raises:
        InputError: a steer of another method, which is no vector.
    """
    found: dict[int, np.ndarray] = {}
    for steer in [steers] if isinstance(steers, Steer) else steers:
        if steer.method != "add":
            raise InputError("A control-vector file holds vectors that are added; set the method to add first.")
        if steer.active:
            found[steer.block] = found.get(steer.block, 0.0) + steer.vector()
    return found


def _check_fit(vectors: Mapping[int, np.ndarray], model: LanguageModel) -> None:
    for block, vector in vectors.items():
        if vector.size != model.width:
            raise InputError(
                f"This control vector has the width {vector.size}; the activations of {model.name} have {model.width}."
            )
        model.check_block(block)
        if not np.isfinite(vector).all():
            raise InputError(f"The direction of block {block} has entries that are not finite numbers.")
