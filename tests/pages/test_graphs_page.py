"""The page *Graph spectra* without a browser: every control, every sample with every tab, links and files."""

import json

import pytest
from graphs_app import by_key, choose, clean, notes, now, numbers, open_at, press, settle, shown
from streamlit.testing.v1 import AppTest

from core.graphs.samples import SAMPLES
from pages.graphs.view import LIMITS, TABS, GraphsView
from tests.browser import ROOT

SMALL = dict(data="sample:karate")


def test_the_page_opens_with_a_sample():
    at = clean(open_at())
    assert now(at) == GraphsView() and by_key(at, "data").value == "sample:image"
    assert numbers(at)["Condition"] == "1.00" and numbers(at)["Left over"] == numbers(at)["Least squares"]
    assert shown(at, "drawing")["squares"] == 1.0 and shown(at, "curve")["editable"]
    assert any("same polynomials" in i.value for i in at.info)


@pytest.mark.parametrize("name", list(SAMPLES))
def test_every_sample_with_every_tab(name):
    at = open_at(data=f"sample:{name}")
    for tab in TABS:
        history = at.session_state["graphs:history"]
        history["now"] = history["now"].having(tab=tab)
        at = clean(settle(at.run()))
        assert len(shown(at, "drawing")["panels"]) == 2


def test_the_basis_matters_to_descent_and_not_to_least_squares():
    at = open_at(**SMALL)
    best = numbers(at)["Least squares"]
    at = choose(at, "basis", "monomial")
    assert numbers(at)["Least squares"] == best and numbers(at)["Left over"] != best
    assert "Monomial, degree 10, 500 steps of gradient descent" in notes(at)[1]
    at = choose(at, "method", "exact")
    assert numbers(at)["Left over"] == best and "least squares" in notes(at)[1]
    at = choose(at, "basis", "favard")
    assert now(at).basis == "favard" and by_key(at, "steps")


def test_every_control_of_the_polynomial():
    at = open_at(**SMALL)
    left = numbers(at)["Left over"]
    at = choose(at, "degree", 2)
    assert numbers(at)["Left over"] != left and "degree 2" in notes(at)[1]
    at = choose(at, "method", "adam")
    at = choose(at, "lr", 0.1)
    at = choose(at, "steps", 2000)
    assert "2,000 steps of adam" in notes(at)[1].lower() and now(at).lr == 0.1
    for beside in ("target", "difference", "answer"):
        at = choose(at, "beside", beside)
        assert now(at).beside == beside
    for filter_ in ("high-pass", "band-pass", "band-reject", "comb"):
        at = choose(at, "filter", filter_)
    for _ in range(8):
        at = clean(settle(press(at, "undo")))
    at = clean(press(at, "redo"))
    assert now(at).degree == 2 or now(at).method == "adam"


def test_the_target_can_be_node_values_and_noise_is_taken_away():
    at = open_at(data="sample:sensors", noise=1.0)
    at = choose(at, "target", "values")
    said = [c.value for c in at.caption if "Unfiltered" in c.value]
    assert said and by_key(at, "goal").value == "values:pulse" and not shown(at, "curve")["editable"]
    share = lambda text: float(text.split("%")[0].split()[-1])  # noqa: E731
    assert share(numbers(at)["Left over"]) < share(said[0].split("misses the values by")[1])
    at = choose(at, "goal", "values:north")
    at = choose(at, "seed", 3)
    at = choose(at, "noise", 0.0)
    assert now(at).goal == "values:north"


def test_filtering_that_does_worse_is_called_so():
    at = open_at(data="sample:karate", target="values", basis="monomial", steps=10)
    assert any("worse than nothing" in c.value for c in at.caption)


