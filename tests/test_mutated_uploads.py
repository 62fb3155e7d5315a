"""All else that a browser may bring: valid files, damaged at random (seeded), through the readers of the pages."""

import io
import json

import networkx
import numpy as np
import pytest
import scipy.sparse
import soundfile
import torch
from PIL import Image
from safetensors.numpy import save

from core.compatible.loading import load_embeddings, read_labels
from core.datasets import sample
from core.face.clip import files as curve_files
from core.face.clip.curves import CodeCurves
from core.face.clip.reading import open_clip
from core.face.clip.writing import write_gif, write_mp4
from core.face.editing.actor import Direction
from core.face.editing.edits import preset_json, read_preset
from core.face.network.checkpoints import load_checkpoint
from core.face.photo.photo import read_picture as read_photograph
from core.face.speech.sound import read_speech
from core.graphs.loaders import read_graph
from core.models import family
from core.steering.language_model import LanguageModel
from core.steering.vectors import from_gguf, to_gguf
from core.store import Card
from core.store.models import pack, unpack
from core.transport.meshes import obj, read_mesh
from core.transport.uploads import read_upload
from core.ui.takeaway import _read as read_recipe
from pages.directions.view import DirectionsView
from tests.mutation import damaged, read_or_refused
from tests.steering.conftest import make_tiny

RNG = np.random.default_rng(5)
DIRECTIONS = [Direction("mouth", "jaw", "", 1.0, 0), Direction("pose", "yaw", "", 2.0, 1)]
WAVE = 0.2 * np.sin(np.arange(8000) / 9)
PICTURE = RNG.integers(0, 256, (24, 32, 3), dtype=np.uint8)


def _saved(save, *values, **more) -> bytes:
    out = io.BytesIO()
    save(out, *values, **more)
    return out.getvalue()


def _model() -> bytes:
    data = sample("wine")
    model = family("directions.pca")(k=3).fit(data)
    return pack(Card.of(model, data), save(model.arrays()))


def _tetrahedron() -> tuple[np.ndarray, np.ndarray]:
    return np.eye(4, 3) - 0.25, np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])


def _stl() -> bytes:
    corners, faces = _tetrahedron()
    rows = np.zeros(len(faces), [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
    rows["corners"] = corners[faces]
    return bytes(80) + np.uint32(len(faces)).tobytes() + rows.tobytes()


def _off() -> bytes:
    corners, faces = _tetrahedron()
    lines = ["OFF", f"{len(corners)} {len(faces)} 0", *(" ".join(map(str, c)) for c in corners)]
    return "\n".join([*lines, *("3 " + " ".join(map(str, f)) for f in faces)]).encode()


def _curves() -> CodeCurves:
    return CodeCurves(np.arange(5) / 25, RNG.standard_normal((5, 2)), ["jaw", "yaw"], ["mouth", "pose"])


def _clip(name: str, data: bytes) -> list:
    clip = open_clip(name, data)
    clip.sound()
    return list(clip.frames(fps=5, longest=32))


TINY = LanguageModel(*make_tiny(blocks=2, width=16), name="tiny")
EMBEDDINGS = dict(old=RNG.standard_normal((12, 4)), new=RNG.standard_normal((12, 5)), labels=np.arange(12) % 3)
FILES = {
    "edges.csv": b"from,to,weight\na,b,1\nb,c,2\nc,a,0.5\nc,d,1\n",
    "edges.tsv": b"1\t2\n2\t3\n3\t1\n3\t4\n",
    "graph.gml": "\n".join(networkx.generate_gml(networkx.karate_club_graph())).encode(),
    "graph.graphml": "\n".join(networkx.generate_graphml(networkx.karate_club_graph())).encode(),
    "graph.npz": _saved(scipy.sparse.save_npz, matrix=networkx.to_scipy_sparse_array(networkx.karate_club_graph())),
    "mesh.obj": obj(*_tetrahedron()).encode(),
    "mesh.off": _off(),
    "mesh.stl": _stl(),
    "signal.wav": _saved(soundfile.write, data=WAVE, samplerate=8000, format="WAV"),
    "signal.png": _saved(Image.fromarray(PICTURE).save, format="PNG"),
    "both.npz": _saved(np.savez, **EMBEDDINGS),
    "labels.csv": b"label\ncat\ndog\ncat\nbird\n",
    "model.basis.zip": _model(),
    "recipe.json": json.dumps(DirectionsView(settings={"k": 4}, sample=3).changed()).encode(),
    "clip.mp4": write_mp4(iter(PICTURE[None].repeat(6, 0)), 25, sound=WAVE, rate=8000),
    "clip.gif": write_gif(iter(PICTURE[None].repeat(6, 0)), 25),
    "curves.csv": curve_files.to_csv(_curves()),
    "curves.json": curve_files.to_json(_curves()),
    "preset.json": preset_json("a", np.zeros(2), np.array([1.0, 2.0]), DIRECTIONS, "mesh").encode(),
    "photo.jpg": _saved(Image.fromarray(PICTURE).save, format="JPEG"),
    "speech.wav": _saved(soundfile.write, data=WAVE, samplerate=8000, format="WAV"),
    "vector.gguf": to_gguf({1: RNG.standard_normal(16).astype(np.float32)}, TINY),
    "EDTalk.pt": _saved(lambda out: torch.save({"gen": {"enc.weight": torch.zeros(3)}}, out)),
}
READERS = {
    **{name: lambda d, name=name: read_graph(name, d) for name in FILES if name.startswith(("edges", "graph"))},
    **{name: lambda d, name=name: read_mesh(name, d) for name in FILES if name.startswith("mesh")},
    **{name: lambda d, name=name: read_upload(name, d) for name in FILES if name.startswith("signal")},
    "both.npz": lambda d: load_embeddings([("both.npz", d)]),
    "labels.csv": lambda d: read_labels("labels.csv", d),
    "model.basis.zip": lambda d: unpack(d, device="cpu"),
    "recipe.json": lambda d: read_recipe(d, DirectionsView),
    **{name: lambda d, name=name: _clip(name, d) for name in FILES if name.startswith("clip")},
    **{name: lambda d, name=name: curve_files.read_curves(name, d) for name in FILES if name.startswith("curves")},
    "preset.json": lambda d: read_preset(d, DIRECTIONS),
    "photo.jpg": lambda d: read_photograph("photo.jpg", d),
    "speech.wav": lambda d: read_speech("speech.wav", d),
    "vector.gguf": lambda d: from_gguf(d, TINY),
    "EDTalk.pt": lambda d: load_checkpoint(d, device="cpu"),
}


@pytest.mark.parametrize("name", FILES)
def test_the_undamaged_file_is_read(name):
    assert (read_or_refused(READERS[name], FILES[name]) is None) == (name == "EDTalk.pt")  # a made-up network


@pytest.mark.parametrize("name", FILES)
def test_damaged_ones_are_read_or_refused_in_one_sentence(name):
    for data in damaged(name, FILES):
        read_or_refused(READERS[name], data)


def test_damaged_links_are_read_or_refused_in_one_sentence():
    links = {"link": DirectionsView(settings={"k": 4}, sample=3, tab="Map").link().encode(), "other": b"eJyrVg"}
    for data in damaged("link", links):
        read_or_refused(lambda d: DirectionsView.from_link(d.decode(errors="replace")), data)
