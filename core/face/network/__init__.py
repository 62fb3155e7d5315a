"""The face networks EDTalk, LIA and Audio2Lip, written from their equations; their sizes are settings.

A network encodes a picture once, `source = network.encode(picture)`, and draws it under any codes,
`network.decode(source, codes)`; `source.codes` are the face's own. `FaceNetwork(SMALL)` is the same class as the
released `FaceNetwork(EDTALK)`. `bases()` are its banks, `code_matrix()` its heads as one affine map, `flow()` its
motion field. In training mode `encode` and `draw` are differentiable; `codes_of`, `vector`, `bank` and `rows` are the
pieces for losses. `load_checkpoint` opens a released file, `SpeechNetwork` turns the windows of `mel_windows` into
mouth codes.
"""

from core.face.network.checkpoints import Checkpoint, load_checkpoint
from core.face.network.lia import LIA
from core.face.network.mel import as_speech, mel_windows, smooth
from core.face.network.network import FaceNetwork, Source
from core.face.network.sizes import EDTALK, EDTALK_MOUTH_POSE, LIA_SIZES, SMALL, Sizes
from core.face.network.speech import SpeechNetwork

__all__ = [
    "EDTALK",
    "EDTALK_MOUTH_POSE",
    "LIA",
    "LIA_SIZES",
    "SMALL",
    "Checkpoint",
    "FaceNetwork",
    "Sizes",
    "Source",
    "SpeechNetwork",
    "as_speech",
    "load_checkpoint",
    "mel_windows",
    "smooth",
]
