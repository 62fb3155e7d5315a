"""Left side of *Basis directions*: data, preparation, family, settings, seed, undo and redo."""

import numpy as np
import pytest
from directions_app import by_key, choose, clean, keys, linked, now, open_at, press, said, shown

from core.datasets import SAMPLES, sample
from core.datasets.preparation import PREPARATIONS, prepare
from core.models import families, family
from pages.directions.view import DirectionsView

KINDS = ("table", "images", "curves", "audio", "text", "activations")


def code(at):
    """The code that the mixer shows."""
    return np.array(shown(at, "mixer")["code"], dtype=float)


def fitted_code(name, settings, data, index=0, seed=0):
    """The code of one sample by the core alone."""
    model = family(name)(**settings).fit(data, seed=seed)
    return model.encode(data.samples)[index]


def prepared(name, **settings):
    raw = sample(name)
    return prepare(raw, PREPARATIONS[raw.kind].of(settings))


def test_a_fresh_page_shows_the_digits_by_pca():
    at = clean(open_at())
    assert now(at) == DirectionsView() and at.query_params == {}
    assert at.title[0].value == "Basis directions"
    np.testing.assert_allclose(code(at), fitted_code("directions.pca", {}, prepared("digits")), atol=1e-4)


def test_another_data_set_starts_afresh_and_undo_brings_the_old_view_back():
    view = DirectionsView(sample=7, mix={"muted": [1]}, names={"2": "stroke"}, direction=2, tab="How it works")
    at = choose(open_at(view), "data", "sample:wine")
    clean(at)
    assert now(at) == DirectionsView(data="sample:wine", tab="How it works")
    data = prepared("wine")
    np.testing.assert_allclose(code(at), fitted_code("directions.pca", {"k": min(16, data.d)}, data), atol=1e-4)
    at = clean(press(at, "undo"))
    assert now(at) == view
    assert by_key(at, "data").value == "sample:digits" and shown(at, "mixer")["state"] == {"muted": [1]}
    at = clean(press(at, "redo"))
    assert now(at).data == "sample:wine" and by_key(at, "data").value == "sample:wine"


def test_data_lists_every_sample_of_the_kinds_that_the_page_takes():
    listed = by_key(open_at(), "data").options
    assert listed == [info.title for info in SAMPLES.values() if info.kind in KINDS]
    for name, info in SAMPLES.items():
        assert info.source and info.licence, name


@pytest.mark.parametrize(
    ("data", "field", "value", "shape"),
    [
        ("digits", "side", 8, (8, 8)),
        ("faces", "side", 16, (16, 16)),
        ("digits", "cut", "patches", (12, 12)),
        ("wine", "standardise", False, (13,)),
        ("tecator", "centre", True, (100,)),
    ],
)
def test_a_preparation_changes_the_data_and_clears_what_belonged_to_it(data, field, value, shape):
    settings = {"patch": 6, "count": 300} if field == "cut" else {}
    view = DirectionsView(data=f"sample:{data}", sample=3, mix={"muted": [0]}, preparation=settings)
    at = clean(choose(open_at(view), f"preparation.{field}", value))
    assert now(at).preparation == {**settings, field: value}
    assert now(at).sample == 0 and now(at).mix == {}
    if field != "cut":
        made = prepared(data, **{field: value})
        assert made.shape == shape
        expected = fitted_code("directions.pca", {"k": min(16, made.d, len(made))}, made)
        np.testing.assert_allclose(np.abs(code(at)), np.abs(expected), atol=2e-3 * np.abs(expected).max())


def test_every_control_of_a_patch_preparation_counts():
    at = open_at(preparation={"cut": "patches", "count": 300, "patch": 6})
    seen = [tuple(code(at))]
    for field, value in (("patch", 5), ("count", 200), ("contrast", "unit"), ("seed", 3)):
        at = clean(choose(at, f"preparation.{field}", value))
        assert now(at).preparation[field] == value
        seen.append(tuple(code(at)))
    assert len(set(seen)) == len(seen)
    assert by_key(at, "sample").max == 199


def test_colour_can_be_kept():
    view = DirectionsView(data="sample:photo-patches", preparation={"cut": "patches", "patch": 4, "count": 100})
    grey = open_at(view)
    colour = clean(choose(grey, "preparation.grey", False))
    assert now(colour).preparation["grey"] is False


def test_a_preparation_that_does_not_fit_says_so_and_the_page_goes_on():
    at = open_at(preparation={"cut": "patches", "patch": 32, "count": 100})
    assert len(said(at)) == 1 and said(at)[0].endswith(".")
    assert len(code(at)) == 16


def test_sound_as_waves_or_spectra():
    at = clean(open_at(data="sample:speech"))
    spectra = code(at)
    at = clean(choose(at, "preparation.frames", "waves"))
    assert now(at).preparation == {"frames": "waves"}
    assert not np.allclose(code(at), spectra)


