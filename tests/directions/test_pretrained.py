"""What is shipped loads, says how it was made, and fits its data."""

import numpy as np
import pytest

from core.datasets import sample
from core.datasets.preparation import PREPARATIONS, prepare
from core.directions.pretrained import RECIPES
from core.store import load, load_card
from core.store.library import SHIPPED


@pytest.mark.parametrize("folder", RECIPES)
def test_a_pretrained_model_is_what_its_recipe_says(folder):
    name, data, settings = RECIPES[folder]
    model, card = load(SHIPPED / folder)
    raw = sample(data)
    dataset = prepare(raw, PREPARATIONS[raw.kind].of(card.more["preparation"]))
    assert (card.family, card.fingerprint, card.seed) == (name, dataset.fingerprint, 0)
    assert settings.items() <= card.settings.items() and card.licence == raw.licence and card.curve
    x = dataset.matrix[:500]
    left = np.square(x - model.decode(model.encode(dataset.samples[:500]))).sum()
    assert left < 0.5 * np.square(x - dataset.matrix.mean(axis=0)).sum()


def test_every_shipped_model_has_a_recipe():
    ours = {f.name for f in SHIPPED.iterdir() if load_card(f).family.startswith("directions.")}
    assert ours == set(RECIPES)
