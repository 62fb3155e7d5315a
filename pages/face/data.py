"""Left side of the page: a sample or a photograph of one's own, and which face in it."""

import hashlib

import streamlit as st

from core.errors import InputError
from core.face.editing.photos import Photo, face_of, marked, read_photo
from core.face.editing.samples import SAMPLES, sample_photo
from core.face.photo import networks
from core.face.photo.photo import Face
from core.ui.brought import Brought, ask_again
from core.ui.history import History
from core.ui.text import escape, say_error, told_apart
from core.ui.view import entry
from pages.face.view import FIRST, FRESH_DATA, FRESH_FACE, FaceView

TAKES = "Takes png, jpg, webp, tif, gif and bmp pictures of up to 40 million pixels."
_KEPT = 6
_BOX = dict(across=[30, 70], down=[20, 80])


def own() -> Brought[Photo]:
    """The photographs of this session."""
    found = Brought[Photo].of("face")
    found.most = _KEPT
    return found


@st.cache_resource(show_spinner=False)
def built_in(name: str) -> Photo:
    """A sample, opened once per server."""
    return sample_photo(name)


def titles() -> dict[str, str]:
    """All photographs by reference."""
    found = {f"sample:{n}": n.capitalize() for n in SAMPLES}
    return found | {f"upload:{p}": f"{photo.title} (yours)" for p, photo in reversed(own().things.items())}


def photo_of(ref: str) -> Photo | None:
    """A photograph by reference; None for one that is not in this session."""
    place, _, name = ref.partition(":")
    if place == "sample":
        return built_in(name) if name in SAMPLES else None
    return own().things.get(name)


def choose(history: History[FaceView]) -> tuple[Photo, Face | None, str]:
    """Photograph, face and the text that names both; a bad upload leaves all as it was and shows one sentence."""
    chooser = st.container()
    _drop_zone(history)
    known, now = titles(), history.now
    chosen = now.data
    if chosen not in known:
        ask_again(chosen, now.title)
        chosen = FIRST
    history.bind(
        "data", chooser.selectbox, "Photograph", list(known), value=chosen, after=FRESH_DATA,
        format_func=told_apart(list(known)[::-1], known.get),
    )  # fmt: skip
    photo = photo_of(chosen)
    face, identity = _which(history, photo, chosen)
    _about(photo, face)
    return photo, face, identity


def _which(history: History[FaceView], photo: Photo, ref: str) -> tuple[Face | None, str]:
    now = history.now
    marking = by_hand(now, photo)
    box = box_of(now.box) if marking else None
    face, problem = None, ""
    try:
        face = face_of(photo, now.face, box)
    except InputError as error:
        problem = str(error)
    several = len(photo.faces) > 1
    label = f"Which face ({len(photo.faces)})" if several else "The face"
    with st.expander(label, icon=":material/face:", expanded=several or not photo.faces or marking):
        if photo.lacking:
            st.warning(escape(photo.lacking), icon=":material/face_retouching_off:")
        boxes = [(face.box if face else (0, 0, 0, 0))] if marking else [f.box for f in photo.faces]
        chosen = 0 if marking else min(now.face, len(photo.faces) - 1)
        if marking and face is None:
            boxes = []
        st.image(marked(photo, boxes, chosen), width="stretch")
        if several and not marking:
            history.bind(
                "face", st.segmented_control, "Face", list(range(len(photo.faces))), value=chosen, required=True,
                after=FRESH_FACE, format_func=lambda i: str(i + 1), help="The largest is the first.",
            )  # fmt: skip
        if photo.faces:
            history.bind(
                "box.on", st.toggle, "Mark it by hand", value=marking, after=FRESH_FACE,
                help="Draw a box around a face that was not found, from the brows to the chin, from cheek to cheek.",
            )  # fmt: skip
        if marking:
            across, down = _sides(now.box)
            history.bind("box.across", st.slider, "Left and right, percent", 0, 100, value=tuple(across))
            history.bind("box.down", st.slider, "Top and bottom, percent", 0, 100, value=tuple(down))
        if problem:
            say_error(problem)
        for note in face.notes if face else ():
            st.caption(escape(note))
    return face, f"{ref}:{box if marking else now.face}"


def by_hand(view: FaceView, photo: Photo) -> bool:
    """Whether the face is marked by hand: asked for, or because none was found."""
    return entry(view.box, "on", False) or not photo.faces


def _sides(box: dict) -> tuple[list[int], list[int]]:
    found = []
    for name, usual in _BOX.items():
        value = box.get(name)
        fine = (
            isinstance(value, (list, tuple))
            and len(value) == 2
            and all(isinstance(v, int) and not isinstance(v, bool) and 0 <= v <= 100 for v in value)
            and value[0] < value[1]
        )
        found.append(list(value) if fine else usual)
    return found[0], found[1]


def box_of(box: dict) -> tuple[float, float, float, float]:
    """Left, top, right, bottom as shares, of a face marked by hand."""
    (left, right), (top, bottom) = _sides(box)
    return left / 100, top / 100, right / 100, bottom / 100


def _about(photo: Photo, face: Face | None) -> None:
    w, h = photo.size
    with st.popover(f"{w} × {h}", icon=":material/info:", help="Where this picture comes from, what was done to it."):
        st.markdown(f"**{escape(photo.title)}**: {w} × {h} pixels.")
        said = [photo.source, *photo.notes]
        if face is not None and face.measured:
            said.append(f"The face is {face.width:.0f} pixels wide; its finder is {100 * face.score:.0f} % sure.")
        for line in said:
            if line:
                st.caption(escape(line))
        if (sentence := networks.missing()) and photo.faces:
            st.caption(escape(f"{sentence} Photographs of your own need it; the sample does not."))


def _drop_zone(history: History[FaceView]) -> None:
    brought = own()
    with st.expander("Your own photograph", icon=":material/upload:", expanded=bool(brought.error)):
        file = st.file_uploader(
            "Photograph", key=f"face:upload:{brought.generation}", label_visibility="collapsed",
            help="Nothing leaves this server, nobody else sees it, and it is forgotten when the session ends.",
        )  # fmt: skip
        st.caption(f"{TAKES} Animate only faces that you may animate.")
        if file is not None:
            ref, photo = brought.read(lambda: bring(file.name, file.getvalue()), "Looking for faces ...")
            if history.now.data != ref:  # a link that waited for this very file keeps its view
                history.change(**{**FRESH_DATA, "data": ref, "title": photo.title})
            st.rerun()
        if brought.error:
            say_error(brought.error)


def bring(name: str, content: bytes) -> tuple[str, Photo]:
    """Keep a photograph in the session; its reference and itself.

    Raises:
        InputError: it is none.
    """
    photo = read_photo(name, content)
    print_ = hashlib.sha256(photo.picture.tobytes() + str(photo.picture.shape).encode()).hexdigest()[:16]
    return f"upload:{own().keep(print_, photo, (name,))}", photo
