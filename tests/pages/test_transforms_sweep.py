"""*Learned transforms*: every sample of every part, every tab, before and after training."""

import pytest
from transforms_app import by_key, clean, metrics, now, open_at

from core.datasets import Dataset
from core.models import family
from core.store import Card, new_folder, places, save
from core.transforms.samples import SAMPLES, sample
from pages.transforms.view import FAMILIES, TransformsView, view_of

FEW = {
    "wavelets": dict(steps=3),
    "spectrogram": dict(steps=2, n_fft=128, hop=256, mels=6),
    "curves": dict(steps=2, k=3, width=8),
    "operators": dict(steps=2, k=6, width=8),
}
TABS = {
    "wavelets": ("Compression", "Filters", "Take away", "How it works"),
    "spectrogram": ("One filter", "One clip", "Kernels", "Confusion", "Masked bands", "Take away", "How it works"),
    "curves": ("Curves", "Predictions", "Number of functions", "Take away", "How it works"),
    "operators": (
        "One pair", "Number of functions", "Overlap with POD", "Other inputs", "Missing sensors", "Take away",
        "How it works",
    ),
}  # fmt: skip


def waited(at):
    """Run again until what is computed in the background is there."""
    for _ in range(40):
        if not any(getattr(n, "key", None) == "transforms:fixed:cancel" for n in at._tree):
            return at
        at.run()
    raise AssertionError("the comparison never ended")


@pytest.mark.parametrize(("part", "name"), [(p, n) for p in SAMPLES for n in SAMPLES[p]])
def test_each_sample_opens(part, name):
    at = waited(open_at(part=part, data={part: f"sample:{name}"}, **{f"{part}_settings": FEW[part]}))
    clean(at)
    assert metrics(at) and by_key(at, f"train:{part}")


@pytest.mark.parametrize("part", list(SAMPLES))
def test_every_tab_before_training(part):
    for tab in TABS[part]:
        at = waited(open_at(part=part, tab=tab, **{f"{part}_settings": FEW[part]}))
        clean(at)
        assert now(at).tab == tab


@pytest.fixture(scope="module")
def trained():
    """A model of each part, trained for a few steps."""
    found = {}
    for part, settings in FEW.items():
        data: Dataset = sample(part, next(iter(SAMPLES[part])))
        found[part] = family(FAMILIES[part])(**settings).fit(data), data
    return found


@pytest.mark.parametrize("part", list(SAMPLES))
def test_every_tab_of_a_model_of_the_library(part, trained, home):
    model, data = trained[part]
    first = next(iter(SAMPLES[part]))
    card = Card.of(model, data, name="mine", more={"data": f"sample:{first}"})
    folder = save(model, new_folder(places("")["shared"], "mine"), card)
    ref = f"model:shared/{folder.name}"
    view = view_of(card, ref)
    assert view.part == part and view.seed == 0
    for tab in TABS[part]:
        at = waited(open_at(view.having(tab=tab)))
        clean(at)
        assert now(at).tab == tab and by_key(at, f"models.{part}").value == ref
    assert by_key(at, f"before:{part}")


def test_a_link_with_nonsense_opens_the_page():
    view = TransformsView(
        part="nothing",
        data={"wavelets": "sample:none", "x": 3},
        models={"wavelets": 3},
        wavelets={"angles": ["a"], "sample": 99},
        wavelets_settings={"taps": 7, "levels": 500, "wish": 1},
        tab="no tab",
    )
    assert view.part == "wavelets" and view.models == {}
    assert clean(open_at(view)).title[0].value == "Learned transforms"
