"""*Facial motion*: every control does what it says, with numbers checked against the core."""

import io
import json

import numpy as np
import pytest
from face_app import app, by_key, clean, note, now, open_at, png, said, shown, sliders, tell
from PIL import Image

from core.face.editing.samples import sample_photo
from core.face.photo import networks
from pages.face.tabs import takeaway
from pages.face.view import MOST_LAYERS, TABS, FaceView

JAW, SMILE, YAW = "mouth: jaw open", "expression: smile", "pose: yaw"


def test_it_opens_with_the_astronaut_untouched():
    at = clean(open_at())
    assert note(at) == "untouched" and len(sliders(at)) == 19
    assert all(s["value"] == s["own"] for s in sliders(at).values())
    assert [b["name"] for b in shown(at, "editor")["banks"]] == ["mouth", "pose", "expression"]
    assert "Animate only faces that you may animate" in at.markdown[0].value
    assert not shown(at, "editor")["undo"]


def test_a_slider_then_undo_redo_and_reset():
    at = open_at()
    own = sliders(at)[JAW]["own"]
    at = clean(tell(at, kind="change", direction=JAW, value=2.5))
    assert now(at).weights == {JAW: 2.5} and sliders(at)[JAW]["value"] == 2.5 and "pixels changed" in note(at)
    at = clean(tell(at, kind="change", direction=SMILE, value=-1.0))
    assert now(at).weights == {JAW: 2.5, SMILE: -1.0}
    at = clean(tell(at, kind="undo"))
    assert now(at).weights == {JAW: 2.5} and shown(at, "editor")["redo"]
    at = clean(tell(at, kind="redo"))
    at = clean(tell(at, kind="reset", direction=SMILE))
    assert now(at).weights == {JAW: 2.5}
    at = clean(tell(at, kind="bank", bank="", what="own"))
    assert now(at) == FaceView() and note(at) == "untouched" and sliders(at)[JAW]["value"] == own


def test_a_slider_under_the_hand_is_no_step_of_undo():
    at = open_at()
    at = clean(tell(at, kind="live", direction=YAW, value=2.0))
    assert now(at) == FaceView() and sliders(at)[YAW]["value"] == 2.0 and "changed" in note(at)
    at = clean(tell(at, kind="change", direction=YAW, value=1.0))
    at = clean(app.press(at, "undo"))
    assert now(at) == FaceView() and note(at) == "untouched"


def test_gains_neutral_and_random():
    at = clean(tell(open_at(weights={JAW: 2.0}), kind="gain", bank="mouth", value=0.0))
    assert now(at).gains == {"mouth": 0.0} and note(at) == "untouched" and sliders(at)[JAW]["value"] == 2.0
    at = clean(tell(at, kind="gain", bank="mouth", value=9.0))
    assert now(at).gains == {"mouth": 2.0}
    at = clean(tell(at, kind="bank", bank="", what="neutral"))
    assert all(s["value"] == 0 for k, s in sliders(at).items() if not k.startswith("pose"))
    assert sliders(at)[YAW]["value"] == sliders(at)[YAW]["own"]
    at = clean(tell(at, kind="bank", bank="pose", what="random"))
    assert {k for k in now(at).weights if k.startswith("pose")} == {"pose: yaw", "pose: pitch", "pose: roll"}
    at = clean(tell(at, kind="bank", bank="mouth", what="own"))
    assert not any(k.startswith("mouth") for k in now(at).weights) and now(at).gains == {}


def test_what_a_browser_should_never_send_changes_nothing():
    at = open_at()
    for odd in (
        dict(kind="change", direction="nose: up", value=1),
        dict(kind="change", direction=JAW, value="much"),
        dict(kind="change", direction=JAW, value=float("nan")),
        dict(kind="change", direction=JAW),
        dict(kind="bank", bank="nose", what="own"),
        dict(kind="bank", bank="mouth", what="explode"),
        dict(kind="gain", bank="mouth", value=True),
        dict(kind="explode"),
        dict(),
    ):
        at = clean(tell(at, **odd))
    assert now(at) == FaceView()
    at = clean(tell(at, kind="change", direction=JAW, value=1e9))
    assert now(at).weights == {JAW: 12.0}


def test_a_preset_and_edits_that_add_up():
    at = clean(app.press(open_at(), "preset:Surprised"))
    jaw = sliders(at)[JAW]
    assert jaw["value"] - sliders(open_at())[JAW]["own"] == pytest.approx(1.4, abs=2e-3)
    at = clean(app.press(at, "keep"))
    layer = now(at).layers[0]
    assert layer["changes"][JAW] == pytest.approx(1.4, abs=2e-3) and now(at).weights == {}
    assert sliders(at)[JAW]["value"] == sliders(at)[JAW]["own"] == pytest.approx(jaw["value"], abs=2e-3)
    strength = next(s for s in at.slider if "face:layer:0" in s.key)
    at = clean(strength.set_value(0.5).run())
    assert now(at).layers[0]["strength"] == 0.5
    assert sliders(at)[JAW]["value"] == pytest.approx(jaw["value"] - 0.7, abs=2e-3)
    at = clean(app.press(at, "layer-off:0"))
    assert now(at).layers == [] and note(at) == "untouched"


def test_presets_are_read_and_others_refused():
    at = open_at()
    text = json.dumps(
        {"what": "facial motion preset", "format": 1, "banks": {"mouth": {"jaw open": {"weight": 2.0, "change": 1.0}}}}
    )
    at = clean(by_key(at, "preset-file:0").upload("p.json", text.encode(), "application/json").run())
    own = sliders(open_at())[JAW]["own"]
    assert now(at).weights == {JAW: pytest.approx(own + 1.0, abs=2e-3)}
    at = by_key(at, "preset-file:1").upload("p.json", b"{}", "application/json").run()
    assert "no preset" in said(at)[0] and now(at).weights


