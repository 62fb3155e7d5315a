import numpy as np
import pytest

from core.figures.samples import montage, picture, reduced
from core.ui.components.form import Form

GREY = Form("image", (4, 6), low=0.0, high=1.0)


def test_a_grey_image_is_enlarged_pixel_by_pixel():
    values = np.linspace(0, 1, 24)
    drawn = picture(values, GREY, size=24)
    assert drawn.shape == (16, 24, 3) and drawn.dtype == np.uint8
    assert np.allclose(drawn[::4, ::4, 0].ravel(), np.rint(255 * values))


def test_a_colour_image_keeps_its_colours_and_a_large_one_is_reduced():
    red = np.zeros((8, 8, 3))
    red[..., 0] = 1
    assert (picture(red, Form("image", (8, 8, 3), low=0, high=1), size=8) == [255, 0, 0]).all()
    assert picture(np.zeros((200, 100)), Form("image", (200, 100), low=0, high=1), size=50).shape == (50, 25, 3)


def test_a_direction_is_drawn_within_its_own_largest_entry():
    values = np.zeros(24)
    values[[0, 1]] = 0.01, -0.01
    drawn = picture(values, GREY, direction=True, size=6).astype(int)
    assert drawn[0, 0, 0] > drawn[0, 0, 2] and drawn[0, 1, 2] > drawn[0, 1, 0] and drawn[2, 2].min() > 240


@pytest.mark.parametrize("form", [Form("curve", (40,)), Form("curve", (2, 20)), Form("spectrum", (40,))])
def test_a_curve_goes_up_where_its_values_do(form):
    drawn = picture(np.linspace(0, 1, 40).reshape(form.shape), form, size=64).astype(int)
    dark = drawn.sum(axis=2) < 600
    height = [np.flatnonzero(column).mean() for column in dark.T if column.any()]
    assert height[2] > height[-3]


def test_bars_show_the_sign_left_and_right_of_zero():
    drawn = picture(np.array([1.0, -1.0]), Form("bars", (2,), signed=True), size=60).astype(int)
    assert drawn[15, 50].sum() < 600 and drawn[15, 10].sum() == 765
    assert drawn[45, 10].sum() < 600 and drawn[45, 50].sum() == 765


def test_a_montage_is_the_pictures_side_by_side():
    samples = np.random.default_rng(0).random((5, 24))
    page = montage(samples, GREY, columns=3, size=24, gap=2)
    assert page.shape == (2 * 16 + 2, 3 * 24 + 4, 3)
    assert np.array_equal(page[18:34, 26:50], picture(samples[4], GREY, size=24))
    with pytest.raises(ValueError):
        montage(samples[:0], GREY)


def test_thumbnails_are_means_over_blocks():
    images = np.random.default_rng(0).random((3, 6 * 5)).astype(np.float32)
    small, shape = reduced(images, Form("image", (6, 5)), most=3)
    assert shape == (3, 3)
    full = images.reshape(3, 6, 5)
    assert np.allclose(small.reshape(3, 3, 3)[:, 1, 1], full[:, 2:4, 2:4].mean(axis=(1, 2)))
    assert np.allclose(small.reshape(3, 3, 3)[:, 0, 2], full[:, 0:2, 4].mean(axis=1))
    curve, shape = reduced(np.arange(300.0)[None], Form("curve", (300,)), most=32)
    assert shape == (100,) and np.allclose(curve[0, :2], [1, 4])
