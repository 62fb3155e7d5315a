"""What the documents say, done: the family of the walk-through in a copy of the project, and what it prints."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import hadamard

from tests.browser import ROOT

TEXT = (ROOT / "docs/add-a-family.md").read_text()
KEPT = """
from pathlib import Path
import numpy as np
from core.store import load
model, card = load(Path("digits-walsh"))
np.save("rows.npy", model.bases()["directions"].directions)
print(card.family)
"""
PAGE = """
from streamlit.testing.v1 import AppTest
at = AppTest.from_file("pages/walsh/page.py", default_timeout=60).run()
assert not at.exception, at.exception[0].message
print([e.value for e in at.error])
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """The project with the files that the walk-through prints."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("core", "pages"):
        subprocess.run(["cp", "-a", ROOT / name, folder], check=True)
    (folder / "assets").symlink_to(ROOT / "assets")
    for path, code in re.findall(r"^`([\w/.]+)`\n\n```python\n(.*?)^```", TEXT, flags=re.M | re.S):
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(code)
        (folder / path).with_name("__init__.py").touch()
    return folder


def run(folder: Path, *command: str, project: Path | None = None) -> str:
    """What a command prints that is run in a folder, with the project there or elsewhere."""
    paths = {"PYTHONPATH": str(project or folder), "BASIS_HOME": str(folder / "home"), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=os.environ | paths, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, (command, done.stderr[-2000:])
    return done.stdout


def test_the_family_of_the_walk_through_fits_and_is_what_it_says(copy):
    [command] = re.findall(r"^python (-m core fit .*)$", TEXT, flags=re.M)
    run(copy, *command.split())
    assert run(copy, "-c", KEPT).strip() == "walsh.hadamard"
    found, wanted = np.load(copy / "rows.npy"), hadamard(64) / 8
    assert found @ found.T == pytest.approx(np.eye(8), abs=1e-6)
    assert (np.diff(np.sign(found)) != 0).sum(axis=1).tolist() == list(range(8))
    assert np.abs(found @ wanted.T).max(axis=1) == pytest.approx(np.ones(8), abs=1e-6)


def test_its_page_draws(copy):
    assert run(copy, "-c", PAGE).splitlines()[-1] == "[]"


def test_what_the_readme_prints_runs(tmp_path):
    readme = (ROOT / "README.md").read_text()
    [code] = re.findall(r"^```python\n(.*?)^```", readme, flags=re.M | re.S)
    commands = re.findall(r"^python (-m core \w+.*)$", readme, flags=re.M)
    assert len(commands) >= 5
    for command in (["-c", code], *(c.split() for c in commands)):
        run(tmp_path, *command, project=ROOT)
    assert np.load(tmp_path / "codes.npy").shape == (1797, 16)
