"""The two networks that find faces and their landmarks, run by LiteRT. Both are optional."""

import threading
from functools import lru_cache
from pathlib import Path

import numpy as np

from core.errors import InputError
from core.face.assets import FACE_MESH

DETECTOR, MESH = "face_detection_full_range_sparse.tflite", "face_landmark.tflite"
_turn = threading.Lock()  # an interpreter serves one caller at a time


def missing() -> str | None:
    """One sentence that says what is missing to find faces and how to get it; None when all is there."""
    if sentence := FACE_MESH.missing():
        return sentence
    try:
        import ai_edge_litert.interpreter  # noqa: F401
    except Exception:  # absent, or made for another machine
        return (
            "The runner of the face networks is not on this machine; get it with pip install ai-edge-litert==2.3.0 "
            "(22 MB, Apache-2.0)."
        )
    return None


def run(name: str, picture: np.ndarray) -> list[np.ndarray]:
    """The outputs of a network for one picture `(H, W, 3)`, each without its first axis.

    Raises:
        InputError: the networks are not on this machine.
    """
    if sentence := missing():
        raise InputError(sentence)
    with _turn:
        interpreter = _interpreter(FACE_MESH.folder / name)
        into = interpreter.get_input_details()[0]["index"]
        interpreter.set_tensor(into, np.ascontiguousarray(picture[None], dtype=np.float32))
        interpreter.invoke()
        return [interpreter.get_tensor(o["index"])[0].copy() for o in interpreter.get_output_details()]


@lru_cache(maxsize=2)
def _interpreter(path: Path):
    from ai_edge_litert.interpreter import Interpreter

    FACE_MESH.check()
    interpreter = Interpreter(str(path), num_threads=1)
    interpreter.allocate_tensors()
    return interpreter
