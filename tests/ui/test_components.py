"""The browser components' Python side: forms, payloads, states."""

import numpy as np
import pytest

from core.errors import InputError
from core.ui.components import Form, MixerState, Payload, apply, gallery, mixer
from core.ui.components.assets import LIBRARY, script, style
from core.ui.components.payload import pack_array, unpack


@pytest.fixture
def payload():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((5, 12)) * np.array([[1e-4], [1], [50], [1], [0]])
    return Payload(rows, Form("image", (3, 4)), rng.standard_normal(12), rng.uniform(0.5, 2, 5))


def test_a_payload_comes_back_to_within_half_a_step(payload):
    header, directions, mean, scale = unpack(payload.blob)
    assert (header["k"], header["d"], header["digest"]) == (5, 12, payload.digest)
    assert header["form"]["shape"] == [3, 4]
    np.testing.assert_array_equal(mean, payload.mean)
    np.testing.assert_array_equal(scale, payload.scale)
    half = np.abs(payload.directions).max(axis=1, keepdims=True) / 32767 / 2
    assert (np.abs(directions - payload.directions) <= half * 1.001).all()


def test_a_mix_of_a_large_payload_is_invisibly_different():
    rng = np.random.default_rng(1)
    directions = np.linalg.qr(rng.standard_normal((1024, 256)))[0].T
    payload = Payload(directions, Form("image", (32, 32)), scale=rng.uniform(0.1, 3, 256))
    code = rng.standard_normal(256) * payload.scale
    drawn = code @ unpack(payload.blob)[1]
    exact = code @ payload.directions
    assert np.abs(drawn - exact).max() < np.ptp(exact) / 2000  # a screen shows 256 levels


def test_the_digest_follows_the_content(payload):
    same = Payload(payload.directions.copy(), payload.form, payload.mean, payload.scale)
    other = Payload(payload.directions, payload.form, payload.mean, payload.scale * 2)
    assert same.digest == payload.digest != other.digest
    assert payload.blob[4:90].decode().startswith('{"digest":"' + payload.digest)


def test_large_blobs_that_differ_in_one_number_differ_at_the_start():
    """Streamlit names files above 1 MiB after their length, head, middle and tail."""
    rows = np.random.default_rng(2).standard_normal((64, 12288)).astype(np.float32)
    changed = rows.copy()
    changed[20, 100] += 0.5
    a, b = (Payload(r, Form("image", (64, 64, 3))).blob for r in (rows, changed))
    assert len(a) == len(b) > 2**20
    assert a[:100] != b[:100]
    assert pack_array(rows)[:32] != pack_array(changed)[:32]


@pytest.mark.parametrize(
    "bad",
    [
        dict(directions=np.ones((2, 11))),
        dict(directions=np.full((2, 12), np.nan)),
        dict(scale=np.zeros(2)),
        dict(scale=np.ones(3)),
        dict(mean=np.ones(3)),
    ],
)
def test_a_payload_refuses_what_does_not_fit(bad):
    with pytest.raises(ValueError):
        Payload(**{"directions": np.ones((2, 12)), "form": Form("image", (3, 4)), **bad})


def test_forms_refuse_what_does_not_fit():
    for arguments in (
        ("image", (3, 4, 2)),
        ("drawing", (3,)),
        ("curve", (2, 3, 4)),
        ("curve", (3,), "", (1.0, 2.0)),
        ("bars", (3,), "", None, ("a", "b")),
    ):
        with pytest.raises(ValueError):
            Form(*arguments)


def test_nonnegative_is_seen_from_the_directions():
    form = Form("bars", (3,))
    assert Payload(np.ones((1, 3)), form).nonnegative
    assert not Payload(np.array([[1.0, 0, -1]]), form).nonnegative


