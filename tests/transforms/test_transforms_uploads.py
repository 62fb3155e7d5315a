"""What a person brings to *Learned transforms*."""

import io

import numpy as np
import pytest
import soundfile
from PIL import Image

from core.errors import InputError
from core.transforms.operators import uploaded_pairs
from core.transforms.uploads import read_curves, read_pairs, read_signals

RNG = np.random.default_rng(0)


def npy(x) -> bytes:
    out = io.BytesIO()
    np.save(out, x)
    return out.getvalue()


def npz(**arrays) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def csv(x, head=None) -> bytes:
    rows = [",".join(f"{v:.6g}" for v in row) for row in np.atleast_2d(x)]
    return "\n".join(([head] if head else []) + rows).encode()


def test_series_come_as_a_column_as_rows_as_arrays_and_as_sound():
    x = RNG.standard_normal((3, 200))
    for name, data, expected in (
        ("a.csv", csv(x[:1].T, "volt"), x[:1]),
        ("a.csv", csv(x.T, "a,b,c"), x),
        ("a.npy", npy(x), x),
        ("a.npy", npy(x[0]), x[:1]),
        ("a.npz", npz(label="words", x=x), x),
    ):
        made = read_signals(name, data)
        assert made.samples.shape == expected.shape and np.abs(made.samples - expected).max() < 1e-4
    out = io.BytesIO()
    soundfile.write(out, 0.1 * x[0], 8000, format="WAV")
    sound = read_signals("a.wav", out.getvalue())
    assert sound.rate == 8000 and np.abs(sound.samples[0] - 0.1 * x[0]).max() < 1e-3


def test_an_image_becomes_grey_and_is_cut_to_its_middle():
    out = io.BytesIO()
    Image.fromarray(RNG.integers(0, 255, (40, 600, 3), dtype=np.uint8)).save(out, "PNG")
    made = read_signals("a.png", out.getvalue())
    assert (
        made.kind == "images"
        and made.samples.shape == (1, 40, 512)
        and 0 <= made.samples.min() <= made.samples.max() <= 1
    )
    assert any("middle" in n for n in made.notes)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.csv", b"1,2,3\n4,5,6", "at least 16"),
        ("a.csv", b"", "."),
        ("a.npy", npy(np.full(50, np.nan)), "finite"),
        ("a.npy", npy(np.array(["a"] * 40)), "numbers"),
        ("a.exe", b"MZ" + bytes(200), "accepted"),
        ("a.png", b"\x89PNG\r\n\x1a\n" + bytes(30), "a.png"),
        ("a.csv", ("x\n" + "1\n" * 20 + "word\n" + "2\n" * 20).encode(), "."),
    ],
)
def test_signals_that_do_not_suit_are_refused(name, data, words):
    with pytest.raises(InputError, match=words) as error:
        read_signals(name, data)
    assert str(error.value).endswith(".")


def test_curves_find_their_target():
    x, y = RNG.standard_normal((30, 8)), RNG.standard_normal(30)
    heads = ",".join(map(str, range(8)))
    for name, data, target in (
        ("a.csv", csv(np.column_stack([y, x]), f"y,{heads}"), ""),
        ("a.csv", csv(np.column_stack([x, y]), f"{heads},fat"), ""),
        ("a.csv", csv(np.column_stack([x[:, :4], y, x[:, 4:]]), "0,1,2,3,fat,4,5,6,7"), "fat"),
        ("a.npz", npz(X=x, y=y), ""),
    ):
        made = read_curves(name, data, target)
        assert made.samples.shape == (30, 8) and np.abs(made.labels.astype(float) - y).max() < 1e-4
    words = csv(x, heads).decode().splitlines()
    words = "\n".join([words[0] + ",kind"] + [f"{w},{'ab'[i % 2]}" for i, w in enumerate(words[1:])]).encode()
    for data, target, said in (
        (words, "", "no numbers to predict"),
        (csv(np.column_stack([x, y]), f"{heads},fat"), "sugar", "no column"),
        (csv(np.column_stack([x, y])[:6], f"{heads},fat"), "", "twenty"),
    ):
        with pytest.raises(InputError, match=said):
            read_curves("a.csv", data, target)
    with pytest.raises(InputError, match="no numbers to predict"):
        read_curves("a.npy", npy(x))


def test_pairs_come_as_one_file_or_two():
    u, v = RNG.standard_normal((20, 5)), RNG.standard_normal((20, 7))
    for files in ([("p.npz", npz(inputs=u, outputs=v))], [("u.npy", npy(u)), ("v.csv", csv(v))]):
        made = read_pairs(files)
        assert made.samples.shape == (20, 7) and made.extra["inputs"].shape == (20, 5)
    for files, words in (
        ([("u.npy", npy(u))], "two matrices"),
        ([("p.npz", npz(a=u))], "inputs and outputs"),
        ([("p.npz", npz(inputs=np.array(["a"] * 20), outputs=v))], "no numbers"),
        ([("u.npy", npy(u)), ("v.npy", npy(v[:9]))], "same number"),
        ([], "two files"),
    ):
        with pytest.raises(InputError, match=words):
            read_pairs(files)


def test_pairs_with_other_inputs_are_other_data():
    outputs = np.random.default_rng(0).standard_normal((12, 5))
    one, other = (uploaded_pairs(outputs + shift, outputs) for shift in (0, 1))
    assert one.fingerprint != other.fingerprint
    assert one.fingerprint == uploaded_pairs(outputs + 0, outputs, title="renamed").fingerprint
