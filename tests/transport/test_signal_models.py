"""The families of the page through the contract that every model keeps to."""

import numpy as np
import pytest

from core.datasets.dataset import Dataset
from core.errors import InputError
from core.models import families, family
from core.progress import Run
from core.transport.fit import psnr
from core.transport.samples import photograph, warped_fringe

PICTURE = Dataset(warped_fringe(32)[0][None], "images")
COLOUR = Dataset(photograph("astronaut", 24, colour=True)[None], "images")
CURVE = Dataset(np.sin(np.linspace(0, 60, 300))[None], "curves")
NETWORKS = ("transport.deep", "transport.siren", "transport.finer", "transport.fourier", "transport.hash")


def small(name, **values):
    values = values or (dict(k=4, cells=6) if name == "transport.spectrum" else dict(numbers=900, steps=30, batch=256))
    return family(name)(device="cpu", **values)


def test_all_are_listed():
    assert set(families("transport")) == {"transport.spectrum", *NETWORKS}


@pytest.mark.parametrize("name", ("transport.spectrum", *NETWORKS))
@pytest.mark.parametrize("data", [PICTURE, COLOUR, CURVE], ids=["grey", "colour", "curve"])
def test_the_fitted_signal_is_its_waves_and_survives_a_save(name, data):
    model = small(name).fit(data, seed=1)
    drawn = model.render()
    basis = model.bases()["waves"]
    assert basis.d == data.d and drawn.shape[1:] == data.shape[: model.axes_]
    again = model.decode(model.mean_code()[None]).reshape(data.shape)
    assert np.allclose(again, drawn[0] if len(drawn) == 1 else np.moveaxis(drawn, 0, -1), atol=2e-4)
    code = model.encode(again[None])
    assert np.allclose(model.decode(code).reshape(data.shape), again, atol=5e-3)
    loaded = family(name).from_arrays(model.get_params(), model.arrays(), data.shape, device="cpu")
    assert np.allclose(loaded.render(), drawn, atol=1e-6) and loaded.stored == model.stored
    assert model.render(2.0).shape[1:] == tuple(2 * n for n in data.shape[: model.axes_])


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_keep_to_their_numbers_learn_and_repeat(name):
    one, two = (small(name, numbers=900, steps=150, batch=512).fit(PICTURE, seed=2) for _ in range(2))
    assert 600 < one.stored <= 918
    assert np.array_equal(one.render(), two.render())
    start = small(name, numbers=900, steps=10, batch=512).fit(PICTURE, seed=2)
    assert psnr(PICTURE.samples, one.render()) > psnr(PICTURE.samples, start.render()) + 1


@pytest.mark.parametrize("decoder", ["sine", "relu"])
def test_a_resumed_training_gives_the_numbers_of_an_uninterrupted_one(decoder):
    class Keeping(Run):
        kept = None

        def __init__(self, stop_at=None, state=None):
            self.stop_at, self.state, self.calls = stop_at, state, 0

        def should_stop(self):
            self.calls += 1
            return self.stop_at is not None and self.calls > self.stop_at

        def checkpoint(self, state):
            got = {k: v.clone() if hasattr(v, "clone") else v for k, v in state().items()}
            self.kept = got

        def restore(self):
            return self.state

    settings = dict(numbers=900, steps=60, batch=256, decoder=decoder)
    whole = small("transport.deep", **settings).fit(PICTURE, seed=3)
    first = Keeping(stop_at=25)
    small("transport.deep", **settings).fit(PICTURE, seed=3, run=first)
    rest = small("transport.deep", **settings).fit(PICTURE, seed=3, run=Keeping(state=first.kept))
    assert np.allclose(rest.render(), whole.render(), atol=1e-6)


def test_refinement_does_not_make_the_fit_worse():
    plain = small("transport.spectrum", k=3, cells=5).fit(PICTURE)
    better = small("transport.spectrum", k=3, cells=5, refine=15).fit(PICTURE)
    assert psnr(PICTURE.samples, better.render()) > psnr(PICTURE.samples, plain.render())


def test_what_is_no_signal_is_refused():
    text = Dataset(np.array(["a", "b"]), "text")
    with pytest.raises(InputError, match="pictures, sounds"):
        small("transport.spectrum").fit(text)
    with pytest.raises(InputError, match="too few"):
        small("transport.hash", numbers=300, steps=10).fit(Dataset(np.zeros((1, 8, 8, 8)), "mesh"))
