"""Which model moves the face: mesh motion, a small EDTalk of the library, a released network of one's own."""

import hashlib

import streamlit as st

from core.errors import InputError
from core.face.editing.network_actor import Network, released, small
from core.face.network.checkpoints import FILES, load_checkpoint
from core.face.network.network import FaceNetwork
from core.face.small.model import SmallFace
from core.store import find, list_models, load
from core.ui.brought import Brought
from core.ui.history import History
from core.ui.owner import owner_key
from core.ui.server_runs import runs
from core.ui.text import escape, say_error, told_apart
from pages.face.view import FRESH_FACE, MESH, FaceView

FAMILIES = ("face.small", "face.personal")


def own() -> Brought[Network]:
    """The networks of this session; they are large, so there is one at a time, and nobody else ever sees it."""
    found = Brought[Network].of("face:networks")
    found.most = 1
    return found


def choose(history: History[FaceView]) -> Network | None:
    """The chooser; None for mesh motion."""
    chooser = st.container()
    _drop_zone(history)
    listed = list_models(owner_key(), family="face.")
    saved = {f"model:{e.id}": e.card.name for e in listed if e.card.family in FAMILIES and not e.broken}
    if history.now.model.startswith("run:"):
        saved[history.now.model] = "The one just trained"
    titles = {MESH: "Mesh motion", **saved, **{f"net:{p}": f"{n.title} (yours)" for p, n in own().things.items()}}
    now = history.now
    chosen = now.model if now.model in titles else MESH
    if len(titles) > 1:
        history.bind(
            "model", chooser.selectbox, "Moved by", list(titles), value=chosen, after=FRESH_FACE,
            format_func=told_apart(list(titles), titles.get),
            help="Mesh motion warps the photograph. A network draws the face anew, at its own small size.",
        )  # fmt: skip
    if now.model != chosen:
        st.info(
            "This link uses a network that stayed with the session that brought it; mesh motion moves the face until "
            "it is dropped here again."
        )
    try:
        return _network(chosen)
    except InputError as error:
        say_error(error)
        return None


def _network(ref: str) -> Network | None:
    if ref == MESH:
        return None
    place, _, name = ref.partition(":")
    if place == "net":
        return own().things[name]
    return _saved(f"{ref}:{owner_key() if 'own/' in name else ''}", ref)


@st.cache_resource(max_entries=4, show_spinner="Opening the model ...")
def _saved(key: str, _ref: str) -> Network:
    place, _, name = _ref.partition(":")
    model = runs().result(name)[0] if place == "run" else load(find(name, owner_key()).folder)[0]
    if not isinstance(model, SmallFace):
        raise InputError("This is no model of faces.")
    return small(model)


def _drop_zone(history: History[FaceView]) -> None:
    brought = own()
    with st.expander("A released network", icon=":material/neurology:", expanded=bool(brought.error)):
        file = st.file_uploader(
            "Checkpoint", key=f"face:network:{brought.generation}", label_visibility="collapsed",
            help="Only its tensors are read. It stays in this session and is forgotten with it.",
        )  # fmt: skip
        st.caption(f"Takes {FILES}. Without a GPU a picture of EDTalk takes a second or so.")
        if file is not None:
            data = file.getvalue()
            found = brought.read(lambda: read(data), "Reading the network ...")
            ref = f"net:{brought.keep(hashlib.sha256(data).hexdigest()[:16], found, (file.name,))}"
            if history.now.model != ref:
                history.change(**FRESH_FACE, model=ref)
            st.rerun()
        if brought.error:
            say_error(brought.error)


def read(data: bytes) -> Network:
    """A released network that moves pictures.

    Raises:
        InputError: it is none.
    """
    found = load_checkpoint(data)
    if not isinstance(found.network, FaceNetwork):
        raise InputError(f"{found.name} makes codes of sound and moves no picture; bring EDTalk.pt or LIA's vox.pt.")
    return released(found.network.eval(), found.name)


def note(network: Network | None) -> None:
    """What to know of the model that is in use."""
    if network is not None:
        st.caption(
            escape(
                f"{network.title} draws {network.side} x {network.side} pixels; what it changes is pasted into the "
                "photograph. A network does best on faces like those it was trained on."
            )
        )
