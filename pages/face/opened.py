"""The face that is worked on: photograph, stage, the model that moves it; kept between reruns."""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import streamlit as st

from core.face.editing.actor import Actor, Direction, Finely, MeshActor, directions_of
from core.face.editing.edits import Edit, Taken, code_of, sliders
from core.face.editing.network_actor import Network, NetworkActor
from core.face.editing.photos import Photo, Stage, stage
from core.face.editing.strips import order
from core.face.photo.photo import Face, enlarged
from pages.face.view import MESH, FaceView

_KEPT = 6
_TINY = 64  # pixels across: a smaller face is moved in an enlarged picture


@dataclass(frozen=True, eq=False)
class Opened:
    """One face of one photograph.

    Attributes:
        photo: what was chosen.
        picture, face: both enlarged where the face is very small.
        stage: what is rendered while a person works.
        actor: moves the stage.
        key: names photograph, face and model.
        network: what moves it, None for mesh motion.
    """

    photo: Photo
    picture: np.ndarray
    face: Face
    stage: Stage
    actor: Actor
    key: str
    network: Network | None = None

    @cached_property
    def directions(self) -> tuple[Direction, ...]:
        """Of the model."""
        return directions_of(self.actor)

    @cached_property
    def order(self) -> dict[str, list[int]]:
        """Directions by bank, those that move the picture most first."""
        moved = self.actor.reach()
        if moved is None:
            return {bank: [d.index for d in self.directions if d.bank == bank] for bank in self.actor.banks}
        return order(self.actor, moved)

    @cached_property
    def whole(self) -> Actor | Finely:
        """The face in the photograph at its own size."""
        actor = _actor(self.picture, self.face, self.network)
        return actor if self.picture.shape == self.photo.picture.shape else Finely(self.photo.picture, actor)

    def render(self, codes: np.ndarray) -> np.ndarray:
        """The photograph at its own size under codes."""
        return self.whole.render(codes)


def _actor(picture: np.ndarray, face: Face, network: Network | None) -> Actor:
    return MeshActor(picture, face) if network is None else NetworkActor(picture, face, network)


def opened(photo: Photo, face: Face, identity: str, view: FaceView, network: Network | None = None) -> Opened:
    """The face ready to be moved.

    A sample under mesh motion is opened once for the server; a person's own photograph or network only for the session.
    """
    key = f"{identity}:{view.model if network else MESH}:{view.whole}"

    def make() -> Opened:
        picture, found = enlarged(photo.picture, face) if face.width < _TINY else (photo.picture, face)
        staged = stage(picture, found, whole=view.whole)
        return Opened(photo, picture, found, staged, _actor(staged.picture, staged.face, network), key, network)

    public = identity.startswith("sample:") and network is None
    return (_server() if public else _session()).get(key, make)


class _Shelf:
    """The newest things that were opened."""

    def __init__(self):
        self._all: OrderedDict[str, Any] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str, make) -> Any:
        with self._lock:
            if key not in self._all:
                self._all[key] = make()
                while len(self._all) > _KEPT:
                    self._all.popitem(last=False)
            self._all.move_to_end(key)
            return self._all[key]


@st.cache_resource(show_spinner=False)
def _server() -> _Shelf:
    return _Shelf()


def _session() -> _Shelf:
    return st.session_state.setdefault("face:opened", _Shelf())


def edit_of(on: Opened, view: FaceView, taken: tuple[Taken, ...] = (), live: dict[str, float] | None = None) -> Edit:
    """What the view says, as the core wants it."""
    layers = [(layer["changes"], layer["strength"]) for layer in view.layers]
    return Edit(taken, layers, {**view.weights, **(live or {})}, view.gains)


def shown_code(on: Opened, edit: Edit) -> np.ndarray:
    """`(K,)` what the sliders show."""
    return sliders(on.actor.own, on.directions, edit)


def final_code(on: Opened, edit: Edit) -> np.ndarray:
    """`(K,)` what is rendered."""
    return code_of(on.actor.own, on.directions, edit)
