"""Left side of the page: which data, which family, which settings; and the fitted basis for them."""

import json

import streamlit as st

from core.datasets import Dataset
from core.datasets.preparation import PREPARATIONS, prepare
from core.errors import InputError
from core.models import Model, Settings, families, family
from core.ui.data_picker import data_picker
from core.ui.history import History
from core.ui.newest import newest
from core.ui.settings_form import settings_form
from core.ui.text import escape
from pages.directions.shown import Fitted, Origin
from pages.directions.view import DirectionsView

KINDS = ("table", "images", "curves", "audio", "text", "activations")
_OF_THE_BASIS = dict(mix={}, names={}, direction=0, run="")
_OF_THE_DATA = dict(_OF_THE_BASIS, sample=0, preparation={}, map={}, compare={})
QUICK_SECONDS = 2.0


def choose_data(history: History[DirectionsView]) -> tuple[Dataset, Origin]:
    """The data picker and how the data is prepared; returns the prepared data and where it came from."""
    raw = data_picker(history, KINDS, fresh=_OF_THE_DATA)
    settings_class = PREPARATIONS[raw.kind]
    with st.popover("Preparation", icon=":material/tune:"):
        settings = settings_form(history, "preparation", settings_class, after=dict(_OF_THE_BASIS, sample=0))
    try:
        dataset = _prepared(raw.fingerprint, _key(settings), raw, settings)
    except InputError as error:
        st.error(escape(str(error)), icon=":material/error:")
        settings = settings_class()
        dataset = _prepared(raw.fingerprint, _key(settings), raw, settings)
    return dataset, Origin(raw.kind, settings.as_dict())


def choose_family(history: History[DirectionsView]) -> tuple[type[Model], Settings]:
    """The family and its settings."""
    known = families("directions")
    history.bind(
        "family",
        st.selectbox,
        "Basis",
        list(known),
        value=history.now.family if history.now.family in known else "directions.pca",
        format_func=lambda name: known[name].title,
        after=dict(_OF_THE_BASIS),
        help="Which family of directions to learn.",
    )
    chosen = known.get(history.now.family, known["directions.pca"])
    st.caption(chosen.summary)
    settings = settings_form(history, "settings", chosen.Settings, after=_OF_THE_BASIS)
    history.bind(
        "seed", st.number_input, "Seed", min_value=0, max_value=2**31 - 1, step=1, after=_OF_THE_BASIS,
        help="Everything drawn at random follows from it: the same seed gives the same numbers.",
    )  # fmt: skip
    return chosen, settings


def get(
    history: History[DirectionsView], dataset: Dataset, origin: Origin, model_class: type[Model], settings: Settings
) -> Fitted | None:
    """The fitted basis: found, fitted at once when that is quick, or trained by a run.

    Where it cannot be had, one sentence says why and the last basis that worked stays on the screen.
    """
    try:
        fitted = fit(dataset, origin, model_class.family, settings.as_dict(), history.now.seed)
    except InputError as error:
        st.error(escape(str(error)), icon=":material/error:")
        return st.session_state.get("directions:last")
    st.session_state["directions:last"] = fitted
    return fitted


def fit(dataset: Dataset, origin: Origin, name: str, settings: dict, seed: int) -> Fitted:
    """Fit and encode, once for equal data, family, settings and seed.

    Raises:
        InputError: the data does not suit the family or the settings.
    """
    key = json.dumps([dataset.fingerprint, origin.kind, origin.preparation, name, settings, seed], sort_keys=True)
    with newest("fit"):
        return _fitted(key, origin, dataset, name, settings, seed)


@st.cache_resource(max_entries=24, show_spinner="Fitting the basis ...")
def _fitted(key: str, _origin: Origin, _dataset: Dataset, _name: str, _settings: dict, _seed: int) -> Fitted:
    cls = family(_name)
    model = cls(cls.Settings.of(_settings)).fit(_dataset, seed=_seed)
    return Fitted.of(key, _origin, _dataset, model)


@st.cache_resource(max_entries=6, show_spinner="Preparing the data ...")
def _prepared(fingerprint: str, key: str, _raw: Dataset, _settings: Settings) -> Dataset:
    return prepare(_raw, _settings)


def _key(settings: Settings) -> str:
    return json.dumps(settings.as_dict(), sort_keys=True)
