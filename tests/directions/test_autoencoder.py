"""The autoencoder with an orthonormal bank, its networks, and how a model draws its directions."""

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA as SkPCA

from core.datasets import Dataset
from core.directions import nets
from core.directions.autoencoder import Autoencoder
from core.directions.pca import PCA
from core.directions.preview import montage

DIGITS = Dataset(load_digits().images / 16, "images")


def error(model):
    return np.square(model.decode(model.encode(DIGITS.samples)) - DIGITS.matrix).mean()


@pytest.fixture(scope="module")
def linear():
    return Autoencoder(k=4, latent=9, network="linear", steps=600, lr=5e-3, device="cpu").fit(DIGITS, seed=0)


def test_a_linear_one_finds_the_principal_subspace(linear):
    pca = SkPCA(4).fit(DIGITS.matrix)
    best = np.square(pca.inverse_transform(pca.transform(DIGITS.matrix)) - DIGITS.matrix).mean()
    assert best * (1 - 1e-4) <= error(linear) < 1.02 * best
    drawn = np.linalg.qr(linear.draw_directions().T)[0]
    angles = np.linalg.svd(drawn.T @ pca.components_.T, compute_uv=False)
    assert angles.min() > 0.98


def test_codes_are_centred_uncorrelated_and_sorted_on_an_orthonormal_bank(linear):
    basis, z = linear.bases()["directions"], linear.encode(DIGITS.samples).astype(np.float64)
    assert basis.orthonormal and basis.directions.shape == (4, 9)
    assert np.allclose(z.mean(0), 0, atol=1e-3 * z.std())
    covariance = np.cov(z.T, bias=True)
    assert np.allclose(covariance, np.diag(np.diag(covariance)), atol=1e-4 * covariance.max())
    assert np.allclose(z.std(0), basis.scale, rtol=1e-4) and np.all(np.diff(basis.scale) <= 0)


def test_drawn_directions_are_differences_of_decoded_samples(linear):
    step = 1.5 * linear.basis_.scale[2]
    code = np.zeros((2, 4), np.float32)
    code[1, 2] = step
    low, high = linear.decode(code)
    assert np.allclose(linear.draw_directions(1.5)[2], high - low, atol=1e-5)
    pca = PCA(k=3).fit(DIGITS)
    assert np.array_equal(pca.draw_directions(), pca.basis_.directions)


def test_convolutions_learn():
    short = Autoencoder(k=6, latent=12, network="conv", steps=1, ema=0, device="cpu").fit(DIGITS, seed=0)
    longer = Autoencoder(k=6, latent=12, network="conv", steps=120, batch=64, device="cpu").fit(DIGITS, seed=0)
    assert error(longer) < 0.7 * error(short)


@pytest.mark.parametrize("shape", [(8, 8), (9, 13), (28, 28, 3), (64, 17)])
def test_networks_for_images_of_any_side(shape):
    d = int(np.prod(shape))
    x = torch.rand(3, d)
    z = nets.encoder("conv", shape, d, 7)(x)
    assert z.shape == (3, 7) and nets.decoder("conv", shape, d, 7)(z).shape == (3, d)
    first, *_, last = nets.sides(shape)
    assert first == shape[:2] and min(last) <= 4


def test_convolutions_see_pixels_where_they_are():
    """A lit pixel of a flat image must reach the network at its row, column and colour."""
    shape = (8, 10, 3)
    net = nets.ConvEncoder(shape, 4)
    x = torch.zeros(1, *shape)
    x[0, 2, 7, 1] = 1.0
    seen = []
    net.convs[0].register_forward_pre_hook(lambda m, inputs: seen.append(inputs[0]))
    net(x.flatten(1))
    assert seen[0].nonzero().tolist() == [[0, 1, 2, 7]]


def test_montage_places_tiles_and_refuses_what_is_no_image():
    rows = np.stack([np.full(6, 2.0), np.full(6, -2.0), np.zeros(6)])
    grid = montage(rows, (2, 3))
    assert grid.shape == (5, 7)
    assert (grid[:2, :3] == 1).all() and (grid[:2, 4:] == 0).all() and (grid[3:, :3] == 0.5).all()
    assert montage(np.zeros((2, 12)), (2, 2, 3)).shape == (2, 5, 3)
    assert montage(rows, (6,)) is None and montage(rows, (2, 2)) is None
