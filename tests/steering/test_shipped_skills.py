"""What is shipped for the page: the skills of the sample corpus, and the saved results, and that they hold."""

import numpy as np
import pytest

from core.steering.corpus import corpus, held_out, openings, styles
from core.steering.dose import dose_response, last
from core.steering.examples import PROMPTS, STRENGTHS, examples
from core.steering.generate import Writing
from core.steering.meters import METERS
from core.steering.pretrained import FOLDER, RECIPES
from core.steering.skills import presets
from core.store import load, load_card
from core.store.library import SHIPPED


@pytest.fixture(scope="module")
def skills():
    return load(SHIPPED / FOLDER, device="cpu")[0]


def test_every_shipped_model_of_this_folder_has_a_recipe():
    assert {f.name for f in SHIPPED.iterdir() if load_card(f).family.startswith("steering.")} == set(RECIPES)


def test_the_card_and_the_basis_are_those_of_the_recipe(skills):
    card, data = load_card(SHIPPED / FOLDER), corpus()
    assert card.fingerprint == data.fingerprint and card.licence == data.licence and card.seed == 0
    assert RECIPES[FOLDER][1].items() <= card.settings.items()
    basis = skills.bases()["directions"]
    assert basis.orthogonality_error() < 1e-5 and (basis.k, basis.d) == (12, 576)
    assert skills.texts_ == [t[:300] for t in data.samples] and skills.labels_ == data.labels.tolist()
    assert all(e.raised and e.words for e in skills.evidence_)
    assert len({e.label for e in skills.evidence_} & set(styles())) >= 9


def test_directions_stand_for_styles_not_topics(skills):
    codes = skills.codes_ / skills.bases()["directions"].scale

    def explained(groups):
        means = np.array([codes[groups == g].mean(axis=0) for g in np.unique(groups)])
        sizes = np.array([(groups == g).sum() for g in np.unique(groups)])
        return (sizes[:, None] * means**2).sum(axis=0) / np.square(codes).sum(axis=0)

    data = corpus()
    assert explained(data.labels).mean() > 0.7 and explained(data.extra["topic"]).mean() < 0.15
    found = presets(skills)
    assert set(styles()) - set(found) == {"praise", "complaint"}  # no direction tells these two from the rest
    assert all(np.abs(weights).max() < 6 for weights in found.values())


def test_saved_results_cover_all_directions_and_show_a_dose(skills):
    saved, names = examples(), skills.bases()["directions"].names
    assert saved.block == skills.blocks_[0] and {s.direction for s in saved.strips} == set(names)
    assert len(saved.strips) == len(names) * len(PROMPTS)
    for strip in saved.strips:
        assert [w.strength for w in strip.rows] == list(STRENGTHS)
        assert all(len(w.pieces) == len(w.kl) and w.ratio <= 0.351 for w in strip.rows)
        assert max(strip.rows[2].kl) == 0 < max(strip.rows[0].kl)
    assert set(saved.doses) == {"question", "spanish", "casual"}
    for name, meter in (("question", "questions"), ("spanish", "spanish"), ("casual", "casual")):
        _, means, _ = saved.doses[name].curve(meter)
        assert means[-1] > means[2] + 2


@pytest.mark.slow
def test_the_real_model_is_steered_to_ask_and_held_out_texts_lie_where_they_should(skills, real):
    skills.check(real)
    skills.language_model = real
    out = held_out()
    basis = skills.bases()["directions"]
    codes = skills.encode(out.samples) / basis.scale
    for style in ("question", "spanish", "code"):
        i = basis.names.index(style)
        assert codes[out.labels == style, i].mean() > 1 + codes[out.labels != style, i].mean()
    i = basis.names.index("question")
    table = last(
        dose_response(
            real,
            basis.directions[i],
            float(basis.scale[i]),
            skills.blocks_[0],
            strengths=(0, 4),
            seeds=(0,),
            prompts=openings()[:8],
            meters={"questions": METERS["questions"]},
            writing=Writing(tokens=24, chat=False),
            random=False,
        )
    )
    _, means, _ = table.curve("questions")
    assert means[1] > means[0] + 10
