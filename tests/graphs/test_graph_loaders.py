"""Graphs out of bytes, kind and hostile."""

import io

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

from core.errors import InputError
from core.graphs.graph import graph
from core.graphs.layout import drawn_edges, layout
from core.graphs.loaders import read_graph
from core.graphs.samples import SAMPLES, sample


def npz(**arrays) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


@pytest.fixture
def weighted():
    g = nx.les_miserables_graph()
    for i, n in enumerate(g):
        g.nodes[n]["group"] = "a" if i % 2 else "b"
        g.nodes[n]["size"] = float(i)
    return g


def same(made, g):
    order = [made.names.index(str(n)) for n in g]
    return np.array_equal(made.adjacency.toarray()[np.ix_(order, order)], nx.to_numpy_array(g))


def test_every_format_gives_the_same_graph(weighted):
    csv = "source,target,weight\n" + "\n".join(f"{a},{b},{w}" for a, b, w in weighted.edges(data="weight"))
    assert same(read_graph("a.csv", csv.encode()), weighted)
    assert same(read_graph("a.tsv", csv.replace(",", "\t").encode()), weighted)
    graphml = "\n".join(nx.generate_graphml(weighted)).encode()
    made = read_graph("C:\\folder\\a.graphml", graphml)
    assert same(made, weighted) and made.title == "a.graphml"
    assert made.classes("group")[1] == ("a", "b") and made.numbers("size")[-1] == len(weighted) - 1
    gml = "\n".join(nx.generate_gml(weighted)).encode()
    made = read_graph("a.gml", gml)
    assert np.array_equal(made.adjacency.toarray(), nx.to_numpy_array(weighted)) and "group" in made.attributes
    matrix = nx.to_scipy_sparse_array(weighted)
    for kind in ("csr", "csc", "coo"):
        buffer = io.BytesIO()
        sp.save_npz(buffer, matrix.asformat(kind))
        assert np.array_equal(read_graph("a.npz", buffer.getvalue()).adjacency.toarray(), matrix.toarray())
    dense = read_graph("a.npz", npz(adjacency=matrix.toarray(), coordinates=np.ones((77, 2)), label=np.arange(77)))
    assert np.array_equal(dense.adjacency.toarray(), matrix.toarray()) and dense.coordinates.shape == (77, 2)
    assert "label" in dense.attributes


def test_a_heading_in_other_words_decimal_commas_and_columns_without_use():
    made = read_graph("e.csv", b"a,b,w\nx,y,2\ny,z,1\n")
    assert made.names == ("x", "y", "z") and made.adjacency[0, 1] == 2
    made = read_graph("e.csv", b"von;zu;gewicht\nx;y;1,5\ny;z;2,0\n")
    assert made.names == ("x", "y", "z") and made.adjacency[0, 1] == 1.5 and not made.notes
    made = read_graph("e.csv", b"source,target,kind\nx,y,red\ny,z,blue\n")
    assert made.adjacency[0, 1] == 1 and "kind" in made.notes[0]


def test_nodes_of_a_gml_are_called_by_their_labels():
    g = nx.relabel_nodes(nx.path_graph(3), {0: "io", 1: "os", 2: "re"})
    made = read_graph("g.gml", "\n".join(nx.generate_gml(g)).encode(), ("n.csv", b"name,lines\nre,5\nio,7\nio,8\n"))
    assert made.names == ("io", "os", "re") and list(made.numbers("lines"))[::2] == [8, 5]
    assert any("once more" in n for n in made.notes)


def test_edge_lists_without_header_and_with_a_table_of_nodes():
    made = read_graph(
        "e.csv", b"# comment\n10 20\n20 30\n10 30\n", ("n.csv", b"id,x,y,kind\n10,0,0,a\n20,1,0,b\n40,5,5,c\n")
    )
    assert len(made) == 3 and made.edges == 3 and made.names == ("10", "20", "30")
    assert made.attributes["kind"].tolist() == ["a", "b", ""] and made.coordinates is None
    assert any("not in n.csv" in n for n in made.notes) and any("no edge" in n for n in made.notes)
    assert read_graph("e.csv", b"from;to\n1;2\n2;3\n").names == ("1", "2", "3")
    assert read_graph("e.csv", b"left;right\n1;2\n2;3\n").names == ("1", "2", "3")
    full = read_graph("e.csv", b"a,b\nb,c\n", ("n.csv", b"name,x,y\na,0,0\nb,1,0\nc,2,2\n"))
    assert full.coordinates.tolist() == [[0, 0], [1, 0], [2, 2]]
    assert np.array_equal(layout(full), full.coordinates)


