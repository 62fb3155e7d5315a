"""Our own sample corpus: twelve styles of writing about thirty topics, and the neutral openings that are steered.

Each style has several sentence frames, so that a style is more than one template, and the frames and topics that are
held out occur in no text of the corpus. All of it was written for this project.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from core.datasets.dataset import Dataset

FILE = Path(__file__).parents[2] / "assets" / "samples" / "styles.json"
TITLE = "Styles of writing"
SOURCE = "Twelve styles of writing about thirty topics, written for Basis Explorer."
LICENCE = "made for the app; under its licence"


@cache
def _content() -> dict[str, Any]:
    return json.loads(FILE.read_text(encoding="utf-8"))


def styles() -> tuple[str, ...]:
    """The names of the styles."""
    return tuple(_content()["styles"])


def openings(chat: bool = False) -> tuple[str, ...]:
    """Neutral beginnings of sentences (or, for chat, neutral requests) that belong to no style."""
    return tuple(_content()["chat_openings" if chat else "openings"])


def corpus() -> Dataset:
    """360 texts, labelled by style; `extra["topic"]` names the topic of each.

    A text takes the frame of its style that comes next for each topic, so that frames and topics do not go together.
    """
    return _made("frames", "topics", TITLE)


def held_out() -> Dataset:
    """Texts in the same styles, by frames and about topics that `corpus` does not contain."""
    return _made("held_out", "held_out_topics", TITLE + ", held out")


def _made(frames: str, topics: str, title: str) -> Dataset:
    content = _content()
    texts, labels, about = [], [], []
    for s, (style, parts) in enumerate(content["styles"].items()):
        for t, topic in enumerate(content[topics]):
            # the step differs by style, so that equal frame numbers of two styles meet different topics
            frame = parts[frames][(t * (1 + s % 3) + t // len(parts[frames]) + s) % len(parts[frames])]
            texts.append(_filled(frame, topic))
            labels.append(style)
            about.append(topic["noun"])
    samples = np.empty(len(texts), dtype=object)
    samples[:] = texts
    names = [f"{style}: {topic}" for style, topic in zip(labels, about, strict=True)]
    return Dataset(
        samples,
        "text",
        title=title,
        names=names,
        labels=np.array(labels),
        source=SOURCE,
        licence=LICENCE,
        extra={"topic": np.array(about)},
    )


def _filled(frame: str, topic: dict[str, str]) -> str:
    """A frame with its `<slots>` filled; a slot that begins with a capital letter gets a capital letter."""
    for slot, words in topic.items():
        frame = frame.replace(f"<{slot}>", words).replace(f"<{slot.capitalize()}>", words[:1].upper() + words[1:])
    return frame
