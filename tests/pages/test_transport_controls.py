"""*Frequency transport*: every control does what it says, with numbers checked against the core."""

import io

import numpy as np
import pytest
from PIL import Image
from transport_app import by_key, captions, clean, metrics, now, open_at, settle

from core.transport.fit import SpectrumSettings, fit_spectrum, psnr, snr
from core.transport.gains import bands
from core.transport.readouts import read
from core.transport.samples import warped_fringe
from core.transport.score import score
from core.transport.sound import glide
from core.transport.takeaway import field_npz, read_npz, snippet
from core.transport.uploads import read_picture
from pages.transport.view import TransportView

SMALL = dict(size=64)


def decibels(at) -> float:
    return float(metrics(at)["PSNR"].split()[0])


def test_the_fit_is_that_of_the_core_and_sliders_refit():
    at = clean(open_at(**SMALL))
    values = warped_fringe(64)[0][None].astype(np.float32)
    fitted = fit_spectrum(values, SpectrumSettings())
    expected = psnr(values, np.clip(fitted.spectrum.synthesise(), 0, 1))
    assert decibels(at) == pytest.approx(expected, abs=0.06)
    assert metrics(at)["Stored numbers"] == f"{fitted.spectrum.stored:,}"
    few = decibels(clean(by_key(at, "settings.k").set_value(1).run()))
    assert few < expected - 3 and now(at).settings["k"] == 1
    by_key(at, "undo").click().run()
    assert decibels(clean(at)) == pytest.approx(expected, abs=0.06)
    coarse = decibels(clean(by_key(at, "settings.cells").set_value(3).run()))
    assert coarse < expected - 3
    by_key(at, "settings.cells").set_value(20).run()
    stiff = decibels(clean(by_key(at, "settings.smoothness").set_value(10.0).run()))
    assert stiff < expected - 3
    by_key(at, "settings.smoothness").set_value(1e-4).run()
    chance = decibels(clean(by_key(at, "settings.carriers").set_value("random").run()))
    assert chance < expected - 3


def test_what_the_coarse_fit_is_worse_than_is_not_said_of_the_fine_one():
    at = clean(open_at(size=128))
    assert decibels(at) > float(metrics(at)["DCT, as many numbers"].split()[0])
    assert "cosine transform of equal size" not in captions(at)
    by_key(at, "settings.k").set_value(1).run()
    assert "cosine transform of equal size" in captions(clean(at))
    by_key(at, "settings.k").set_value(7).run()
    assert decibels(at) > float(metrics(at)["DCT, as many numbers"].split()[0])
    assert "cosine transform of equal size" not in captions(clean(at))


def test_the_place_and_the_read_out():
    at = clean(open_at(**SMALL))
    by_key(at, "field.row").set_value(10).run()
    by_key(at, "field.column").set_value(50).run()
    assert (now(at).field["row"], now(at).field["column"]) == (10, 50)
    fy, fx = warped_fringe(64)[1].frequency[:, 10, 50]
    said = captions(at).split("Read here: ")[1].split(" cycles")[0]
    assert float(said) == pytest.approx(np.hypot(fy, fx), rel=0.05)
    scores = next(d.value for d in at.dataframe)
    values, truth = warped_fringe(64)
    field = read(fit_spectrum(values[None].astype(np.float32)).spectrum, "reassigned")
    assert scores.loc["This read-out", "correlation"] == f"{score(field, truth.frequency).correlation:.3f}"
    for layer in ("orientation", "frequency", "residual"):
        clean(by_key(at, "field.layer").set_value(layer).run())
    for kind in ("strongest", "centroid", "tensor", "analytic"):
        clean(by_key(at, "field.readout").set_value(kind).run())


def test_no_truth_no_score():
    at = clean(open_at(data="sample:brick", **SMALL))
    assert "No truth is known here" in captions(at)


def test_a_sound_is_fitted_as_the_snippet_fits_it():
    at = clean(open_at(data="sample:glide", sound_settings=dict(cells=300)))
    values = glide().values
    fitted = fit_spectrum(values, SpectrumSettings(k=16, cells=300))
    assert metrics(at)["SNR"] == f"{snr(values, fitted.spectrum.synthesise()):.1f} dB"


def test_a_pitch_that_was_kept_stays_under_the_next_one():
    at = clean(open_at(data="sample:glide", tab="Band gains"))

    def change() -> float:
        return float(captions(clean(at)).split("root mean square ")[1].split("\n")[0])

    by_key(at, "edit.pitch").set_value(7).run()
    up = change()
    by_key(at, "keep-edit").click().run()
    assert now(at).edit.get("pitch") is None and change() == pytest.approx(up, rel=1e-3) and up > 0.01
    by_key(at, "edit.pitch").set_value(-7).run()  # back to where it was
    assert change() < 1e-3 * up


