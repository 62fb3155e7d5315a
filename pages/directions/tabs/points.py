"""The points of the tab *Compare*: fitted at once where that is quick, by runs where it is not."""

import json
import time
from dataclasses import dataclass, field

import streamlit as st

from core.datasets import Dataset
from core.directions import comparison
from core.errors import InputError
from core.models import Model, family
from core.ui.newest import newest
from core.ui.owner import owner_key
from core.ui.server_runs import runs
from core.ui.settings_form import settings_of
from pages.directions.fitting import quick_seconds
from pages.directions.view import DirectionsView


@dataclass
class Points:
    """What can be drawn, what is still to be trained, and one sentence for each family that cannot be had."""

    scores: list[comparison.Score] = field(default_factory=list)
    missing: list[tuple[str, dict]] = field(default_factory=list)
    under_way: int = 0
    sentences: list[str] = field(default_factory=list)


def gather(now: DirectionsView, chosen: list[str], k: int, train: Dataset, held_out: Dataset) -> Points:
    """Scores of the chosen families at several sizes up to `k`; quick ones are fitted here, with a progress bar."""
    points, todo = Points(), []
    for name in chosen:
        cls = family(name)
        values = settings_of(cls.Settings, now.settings).as_dict() if name == now.family else {}
        try:
            todo += [(name, settings, _slow(cls, settings, train)) for settings in _sizes(cls, values, k, train)]
        except InputError as error:
            points.sentences.append(f"{cls.title}: {error}")
    trained = _trained(train, now.seed) if any(slow for *_, slow in todo) else {}
    bar = st.empty()
    for i, (name, settings, slow) in enumerate(todo):
        key = json.dumps([train.fingerprint, name, settings, now.seed], sort_keys=True)
        try:
            if not slow:
                bar.progress(i / len(todo), _called(name, settings))
                with newest("compare"):
                    points.scores.append(_fitted(key, name, settings, now.seed, train, held_out))
                continue
            run = trained.get(key)
            if run is None:
                points.missing.append((name, settings))
            elif run.active:
                points.under_way += 1
            elif run.kept:
                points.scores.append(_from_run(key, run.id, run.seconds, train, held_out))
            else:
                points.sentences.append(f"The training of {family(name).title} has {run.state}. {run.error}")
        except InputError as error:
            points.sentences.append(f"{family(name).title}: {error}")
    bar.empty()
    points.sentences = list(dict.fromkeys(points.sentences))
    return points


def _sizes(cls: type[Model], values: dict, k: int, train: Dataset) -> list[dict]:
    """Settings of one family at each size; a family without a number of directions has its own settings only."""
    if "k" not in cls.Settings().as_dict():
        return [cls.Settings.of(values).as_dict()]
    largest = cls.Settings.of({**values, "k": k}).as_dict()
    few = _slow(cls, largest, train)
    return [{**largest, "k": size} for size in comparison.sizes(k, cls.most(train), few=few)]


def _slow(cls: type[Model], settings: dict, train: Dataset) -> bool:
    return cls(cls.Settings.of(settings)).seconds(train) > quick_seconds(cls)


def start_missing(missing: list[tuple[str, dict]], train: Dataset, seed: int) -> None:
    """Submit the trainings that are not there yet; they wait for one another."""
    for name, settings in missing:
        title = f"{_called(name, settings)}, compared on {train.title}"
        runs().submit(name, train, settings, seed=seed, owner=owner_key(), name=title)


def _called(name: str, settings: dict) -> str:
    return family(name).title + (f", K = {settings['k']}" if "k" in settings else "")


def _trained(train: Dataset, seed: int) -> dict:
    """This session's runs on the training samples, by what they train; the newest of equal ones."""
    found = {}
    for run in reversed(runs().list(owner_key())):
        if run.data["fingerprint"] == train.fingerprint and run.seed == seed:
            found[json.dumps([train.fingerprint, run.family, run.settings, seed], sort_keys=True)] = run
    return found


@st.cache_resource(max_entries=512, show_spinner=False)
def _fitted(key: str, _name: str, _settings: dict, _seed: int, _train: Dataset, _held_out: Dataset):
    cls = family(_name)
    start = time.perf_counter()
    model = cls(cls.Settings.of(_settings)).fit(_train, seed=_seed)
    seconds = time.perf_counter() - start
    return comparison.score(model, _train.matrix.mean(axis=0), _held_out, seconds)


@st.cache_resource(max_entries=512, show_spinner=False)
def _from_run(key: str, _run_id: str, _seconds: float, _train: Dataset, _held_out: Dataset):
    model, _ = runs().result(_run_id)
    return comparison.score(model, _train.matrix.mean(axis=0), _held_out, _seconds)
