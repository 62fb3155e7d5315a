"""Left side of the page: a sample or a graph of one's own, and the signal on it."""

import streamlit as st

from core.datasets.guard import counted
from core.errors import InputError
from core.graphs.graph import Graph
from core.graphs.loaders import ENDINGS, read_graph
from core.graphs.samples import SAMPLES, sample
from core.graphs.signals import IMPULSE, NOISE, choices
from core.ui.brought import Brought, ask_again
from core.ui.history import History
from core.ui.text import escape, say_error
from pages.graphs.view import FRESH_DATA, LARGEST_SEED, GraphsView

TITLES = {
    "image": "Image grid",
    "roads": "Roads of Minnesota",
    "sensors": "Sensors",
    "karate": "Karate club",
    "bunny": "Bunny points",
    "digits": "Similar digits",
    "opposites": "Unlike neighbours",
}
FALLBACK = "sample:image"
FIRST = {
    "roads": "values:pulse",
    "sensors": "values:pulse",
    "bunny": "values:pulse",
    "digits": "values:ink",
    "karate": "class:club:Officer",
}


def choose(history: History[GraphsView]) -> Graph:
    """The chooser and the drop zone; a bad upload leaves the graph as it was and shows one sentence."""
    own = Brought[Graph].of("graphs")
    chooser = st.container()
    _drop_zone(history, own)
    titles = {f"sample:{n}": TITLES.get(n, n) for n in sorted(SAMPLES, key=list(TITLES).index)}
    titles |= {f"upload:{p}": f"{g.title} (yours)" for p, g in reversed(own.things.items())}
    chosen = history.now.data
    if chosen not in titles:
        ask_again(chosen, history.now.title)
        chosen = FALLBACK
    history.bind(
        "data", chooser.selectbox, "Graph", list(titles), value=chosen, format_func=titles.get, after=FRESH_DATA,
        help="A built-in graph, or a file that you brought in this session.",
    )  # fmt: skip
    place, _, name = chosen.partition(":")
    graph = own.things[name] if place == "upload" else built_in(name)
    _about(graph)
    return graph


def source_of(history: History[GraphsView], graph: Graph) -> str:
    """The chosen signal, or the first one of the graph."""
    known = choices(graph)
    first = FIRST.get(history.now.data.removeprefix("sample:"), next(iter(known)))
    return history.now.source if history.now.source in known else first if first in known else next(iter(known))


def choose_signal(history: History[GraphsView], graph: Graph) -> None:
    """Which signal, and how much noise on it."""
    known, source = choices(graph), source_of(history, graph)
    history.bind(
        "source", st.selectbox, "Signal", list(known), value=source, format_func=known.get,
        help="What lies on the nodes before it is filtered. A click on a node puts an impulse there.",
    )  # fmt: skip
    if source == IMPULSE:
        history.bind(
            "node", st.number_input, "Node", value=min(history.now.node, len(graph) - 1) + 0, min_value=0,
            max_value=len(graph) - 1, step=1, help="Where the impulse is; 0 is the first node.",
        )  # fmt: skip
    history.bind(
        "noise", st.slider, "Noise", 0.0, 2.0, step=0.1,
        help="White noise on the signal, in units of its standard deviation. Choose *Node values* as the target to "
        "learn the filter that takes it away again.",
    )  # fmt: skip
    if history.now.noise > 0 or source == NOISE:
        history.bind("seed", st.number_input, "Seed", min_value=0, max_value=LARGEST_SEED, step=1, help="Of the noise.")


def sources_of_upload(history: History[GraphsView]) -> tuple[str | None, tuple[str, ...]]:
    """The name of the sample, or None and the names of the uploaded files, for the snippet."""
    own = Brought[Graph].of("graphs")
    place, _, name = history.now.data.partition(":")
    if place == "upload" and name in own.things:
        return None, own.files.get(name, ())
    return (name if name in SAMPLES else FALLBACK.removeprefix("sample:")), ()


@st.cache_resource(max_entries=8, show_spinner="Opening the sample ...")
def built_in(name: str) -> Graph:
    """A built-in graph, opened once per server."""
    return sample(name)


def _about(graph: Graph) -> None:
    size = f"{len(graph):,} nodes, {counted(graph.edges, 'edge')}"
    with st.popover(size, icon=":material/info:", help="Where this graph comes from."):
        parts = graph.components()
        st.markdown(f"**{escape(graph.title)}**: {size}, {counted(parts, 'connected part')}.")
        for line in (graph.source, graph.licence and f"Licence: {graph.licence}", *graph.notes):
            if line:
                st.caption(escape(line))


def _drop_zone(history: History[GraphsView], own: Brought[Graph]) -> None:
    with st.expander("Your own graph", icon=":material/upload:", expanded=bool(own.error)):
        edges = st.file_uploader(
            "Edges", key=f"graphs:upload:edges:{own.generation}",
            help="Nothing leaves this server, nobody else sees it, and it is forgotten when the session ends.",
        )  # fmt: skip
        nodes = st.file_uploader(
            "Node values (optional)", key=f"graphs:upload:nodes:{own.generation}",
            help="A csv with the node's name in the first column, then values or labels; x and y become places.",
        )  # fmt: skip
        st.caption(
            f"Edges as {', '.join(ENDINGS)}: a csv has two columns of nodes and perhaps a weight; an npz holds "
            "`adjacency`, or `edges` and arrays with one value a node. Values may also be in the gml, graphml or npz."
        )
        if st.button("Read the graph", key="graphs:read", type="primary", disabled=edges is None and nodes is None):
            _read(history, own, edges, nodes)
        if own.error:
            say_error(own.error)


def _read(history: History[GraphsView], own: Brought[Graph], edges, nodes) -> None:
    own.error = ""
    try:
        if edges is None:
            raise InputError("Give a file with edges too; node values alone are no graph.")
        with st.spinner("Reading ..."):
            made = read_graph(edges.name, edges.getvalue(), None if nodes is None else (nodes.name, nodes.getvalue()))
    except InputError as error:
        own.error = str(error)
        return
    own.generation += 1
    files = tuple(f.name for f in (edges, nodes) if f is not None)
    wanted = f"upload:{own.keep(made.fingerprint, made, files)}"
    if history.now.data != wanted:  # a link that waited for this very file keeps its view
        history.change(**{**FRESH_DATA, "data": wanted, "title": made.title})
    st.rerun()