def test_a_drawn_filter_and_a_clicked_node():
    at = open_at(**SMALL)
    points = [[0.0, 0.0], [0.5, 1.0], [2.0, 0.2]]
    history = at.session_state["graphs:history"]
    history["now"] = history["now"].having(filter="drawn", points=points)
    at = clean(at.run())
    assert shown(at, "curve")["points"] == points and by_key(at, "filter").value == "drawn"
    own = next(line for line in shown(at, "curve")["lines"] if line["own"])
    assert own["values"][0] == 0 and own["values"][100] == 1 and own["values"][400] == 0.2
    at = choose(at, "source", "impulse")
    at = choose(at, "node", 5)
    assert shown(at, "drawing")["current"] == 5 and numbers(at)["Condition"] == "1.00"


def test_every_entry_of_an_edited_link_is_put_right():
    view = GraphsView(
        data="sample:karate", source="values:nothing", node=10**9, noise=9.0, seed=-4, target="x", filter="drawn",
        points=[[0, 1], ["a", 2]], goal="values:else", basis="legendre", degree=10**6, method="guess", steps=17,
        lr=-1.0, beside="nothing", tab="none", orthogonality={"degree": "many"},
        classes={"attribute": 3, "seeds": True, "lr": "x"},
    )  # fmt: skip
    assert (view.noise, view.seed, view.filter, view.points, view.steps) == (2.0, 0, "low-pass", [], 20)
    at = open_at(**{f: getattr(view, f) for f in view.changed()})
    clean(at)
    for tab in TABS:
        history = at.session_state["graphs:history"]
        history["now"] = history["now"].having(tab=tab)
        at = clean(settle(at.run()))


def test_a_degree_that_says_everything_is_told():
    at = open_at(data="sample:karate", degree=60)
    assert any("eigenvectors only" in c.value for c in at.caption)


def test_the_orthogonality_tab_has_a_degree_of_its_own():
    at = open_at(data="sample:sensors", tab="Orthogonality")
    at = choose(at, "orthogonality.degree", 200)
    assert now(at).orthogonality == {"degree": 200}
    assert any("off by more than 1e-8 from degree" in i.value for i in at.info)
    at = choose(at, "orthogonality.degree", 5)
    assert any("safe here" in i.value for i in at.info)


def test_classes_are_learned_when_asked():
    fields = {"steps": 10, "seeds": 1, "bases": ["none", "optimal"], "degree": 2, "hidden": 4}
    at = clean(open_at(data="sample:karate", tab="Node classes", classes=fields))
    assert not at.dataframe
    at = clean(settle(press(at, "classes:go")))
    table = at.dataframe[0].value
    assert (
        list(table["model"]) == ["OptBasisGNN", "No graph (network alone)"]
        and (table["± over seeds"] == "one seed").all()
    )
    assert any("best on the nodes held out" in m.value for m in at.markdown)
    for key, value in (("seeds", 2), ("bases", ["favard"]), ("degree", 3), ("train_share", 0.5)):
        at = choose(at, f"classes.{key}", value)
    assert now(at).classes["bases"] == ["favard"]
    at = choose(at, "classes.bases", [])
    assert any("at least one basis" in i.value for i in at.info)
    at = clean(open_at(data="sample:roads", tab="Node classes"))
    assert any("have no labels" in i.value for i in at.info)


def test_the_recipe_and_the_snippet():
    at = clean(open_at(data="sample:karate", degree=4, tab="Take away"))
    assert 'sample("karate")' in at.code[0].value and "degree=4" in at.code[0].value
    (given,) = [u for u in at.file_uploader if u.label == "Load a recipe"]
    recipe = json.dumps({"data": "sample:karate", "degree": 7, "tab": "Take away"}).encode()
    at = clean(settle(given.set_value([("recipe.json", recipe, "application/json")]).run()))
    assert now(at).degree == 7


CSV = b"source,target,weight\na,b,1\nb,c,2\nc,d,1\nd,a,1\na,c,0.5\n"
VALUES = b"name,x,y,level,kind\na,0,0,1,u\nb,1,0,2,u\nc,1,1,4,w\nd,0,1,3,w\n"


