"""The page *Library* and the run panel: every control, with a real training in a real worker."""

import time

import pytest
from streamlit.testing.v1 import AppTest

from core.datasets import sample
from core.models import family
from core.store import Card, export_file, list_models, new_folder, new_key, places, save
from core.ui import server_runs
from core.ui.server_runs import runs
from pages.directions.view import DirectionsView, view_of
from tests.browser import ROOT

SLOW = dict(k=8, steps=100_000)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """One home for all tests here, since the worker keeps the one that it was started with."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("home")
        patch.setenv("BASIS_HOME", str(folder))
        server_runs.forget()  # another file's tests may have started a worker, in their home
        yield folder
        server_runs.forget()


@pytest.fixture(autouse=True)
def _home(home):
    return home


@pytest.fixture
def key():
    return new_key()


def library(key: str) -> AppTest:
    at = AppTest.from_file(ROOT / "pages/library/page.py", default_timeout=60)
    at.session_state["owner"] = key
    return clean(at.run())


def directions(key: str, **view) -> AppTest:
    at = AppTest.from_file(ROOT / "pages/directions/page.py", default_timeout=60)
    at.session_state["owner"] = key
    at.query_params["v"] = DirectionsView(**view).link()
    return at.run()


def clean(at: AppTest) -> AppTest:
    assert not at.exception, at.exception[0].message
    return at


def has(at: AppTest, key: str) -> bool:
    return any(b.key == key for b in at.button)


def kept(key: str, name: str = "digits PCA", k: int = 4, place: str = "own"):
    data = sample("digits")
    model = family("directions.pca")(k=k).fit(data)
    folder = new_folder(places(key)[place], name)
    return save(model, folder, Card.of(model, data, name=name, metrics={"explained_energy": 0.5}))


def names(key: str) -> list[str]:
    return [e.card.name for e in list_models(key) if e.place == "own"]


def pick(at: AppTest, name: str) -> AppTest:
    (option,) = [o for o in at.selectbox(key="library:pick").options if o.startswith(name)]
    return clean(at.selectbox(key="library:pick").select(option).run())


def test_an_empty_place_says_how_to_fill_it(key, monkeypatch, tmp_path):
    monkeypatch.setattr("core.store.library.SHIPPED", tmp_path)
    assert "no model here yet" in library(key).info[0].value


def test_the_table_shows_size_data_and_measures(key):
    kept(key)
    row = library(key).dataframe[0].value.set_index("Name").loc["digits PCA"]
    assert row["Directions"] == "4 x 64" and row["Data"] == "Handwritten digits (1,797)"
    assert row["Measures"] == "explained energy 0.5" and row["Size / KB"] > 1


def test_the_line_that_is_marked_is_the_model_below(key):
    def marked(at: AppTest) -> str:
        (row,) = at.session_state["library:table"]["selection"]["rows"]
        return at.dataframe[0].value["Name"][row]

    kept(key, "first")
    at = pick(library(key), "first")
    kept(key, "another")  # a line that comes above or below
    assert marked(clean(at.run())) == "first"
    assert marked(pick(at, "another")) == "another"
    at = clean(at.button(key="library:delete").click().run())
    assert marked(clean(at.button(key="library:undelete").click().run())) == "another"


def test_nobody_sees_the_models_of_another(key):
    kept(key, "only mine")
    other = library(new_key())
    assert all("only mine" not in str(t.value) for t in other.dataframe)


def test_rename_and_note(key):
    kept(key)
    at = pick(library(key), "digits PCA")
    clean(next(t for t in at.text_input if t.label == "Name").set_value("better name").run())
    assert names(key) == ["better name"]
    at = pick(library(key), "better name")
    clean(next(t for t in at.text_input if t.label == "Note").set_value("for the talk").run())
    assert "for the talk" in [e.card.note for e in list_models(key)]
    at = pick(library(key), "better name")
    at = clean(next(t for t in at.text_input if t.label == "Name").set_value("   ").run())
    assert "name has 1 to" in at.error[0].value.replace("\\", "") and names(key) == ["better name"]


def test_delete_and_undo(key):
    kept(key)
    at = pick(library(key), "digits PCA")
    at = clean(at.button(key="library:delete").click().run())
    assert names(key) == []
    at = clean(at.button(key="library:undelete").click().run())
    assert names(key) == ["digits PCA"]
    assert at.selectbox(key="library:pick").value.startswith("model:own/")  # it stands before one again


def test_share_and_copy(key):
    kept(key, "to share")
    at = pick(library(key), "to share")
    clean(at.button(key="library:share").click().run())
    other = new_key()
    at = pick(library(other), "to share")
    clean(at.button(key="library:copy").click().run())
    assert names(other) == ["to share"]


def test_two_cards_are_compared_by_what_differs(key):
    kept(key, "four", k=4)
    kept(key, "six", k=6)
    at = pick(library(key), "four")
    six = next(o for o in at.selectbox(key="library:other").options if o == "six")
    at = clean(at.selectbox(key="library:other").select(six).run())
    table = at.table[-1].value.replace(r"\\", "", regex=True).set_index("")  # the signs that Markdown takes are escaped
    assert table.loc["settings: k"].tolist() == ["4", "6"] and "family" not in table.index


def test_the_snippet_names_the_family(key):
    kept(key)
    assert any("(directions.pca)" in c.value and "load(" in c.value for c in pick(library(key), "digits PCA").code)


def test_import_of_an_exported_file(key):
    content = export_file(kept(key))
    other = new_key()
    at = library(other)
    at = clean(at.file_uploader(key="library:import:0").upload("model.zip", content, "application/zip").run())
    assert "is in the library now" in at.success[0].value and names(other) == ["digits PCA"]


@pytest.mark.parametrize(
    "content", [b"", b"PK nothing", b"\x80\x04N.", b"0" * 5000], ids=["empty", "zip", "pickle", "junk"]
)
def test_a_bad_file_is_one_sentence_and_changes_nothing(key, content):
    at = library(key)
    at = clean(at.file_uploader(key="library:import:0").upload("model.zip", content, "application/zip").run())
    assert len(at.error) == 1 and at.error[0].value.rstrip().endswith(".") and names(key) == []


def test_a_broken_model_is_listed_with_a_sentence(key):
    (kept(key) / "card.json").write_text("{")
    at = library(key)
    assert "broken" in at.dataframe[0].value["Where"].tolist()


def test_open_a_kept_model_in_its_page(key):
    entry = kept(key, "to open", k=5)
    at = directions(key, model=f"model:own/{entry.name}", settings={"k": 5})
    assert not at.exception and not at.error
    assert [s.value for s in at.selectbox if s.label == "Model"] == [f"model:own/{entry.name}"]
    stranger = directions(new_key(), model=f"model:own/{entry.name}")
    assert "no such model" in stranger.error[0].value


def test_a_card_with_odd_additions_opens_its_page():
    model = family("directions.pca")(k=2).fit(sample("digits"))
    odd = Card.of(model, sample("digits"), more={"data": {"a": 1}, "preparation": [1, 2]})
    assert view_of(odd, "model:own/x") == DirectionsView(settings=model.settings.as_dict(), model="model:own/x")


def test_a_model_for_other_data_is_refused_in_one_sentence(key):
    entry = kept(key)
    at = directions(key, model=f"model:own/{entry.name}", data="sample:wine")
    assert not at.exception and "shape" in at.error[0].value


def until(condition, seconds: float = 60):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.1)
    raise AssertionError("it did not happen in time")


def test_train_watch_stop_resume_and_keep(key):
    at = directions(key, family="directions.sae", settings=SLOW)
    assert not at.exception
    at = clean(at.button(key="directions:train").click().run())
    ref = DirectionsView.from_link(at.query_params["v"]).model
    run_id = ref.removeprefix("run:")
    assert ref.startswith("run:") and runs().follow(run_id).active

    before = directions(key, family="directions.sae", settings=SLOW)  # reloaded before the address held the run
    before = clean(before.button(key="directions:train:show").click().run())
    assert DirectionsView.from_link(before.query_params["v"]).model == ref
    for other in (
        directions(key, family="directions.sae", settings=SLOW | {"k": 9}),
        directions(new_key(), family="directions.sae", settings=SLOW),
    ):
        assert has(other, "directions:train") and not has(other, "directions:train:show")

    until(lambda: runs().follow(run_id).step > 20)
    again = directions(key, family="directions.sae", settings=SLOW, model=ref)  # the link in another browser
    assert any("training" in m.value and "step" in m.value for m in again.markdown)
    guest = directions(new_key(), family="directions.sae", settings=SLOW, model=ref)
    assert any("step" in m.value for m in guest.markdown) and any("another browser" in c.value for c in guest.caption)
    assert has(again, "directions:run:keep") and not has(guest, "directions:run:keep")
    assert any("training" in str(w) for w in library(key).dataframe[0].value["Where"])

    clean(again.button(key="directions:run:keep").click().run())
    view = until(lambda: (v := runs().follow(run_id)).state == "stopped" and v)
    assert view.kept and 20 < view.step < SLOW["steps"]
    shown = clean(directions(key, family="directions.sae", settings=SLOW, model=ref))
    assert [e.value for e in shown.error] == [] and has(shown, "directions:run:resume")
    assert "Sample" in [n.label for n in shown.number_input]
    curve = clean(directions(key, family="directions.sae", settings=SLOW, model=ref, tab="Training"))
    assert any("Seed" in m.value for m in curve.markdown)

    clean(shown.button(key="directions:run:resume").click().run())
    until(lambda: runs().follow(run_id).step > view.step)
    runs().kill(run_id)
    until(lambda: not runs().follow(run_id).active)

    at = library(key)
    at = clean(at.button(key="library:keep").click().run()) if has(at, "library:keep") else at
    assert len(names(key)) == 1


def test_a_run_that_does_not_exist_is_one_sentence(key):
    at = directions(key, family="directions.sae", model="run:nothing")
    assert not at.exception and len(at.error) == 1
