"""The fitted basis for what was chosen: fitted at once, trained by a run, or opened from the library."""

import json
from dataclasses import asdict

import streamlit as st

from core.datasets import Dataset
from core.errors import InputError
from core.models import Model, Settings, family
from core.store import find, load
from core.ui.history import History
from core.ui.newest import newest
from core.ui.owner import owner_key
from core.ui.run_panel import run_panel, train_button
from core.ui.server_runs import runs
from core.ui.text import escape, say_error
from pages.directions.shown import Fitted, Origin
from pages.directions.view import DirectionsView

QUICK_SECONDS = 2.0
QUICK_STEPS_SECONDS = 0.5  # for families of many steps, which a busy machine slows most
_LAST = "directions:last"


def get(
    history: History[DirectionsView], dataset: Dataset, origin: Origin, cls: type[Model], settings: Settings
) -> Fitted | None:
    """The fitted basis, or the last one that worked with a sentence why.

    None while there is nothing to show yet: a training that was not started, or has not ended.
    """
    kind, _, name = history.now.model.partition(":")
    try:
        if kind == "model":
            fitted = opened(name, dataset, origin)
        elif kind == "run":
            fitted = _trained(name, dataset, origin)
        elif (estimate := cls(settings).seconds(dataset)) > quick_seconds(cls):
            fitted = _offer(history, dataset, origin, cls, settings, estimate)
        else:
            fitted = fit(dataset, origin, cls.family, settings.as_dict(), history.now.seed)
    except InputError as error:
        say_error(error)
        last = st.session_state.get(_LAST)
        if last is not None:
            st.caption(
                f"Below is still the last basis that worked: {last.model.title} of {escape(last.dataset.title)}."
            )
        return last
    if fitted is not None:
        st.session_state[_LAST] = fitted
    return fitted


def learns_from(history: History[DirectionsView], dataset: Dataset) -> bool:
    """Whether the run that the page waits for, if there is one, learns from this data."""
    kind, _, name = history.now.model.partition(":")
    try:
        return kind != "run" or runs().follow(name).data["fingerprint"] == dataset.fingerprint
    except InputError:  # there is no such run, which is said already
        return True


def quick_seconds(cls: type[Model]) -> float:
    """How long a fit of this family may take to be done while the page waits."""
    return QUICK_STEPS_SECONDS if cls.iterative else QUICK_SECONDS


def fit(dataset: Dataset, origin: Origin, name: str, settings: dict, seed: int) -> Fitted:
    """Fit and encode, once for equal data, family, settings and seed.

    Raises:
        InputError: the data does not suit the family or the settings.
    """
    with newest("fit"):
        return _fitted(_key(dataset, origin, name, settings, seed), origin, dataset, name, settings, seed)


def opened(entry_id: str, dataset: Dataset, origin: Origin) -> Fitted:
    """A model of the library, with the codes of this data.

    Raises:
        InputError: there is no such model, or it takes samples of another shape.
    """
    entry = find(entry_id, owner_key())
    return _from_disk(_key(dataset, origin, str(entry.folder)), origin, dataset, lambda: load(entry.folder)[0])


def _trained(run_id: str, dataset: Dataset, origin: Origin) -> Fitted | None:
    view = run_panel(run_id, key="directions:run")
    if view is None or view.active or not view.kept:
        return None
    if view.data["fingerprint"] != dataset.fingerprint:
        raise InputError(f"This training was made on other data ({view.data['title']}); choose that data to see it.")
    return _from_disk(_key(dataset, origin, run_id, view.step), origin, dataset, lambda: runs().result(run_id)[0])


def _offer(
    history: History[DirectionsView],
    dataset: Dataset,
    origin: Origin,
    cls: type[Model],
    settings: Settings,
    estimate: float,
) -> None:
    """What is about to be trained, and the button that starts it."""

    def start(here: bool) -> str:
        return runs().submit(
            cls.family,
            dataset,
            settings.as_dict(),
            seed=history.now.seed,
            owner=owner_key(),
            name=f"{cls.title} of {dataset.title}",
            here=here,
            more=asdict(origin),
        )

    runs().warm_soon()  # so that the first step is seen within seconds of the press
    with st.container(border=True):
        st.markdown(f"**{cls.title}** on {len(dataset):,} samples of {dataset.d:,} numbers. {cls.summary}")
        what = (cls.family, settings.as_dict(), dataset)
        started = train_button("Train", start, key="directions:train", estimate=estimate, what=what)
    if started:
        history.change(model=f"run:{started}")
        st.rerun()


@st.cache_resource(max_entries=24, show_spinner="Fitting the basis ...")
def _fitted(key: str, _origin: Origin, _dataset: Dataset, _name: str, _settings: dict, _seed: int) -> Fitted:
    cls = family(_name)
    model = cls(cls.Settings.of(_settings)).fit(_dataset, seed=_seed)
    return Fitted.of(key, _origin, _dataset, model)


@st.cache_resource(max_entries=24, show_spinner="Opening the model ...")
def _from_disk(key: str, _origin: Origin, _dataset: Dataset, _load) -> Fitted:
    model = _load()
    if tuple(model.shape_) != _dataset.shape:
        raise InputError(
            f"This model takes samples of the shape {model.shape_}; this data has the shape {_dataset.shape}."
        )
    return Fitted.of(key, _origin, _dataset, model)


def _key(dataset: Dataset, origin: Origin, *more) -> str:
    return json.dumps([dataset.identity, asdict(origin), *more], sort_keys=True)
