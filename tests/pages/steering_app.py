"""Help for tests of the page *Steer generations*: a tiny language model with directions of its own in a library."""

import time
from pathlib import Path

import numpy as np
from page_app import PageApp
from streamlit.testing.v1 import AppTest

from core.datasets import Dataset
from core.steering.desk import Desk, Piece
from core.steering.skills import Skills
from core.store import Card, add_copy, find, load, places, save
from pages.steering.opened import Opened
from pages.steering.view import SteeringView
from tests.steering.conftest import make_tiny

KEY = "a-key-of-the-tests-0123456789"
WORDS = ("the cat sat", "on a mat", "what is it?", "look at the moon", "you are", "no, 42", "user said so", "system")
app = PageApp("steering", SteeringView)


def make_tiny_directions(folder: Path) -> Path:
    """A random Llama in a folder, and skills of it in another; the folder of these."""
    module, tokenizer = make_tiny()
    place = folder / "tiny-model"
    module.save_pretrained(place)
    tokenizer.save_pretrained(place)
    rng = np.random.default_rng(0)
    samples = np.empty(60, dtype=object)
    samples[:] = [" ".join(rng.permutation(WORDS)[: 2 + i % 4]) for i in range(60)]
    dataset = Dataset(samples, "text", title="sixty texts", labels=np.array(["odd", "even"] * 30))
    settings = Skills.Settings.of(dict(source=str(place), block=2, k=4, causal=False))
    skills = Skills(settings, device="cpu").fit(dataset)
    save(skills, folder / "tiny-skills", Card.of(skills, dataset, name="Tiny skills"))
    return folder / "tiny-skills"


def in_library(folder: Path) -> str:
    """Put a model into the library of `KEY`; the view's name for it."""
    return f"model:{add_copy(folder, places(KEY)['own']).id}"


def opened(ref: str) -> Opened:
    """The directions of that name, read again."""
    return Opened(ref, ref, "", load(find(ref.partition(":")[2], KEY).folder)[0])


def open_at(ref: str, **fields) -> AppTest:
    """The page in a session of its own that may see the tiny directions, everything written."""
    at = AppTest.from_file(Path(__file__).parents[2] / "pages/steering/page.py", default_timeout=60)
    at.session_state["owner"] = KEY
    fields = {"weights": {}, **fields}
    at.query_params["v"] = SteeringView(model=ref, **fields).link()
    return settle(at.run())


def settle(at: AppTest) -> AppTest:
    """Run until nothing is written or worked out any more."""
    until = time.monotonic() + 60
    while any((b.key or "").endswith((":cancel", ":stop")) for b in at.button):
        assert time.monotonic() < until
        time.sleep(0.05)
        at = at.run()
    return at


def pieces(at: AppTest) -> list[Piece]:
    """Everything that this session had written, the newest last."""
    desk = at.session_state["steering:desk"] if "steering:desk" in at.session_state else Desk()
    return list(desk._pieces.values())


def columns(at: AppTest) -> list[dict]:
    """The texts as the browser gets them."""
    return app.shown(at, "columns")["columns"]


def text(column: dict) -> str:
    return "".join(t for t, _, _ in column["tokens"])
