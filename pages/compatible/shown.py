"""What the centre and the tabs draw: the study of two models and the chosen map, computed once for equal choices."""

import json
from dataclasses import dataclass

import streamlit as st

from core.compatible.evaluate import Evaluation
from core.compatible.loading import Embeddings
from core.compatible.maps import LinearMap
from core.compatible.study import POSITIONS, Study
from core.progress import Run
from core.ui.background import background
from core.ui.newest import newest
from pages.compatible.view import CompatibleView

QUICK_WIDTH = 48  # the path of maps takes well under a second up to here, and a background job beyond


@dataclass(frozen=True, eq=False)
class Shown:
    """The page's data and choice.

    Attributes:
        key: names data, judgement, split and seed; equal keys have equal studies.
        given: the embeddings as they came.
        chosen: the evaluation of the chosen map.
        plain: the evaluation without a map.
        path: maps and evaluations along the slider, while it has been computed, else None.
    """

    key: str
    given: Embeddings
    study: Study
    chosen: Evaluation
    plain: Evaluation
    rigid: Evaluation
    path: dict[int, tuple[LinearMap, Evaluation]] | None


def study_of(given: Embeddings, view: CompatibleView) -> tuple[str, Study]:
    """The split and its key.

    Raises:
        InputError: too few items.
    """
    by = view.by if given.labels is not None else "identity"
    split = [given.fingerprint, by, view.seed if given.fitted is None else 0, view.share if given.fitted is None else 0]
    key = json.dumps(split)
    return key, _study(key, given, by, view)


@st.cache_resource(max_entries=8, show_spinner=False)
def _study(key: str, _given: Embeddings, _by: str, _view: CompatibleView) -> Study:
    return Study.of(_given, by=_by, share=_view.share / 100, seed=_view.seed)


def path_of(key: str, study: Study) -> dict[int, tuple[LinearMap, Evaluation]] | None:
    """All maps between rigid and free with their judgement; None while they are computed in the background."""

    def compute(run: Run):
        maps = study.path(run)
        if maps is None:
            return None
        return dict(zip(maps, zip(maps.values(), study.judge(list(maps.values())), strict=True), strict=True))

    wide = max(study.d_new, study.d_old) > QUICK_WIDTH
    label = f"Fitting {len(study.limits)} maps from rigid to free"
    return background("compatible:path", f"compatible:path:{key}", compute, label if wide else "Fitting the maps")


def chosen_map(key: str, study: Study, view: CompatibleView, path) -> LinearMap:
    """The map that the controls ask for."""
    if view.map == "lambda":
        if path is None:  # until the path is there its two ends are
            return study.map("procrustes")
        return path[nearest(path, view.position)][0]
    return study.map(view.map, extra=view.extra, orthogonal=view.rigid)


def nearest(path: dict, position: int) -> int:
    """The position of the slider that there is a map for."""
    return min(path, key=lambda p: abs(p - min(position, POSITIONS)))


def judged(key: str, name: str, study: Study, one: LinearMap) -> Evaluation:
    """The whole judgement of one map, computed once."""
    with newest("compatible:judge"):
        return _judged(json.dumps([key, name]), study, one)


@st.cache_resource(max_entries=128, show_spinner=False)
def _judged(key: str, _study: Study, _map: LinearMap) -> Evaluation:
    return _study.judge([_map], mean_ap=True)[0]


@st.cache_resource(max_entries=16, show_spinner=False)
def extras(key: str, orthogonal: bool, _study: Study) -> list[Evaluation]:
    """BT2 with more and more extra dimensions."""
    return _study.judge(_study.extras(orthogonal=orthogonal))


def name_of(view: CompatibleView, path) -> str:
    """Names the chosen map among those of one study."""
    if view.map == "lambda":
        return f"lambda:{nearest(path, view.position)}" if path else "procrustes"
    return f"bt2:{view.extra}:{view.rigid}" if view.map == "bt2" else view.map
