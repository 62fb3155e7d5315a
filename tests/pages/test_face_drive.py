"""*Facial motion*, tab *Drive*: speech and clips to curves, edits, a preview, the clip that is written."""

import io

import av
import numpy as np
import pytest
import soundfile
from face_app import app, by_key, clean, now, open_at, said

from core.face.clip.curves import CodeCurves
from core.face.clip.edits import edited
from core.face.clip.marks import is_marked
from core.face.clip.writing import write_mp4
from core.face.editing import drive
from core.face.editing.actor import MeshActor, directions_of
from core.face.editing.photos import stage
from core.face.editing.samples import sample_photo
from core.face.photo import networks
from core.face.speech.controls import CONTROLS
from pages.face.drive.curves import edits_of
from pages.face.view import FaceView

RATE = 16_000


@pytest.fixture(scope="module")
def actor():
    photo = sample_photo("astronaut")
    staged = stage(photo.picture, photo.faces[0], longest=160)
    return MeshActor(staged.picture, staged.face)


def tone(seconds=0.5) -> bytes:
    out = io.BytesIO()
    t = np.arange(int(seconds * RATE)) / RATE
    wave = 0.4 * np.sin(2 * np.pi * 220 * t) * (1 + np.sin(2 * np.pi * 4 * t)) / 2
    soundfile.write(out, wave, RATE, format="WAV")
    return out.getvalue()


def of(controls, **more):
    controls = np.asarray(controls, dtype=np.float32)
    return CodeCurves(np.arange(len(controls)) / 25, controls, CONTROLS, ("mouth",) * len(CONTROLS), **more)


def test_a_jaw_that_opens_in_speech_opens_the_jaw_and_moves_nothing_else(actor):
    directions = directions_of(actor)
    controls = np.zeros((50, len(CONTROLS)))
    controls[20:30, CONTROLS.index("jaw open")] = 1
    made = drive.spoken(of(controls), actor.own, directions, closed=True, gain=1.0, amount=0.0, blinks=False, seed=0)
    ways = drive.ways(made, directions)
    assert set(made.banks) == {"mouth", "pose", "expression"}
    for d in directions:
        if d.bank != "mouth":
            assert np.allclose(made.values[:, d.index], actor.own[d.index], atol=1e-5)
    assert np.allclose(made.values[0], actor.own, atol=1e-5)  # it starts from the face as it is
    jaw = ways["mouth: jaw open"]
    assert jaw[25] > 1.5 and abs(jaw[15]) < 1e-5  # closed in between
    twice = drive.spoken(of(controls), actor.own, directions, closed=True, gain=2.0, amount=0.0, blinks=False, seed=0)
    assert drive.ways(twice, directions)["mouth: jaw open"][25] == pytest.approx(2 * jaw[25], rel=1e-4)
    as_is = drive.spoken(of(controls), actor.own, directions, closed=False, gain=1.0, amount=0.0, blinks=False, seed=0)
    assert as_is.values[15] == pytest.approx(actor.own, abs=1e-5)


def test_idle_and_blinks_move_pose_and_lids_by_a_seed(actor):
    directions = directions_of(actor)
    still = of(np.zeros((200, len(CONTROLS))))
    a, b = (
        drive.spoken(still, actor.own, directions, closed=False, gain=1.0, amount=1.0, blinks=True, seed=3)
        for _ in "ab"
    )
    assert np.array_equal(a.values, b.values)
    by_name = {d.name: d for d in directions}
    yaw, lid = by_name["yaw"], by_name["blink left"]
    assert 0.05 < np.ptp(a.values[:, yaw.index]) / yaw.scale * 8 < 15  # degrees
    assert a.values[:, lid.index].max() == pytest.approx(3 * lid.scale, rel=0.1)


def test_banks_of_other_curves_are_held_after_their_end(actor):
    directions = directions_of(actor)
    long = drive.resting(actor.own, directions, 2.0)
    short = drive.resting(actor.own, directions, 0.2)
    values = np.array(short.values)
    values[:, short.columns("pose")] = np.linspace(0, 1, 5)[:, None]
    joined = drive.with_banks(long, short.with_values(values), ["pose"])
    assert joined.bank("pose")[0] == pytest.approx(0) and np.allclose(joined.bank("pose")[5:], 1)
    assert np.array_equal(joined.bank("mouth"), long.bank("mouth"))
    assert list(drive.even(joined, 3)) == [0, 24, 49] or list(drive.even(joined, 3)) == [0, 25, 49]


