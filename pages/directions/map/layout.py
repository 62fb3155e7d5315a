"""Which vectors the map shows, and where they lie."""

import json
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st

from core.figures.samples import reduced
from core.maps import plane
from core.maps.jobs import JOBS, Job
from core.ui.components.form import Form
from core.ui.components.scatter import Thumbs
from pages.directions.shown import Fitted

SAMPLES, DIRECTIONS = "codes of samples", "directions"
MOST_ENTRIES = 64  # of a thumbnail of bars


@dataclass(frozen=True, eq=False)
class Shown:
    """What lies on the map.

    Attributes:
        key: names it; equal keys have equal vectors.
        what: `SAMPLES` or `DIRECTIONS`.
        ids: `(M,)` indices of the samples or directions shown.
        vectors: `(M, ...)`.
        all: how many there are.
    """

    key: str
    what: str
    ids: np.ndarray
    vectors: np.ndarray
    all: int
    fitted: Fitted

    @cached_property
    def thumbs(self) -> Thumbs:
        """A small picture of each point."""
        data, basis = self.fitted.dataset, self.fitted.basis
        values = data.matrix[self.ids] if self.what == SAMPLES else basis.directions[self.ids]
        form = self.fitted.form
        if form.kind == "bars":
            kept = np.sort(np.argsort(-values.std(axis=0), kind="stable")[:MOST_ENTRIES])
            names = None if form.features is None else tuple(form.features[i] for i in kept)
            small = Form("bars", (len(kept),), features=names, signed=form.signed)
            return Thumbs(values[:, kept], small, self.what == DIRECTIONS)
        values, shape = reduced(values, form, 24)
        small = Form(form.kind, shape, signed=form.signed, low=form.low, high=form.high)
        return Thumbs(values, small, self.what == DIRECTIONS)


@st.cache_resource(max_entries=8, show_spinner=False)
def shown(key: str, what: str, _fitted: Fitted) -> Shown:
    """The vectors of a map: the codes of all samples (or of some thousands), or the directions at unit length."""
    if what == DIRECTIONS:
        ids, vectors = np.arange(_fitted.basis.k), plane.unit(_fitted.basis.directions)
    else:
        ids = plane.chosen(len(_fitted.codes))
        vectors = np.ascontiguousarray(_fitted.codes[ids], dtype=np.float32)
    count = _fitted.basis.k if what == DIRECTIONS else len(_fitted.codes)
    return Shown(json.dumps([key, what]), what, ids, vectors, count, _fitted)


@st.cache_resource(max_entries=16, show_spinner=False)
def pca(key: str, _shown: Shown) -> tuple[np.ndarray, float]:
    """Points `(M, 2)` by PCA and their trustworthiness."""
    points = plane.project(_shown.vectors, "PCA")
    return points, plane.trust(_shown.vectors, points)


def job_key(on: Shown, method: str, seed: int) -> str:
    """Names a map that takes long."""
    return json.dumps([on.key, method, seed])


def start(on: Shown, method: str, seed: int) -> Job:
    """The slow map, started if it is not there yet."""
    return JOBS.start(job_key(on, method, seed), on.vectors, method, seed=seed, owner=_me())


def cancel(on: Shown, method: str, seed: int) -> None:
    """Stop waiting for it."""
    JOBS.cancel(job_key(on, method, seed), owner=_me())


def find(on: Shown, method: str, seed: int) -> Job | None:
    """The slow map, where it has been asked for."""
    return JOBS.get(job_key(on, method, seed))


def _me() -> str:
    return st.session_state.setdefault(
        "directions:map:me", str(id(st.session_state) ^ np.random.default_rng().integers(2**62))
    )
