"""Files and snippets hold exactly what the page shows."""

import contextlib
import io

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import load as from_safetensors

from core.datasets import Dataset, sample
from core.datasets.preparation import PREPARATIONS, prepare
from core.directions import takeaway
from core.models import family
from core.store import Card, export_file, save
from core.tables import to_csv


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(1)
    data = Dataset(
        rng.standard_normal((30, 4)),
        "table",
        names=[f"=cell {i}" for i in range(30)],
        labels=np.array(["a", "b"] * 15),
        features=["w", "x", "y", "+z"],
    )
    model = family("directions.pca")(k=3, device="cpu").fit(data)
    return data, model, model.encode(data.samples)


NAMES = ["1", "smile", "@3"]


def test_npz_opens_without_pickle_and_is_complete(fitted):
    data, model, codes = fitted
    with np.load(io.BytesIO(takeaway.basis_npz(model.basis_, codes, data, NAMES)), allow_pickle=False) as file:
        assert np.array_equal(file["directions"], model.basis_.directions)
        assert np.array_equal(file["codes"], codes)
        assert list(file["direction_names"]) == NAMES and list(file["labels"]) == list(data.labels)


def test_safetensors_is_exact(fitted):
    _, model, codes = fitted
    arrays = from_safetensors(takeaway.basis_safetensors(model.basis_, codes, NAMES))
    assert np.array_equal(arrays["codes"], codes) and np.array_equal(arrays["mean"], model.basis_.mean)


def test_csv_reads_back_exactly_and_holds_no_formula(fitted):
    data, model, codes = fitted
    table = pd.read_csv(io.BytesIO(takeaway.codes_csv(codes, data, NAMES)))
    assert np.array_equal(table.iloc[:, 2:].to_numpy(np.float32), codes)
    assert all(name.startswith("'=") for name in table["sample"])
    directions = pd.read_csv(io.BytesIO(takeaway.directions_csv(model.basis_, data, NAMES)))
    assert np.array_equal(directions.iloc[1:, 2:].to_numpy(np.float32), model.basis_.directions)
    assert list(directions.columns)[-1] == "'+z"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_cells_that_start_like_a_formula_are_text(start):
    assert to_csv(["a"], [[start + "1"]]).decode().splitlines()[1].strip('"').startswith("'")


@pytest.mark.parametrize("name", ["directions.pca", "directions.ica"])
def test_the_snippet_runs_and_gives_the_same_codes(name):
    raw = sample("wine")
    data = prepare(raw, PREPARATIONS[raw.kind]())
    model = family(name)(k=4, device="cpu").fit(data, seed=5)
    text = takeaway.snippet(model, source="sample:wine", kind=raw.kind, preparation={"standardise": True})
    scope: dict = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(text, scope)
    assert np.array_equal(scope["codes"], model.encode(data.samples))


def test_the_snippet_of_an_exported_model_reads_it_and_fits_nothing(tmp_path):
    """A model that saw other data, as an imported one did: a fit to the data shown would give other codes."""
    raw = sample("wine")
    data = prepare(raw, PREPARATIONS[raw.kind]())
    model = family("directions.pca")(k=4, device="cpu").fit(data.take(range(60)), seed=5)
    path = tmp_path / "model.basis.zip"
    save(model, tmp_path / "model", Card.of(model, data, name="part"))
    path.write_bytes(export_file(tmp_path / "model"))
    text = takeaway.snippet(
        model, source="sample:wine", kind=raw.kind, preparation={"standardise": True}, exported=str(path)
    )
    scope: dict = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(text, scope)
    np.testing.assert_allclose(scope["codes"], model.encode(data.samples), atol=1e-6)