def test_edits_of_a_view_are_in_scales_and_nonsense_is_left_out(actor):
    directions = directions_of(actor)
    good = {"key": "pose: yaw", "action": "shift", "value": 2.0, "begin": 0.0, "end": 1.0}
    view = FaceView(drive={"edits": [good, {}, 7, {**good, "key": "nose: up"}, {**good, "action": "eat"}]})
    edits = edits_of(view, directions)
    assert len(edits) == 1
    curves = drive.resting(actor.own, directions, 1.0)
    moved = drive.ways(edited(curves, *edits), directions)["pose: yaw"] - drive.ways(curves, directions)["pose: yaw"]
    assert moved[10] == pytest.approx(2.0, rel=1e-5)
    assert edits_of(FaceView(drive={"edits": "all"}), directions) == []


def test_a_sound_is_spoken_previewed_and_rendered():
    at = clean(open_at(tab="Drive", drive={"voice": "file", "side": 320}))
    at = clean(by_key(at, "sound").upload("a.wav", tone(), "audio/wav").run())
    assert any(m.label.startswith("Render 13 frames") for m in at.button)
    at = clean(app.settle(app.press(at, "render:go")))
    data = next(w for w in _shelf_results())
    assert is_marked(data)
    with av.open(io.BytesIO(data)) as clip:
        assert (clip.streams.video[0].width, clip.streams.video[0].height) == (320, 320)
        assert len(clip.streams.audio) == 1
        assert sum(1 for _ in clip.decode(video=0)) == 13
    at = clean(app.choose(at, "drive.form", "gif"))
    at = clean(app.settle(app.press(at, "render:go")))
    assert any(d[:4] == b"GIF8" for d in _shelf_results())


def _shelf_results():
    from core.ui.background import shelf

    return [w.result for w in reversed(shelf("face:render")._all.values()) if w.result]


def test_bad_sounds_are_refused_in_one_sentence():
    at = open_at(tab="Drive", drive={"voice": "file"})
    at = by_key(at, "sound").upload("a.wav", b"RIFFnothing", "audio/wav").run()
    assert len(said(at)) == 1 and "damaged" in said(at)[0]
    at = by_key(at, "sound").upload("quiet.wav", _silence(), "audio/wav").run()
    assert said(at) == [] and any("silent" in c.value for c in at.caption)


def _silence() -> bytes:
    out = io.BytesIO()
    soundfile.write(out, np.zeros((48_000, 2)), 96_000, format="WAV")
    return out.getvalue()


def test_gains_and_an_edit_from_the_form():
    at = clean(open_at(tab="Drive"))
    at = clean(by_key(at, "drive-gain:mouth").set_value(0.5).run())
    assert now(at).drive["gains"] == {"mouth": 0.5}
    at = clean(next(b for b in at.button if b.label == "Add this edit").click().run())
    assert len(now(at).drive["edits"]) == 1
    at = clean(app.press(at, "edit-off:0"))
    assert now(at).drive["edits"] == []


def test_a_link_with_nonsense_in_what_drives_opens_the_tab():
    odd = dict(source="wind", voice=3, gains="x", edits=7, smooth="soft", part=["a", 1], form="avi", side=17, amount=99)
    clean(open_at(tab="Drive", drive=odd))
    at = open_at(tab="Drive", drive={**odd, "source": "clip", "clip": "gone"})
    assert said(at) == []


@pytest.mark.skipif(networks.missing() is not None, reason=networks.missing() or "")
def test_a_clip_is_followed(actor):
    picture = sample_photo("astronaut").picture
    clip = write_mp4([picture] * 13)
    at = clean(open_at(tab="Drive", drive={"source": "clip", "side": 320}))
    at = app.settle(by_key(at, "clip:0").upload("c.mp4", clip, "video/mp4").run())
    assert said(at) == [] and any("512 × 512" in c.value for c in at.caption)
    assert any(b.label.startswith("Render 13 frames") for b in at.button)
    at = app.settle(app.choose(at, "drive.source", "speech"))
    at = app.settle(app.choose(at, "drive.head", True))
    assert said(at) == [] and any(b.label.startswith("Render 100 frames") for b in at.button)
    at = app.settle(app.choose(at, "drive.source", "clip"))
    at = by_key(at, "clip:1").upload("bad.mp4", b"\0\0\0\x18ftypmp42nothing", "video/mp4").run()
    assert len(said(at)) == 1