def test_forms_of_data_sets():
    from core.datasets.dataset import Dataset

    rng = np.random.default_rng(0)
    images = Form.of(Dataset(rng.random((4, 5, 6)), "images"))
    assert (images.kind, images.shape, images.low, images.high, images.signed) == ("image", (5, 6), 0, 1, False)
    patches = Form.of(Dataset(rng.standard_normal((4, 5, 6)), "images"))
    assert patches.signed and patches.low < 0
    names = ["400", "410.5", "421"]
    curves = Form.of(Dataset(rng.random((4, 3)), "curves", features=names, axis="wavelength / nm"))
    assert (curves.kind, curves.positions, curves.axis) == ("curve", (400, 410.5, 421), "wavelength / nm")
    table = Form.of(Dataset(rng.random((4, 3)), "table", features=["a", "b", "c"]))
    assert (table.kind, table.features) == ("bars", ("a", "b", "c"))
    assert Form.of(Dataset(rng.random((4, 7)), "activations")).kind == "bars"
    spectra = Form.of(Dataset(rng.random((4, 9)), "audio", rate=8000, axis="frequency / Hz"))
    assert (spectra.kind, spectra.positions[0], spectra.positions[-1], spectra.rate) == ("spectrum", 0, 4000, 8000)
    waves = Form.of(Dataset(rng.standard_normal((4, 9)), "audio", rate=8000, axis="time / s"))
    assert (waves.kind, waves.signed) == ("curve", True)
    assert Form.of(Dataset(rng.random((4, 9, 5)), "audio", rate=8000)).kind == "image"


def test_apply_follows_the_definition():
    code, scale = np.array([1.0, -2, 3, 4]), np.array([1.0, 2, 0.5, 4])
    assert apply(MixerState(), code, scale).tolist() == code.tolist()
    assert apply(MixerState({1: 1.5}), code, scale).tolist() == [1, 3, 3, 4]
    assert apply(MixerState({1: 1.5}, flipped=(1, 2)), code, scale).tolist() == [1, -3, -3, 4]
    assert apply(MixerState(muted=(0,)), code, scale).tolist() == [0, -2, 3, 4]
    assert apply(MixerState(solo=(1, 2)), code, scale).tolist() == [0, -2, 3, 0]
    assert apply(MixerState(solo=(1, 2), muted=(2,)), code, scale).tolist() == [0, -2, 0, 0]
    assert code.tolist() == [1, -2, 3, 4]


def test_a_state_survives_json_and_an_untouched_one_is_empty():
    state = MixerState({3: 1.23456789, 0: -2}, muted=(4, 1, 1), flipped=(2,), solo=())
    assert state.as_dict() == {"weights": {"0": -2.0, "3": 1.2346}, "muted": [1, 4], "flipped": [2]}
    assert MixerState.from_dict(state.as_dict()) == state
    assert MixerState().as_dict() == {} and MixerState.from_dict({}) == MixerState()
    assert state and not MixerState()


@pytest.mark.parametrize(
    "bad",
    [
        [],
        {"weights": [1, 2]},
        {"weights": {"a": 1}},
        {"weights": {"1": None}},
        {"weights": {"9": 1}},
        {"weights": {"1": float("nan")}},
        {"muted": [-1]},
        {"muted": 3},
        {"muted": [1.5]},
        {"solo": ["x"]},
        {"loud": [1]},
    ],
)
def test_a_state_that_cannot_be_used_is_refused_in_one_sentence(bad):
    with pytest.raises(InputError, match=r"^The state of the mixer .*\.$"):
        MixerState.from_dict(bad, 5)


def test_scripts_and_styles_are_text_that_streamlit_takes_as_such():
    text = script(*LIBRARY, "mix", "row", "panels", "mixer")
    assert text.count("export default") == 1 and "innerHTML" not in text and "eval(" not in text
    assert not any(line.startswith((" ", "//")) for line in text.splitlines())
    assert "\n" in style("shared", "mixer")


def test_wrong_arguments_are_refused_before_anything_is_sent(payload):
    with pytest.raises(ValueError, match="code must be"):
        mixer("m", payload=payload, code=np.zeros(4))
    with pytest.raises(ValueError, match="original must have 12"):
        mixer("m", payload=payload, code=np.zeros(5), original=np.zeros(11))
    with pytest.raises(ValueError, match="5 directions need 5 names"):
        mixer("m", payload=payload, code=np.zeros(5), names=["a"])
    with pytest.raises(ValueError, match="order"):
        gallery("g", payload=payload, order=[0, 0])
