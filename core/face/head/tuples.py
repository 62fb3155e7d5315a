"""Exact counterfactuals: a face, the same face with the mouth, the pose or the expression of another, and that other.

Each tuple is six pictures: `source` (person p, factors a), `mouth`, `pose`, `expression` (p, a with that bank of b),
`all` (p, b) and `other` (person q, b). They are drawn once into a file of bytes that a training maps into memory.
"""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.errors import InputError
from core.face.head import factors as known
from core.face.head.mesh import Head
from core.face.head.people import Person, draw_person
from core.face.head.render import Renderer
from core.store.disk import private, write_json

VIEWS = ("source", "mouth", "pose", "expression", "all", "other")
TRAINING, HELD_BACK = 0, 1_000_000  # seeds of the first person of a training, and of the first unseen one


@dataclass(frozen=True)
class Tuples:
    """Tuples of pictures.

    Attributes:
        pictures: `(N, 6, size, size, 3)` uint8, views in the order of `VIEWS`; perhaps a map of a file.
        factors: `(N, 6, 13)` float32, what each picture shows.
        people: `(N, 2)` seeds of the person and of the other one.
        surfaces: `(N, 6, size / 2, size / 2, 4)` uint8, what each picture sees (`Renderer.look`), or None.
    """

    pictures: np.ndarray
    factors: np.ndarray
    people: np.ndarray
    surfaces: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.pictures)


def plan(n: int, people: int, *, seed: int, first: int = TRAINING) -> tuple[np.ndarray, np.ndarray]:
    """Which people and factors the tuples show: `(n, 2)` seeds of people, `(n, 6, 13)` factors.

    Args:
        n: tuples.
        people: how many different ones; every one is the source about equally often.
        seed: of the draw.
        first: seed of the first person.
    """
    if people < 2:
        raise InputError("Tuples of faces need at least two people.")
    rng = np.random.default_rng([int(seed), int(first), 0x7B])
    who = np.arange(n) % people
    others = (who + rng.integers(1, people, n)) % people
    own, other = known.draw(rng, n), known.draw(rng, n)
    views = [own, *(known.swapped(own, other, bank) for bank in known.BANKS), other, other]
    return first + np.column_stack([who, others]), np.stack(views, 1)


def draw(renderer: Renderer, people: np.ndarray, factors: np.ndarray, shown: Tuples, start: int = 0) -> None:
    """Render tuples into `shown`, from number `start` on."""
    drawn: dict[int, Person] = {}
    for i in range(len(people)):
        for seed in people[i]:
            if int(seed) not in drawn:
                drawn[int(seed)] = draw_person(renderer.head, int(seed))
        for v, view in enumerate(VIEWS):
            person = drawn[int(people[i, int(view == "other")])]
            shown.pictures[start + i, v], shown.surfaces[start + i, v] = renderer.look(person, factors[i, v])


def tuples(head: Head, n: int, people: int, *, size: int, seed: int, first: int = TRAINING) -> Tuples:
    """Tuples in memory; a renderer's time is about 10 ms a picture of 96 pixels."""
    who, factors = plan(n, people, seed=seed, first=first)
    pictures, surfaces = (np.empty(shape, dtype=np.uint8) for shape in _shapes(n, size))
    shown = Tuples(pictures, factors, who, surfaces)
    draw(Renderer(head, size), who, factors, shown)
    return shown


def _shapes(n: int, size: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return (n, len(VIEWS), size, size, 3), (n, len(VIEWS), size // 2, size // 2, 4)


def on_disk(
    head: Head,
    folder: Path,
    n: int,
    people: int,
    *,
    size: int,
    seed: int,
    progress: Callable[[int, int], object] = lambda done, total: None,
    block: int = 50,
) -> Tuples:
    """Tuples in a file; drawn where they are not there yet, going on where an earlier drawing was interrupted.

    Args:
        folder: gets two files, a few hundred megabytes for some thousand tuples of 96 pixels.
        progress: told how many of how many tuples are drawn.
        block: tuples between two notes of how far it is.

    Raises:
        InputError: the folder cannot be written.
    """
    who, factors = plan(n, people, seed=seed)
    stem = f"tuples-{size}-{n}-{people}-{seed}"
    note, shapes = folder / f"{stem}.json", _shapes(n, size)
    paths = [folder / f"{stem}.{what}" for what in ("pictures", "surfaces")]
    try:
        private(folder)
        done = json.loads(note.read_bytes())["done"] if note.is_file() and all(p.is_file() for p in paths) else 0
        if done < n:
            for path, shape in zip(paths, shapes, strict=True):
                with open(path, "ab") as file:
                    file.truncate(math.prod(shape))
            maps = [np.memmap(p, np.uint8, "r+", shape=s) for p, s in zip(paths, shapes, strict=True)]
            shown, renderer = Tuples(maps[0], factors, who, maps[1]), Renderer(head, size)
            for start in range(done, n, block):
                part = slice(start, min(n, start + block))
                draw(renderer, who[part], factors[part], shown, start)
                for written in maps:
                    written.flush()
                write_json(note, {"done": part.stop})
                progress(part.stop, n)
    except OSError as error:
        raise InputError(f"The training pictures cannot be written to {folder}: {error.strerror or error}.") from error
    maps = [np.memmap(p, np.uint8, "r", shape=s) for p, s in zip(paths, shapes, strict=True)]
    return Tuples(maps[0], factors, who, maps[1])