def test_each_family_is_listed_and_pca_settings_count():
    at = open_at()
    assert by_key(at, "family").options == [cls.title for cls in families("directions").values()]
    at = clean(choose(at, "family", "directions.ica"))
    assert now(at).family == "directions.ica"
    data = prepared("digits")
    np.testing.assert_allclose(code(at), fitted_code("directions.ica", {}, data), atol=1e-3)
    assert {"settings.k", "seed"} <= keys(at)


def test_k_reaches_the_mixer_and_clears_what_named_directions():
    at = open_at(mix={"muted": [3]}, names={"3": "loop"}, direction=3, sample=2)
    at = clean(choose(at, "settings.k", 5))
    assert len(code(at)) == 5
    assert now(at) == DirectionsView(settings={"k": 5}, sample=2)
    most = by_key(at, "settings.k").max
    at = clean(choose(at, "settings.k", most))
    assert len(code(at)) == most == 64


def test_settings_behind_more():
    at = clean(choose(open_at(), "settings.solver", "randomized"))
    assert now(at).settings == {"solver": "randomized"}
    expected = fitted_code("directions.pca", {"solver": "randomized"}, prepared("digits"))
    np.testing.assert_allclose(code(at), expected, atol=1e-3)


def test_every_setting_of_every_family_has_a_control():
    """The form has a control for each setting of the family, and the page shows the family or offers to train it."""
    for name, cls in families("directions").items():
        at = open_at(family=name)
        drawn = {k for k in keys(at) if k.startswith("settings.")}
        assert drawn == {f"settings.{f}" for f in cls.Settings().as_dict()}, name
        clean(at)


def test_the_seed_counts():
    at = open_at(family="directions.random")
    first = code(at)
    at = clean(choose(at, "seed", 11))
    assert now(at).seed == 11 and not np.allclose(code(at), first)
    np.testing.assert_allclose(code(at), fitted_code("directions.random", {}, prepared("digits"), seed=11), atol=1e-4)


def test_undo_and_redo_say_when_there_is_nothing():
    at = press(open_at(), "undo")
    assert [t.value for t in at.toast] == ["There is nothing to undo."]
    at = press(at, "redo")
    assert [t.value for t in at.toast] == ["There is nothing to redo."]


def test_many_steps_back_and_forth():
    at = open_at()
    for k in (3, 4, 5):
        at = choose(at, "settings.k", k)
    sizes = []
    for key in ("undo", "undo", "undo", "redo", "redo", "redo"):
        at = clean(press(at, key))
        sizes.append(len(code(at)))
    assert sizes == [4, 3, 16, 3, 4, 5]


def test_a_bad_link_is_one_sentence_and_a_fresh_page():
    at = open_at()
    at.query_params["v"] = "nonsense"
    at = at.run()
    assert [w.value for w in at.warning] == ["This link is incomplete or altered, so the page starts afresh."]
    assert said(at) == [] and now(at) == DirectionsView()


@pytest.mark.parametrize(
    "odd",
    [
        dict(data="sample:nowhere"),
        dict(data="nonsense"),
        dict(family="directions.nowhere"),
        dict(family=""),
        dict(settings={"k": "many", "what": [1]}),
        dict(settings={"k": -3}),
        dict(settings={"k": 10**12}),
        dict(preparation={"side": {"a": 1}}),
        dict(sample=-5),
        dict(sample=10**9),
        dict(mix={"weights": {"99": 1}}),
        dict(mix={"weights": 3}),
        dict(direction=10**6, tab="One direction"),
        dict(names={"0": 5, "x": "y"}),
        dict(names={"1": None}, tab="One direction"),
        dict(tab="Nowhere"),
        dict(order="colour"),
        dict(seed=-1),
        dict(seed=2**40),
        dict(map={"what": 3, "how": [1], "colour-of": {}}, tab="Map"),
        dict(compare={"families": 7, "rate": "none"}, tab="Compare"),
        dict(compare={"families": ["directions.pca", 7, None]}, tab="Compare"),
        dict(title="# *x* <script>", data="upload:0123"),
        dict(data="upload:0123", title=""),
    ],
)
def test_links_that_were_edited_still_show_a_page(odd):
    at = open_at(DirectionsView(**odd))
    assert [e.message for e in at.exception] == []
    assert "mixer" in keys(at) and len(said(at)) <= 1


@pytest.mark.parametrize("model", ["model:own/nothing", "model:../../etc", "run:nothing", "run:../x", "model:", "odd"])
def test_a_link_to_a_model_that_is_gone_is_one_sentence(model):
    at = open_at(DirectionsView(model=model))
    assert [e.message for e in at.exception] == []
    assert model == "odd" or len(said(at)) == 1


def test_a_link_that_waits_for_an_upload_says_which():
    at = open_at(data="upload:0123", title="my *spectra*.csv", sample=2)
    assert "stayed with the session that uploaded it" in at.info[0].value and r"my \*spectra\*" in at.info[0].value
    assert said(at) == [] and linked(at).data == "upload:0123"