def bring(at: AppTest, edges=None, nodes=None) -> AppTest:
    for label, file in (("Edges", edges), ("Node values (optional)", nodes)):
        if file is not None:
            (given,) = [u for u in at.file_uploader if u.label == label]
            at = given.set_value([(*file, "application/octet-stream")]).run()
    return settle(press(at, "read"))


def test_a_graph_of_ones_own():
    at = clean(bring(open_at(), ("my edges.csv", CSV), ("nodes.csv", VALUES)))
    assert now(at).data.startswith("upload:") and now(at).title == "my edges.csv"
    assert by_key(at, "source").value == "values:x"
    assert "kind is u" in by_key(at, "source").options
    assert numbers(at)["Condition"] == "1.00" and shown(at, "drawing")["squares"] == 0
    link = at.query_params["v"]
    for tab in TABS:
        history = at.session_state["graphs:history"]
        history["now"] = history["now"].having(tab=tab)
        at = clean(settle(at.run()))
    at = clean(press(at, "undo"))
    assert now(at).data == "sample:image"
    other = AppTest.from_file(ROOT / "pages/graphs/page.py", default_timeout=60)
    other.query_params["v"] = link
    other = other.run()
    assert any("stayed with the session" in i.value for i in other.info)
    other = clean(bring(other, ("my edges.csv", CSV), ("nodes.csv", VALUES)))
    assert other.query_params["v"] == link


@pytest.mark.parametrize(
    ("edges", "nodes"),
    [
        (("a.csv", b""), None),
        (("a.csv", b"one\ntwo\n"), None),
        (("a.csv", b"a,a\nb,b\n"), None),
        (("a.csv", b"\xff\xfe\x00\x01" * 50), None),
        (("a.gml", b"graph [ node [ id 1"), None),
        (("a.graphml", b'<!DOCTYPE x [<!ENTITY a "b">]><graphml/>'), None),
        (("a.npz", b"PK\x03\x04 broken"), None),
        (("a.exe", b"MZ"), None),
        (("**bold** [x](javascript:1).csv", b"a,b,c,d\n"), ("n.csv", b"q,1\nr,2\n")),
        (None, ("n.csv", VALUES)),
    ],
)
def test_bad_uploads_are_one_sentence_and_the_view_stays(edges, nodes):
    before = open_at(data="sample:karate", degree=3)
    at = bring(before, edges, nodes)
    assert [e.message for e in at.exception] == []
    assert (
        len(at.error) == 1 and at.error[0].value.endswith(".") and "](" not in at.error[0].value.replace("\\]\\(", "")
    )
    assert now(at) == GraphsView(data="sample:karate", degree=3) and numbers(at)


def test_hidden_values_do_not_stop_the_page():
    """A signal that is zero, one value for all, missing values, and nodes without edges."""
    rows = b"a,b\nb,c\nc,d\n"
    values = b"name,zero,same,gap,word\na,0,2,1,x\nb,0,2,,y\nc,0,2,3,=1+1\nd,0,2,4,<b>\n"
    at = clean(bring(open_at(), ("e.csv", rows), ("n.csv", values)))
    assert "zero" not in by_key(at, "source").options
    for source in ("values:same", "values:gap", "class:word:=1+1", "noise"):
        at = choose(at, "source", source)


def test_two_nodes_are_a_graph():
    at = clean(bring(open_at(), ("e.csv", b"a,b\n")))
    for tab in TABS:
        history = at.session_state["graphs:history"]
        history["now"] = history["now"].having(tab=tab)
        at = clean(settle(at.run()))
    assert by_key(at, "source").value == "impulse"


def test_points_from_the_browser_are_checked_before_they_are_kept():
    low, high = LIMITS
    assert GraphsView(filter="drawn", points=[[0, 5], [2, -5]]).points == [[0.0, high], [2.0, low]]
    assert GraphsView(filter="drawn", points=[[0, 5], [1, -5]]).filter == "low-pass"
