"""What every model keeps to: settings, guards of fit, the list of families."""

import numpy as np
import pytest
import torch

from core import models
from core.basis import Basis
from core.datasets.dataset import Dataset
from core.directions.pca import PCA
from core.errors import InputError
from core.models import Model, families, family, register
from core.progress import Progress, Run

TABLE = Dataset(np.random.default_rng(0).standard_normal((10, 2, 3)), "images")


def test_settings_come_as_keywords_or_as_an_object():
    assert PCA(k=3).settings == PCA(PCA.Settings(k=3)).settings
    assert PCA(k=3).get_params() == PCA.Settings(k=3).as_dict()
    assert PCA.Settings.of(PCA(k=3).get_params()) == PCA.Settings(k=3)
    with pytest.raises(TypeError):
        PCA(PCA.Settings(), k=3)


@pytest.mark.parametrize(
    ("values", "word"),
    [
        (dict(k=0), "1 to 1024"),
        (dict(k=2.5), "type int"),
        (dict(k=True), "type int"),
        (dict(k="3"), "type int"),
        (dict(k=float("nan")), "type int"),
        (dict(k=float("inf")), "type int"),
        (dict(solver="magic"), "one of auto"),
        (dict(colour=1), "no setting 'colour'"),
    ],
)
def test_bad_settings_are_refused_by_one_sentence(values, word):
    with pytest.raises(InputError, match=word):
        PCA(**values)


def test_whole_numbers_of_other_types_are_taken():
    assert PCA(k=4.0).settings.k == 4
    assert type(PCA(k=np.int64(4)).settings.k) is int


def test_fit_keeps_shape_and_seed_and_returns_itself():
    model = PCA(k=2)
    assert model.fit(TABLE, seed=5) is model
    assert model.shape_ == (2, 3)
    assert model.seed_ == 5
    assert isinstance(model.bases()["directions"], Basis)


def test_one_sample_is_refused():
    with pytest.raises(InputError, match="at least two samples"):
        PCA(k=1).fit(TABLE.take([0]))


def test_progress_goes_to_a_function_or_a_run():
    class Listening(Run):
        steps: list = []

        def progress(self, step, total, metrics=None, preview=None):
            self.steps.append((step, total))

    told = []
    PCA(k=1).fit(TABLE, on_progress=told.append)
    PCA(k=1).fit(TABLE, run=Listening())
    assert told == [Progress(1, 1)]
    assert Listening.steps == [(1, 1)]


def test_families_are_found_by_folder_and_name():
    known = families("directions")
    assert known["directions.pca"] is PCA
    assert all(name.startswith("directions.") for name in known)
    assert known.items() <= families().items()
    assert families("nowhere") == {}
    assert family("directions.pca") is PCA
    with pytest.raises(InputError, match=r"no family 'directions.magic'"):
        family("directions.magic")


@pytest.mark.parametrize("name", [n for n in families() if not n.startswith("tests.")])  # those of other tests stay out
def test_every_family_is_complete(name):
    cls = families()[name]
    assert cls.family == name
    assert cls.title and cls.summary and cls.source and cls.__doc__
    assert cls.Settings().as_dict() == cls.Settings.of({}).as_dict()
    for method in ("_fit", "encode", "decode", "bases", "arrays", "_load"):
        assert getattr(cls, method) is not getattr(Model, method)


def test_a_name_is_registered_once(monkeypatch):
    monkeypatch.setattr(models, "_families", {})

    class One(Model):
        family = "directions.one"

    assert register(One) is One
    assert register(One) is One
    with pytest.raises(ValueError, match="registered twice"):
        register(type("Two", (Model,), {"family": "directions.one"}))


def test_device_is_checked():
    assert PCA(k=1, device="cpu").device == torch.device("cpu")
    with pytest.raises(InputError, match="not on this machine"):
        PCA(k=1, device="cuda:99")
