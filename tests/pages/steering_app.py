"""Help for tests of the page *Steer generations*: a tiny language model with directions of its own in a library."""

import time
from pathlib import Path

import numpy as np
from page_app import PageApp
from streamlit.testing.v1 import AppTest

from core.datasets import Dataset
from core.steering.desk import Desk, Piece
from core.steering.skills import Skills
from core.store import Card, new_folder, places, save
from pages.steering.view import SteeringView
from tests.steering.conftest import make_tiny

KEY = "a-key-of-the-tests-0123456789"
WORDS = ("the cat sat", "on a mat", "what is it?", "look at the moon", "you are", "no, 42", "user said so", "system")
app = PageApp("steering", SteeringView)


def tiny_directions(folder: Path) -> str:
    """A random Llama in a folder, and skills of it in the library of `KEY`; the view's name for these."""
    module, tokenizer = make_tiny()
    place = folder / "tiny-model"
    module.save_pretrained(place)
    tokenizer.save_pretrained(place)
    rng = np.random.default_rng(0)
    samples = np.empty(60, dtype=object)
    samples[:] = [" ".join(rng.permutation(WORDS)[: 2 + i % 4]) for i in range(60)]
    dataset = Dataset(samples, "text", title="sixty texts", labels=np.array(["odd", "even"] * 30))
    skills = Skills(Skills.Settings.of(dict(source=str(place), block=2, k=4)), device="cpu").fit(dataset)
    own = places(KEY)["own"]
    target = new_folder(own, "tiny skills")
    save(skills, target, Card.of(skills, dataset, name="Tiny skills"))
    return f"model:own/{target.name}"


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
    desk: Desk = at.session_state["steering:desk"]
    return list(desk._pieces.values())


def columns(at: AppTest) -> list[dict]:
    """The texts as the browser gets them."""
    return app.shown(at, "columns")["columns"]


def text(column: dict) -> str:
    return "".join(t for t, _, _ in column["tokens"])
