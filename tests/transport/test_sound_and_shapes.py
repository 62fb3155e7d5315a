"""Sounds with known pitch, distances with known shape, and bounded windows of large inputs."""

import io

import numpy as np
import pytest

from core.errors import InputError
from core.transport.fit import SpectrumSettings, fit_spectrum, snr
from core.transport.shapes import (
    SOLIDS,
    chamfer,
    iou,
    mask_outline,
    mesh_solid,
    outline,
    solid,
    star,
    surface,
)
from core.transport.signal import picture_signal, sound_signal, square_crop
from core.transport.sound import amplitudes, glide, pitched, ridge, spoken, wav
from core.transport.splines import positions


@pytest.fixture(scope="module")
def voice():
    signal = glide(0.5)
    return signal, fit_spectrum(signal.values, SpectrumSettings(k=24, cells=30)).spectrum


def test_the_ridge_of_a_glide_is_its_pitch(voice):
    signal, spectrum = voice
    seconds, hertz, energy = ridge(spectrum, signal.rate)
    true = np.interp(seconds * signal.rate, np.arange(signal.shape[0]), signal.frequency[0]) / 0.5
    loud = energy > 0.2 * energy.max()
    assert np.median(np.abs(hertz / true - 1)[loud]) < 0.02
    columns, rows, maps = amplitudes(spectrum, signal.rate)
    assert maps.shape == (len(rows), len(columns)) and np.all(np.diff(rows) >= 0)


def test_pitch_one_changes_nothing_and_two_doubles_it(voice):
    signal, spectrum = voice
    assert snr(spectrum.synthesise(), pitched(spectrum, 1.0)) > 60
    double = pitched(spectrum, 2.0)
    again = fit_spectrum(double, SpectrumSettings(k=24, cells=30)).spectrum
    seconds, hertz, energy = ridge(again, signal.rate)
    true = 2 * np.interp(seconds * signal.rate, np.arange(signal.shape[0]), signal.frequency[0]) / 0.5
    loud = energy > 0.2 * energy.max()
    assert np.median(np.abs(hertz / true - 1)[loud]) < 0.03
    half = np.zeros(signal.shape[0])
    half[2000:] = 1
    assert np.allclose(pitched(spectrum, 1 + half)[:, :1900], spectrum.synthesise()[:, :1900], atol=1e-3)


def test_made_speech_is_heard_and_written():
    import soundfile

    signal = spoken(0.3)
    assert np.abs(signal.values).max() == pytest.approx(0.7, abs=0.1) and np.isfinite(signal.values).all()
    read, rate = soundfile.read(io.BytesIO(wav(np.repeat(signal.values, 2, axis=0), signal.rate)))
    assert rate == 8000 and read.shape == (2400, 2)
    assert np.allclose(read[:, 0], signal.values[0], atol=1e-4)


def test_only_a_window_of_a_long_sound_is_touched():
    class Long:
        """Four minutes of stereo that would not like to be copied whole."""

        def __len__(self):
            return 240 * 44_100

        def __getitem__(self, part):
            assert part.stop - part.start <= 10 * 44_100
            return np.zeros((part.stop - part.start, 2), dtype=np.float32)

    signal = sound_signal(Long(), 44_100, start=30.0)
    assert signal.values.shape == (2, 441_000) and "240.0 s" in signal.notes[0]
    with pytest.raises(InputError, match="ends before"):
        sound_signal(np.zeros(100), 10.0, start=20.0)


def test_large_pictures_are_reduced_by_areas_and_odd_ones_taken():
    big = picture_signal(np.random.default_rng(0).random((600, 900)).astype(np.float32), longest=128)
    assert big.shape == (85, 128) and big.values.std() < 0.1 and "reduced" in big.notes[0]
    assert picture_signal(np.ones((3, 5, 4))).values.shape == (3, 3, 5)
    assert picture_signal(np.ones((1, 1))).values.shape == (1, 1, 1)
    assert square_crop(big, 80, 120, 64).shape == (64, 64)


def test_distance_of_a_square_is_exact():
    corners = np.array([[0.25, 0.25], [0.25, 0.75], [0.75, 0.75], [0.75, 0.25]])
    values = outline(corners, 32).values[0]
    y, x = np.meshgrid(*positions((32, 32)), indexing="ij")
    qy, qx = np.abs(y - 0.5) - 0.25, np.abs(x - 0.5) - 0.25
    exact = np.hypot(np.maximum(qy, 0), np.maximum(qx, 0)) + np.minimum(np.maximum(qy, qx), 0)
    assert np.abs(values - exact).max() < 1e-5
    drawn = mask_outline(exact < 0).values[0]
    assert np.abs(drawn - exact).max() < 1.5 / 32
    with pytest.raises(InputError, match="three corners"):
        outline(corners[:2])
    with pytest.raises(InputError, match="inside and an outside"):
        mask_outline(np.ones((4, 4)))


def test_a_star_is_fitted_and_keeps_its_shape():
    signal = outline(star(), 64)
    spectrum = fit_spectrum(signal.values, SpectrumSettings(k=6, cells=12)).spectrum
    assert iou(spectrum.synthesise(), signal.values) > 0.95


def test_solids_fit_and_have_surfaces():
    for name in SOLIDS:
        assert (solid(name, 16).values < 0).any()
    torus = solid("torus", 24)
    spectrum = fit_spectrum(torus.values, SpectrumSettings(k=3, cells=5)).spectrum
    drawn = spectrum.synthesise()
    assert iou(drawn, torus.values) > 0.9
    distance = chamfer(surface(drawn[0]), surface(torus.values[0]), count=4000)
    assert distance < 0.02
    assert len(surface(np.ones((4, 4, 4)))[1]) == 0 and np.isnan(
        chamfer(surface(np.ones((4, 4, 4))), surface(drawn[0]))
    )
    with pytest.raises(InputError, match="no shape"):
        solid("teapot")


def test_a_mesh_with_a_hole_has_the_inside_of_the_whole_one():
    vertices, faces = surface(solid("torus", 24).values[0])
    whole = mesh_solid(vertices, faces, 24)
    scale = 0.84 / (2 * (0.28 + 0.12))  # the longest side becomes 0.84 of the box
    z, y, x = ((a - 0.5) / scale for a in np.meshgrid(*positions((24, 24, 24)), indexing="ij"))
    exact = scale * (np.hypot(np.hypot(x, y) - 0.28, z) - 0.12)
    assert iou(whole.values[0], exact) > 0.92
    assert np.abs(whole.values[0] - exact).max() < 0.03
    holed = mesh_solid(vertices, faces[: int(0.93 * len(faces))], 24)
    assert whole.notes == () and "holes" in holed.notes[0]
    assert iou(holed.values, whole.values) > 0.9
    turned = mesh_solid(vertices, faces[:, ::-1], 24)
    assert iou(turned.values, whole.values) > 0.97


@pytest.mark.parametrize(
    ("vertices", "faces", "said"),
    [
        (np.zeros((3, 2)), [[0, 1, 2]], "finite vertices"),
        (np.zeros((3, 3)), [[0, 1, 2]], "single point"),
        (np.eye(3), [[0, 1, 7]], "do not exist"),
        (np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0.0]]), [[0, 1, 2]], "no area"),
    ],
)
def test_broken_meshes_are_one_sentence(vertices, faces, said):
    with pytest.raises(InputError, match=said):
        mesh_solid(vertices, np.array(faces), 8)
