"""Regions drawn by hand, meshes and sounds out of files, and the snippets of every kind of signal."""

import io

import numpy as np
import pytest

from core.errors import InputError
from core.transport import masks
from core.transport.fit import SpectrumSettings, fit_spectrum, snr
from core.transport.gains import edit
from core.transport.meshes import obj, read_mesh
from core.transport.refine import refine
from core.transport.shapes import iou, mesh_solid, solid, surface
from core.transport.signal import as_dataset, window_of
from core.transport.sound import glide, pitched, spectrogram, wav
from core.transport.takeaway import snippet
from core.transport.uploads import read_upload

CUBE = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def test_a_region_survives_its_text_and_altered_text_is_empty():
    shape = (100, 70)
    cells = masks.brushed(masks.empty(shape), np.array([[50, 35], [90, 10]]), shape, add=True, radius=2)
    assert np.array_equal(masks.read(masks.write(cells), shape), cells) and 0 < cells.sum() < cells.size / 4
    assert not masks.read("nonsense", shape).any() and not masks.read(masks.write(cells), (30, 30)).any()
    soft = masks.soft(cells, shape)
    assert soft.shape == shape and soft[50, 35] > 0.9 and soft[10, 60] == 0
    less = masks.brushed(cells, np.array([[50, 35]]), shape, add=False, radius=2)
    assert less.sum() < cells.sum() and not less[50 // masks.step_of(shape), 35 // masks.step_of(shape)]


@pytest.mark.parametrize("form", ["obj", "off", "stl", "ascii.stl"])
def test_a_cube_out_of_every_format_is_the_same_cube(form):
    triangles = np.array([(s[0], s[i], s[i + 1]) for s in SIDES for i in (1, 2)])
    if form == "obj":
        text = "".join(f"v {x} {y} {z}\n" for x, y, z in CUBE) + "".join(
            f"f {' '.join(f'{i + 1}/1' for i in s)}\n" for s in SIDES
        )
        data = text.encode()
    elif form == "off":
        rows = [" ".join(map(str, v)) for v in CUBE] + ["4 " + " ".join(map(str, s)) for s in SIDES]
        data = ("OFF\n8 6 0\n" + "\n".join(rows)).encode()
    elif form == "stl":
        body = b"".join(
            np.concatenate([np.zeros(3), CUBE[t].ravel()]).astype("<f4").tobytes() + b"\0\0" for t in triangles
        )
        data = b" " * 80 + (12).to_bytes(4, "little") + body
    else:
        data = b"solid cube\n" + b"".join(
            b"facet\n" + b"".join(b"vertex %g %g %g\n" % tuple(CUBE[i]) for i in t) for t in triangles
        )
    vertices, faces = read_mesh(f"cube.{form}", data)
    corners = vertices[faces]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    assert len(faces) == 12 and area.sum() == pytest.approx(6)
    made = mesh_solid(vertices, faces, 24)
    assert (made.values < 0).mean() == pytest.approx(0.84**3, abs=0.04)


def test_a_surface_written_as_obj_is_read_back():
    vertices, faces = surface(solid("torus", 24).values[0])
    again, same = read_mesh("t.obj", obj(vertices, faces).encode())
    assert np.array_equal(same, faces) and np.allclose(again, vertices, atol=1e-5)


@pytest.mark.parametrize("content", [b"v 1 2\nf 1 2 3\n", b"OFF 3 9", b"v a b c", b"solid nothing", b"f 1 2 9\n"])
def test_damaged_meshes_get_one_sentence(content):
    for ending in ("obj", "off", "stl"):
        with pytest.raises(InputError):
            read_upload(f"bad.{ending}", content)


@pytest.mark.parametrize(
    "name, content", [("a.ply", b"ply\nformat"), ("a.png", b"text"), ("a.png", b""), ("a.x", b"x")]
)
def test_a_refusal_names_what_this_page_takes(name, content):
    with pytest.raises(InputError, match=r"; this page takes one picture \(png.*mesh \(obj, stl, off\)\.$") as refused:
        read_upload(name, content)
    assert "csv" not in str(refused.value)


def test_a_sound_of_two_samples_is_refused():
    import soundfile

    out = io.BytesIO()
    soundfile.write(out, np.array([0.1, 0.2]), 8000, format="WAV")
    with pytest.raises(InputError, match="holds 2 samples; a sound needs 64 or more"):
        read_upload("tiny.wav", out.getvalue())


def test_a_stereo_8_bit_sound_and_a_window_of_it():
    import soundfile

    out = io.BytesIO()
    wave = np.repeat(glide(2.0).values.T, 2, axis=1)
    soundfile.write(out, wave, 8000, format="WAV", subtype="PCM_U8")
    signal = read_upload("call.wav", out.getvalue())
    assert signal.kind == "sound" and signal.shape == (16000,) and "mixed to one" in " ".join(signal.notes)
    part = window_of(signal, 9.0, 0.5)  # past the end: the last half second
    assert part.shape == (4000,) and np.allclose(part.values, signal.values[:, -4000:])
    truth = window_of(glide(2.0), 1.0, 0.5).frequency[0]
    assert truth[0] / 0.5 == pytest.approx(glide(2.0).frequency[0, 8000] / 2.0)  # hertz are the same


def test_gains_act_on_a_pitched_sound_and_the_spectrogram_finds_a_tone():
    tone = np.sin(2 * np.pi * 1000 * np.arange(4000) / 8000)
    seconds, hertz, decibels = spectrogram(tone, 8000)
    assert decibels.shape == (len(hertz), len(seconds)) and decibels.max() == 0
    assert hertz[decibels[:, len(seconds) // 2].argmax()] == pytest.approx(1000, abs=20)
    spectrum = fit_spectrum(glide(0.5).values, SpectrumSettings(k=8, cells=40)).spectrum
    from core.transport.gains import SILENT, bands

    silent = edit(spectrum, {b.name: SILENT for b in bands(spectrum)})
    rest = spectrum.synthesise(gains=np.zeros(spectrum.k))
    assert np.allclose(pitched(spectrum, 1.5, edits=[silent]), rest, atol=1e-5)


def test_refinement_leaves_the_fit_it_starts_from_alone():
    values = glide(0.25).values
    fitted = fit_spectrum(values, SpectrumSettings(k=6, cells=20))
    before = fitted.spectrum.carriers.copy()
    better = refine(values, fitted, SpectrumSettings(k=6, cells=20), steps=12)
    assert np.array_equal(fitted.spectrum.carriers, before) and not np.array_equal(better.spectrum.carriers, before)
    assert snr(values, better.spectrum.synthesise()) > snr(values, fitted.spectrum.synthesise())


def test_no_carrier_stands_where_the_mean_is():
    from core.transport.carriers import find_carriers

    found = find_carriers(solid("torus", 24).values[0], 8, kind="cover", cells=8)
    assert (np.linalg.norm(found, axis=1) >= 1).all()


@pytest.mark.parametrize("kind", ["sound", "outline", "solid", "wav", "mesh"])
def test_the_snippet_of_every_kind_runs(kind, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.wav").write_bytes(wav(glide(1.0).values, 8000))
    (tmp_path / "a.obj").write_text(obj(*surface(solid("torus", 16).values[0])))
    source, of, window = {
        "sound": ("sound:glide", "sound", (0.25, 0.5)),
        "outline": ("outline:star", "outline", None),
        "solid": ("solid:torus", "solid", None),
        "wav": ("file:a.wav", "sound", (0.5, 0.5)),
        "mesh": ("file:a.obj", "solid", None),
    }[kind]
    settings = SpectrumSettings(k=3, cells=5, refine=2 if kind == "outline" else 0)
    exec(snippet(source, 32, False, settings, 0, kind=of, window=window), {})
    assert float(capsys.readouterr().out.split("numbers, ")[1].split(" dB")[0]) > 0.5


def test_every_kind_becomes_a_dataset_that_a_model_takes():
    from core.transport.models import Spectrum

    for signal in (glide(0.1), solid("torus", 12)):
        model = Spectrum(k=2, cells=4, device="cpu").fit(as_dataset(signal))
        assert model.render().shape == signal.values.shape
    assert iou(solid("torus", 12).values[0], model.render()[0]) > 0.7
