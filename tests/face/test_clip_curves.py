"""Code curves against closed forms and SciPy; files that come back and files that are refused."""

import json

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter1d

from core.errors import InputError
from core.face.clip.curves import THREE_TAPS, CodeCurves, still
from core.face.clip.edits import Edit, edited, weight
from core.face.clip.files import from_csv, from_json, read_curves, to_csv, to_json

NAMES, BANKS = ("jaw", "wide", "yaw"), ("mouth", "mouth", "pose")


def curves(n=50, seed=0, fps=25.0, **more):
    values = np.random.default_rng(seed).normal(size=(n, 3))
    return CodeCurves(np.arange(n) / fps, values, NAMES, BANKS, **more)


def test_gaussian_smoothing_is_scipys_and_only_of_the_bank():
    c = curves()
    wanted = gaussian_filter1d(c.values.astype(float), 0.08 * 25, axis=0, mode="nearest", truncate=6)
    assert np.allclose(c.smoothed(0.08).values, wanted, atol=1e-6)
    mouth = c.smoothed(0.08, bank="mouth").values
    assert np.allclose(mouth[:, :2], wanted[:, :2], atol=1e-6) and (mouth[:, 2] == c.values[:, 2]).all()
    assert c.smoothed(0) is c


def test_smoothing_a_sine_damps_it_by_the_gaussians_transfer():
    t = np.arange(2000) / 100
    c = CodeCurves(t, np.sin(2 * np.pi * 1.5 * t)[:, None], ("a",), ("b",))
    got = c.smoothed(0.05).values[500:1500, 0]
    assert np.abs(got).max() == pytest.approx(np.exp(-0.5 * (2 * np.pi * 1.5 * 0.05) ** 2), abs=1e-3)


def test_uneven_times_are_smoothed_in_seconds():
    rng = np.random.default_rng(2)
    t = np.cumsum(rng.uniform(0.02, 0.06, 400))
    uneven = CodeCurves(t, np.sin(2 * np.pi * t)[:, None], ("a",), ("b",)).smoothed(0.1)
    middle = (t > 1) & (t < t[-1] - 1)
    wanted = np.sin(2 * np.pi * t) * np.exp(-0.5 * (2 * np.pi * 0.1) ** 2)
    assert (uneven.times == t).all() and np.abs(uneven.values[middle, 0] - wanted[middle]).max() < 0.02


def test_three_taps_are_the_released_ones():
    assert THREE_TAPS.round(3).tolist() == [0.274, 0.452, 0.274]
    pulse = CodeCurves(np.arange(5.0), np.array([[0, 0, 1, 0, 0]]).T, ("a",), ("b",)).smoothed_three()
    assert np.allclose(pulse.values[:, 0], [0, *THREE_TAPS, 0])


def test_relative_and_absolute_driving_with_gains():
    c, own = curves(), np.array([1.0, -2.0, 3.0])
    relative = c.driving(own, gains={"mouth": 0.5, "pose": 2.0}).values
    gain = np.array([0.5, 0.5, 2.0])
    assert np.allclose(relative, own + gain * (c.values - c.values[0]), atol=1e-5)
    assert np.allclose(relative[0], own)
    assert np.allclose(c.driving(own, relative=False).values, c.values, atol=1e-6)
    left = c.driving(own, relative=False, gains={"mouth": 0}).values
    assert np.allclose(left[:, :2], own[:2]) and np.allclose(left[:, 2], c.values[:, 2], atol=1e-6)
    start = np.array([0.1, 0.2, 0.3])
    assert np.allclose(c.driving(own, start=start).values, own + c.values - start, atol=1e-5)
    for wrong in (dict(gains={"mouth": 2.1}), dict(gains={"mouth": -0.1}), dict(gains={"ears": 1.0})):
        with pytest.raises(InputError):
            c.driving(own, **wrong)
    with pytest.raises(InputError, match="3 codes"):
        c.driving(np.zeros(4))


def test_gaps_hold_the_last_code():
    present = np.array([0, 1, 1, 0, 0, 1, 0], bool)
    values = np.arange(7.0)[:, None].copy()
    values[0] = np.nan  # nothing is known where there is no face
    held = CodeCurves(np.arange(7.0), values, ("a",), ("b",), present).held()
    assert held.values[:, 0].tolist() == [1, 1, 2, 2, 2, 5, 5] and held.present.all()
    with pytest.raises(InputError, match="No face"):
        CodeCurves(np.arange(7.0), values, ("a",), ("b",), ~present & False).held()


def test_cut_and_resampled():
    c = curves(50)
    part = c.cut(0.4, 0.8)
    assert len(part.times) == 10 and part.times[0] == 0 and (part.values == c.values[10:20]).all()
    finer = c.resampled(75)
    assert (finer.values[::3] == c.values).all() and len(finer.times) == 148
    assert np.allclose(finer.values[1], (2 * c.values[0] + c.values[1]) / 3, atol=1e-6)
    gaps = curves(4, present=np.array([1, 1, 0, 1], bool)).resampled(50)
    assert gaps.present.tolist() == [True, True, True, False, False, False, True]
    with pytest.raises(InputError, match="nothing between"):
        c.cut(5, 6)


