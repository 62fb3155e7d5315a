"""*Facial motion*: other models than mesh motion."""

import numpy as np
import pytest
from face_app import app, clean, note, now, open_at, said, sliders, tell

from core.errors import InputError
from core.face.small.model import SmallFace
from pages.face import model as models
from pages.face.view import TABS, FaceView, view_of
from tests.face.test_network_actor import network


@pytest.fixture
def brought(monkeypatch):
    """Uploads of a checkpoint give a tiny network."""
    monkeypatch.setattr(models, "read", lambda data: network())


def with_network(**view):
    at = open_at()
    at = app.by_key(at, "network:0").upload("EDTalk.pt", b"weights", "application/octet-stream").run()
    assert said(at) == []
    ref = now(at).model
    assert ref.startswith("net:")
    return at, ref


def test_a_released_network_moves_the_face_and_mesh_motion_is_a_choice_away(brought):
    at, _ = with_network()
    assert set(sliders(at)) == {
        *(f"mouth: mouth {i}" for i in (1, 2, 3)),
        *(f"pose: pose {i}" for i in (1, 2, 3)),
        *(f"expression: expression {i}" for i in (1, 2)),
    }
    assert note(at) == "untouched"
    at = clean(tell(at, kind="change", direction="mouth: mouth 1", value=5.0))
    assert "pixels changed" in note(at)
    at = clean(app.choose(at, "model", "mesh"))
    assert len(sliders(at)) == 19 and now(at).weights == {}


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_with_a_network(brought, tab):
    at, _ = with_network()
    at.session_state["face:history"]["now"] = now(at).having(tab=tab)
    problems = said(at.run())
    if tab == "Leak meter":  # what an untrained network draws need not be a face to the finder
        problems = [p for p in problems if "does not see the face" not in p]
    assert problems == []


def test_a_file_that_is_no_checkpoint_is_refused_and_changes_nothing():
    at = open_at()
    at = app.by_key(at, "network:0").upload("EDTalk.pt", b"nothing", "application/octet-stream").run()
    assert "not a checkpoint" in said(at)[0] and now(at) == FaceView()


def test_a_network_of_another_session_is_asked_for():
    at = clean(open_at(model="net:abc"))
    assert len(sliders(at)) == 19 and any("stayed with the session" in i.value for i in at.info)


def test_sound_networks_move_no_picture(monkeypatch):
    class Found:
        name, network = "Audio2Lip", object()

    monkeypatch.setattr(models, "load_checkpoint", lambda data: Found)
    with pytest.raises(InputError, match="moves no picture"):
        models.read(b"")


def test_a_trained_model_is_in_the_chooser_and_opens_from_its_card(home):
    from core.store import Card, new_folder, places, save
    from core.store.library import find, list_models

    model = SmallFace(side=24, latent=16, width=2, mouth=3, pose=6, expression=4)
    model.start(0).eval()
    model.scale_, model.shape_, model.seed_ = np.ones(13, np.float32), (24, 24, 3), 0
    model.reference_ = np.full((24, 24, 3), 0.5, np.float32)
    card = Card.of(model, kind="images", name="Tiny")
    save(model, new_folder(places(None)["shared"], "Tiny"), card)
    entry = next(e for e in list_models(None, family="face.small") if e.card.name == "Tiny")
    view = view_of(find(entry.id).card, f"model:{entry.id}")
    at = clean(open_at(view))
    assert "mouth: mouth open" in sliders(at) and note(at) == "untouched"
    at = clean(tell(at, kind="change", direction="pose: yaw", value=3.0))
    assert now(at).weights == {"pose: yaw": 3.0}
    again = view_of(card, "")
    assert again.tab == "Train" and again.train["side"] == 24
    assert view_of(card, "run:abc").train == {"run": "abc"}


def test_a_run_that_is_gone_is_said():
    at = open_at(tab="Train", train={"run": "nowhere"}, model="run:nowhere")
    assert len(said(at)) == 2 and len(sliders(at)) == 19
