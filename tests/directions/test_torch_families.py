"""What every torch family of the page keeps to: same seed same numbers, round trip, exact resume, clear refusals."""

import numpy as np
import pytest

from core.datasets import Dataset
from core.directions.autoencoder import Autoencoder
from core.directions.psd import PSD
from core.directions.quantised import VQ, Lattice
from core.directions.sae import SAE
from core.directions.sparse_coding import SparseCoding
from core.errors import InputError
from core.progress import Run

CASES = {
    "sparse coding": (SparseCoding, dict(k=12, steps=45, batch=32, inference=5)),
    "psd": (PSD, dict(k=12, steps=22, encoder_steps=20, batch=32, inference=5, rounds=1)),
    "psd tanh-shrink, codes": (
        PSD,
        dict(k=12, steps=22, encoder_steps=20, batch=32, inference=5, encoder="tanh-shrink", target="codes"),
    ),
    "sae topk": (SAE, dict(k=12, active=3, steps=60, batch=32)),
    "sae relu": (SAE, dict(k=12, activation="relu", steps=160, batch=32)),
    "autoencoder linear": (Autoencoder, dict(k=3, latent=5, network="linear", steps=30, batch=32)),
    "autoencoder conv": (Autoencoder, dict(k=3, latent=5, network="conv", steps=6, batch=16)),
    "vq": (VQ, dict(codes=8, d=2, tokens=2, hidden=16, steps=30, batch=32)),
    "vq ema": (VQ, dict(codes=8, d=2, hidden=16, steps=30, batch=32, ema=True, restart=True)),
    "lattice": (Lattice, dict(codes=8, d=2, tokens=2, hidden=16, steps=30, batch=32)),
}
cases = pytest.mark.parametrize("cls, settings", CASES.values(), ids=CASES.keys())


def images(n=120, side=9, seed=0):
    """Smooth images of few causes, one pixel of which never changes."""
    rng = np.random.default_rng(seed)
    waves = np.sin(np.arange(side)[None] * np.linspace(0.3, 1.5, 6)[:, None])
    pictures = np.einsum("nk,kh,kw->nhw", rng.random((n, 6)) ** 3, waves, waves[::-1])
    pictures[:, 0, 0] = 0.25
    return Dataset(pictures, "images")


class Interrupted(Run):
    """Stops after some steps, keeping the last checkpoint as the store would: copied, on the CPU."""

    def __init__(self, after=None, kept=None):
        self.after, self.kept, self.asked = after, kept, 0

    def should_stop(self):
        self.asked += 1
        return self.after is not None and self.asked > self.after

    def checkpoint(self, state):
        self.kept = {n: v.detach().cpu().clone() if hasattr(v, "detach") else v for n, v in state().items()}

    def restore(self):
        return self.kept


def same(a, b):
    assert a.keys() == b.keys()
    for name in a:
        assert np.array_equal(a[name], b[name]), name


@cases
def test_same_seed_and_round_trip(cls, settings):
    data = images()
    model = cls(device="cpu", **settings).fit(data, seed=3)
    same(model.arrays(), cls(device="cpu", **settings).fit(data, seed=3).arrays())
    back = cls.from_arrays(model.get_params(), model.arrays(), data.shape, device="cpu")
    codes = model.encode(data.samples)
    assert codes.dtype == np.float32 and codes.shape == (len(data), sum(b.k for b in model.bases().values()))
    assert np.array_equal(codes, back.encode(data.samples))
    drawn = model.decode(codes)
    assert drawn.shape == (len(data), 81) and np.array_equal(drawn, back.decode(codes))
    assert np.isfinite(drawn).all() and np.isfinite(model.draw_directions()).all()
    same(model.arrays(), back.arrays())
    if cls.affine:
        basis = model.bases()["directions"]
        assert np.allclose(drawn, basis.mean + codes @ basis.directions, atol=1e-5)
        assert np.allclose(np.linalg.norm(basis.directions, axis=1), 1, atol=1e-5)
    assert 0 < model.seconds(data) < 60


@cases
def test_a_resumed_training_gives_the_same_bits(cls, settings):
    data, half = images(), (settings["steps"] + settings.get("encoder_steps", 0)) // 2 + 1
    whole = cls(device="cpu", **settings).fit(data, seed=1)
    cut = Interrupted(after=half)
    early = cls(device="cpu", **settings).fit(data, seed=1, run=cut)
    assert int(cut.kept["step"]) == half
    assert any(not np.array_equal(v, whole.arrays()[n]) for n, v in early.arrays().items())
    rest = Interrupted(kept=cut.kept)
    same(whole.arrays(), cls(device="cpu", **settings).fit(data, seed=1, run=rest).arrays())
    assert rest.asked < settings["steps"] + settings.get("encoder_steps", 0)


@cases
def test_all_samples_equal_is_refused(cls, settings):
    with pytest.raises(InputError, match="the same"):
        cls(device="cpu", **settings).fit(Dataset(np.full((50, 9, 9), 0.3), "images"))


def test_limits_are_refused_in_words():
    data = images(20)
    with pytest.raises(InputError, match="at most 20"):
        SparseCoding(k=21, device="cpu").fit(data)
    with pytest.raises(InputError, match="at most 12"):
        SAE(k=12, active=13, device="cpu").fit(data)
    with pytest.raises(InputError, match="latent space"):
        Autoencoder(k=9, latent=8, device="cpu").fit(data)
    with pytest.raises(InputError, match="at least 8"):
        Autoencoder(k=2, network="conv", device="cpu").fit(Dataset(np.random.rand(20, 7, 9), "images"))
    with pytest.raises(InputError, match="1024"):
        VQ(d=64, tokens=17, device="cpu").fit(data)


def test_progress_has_pictures_and_the_last_step():
    seen = []
    SparseCoding(k=9, steps=12, device="cpu").fit(images(), on_progress=seen.append)
    assert seen[-1].step == seen[-1].total == 12
    assert seen[-1].preview.shape == (29, 29) and 0 <= seen[-1].preview.min() <= seen[-1].preview.max() <= 1
    assert seen[-1].metrics["energy"] > 0
