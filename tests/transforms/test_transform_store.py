"""Every family of the page goes through the store and comes back the same."""

import numpy as np
import pytest

from core.datasets.dataset import Dataset
from core.store import Card, load, save
from core.transforms.adafnn import AdaFNN
from core.transforms.clips import narrow_bands
from core.transforms.deeponet import DeepONet
from core.transforms.operators import operator_pairs
from core.transforms.spectrogram import TrainableSpectrogram
from core.transforms.wavelet_model import WaveletModel


def curves():
    rng = np.random.default_rng(0)
    x = np.cumsum(rng.standard_normal((40, 32)), axis=1)
    return Dataset(x, "curves", labels=x[:, 5])


@pytest.mark.parametrize(
    "model, data",
    [
        (WaveletModel(steps=2, levels=2), curves),
        (WaveletModel(steps=2, levels=2, form="lifting"), curves),
        (AdaFNN(steps=2, width=8, head=8), curves),
        (TrainableSpectrogram(steps=2), lambda: narrow_bands(4)),
        (DeepONet(steps=2, k=4, train_count=15, basis="pod"), lambda: operator_pairs("heat", 20, points=30)),
    ],
    ids=lambda v: getattr(v, "family", ""),
)
def test_saved_and_loaded_models_agree(model, data, tmp_path):
    dataset = data()
    model.fit(dataset)
    card = Card(family=model.family, settings=model.get_params(), shape=dataset.shape, kind=dataset.kind)
    again, _ = load(save(model, tmp_path / "model", card))
    assert np.array_equal(again.encode(dataset.samples), model.encode(dataset.samples))
    zero = np.zeros((1, *dataset.shape), np.float32)
    assert np.isfinite(again.decode(again.encode(zero))).all()
    assert {n: (b.k, b.d) for n, b in again.bases().items()} == {n: (b.k, b.d) for n, b in model.bases().items()}
