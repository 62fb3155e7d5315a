"""Small valid files of every format, damaged at random (seeded): one sentence or finite data, nothing else."""

import io

import hostile
import numpy as np
import pytest
from PIL import Image

from core.datasets import load
from tests.mutation import damaged, read_or_refused

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


@pytest.mark.parametrize("form", SEEDS)
def test_the_undamaged_file_loads(form):
    assert len(load([(f"a.{form}", SEEDS[form])])) >= 2


@pytest.mark.parametrize("form", SEEDS)
def test_damaged_files(form):
    for data in damaged(form, SEEDS):
        made = read_or_refused(lambda d: load([(f"a.{form}", d)]), data)
        if made is None:
            continue
        assert len(made)
        assert len(made.fingerprint) == 64
        if made.kind != "text":
            assert np.isfinite(made.samples).all()
