"""Small valid files of every format, damaged at random (seeded): one sentence or finite data, nothing else."""

import io

import hostile
import numpy as np
import pytest
from PIL import Image

from core.datasets import InputError, load

RNG = np.random.default_rng(11)
X = RNG.standard_normal((8, 4)).astype(np.float32)


def seeds():
    files = {"csv": hostile.csv(12, 4), "tsv": hostile.csv(12, 4).replace(b",", b"\t"), "npy": hostile.npy(X)}
    files["parquet"] = hostile.parquet({"a": X[:, 0], "b": X[:, 1], "t": [f"w{i % 2}" for i in range(8)]})
    out = io.BytesIO()
    np.savez(out, X=X, y=np.arange(8) % 2)
    files["npz"] = out.getvalue()
    body = X.tobytes()
    files["safetensors"] = hostile.safetensors({"x": {"dtype": "F32", "shape": [8, 4], "data_offsets": [0, 128]}}, body)
    picture = RNG.integers(0, 256, (14, 13, 3), dtype=np.uint8)
    for kind in ("PNG", "JPEG", "WEBP", "TIFF", "GIF", "BMP"):
        out = io.BytesIO()
        Image.fromarray(picture).save(out, kind)
        files[{"JPEG": "jpg", "TIFF": "tif"}.get(kind, kind.lower())] = out.getvalue()
    files["zip"] = hostile.zipped([(f"{c}/{i}.png", hostile.png(RNG.integers(0, 256, (9, 9), dtype=np.uint8)))
                                   for i, c in enumerate("aabb")])  # fmt: skip
    import soundfile

    for kind in ("wav", "flac", "ogg", "mp3"):
        out = io.BytesIO()
        soundfile.write(out, RNG.standard_normal(3000) * 0.1, 16000, format=kind.upper())
        files[kind] = out.getvalue()
    files["txt"] = b"one line\n\nand another\n\nand a third \xc3\xa9\n"
    files["jsonl"] = b'{"text": "apple", "label": 1}\n{"text": "river", "label": 2}\n{"text": "winter", "label": 1}\n'
    return files


SEEDS = seeds()


def mutate(data, other, rng):
    data, how = bytearray(data), rng.integers(6)
    if how == 0:
        return bytes(data[: rng.integers(1, len(data))])
    if how == 1:
        for _ in range(rng.integers(1, 12)):
            data[rng.integers(len(data))] ^= 1 << rng.integers(8)
    elif how == 2:  # damage near the start, where headers are
        for _ in range(rng.integers(1, 6)):
            data[rng.integers(min(64, len(data)))] = rng.integers(256)
    elif how == 3:
        at = rng.integers(len(data))
        data[at:at] = rng.integers(0, 256, rng.integers(1, 40), dtype=np.uint8).tobytes()
    elif how == 4:
        a, b = sorted(rng.integers(0, len(data), 2))
        del data[a : a + max(1, (b - a) // 4)]
    else:
        cut = rng.integers(1, len(data))
        return bytes(data[:cut]) + other[rng.integers(len(other)) :]
    return bytes(data)


@pytest.mark.parametrize("form", SEEDS)
def test_the_undamaged_file_loads(form):
    assert len(load([(f"a.{form}", SEEDS[form])])) >= 2


@pytest.mark.parametrize("form", SEEDS)
def test_damaged_files(form):
    rng = np.random.default_rng(list(form.encode()))
    others = list(SEEDS.values())
    for _ in range(10):
        data = mutate(SEEDS[form], others[rng.integers(len(others))], rng)
        try:
            made = load([(f"a.{form}", data)])
        except InputError as error:
            text = str(error)
            assert text.endswith(".") and len(text) < 300 and "\n" not in text, text
            continue
        assert len(made)
        assert len(made.fingerprint) == 64
        if made.kind != "text":
            assert np.isfinite(made.samples).all()
