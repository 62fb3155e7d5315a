"""Frames of one person out of a clip, cut out as a small model expects faces."""

import numpy as np

from core.datasets import Dataset
from core.errors import InputError
from core.face.clip.reading import Clip
from core.face.photo.crop import OURS, aligned, cut
from core.face.photo.photo import faces
from core.progress import Run

MOST = 160


def person_of(
    clip: Clip, side: int, *, begin: float = 0.0, end: float | None = None, run: Run | None = None
) -> Dataset | None:
    """Pictures `(N, side, side, 3)` of the largest face, spread over a part of a clip; None when it was stopped.

    Args:
        clip: opened.
        side: pixels.
        begin, end: seconds of the part.
        run: told `progress(frames, of all)`, asked `should_stop()`.

    Raises:
        InputError: fewer than two frames show a face, or the networks that find faces are missing.
    """
    run = run or Run()
    end = clip.seconds if end is None else min(end, clip.seconds)
    fps = min(10.0, MOST / max(end - begin, 1e-6))
    total, found = max(1, round((end - begin) * fps)), []
    for i, (_, frame) in enumerate(clip.frames(fps, begin=begin, end=end)):
        run.progress(i, total)
        if run.should_stop():
            return None
        seen = faces(frame)
        if seen:
            found.append(cut(frame, aligned(seen[0].points, OURS), side))
    if len(found) < 2:
        raise InputError("Fewer than two frames of this clip show a face; bring one of a person who faces the camera.")
    return Dataset(np.stack(found).astype(np.float32) / 255, "images", title=clip.name, source="frames of a clip")