def test_banks_of_two_curves_are_joined():
    speech = CodeCurves(np.arange(100) / 25, np.ones((100, 1)), ("open",), ("mouth",))
    both = speech.joined(curves(50))
    assert both.names == NAMES  # the mouth of the other one wins
    pose = CodeCurves(np.arange(50) / 25, np.arange(50.0)[:, None], ("yaw",), ("pose",))
    both = speech.joined(pose)
    assert both.banks == ("mouth", "pose") and both.values[:50, 1].tolist() == list(range(50))
    assert (both.values[50:, 1] == 49).all() and (both.values[:, 0] == 1).all()
    assert still([1.0, 2.0], ("a", "b"), ("m", "m"), 2.0).values.shape == (50, 2)


def test_edits_with_soft_edges():
    t = np.arange(100) / 25
    w = weight(t, 1.0, 2.0, 0.2)
    assert (w[25:51] == 1).all() and w[20] == pytest.approx(0, abs=1e-12) and (w[:20] == 0).all()
    assert np.interp(0.9, t, w) == pytest.approx(0.5, abs=0.02)
    c = CodeCurves(t, np.tile(np.sin(t)[:, None], (1, 3)), NAMES, BANKS)
    done = edited(c, Edit("set", "mouth", "jaw", 1, 2, 5.0, 0.2), Edit("shift", "pose", "yaw", 1, 2, -1.0, 0))
    assert np.allclose(done.values[:, 0], c.values[:, 0] + w * (5 - c.values[:, 0]), atol=1e-6)
    assert np.allclose(done.values[:, 2], c.values[:, 2] - ((t >= 1) & (t <= 2)), atol=1e-6)
    assert (done.values[:, 1] == c.values[:, 1]).all()
    scaled = edited(c, Edit("scale", "mouth", "wide", 1, 2, 2.0, 0)).values[25:51, 1]
    inside = c.values[25:51, 1]
    assert np.allclose(scaled, inside.mean() + 2 * (inside - inside.mean()), atol=1e-6)
    with pytest.raises(InputError, match="no direction"):
        edited(c, Edit("set", "pose", "jaw", 1, 2, 0.0))
    for wrong in (("turn", 0, 1, 0), ("set", 1, 1, 0), ("set", 0, 1, float("nan"))):
        with pytest.raises(InputError):
            Edit(wrong[0], "mouth", "jaw", *wrong[1:])


def test_files_come_back():
    c = curves(20, present=np.arange(20) % 5 > 0)
    for back in (from_csv("c.csv", to_csv(c)), from_json("c.json", to_json(c)), read_curves("c", to_json(c))):
        assert back.names == c.names and back.banks == c.banks and (back.present == c.present).all()
        assert np.allclose(back.values, c.values, atol=1e-5) and np.allclose(back.times, c.times, atol=1e-6)
    plain = read_curves("by hand.csv", b"time,mouth: jaw\n0,1\n0.5,2\n\n")
    assert plain.present.all() and plain.values[:, 0].tolist() == [1, 2]
    whole = json.loads(to_json(c))
    assert list(whole["banks"]) == ["mouth", "pose"] and list(whole["banks"]["mouth"]) == ["jaw", "wide"]


def broken(**changes):
    return json.dumps({**json.loads(to_json(curves(3))), **changes}).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe\0\0",
        b"a,b\n1,2\n",
        b"time,mouth: jaw\n",
        b"time,mouth: jaw\n0,1,2\n",
        b"time,mouth: jaw\n0,one\n",
        b"time,mouth: jaw\n0,nan\n",
        b"time,mouth: jaw\n0,1e300\n",
        b"time,mouth: jaw\n1,1\n0,1\n",
        b"time,mouth: jaw,mouth: jaw\n0,1,1\n",
        b"{",
        b"{}",
        b"[" * 100_000,
        broken(format=2),
        broken(times=[0, 1]),
        broken(times=[0, 1, "2"]),
        broken(times=[]),
        broken(banks={}),
        broken(banks={"mouth": [1]}),
        broken(banks={"mouth": {"jaw": [1, 2, None]}}),
        broken(banks={"mouth": {"jaw": [1, 2, float("inf")]}}),
        broken(present=[1, 0, 1]),
        broken(present=[True]),
    ],
)
def test_files_that_are_none_are_refused(data):
    with pytest.raises(InputError) as refusal:
        read_curves("x", data)
    assert str(refusal.value).endswith(".") and "\n" not in str(refusal.value)


def test_curves_are_checked():
    t = np.arange(3.0)
    for wrong in (
        dict(times=t, values=np.zeros((2, 1)), names=("a",), banks=("b",)),
        dict(times=t[::-1], values=np.zeros((3, 1)), names=("a",), banks=("b",)),
        dict(times=t, values=np.full((3, 1), np.nan), names=("a",), banks=("b",)),
        dict(times=t[:0], values=np.zeros((0, 1)), names=("a",), banks=("b",)),
        dict(times=t, values=np.zeros((3, 2)), names=("a", "a"), banks=("b", "b")),
    ):
        with pytest.raises(InputError):
            CodeCurves(**wrong)
    with pytest.raises(InputError, match="no bank"):
        curves().bank("ears")
