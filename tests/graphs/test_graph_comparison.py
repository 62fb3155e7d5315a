"""Several classifiers side by side."""

import numpy as np

from core.graphs.classify import ClassifySettings, classify
from core.graphs.comparison import Score, compare, labelled, verdict
from core.graphs.samples import sample
from core.progress import CallbackRun

QUICK = ClassifySettings(degree=3, hidden=8, steps=20)


def test_each_basis_and_seed_is_the_classification_alone():
    karate = sample("karate")
    assert labelled(karate) == {"club": 2} and labelled(sample("roads")) == {}
    seen = []
    run = CallbackRun(lambda p: seen.append(p.step / p.total))
    scores = compare(karate, "club", QUICK, ["optimal", "none"], [0, 1], run=run)
    alone = classify(karate, "club", ClassifySettings(**{**QUICK.as_dict(), "basis": "optimal"}), seed=1)
    assert scores[0].fits[1].test == alone.test and np.array_equal(scores[0].fits[1].predicted, alone.predicted)
    assert scores[0].mean == scores[0].test.mean() and [f.seed for f in scores[1].fits] == [0, 1]
    assert seen == sorted(seen) and seen[-1] == 1.0
    assert compare(karate, "club", QUICK, ["none"], [0], run=CallbackRun(lambda _: True)) is None


def test_the_verdict_names_the_best_and_says_when_the_graph_does_not_help():
    fit = classify(sample("karate"), "club", QUICK)

    def score(basis, *tests):
        from dataclasses import replace

        return Score(basis, tuple(replace(fit, test=t, majority=0.5) for t in tests))

    text = verdict([score("optimal", 0.9, 0.8), score("favard", 0.84, 0.84), score("none", 0.6, 0.6)])
    assert "OptBasisGNN** is best" in text and "85.0% ± 7.1%" in text and "FavardGNN (84.0%" in text
    assert "edges do not help" in verdict([score("optimal", 0.5), score("none", 0.6)])
    smoothed = verdict([score("optimal", 0.5), score("none", 0.6)], features=False)
    assert "edges do not help" not in smoothed and "no filter adds" in smoothed
    filtered = verdict([score("optimal", 0.9), score("none", 0.6)], features=False)
    assert "without the graph" not in filtered and "smoothed features alone" in filtered
    alone = verdict([score("favard", 0.9)])
    assert "90.0%" in alone and "best" not in alone  # there is nothing to be better than