def test_take_the_mouth_of_a_marked_face():
    at = clean(open_at(other={"data": "sample:astronaut", "shares": {"mouth": 1.0}}))
    assert note(at) == "untouched"  # her own mouth
    at = clean(app.press(at, "take:pose"))
    assert now(at).other["shares"] == {"mouth": 1.0, "pose": 1.0}
    at = clean(by_key(at, "share:mouth").set_value(0.5).run())
    assert now(at).other["shares"]["mouth"] == 0.5
    at = clean(open_at(other={"data": "upload:nowhere", "shares": {"mouth": 1.0}}))
    assert note(at) == "untouched" and any("stayed with" in i.value for i in at.info)


def test_uploads_good_and_bad():
    at = open_at(weights={JAW: 2.0})
    at = by_key(at, "upload:0").upload("bad.png", b"\x89PNG\r\n\x1a\nnothing", "image/png").run()
    assert "is damaged" in said(at)[0] and now(at).weights == {JAW: 2.0}
    at = by_key(at, "upload:1").upload("<b>me</b>.png", png(), "image/png").run()
    assert said(at) == [] and now(at).data.startswith("upload:") and now(at).weights == {}
    told = "\n".join(w.value for w in at.warning)
    assert ("assets get face" if networks.missing() else "No face was found") in told
    assert len(sliders(at)) == 19  # marked by hand, in the middle
    at = app.choose(at, "box.across", (20, 60))
    assert now(at).box["across"] == [20, 60] and said(at) == []
    at = app.choose(at, "box.across", (50, 51))
    assert "8 pixels" in said(at)[0]


def test_a_link_to_an_upload_of_another_session_asks_for_it():
    at = open_at(data="upload:abc", title="<b>her</b>.png")
    assert any("her" in i.value and "stayed with" in i.value for i in at.info) and said(at) == []


def test_the_snippet_gives_the_file_that_is_downloaded(tmp_path, monkeypatch):
    at = clean(open_at(weights={JAW: 2.0, YAW: 1.0}, gains={"pose": 0.5}, tab="Take away"))
    monkeypatch.chdir(tmp_path)
    exec(compile(at.code[0].value, "snippet", "exec"), {})
    made = np.asarray(Image.open(tmp_path / "edited.png"))
    photo = sample_photo("astronaut").picture
    assert made.shape == photo.shape and 0.01 < (made != photo).any(-1).mean() < 0.9


def test_the_edited_photograph_has_its_own_size_and_says_that_it_was_synthesised():
    from core.face.clip.marks import is_marked
    from pages.face.opened import opened

    photo = sample_photo("astronaut")
    on = opened(photo, photo.faces[0], "sample:astronaut:0", FaceView())
    assert np.array_equal(on.render(on.actor.own), photo.picture)

    class Now:
        now = FaceView(weights={JAW: 2.5})

    for make in (takeaway.marked_png, takeaway.marked_jpeg):
        data = make(takeaway._whole(Now, on))
        assert is_marked(data) and Image.open(io.BytesIO(data)).size == (512, 512)
    assert json.loads(takeaway._codes(Now, on))["codes"][JAW]["code"] > on.actor.own[0]


@pytest.mark.parametrize("tab", TABS)
@pytest.mark.parametrize("whole", [False, True])
def test_every_tab(tab, whole):
    at = clean(open_at(tab=tab, whole=whole, weights={JAW: 1.0}))
    assert now(at).tab == tab


def test_a_link_with_nonsense_opens_the_page():
    view = FaceView(
        data="sample:none",
        face=-4,
        seed=-1,
        model="clay",
        box={"on": "yes", "across": [9, 1], "down": "up"},
        weights={"nose: up": 3, JAW: "wide", SMILE: 1e9},
        gains={"nose": 1, "mouth": -5, "pose": "much"},
        layers=[3, {}, {"title": 7, "changes": {SMILE: 1e9, YAW: "x"}, "strength": "strong"}, *[{}] * 20],
        other={"data": 5, "face": "x", "shares": {"mouth": 7, "nose": 1}},
    )
    assert len(view.layers) == MOST_LAYERS and view.weights[SMILE] == 12 and view.gains == {"mouth": 0.0}
    for tab in TABS:
        at = open_at(view.having(tab=tab))
        assert said(at) == [] and at.title[0].value == "Facial motion"


@pytest.mark.skipif(networks.missing() is not None, reason=networks.missing() or "")
def test_of_two_faces_one_is_chosen():
    photo = sample_photo("astronaut").picture
    small = np.asarray(Image.fromarray(photo).resize((300, 300)))
    both = np.full((512, 812, 3), 128, np.uint8)
    both[:, :512], both[100:400, 512:] = photo, small
    out = io.BytesIO()
    Image.fromarray(both).convert("CMYK").save(out, "JPEG", quality=95)
    at = by_key(open_at(), "upload:0").upload("both.jpg", out.getvalue(), "image/jpeg").run()
    assert said(at) == [] and by_key(at, "face").options == ["1", "2"]
    one = sliders(at)[YAW]["own"]
    at = app.choose(at, "face", 1)
    assert said(at) == [] and now(at).face == 1 and sliders(at)[YAW]["own"] != one
    at = app.choose(at, "box.on", True)
    assert said(at) == [] and now(at).box["on"] is True