def test_doubles_loops_and_lone_nodes_are_settled_and_said():
    made = graph(np.array([0, 1, 0, 2]), np.array([1, 0, 1, 2]), np.array([1.0, 3.0, 2.0, 1.0]), nodes=4)
    assert made.edges == 1 and made.adjacency[0, 1] == made.adjacency[1, 0] == 3
    assert any("itself" in n for n in made.notes) and any("no edge" in n for n in made.notes)
    assert any("different weights" in n for n in made.notes) and not any("weight 0" in n for n in made.notes)
    same = graph(np.array([0, 1, 1]), np.array([1, 0, 2]), np.array([2.0, 2.0, 0.0]))
    assert not any("different" in n for n in same.notes) and any("1 edge of weight 0" in n for n in same.notes)
    p = made.propagation()
    assert np.isfinite(p.data).all() and np.abs(np.linalg.eigvalsh(p.toarray())).max() <= 1 + 1e-12
    assert made.components() == 3


def test_a_direction_that_is_left_out_is_said():
    ways = {True: nx.DiGraph([(0, 1), (1, 2)]), False: nx.Graph([(0, 1), (1, 2)])}
    for directed, made in ways.items():
        gml, matrix = "\n".join(nx.generate_gml(made)).encode(), io.BytesIO()
        sp.save_npz(matrix, nx.to_scipy_sparse_array(made, format="csr"))
        files = (
            ("a.gml", gml),
            ("a.graphml", "".join(nx.generate_graphml(made)).encode()),
            ("a.npz", matrix.getvalue()),
        )
        for name, data in files:
            assert any("both ways" in n for n in read_graph(name, data).notes) is directed, name


BOMB = b"""<?xml version="1.0"?><!DOCTYPE g [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>
<graphml><graph><node id="&b;"/></graph></graphml>"""
OUTSIDE = b"""<!DOCTYPE g SYSTEM "file:///etc/passwd"><graphml/>"""


@pytest.mark.parametrize(
    "name, data, words",
    [
        ("a.graphml", BOMB, "entities"),
        ("a.graphml", BOMB.decode().replace("<?xml version=\"1.0\"?>", "").encode("utf-16"), "entities"),
        ("a.graphml", OUTSIDE, "entities"),
        ("a.graphml", b"<graphml>" + b"<graph>" * 10_000, "deeply"),
        ("a.graphml", b"<svg/>", "not GraphML"),
        ("a.graphml", b"<graphml><graph><edge source='a' target='b'/></graph></graphml>", "does not have"),
        ("a.graphml", b"<graphml><graph><node id='a'/>", "damaged"),
        ("a.graphml", b"<graphml><graph><hyperedge/></graph></graphml>", "hyperedges"),
        ("a.gml", b"graph [ node [ id 0 ]", "damaged"),
        ("a.gml", b"graph [" * 3000, "damaged"),
        ("a.gml", b"\xff\xfe\x00", "damaged"),
        ("a.csv", b"", "empty"),
        ("a.csv", b"only\none\ncolumn\n", "one column"),
        ("a.csv", b"a,b\na,\n", "fewer than two"),
        ("a.csv", b"source,target,weight\na,b,heavy\n", "numbers"),
        ("a.csv", b"source,target,weight\na,b,-1\n", "not negative"),
        ("a.csv", b"source,target,weight\na,b,inf\n", "finite"),
        ("a.csv", b"a,a\nb,b\n", "different nodes"),
        ("a.csv", bytes(range(256)) * 20, "a.csv"),
        ("a.npz", b"PK\x03\x04", "damaged"),
        ("a.npz", npz(adjacency=np.ones((3, 4))), "square"),
        ("a.npz", npz(edges=np.array([[0, 5]]), coordinates=np.full((6, 2), np.nan)), "finite"),
        ("a.npz", npz(edges=np.array([[0, -5]])), "node"),
        ("a.npz", npz(edges=np.array([[0.5, 1]])), "whole"),
        ("a.npz", npz(edges=np.array([[0, 2**40]])), "nodes"),
        ("a.npz", npz(data=np.ones(2), indices=[0, 9], indptr=[0, 1, 2], shape=[2, 2]), "damaged"),
        ("a.npz", npz(x=np.array([{}], dtype=object)), "objects"),
        ("a.png", b"x", "accepted are csv"),
    ],
)  # fmt: skip
def test_hostile_files_are_refused_in_one_sentence(name, data, words):
    with pytest.raises(InputError, match=words) as found:
        read_graph(name, data)
    assert str(found.value).endswith(".") and "\n" not in str(found.value) and len(str(found.value)) < 300


@pytest.mark.parametrize("name", [n for n in SAMPLES if n != "image"])
def test_samples_are_whole_and_say_where_they_come_from(name):
    made = sample(name)
    assert made.source and made.licence and made.title
    assert (made.adjacency != made.adjacency.T).nnz == 0 and made.adjacency.diagonal().max() == 0
    places = layout(made)
    assert places.shape == (len(made), 2) and np.isfinite(places).all()
    assert len(drawn_edges(made, 50)) == min(50, made.edges)
    with pytest.raises(InputError, match="roads"):
        sample("moon")


def test_a_large_edge_list_stays_sparse():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 20_000, (2, 100_000))
    made = read_graph("big.csv", "\n".join(f"{x},{y}" for x, y in zip(a, b, strict=True)).encode())
    assert 99_000 < made.edges < 100_000 and len(made) <= 20_000
    assert layout(made).shape == (len(made), 2)