def test_a_band_under_a_rectangle_then_kept_undone_and_reset():
    at = clean(open_at(tab="Band gains", **SMALL))
    values = warped_fringe(64)[0][None].astype(np.float32)
    name = max(bands(fit_spectrum(values).spectrum), key=lambda b: len(b.carriers)).name
    by_key(at, f"gains.{name}").set_value(-60.0).run()
    whole = float(captions(at).split("root mean square ")[1].split("\n")[0])
    assert whole > 0.01
    by_key(at, "edit.where").set_value("rectangle").run()
    by_key(at, "edit.rows").set_value((0, 50)).run()
    by_key(at, "edit.columns").set_value((0, 100)).run()
    half = float(captions(clean(at)).split("root mean square ")[1].split("\n")[0])
    assert 0 < half < whole
    by_key(at, "keep-edit").click().run()
    assert len(now(at).kept) == 1 and now(at).gains == {}
    again = float(captions(clean(at)).split("root mean square ")[1].split("\n")[0])
    assert again == pytest.approx(half, rel=1e-3)
    by_key(at, "undo").click().run()
    assert now(at).kept == [] and now(at).gains == {name: -60.0}
    by_key(at, "reset").click().run()
    assert now(clean(at)).gains == {} and now(at).edit == {}


@pytest.mark.parametrize("name", ["low-pass", "high-pass", "one orientation", "notch", "phase scramble"])
def test_presets_change_the_picture(name):
    at = clean(open_at(tab="Band gains", edit={"preset": name, "angle": 90.0}, **SMALL))
    assert float(captions(at).split("root mean square ")[1].split("\n")[0]) > 0.01


def test_the_equation_on_a_button_and_its_path():
    at = clean(open_at(tab="Equation", law={"steps": 100, "width": 16}, **SMALL))
    by_key(at, "equation:go").click().run()
    clean(settle(at))
    table = next(d.value for d in at.dataframe)
    assert list(table.index) == ["F(x, S)", "F(S)", "F(x)", "F = 0"]
    assert table.iloc[3, 0] == "100.0%" and float(table.iloc[0, 0].rstrip("%")) < 100
    assert "At the end: error" in captions(at)
    clean(by_key(at, "path.shape").set_value("loop").run())
    assert "Around the circle" in captions(at)
    by_key(at, "path.row_b").set_value(63).run()
    assert "leaves the picture" in at.error[0].value


def test_a_short_race():
    at = clean(open_at(tab="Race", race={"budget": 1000, "seconds": 2, "names": ["siren"]}, **SMALL))
    by_key(at, "race:go").click().run()
    clean(settle(at))
    table = next(d.value for d in at.dataframe)
    assert {"Exact fit", "SIREN"} <= set(table.index)
    assert any("of the local energy lies around one frequency" in m.value for m in at.markdown)


def png(array: np.ndarray) -> bytes:
    out = io.BytesIO()
    Image.fromarray(array).save(out, "PNG")
    return out.getvalue()


def test_uploads_good_and_bad():
    at = clean(open_at(**SMALL))
    rng = np.random.default_rng(0)
    colour = png(rng.integers(0, 255, (40, 90, 3), dtype=np.uint8))
    uploader = next(f for f in at.get("file_uploader"))
    uploader.set_value(("mine.png", colour, "image/png")).run()
    assert now(clean(at)).data.startswith("upload:") and now(at).title == "mine.png"
    before = now(at)
    for name, content, said in (
        ("x.png", b"\x89PNG\r\n\x1a\nno", "x.png"),
        ("x.npy", b"\x80\x04K\x01.", "pickle"),
        ("empty.png", b"", "empty"),
        ("x.csv", b"a,b\n1,2\n", "one picture"),
    ):
        next(f for f in at.get("file_uploader")).set_value((name, content, "application/octet-stream")).run()
        assert len(at.error) == 1 and said in at.error[0].value.replace("\\", "") and now(at) == before


@pytest.mark.parametrize("shape", [(1, 1), (1, 40), (64, 64)])
def test_tiny_and_constant_pictures(shape):
    at = clean(open_at(**SMALL))
    next(f for f in at.get("file_uploader")).set_value(
        ("flat.png", png(np.full(shape, 90, dtype=np.uint8)), "image/png")
    ).run()
    assert decibels(clean(at)) > 60
    for tab in ("Band gains", "Take away"):
        clean(open_at(now(at).having(tab=tab)))


def test_a_large_picture_is_reduced():
    signal = read_picture("big.png", png(np.zeros((900, 1500), dtype=np.uint8)))
    assert signal.values.shape == (1, 307, 512) and "reduced to 512 x 307" in signal.notes[0]


def test_the_npz_gives_the_spectrum_back():
    values = warped_fringe(48)[0][None].astype(np.float32)
    made = fit_spectrum(values).spectrum
    again = read_npz(field_npz(made, energy=np.ones(3)))
    assert np.array_equal(again.synthesise(), made.synthesise())


@pytest.mark.parametrize("source", ["made:zone plate", "packaged:astronaut", "file:a.png"])
def test_the_snippet_runs(source, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.png").write_bytes(png(np.random.default_rng(0).integers(0, 255, (30, 50, 3), dtype=np.uint8)))
    settings = SpectrumSettings(k=3, cells=6)
    for colour in (False, True):
        if source.startswith("made") and colour:
            continue
        exec(snippet(source, 32, colour, settings, 1), {})
        assert "dB" in capsys.readouterr().out


def test_a_link_to_an_upload_of_another_session_asks_for_it():
    at = clean(open_at(TransportView(data="upload:none", title="theirs.png", size=64)))
    assert "theirs.png" in at.info[0].value.replace("\\", "")
