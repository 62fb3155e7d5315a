"""Graphs out of uploaded bytes: `csv` edge lists, `gml`, `graphml`, and `npz` with an adjacency matrix or edges."""

import io
import warnings
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import scipy.sparse as sp

from core.datasets.arrays import read_npz
from core.datasets.guard import base, counted, decoding, extension, shown
from core.errors import InputError
from core.graphs.graph import MAX_EDGES, MAX_NODES, Graph, graph
from core.graphs.graphml import read_graphml

ENDINGS = ("csv", "tsv", "gml", "graphml", "npz")
MAX_BYTES = {"csv": 400_000_000, "tsv": 400_000_000, "npz": 400_000_000, "graphml": 200_000_000, "gml": 20_000_000}
_ENDS = (("source", "target"), ("from", "to"), ("src", "dst"), ("node1", "node2"))
_WEIGHTS = ("weight", "w", "value", "strength")
_DIRECTED = "Its edges have a direction, which was left out: each counts both ways."
_PLACES = (("x", "y", "z"), ("x", "y"), ("lon", "lat"), ("longitude", "latitude"), ("pos_x", "pos_y"))


def read_graph(name: str, data: bytes, nodes: tuple[str, bytes] | None = None) -> Graph:
    """A graph out of one file, with values of the nodes out of a second one where they are not in the first.

    A `csv` or `tsv` holds one edge a row: two columns of node names and perhaps a weight, with or without a header. A
    table of nodes holds one node a row: its name first, then its values; columns `x` and `y` (and `z`) become
    coordinates. An `npz` holds `adjacency` (a square matrix), or `edges (E, 2)` and perhaps `weights`, or what
    `scipy.sparse.save_npz` writes; further arrays with one entry a node become attributes, `coordinates`, `features`.

    Args:
        name: the file's name; its ending says what it is.
        data: its bytes.
        nodes: name and bytes of a `csv` or `tsv` of nodes.

    Raises:
        InputError: one sentence that says what is wrong and what is accepted.
    """
    label, ending = base(name), extension(name)
    if ending not in ENDINGS:
        raise InputError(f"{label} is not a graph; accepted are {', '.join(ENDINGS[:-1])} and {ENDINGS[-1]}.")
    if len(data) > MAX_BYTES[ending]:
        raise InputError(
            f"{label} is larger than {MAX_BYTES[ending] // 10**6} MB, the most that is accepted for {ending}."
        )
    if not data.strip():
        raise InputError(f"{label} is empty; a graph needs at least one edge.")
    if ending in ("csv", "tsv"):
        made = _from_table(label, data)
    elif ending == "npz":
        made = _from_npz(label, data)
    elif ending == "graphml":
        nodes_there, edges, directed = read_graphml(label, data)
        made = _from_parts(label, nodes_there, edges, directed)
    else:
        made = _from_gml(label, data)
    made = made.noted(title=label)
    return made if nodes is None else _with_nodes(made, *nodes)


def _table(label: str, data: bytes, names: set[str] | None = None) -> pd.DataFrame:
    """Cells as text or numbers; the delimiter is found in the first lines.

    Args:
        names: of the graph's nodes, for a table of nodes; None for a list of edges.
    """
    head = data[:4096].decode("utf-8", "replace")
    line = next((x for x in head.splitlines() if x.strip() and not x.startswith(("#", "%"))), "")
    mark = max((",", "\t", ";", " "), key=line.count)
    if line.count(mark) == 0:
        raise InputError(
            f"{label} has one column; an edge list has two columns of nodes, and a node table two or more."
        )
    with decoding(label, "a table in UTF-8 is accepted"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options: dict[str, Any] = dict(header=None, comment="#", skipinitialspace=True, encoding="utf-8-sig")
        options["sep"] = r"\s+" if mark == " " else mark
        frame = pd.read_csv(io.BytesIO(data), **options, low_memory=False)
    if frame.shape[1] > 1000:
        raise InputError(f"{label} has {frame.shape[1]} columns; at most 1,000 are accepted.")
    first = frame.iloc[0]
    if len(frame) > 1 and all(isinstance(v, str) and not _number(v) for v in first) and _heads(frame, names):
        frame = frame.iloc[1:].reset_index(drop=True)
        frame.columns = [shown(v) for v in first]
        frame = frame.apply(_numeric)
    if mark == ";":  # such tables write one half as 0,5; names of nodes stay as they are
        for column in frame.columns[2 if names is None else 1 :]:
            frame[column] = _with_commas(frame[column])
    return frame


def _heads(frame: pd.DataFrame, names: set[str] | None) -> bool:
    """Whether a first row of words names the columns, or is itself an edge or a node."""
    first = [shown(v) for v in frame.iloc[0]]
    if len(set(first)) < len(first):
        return False
    if names is not None:
        return first[0] not in names
    low = {v.lower() for v in first}
    if any(a in low and b in low for a, b in _ENDS):
        return True
    numbers = [c.dtype.kind in "fiu" for _, c in frame.iloc[1:, :2].apply(_numeric).items()]
    weights = [_with_commas(_numeric(c)).dtype.kind in "fiu" for _, c in frame.iloc[1:1000, 2:].items()]
    return all(numbers) or any(weights)


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _numeric(column: pd.Series) -> pd.Series:
    try:
        return pd.to_numeric(column)
    except (ValueError, TypeError):
        return column


def _with_commas(column: pd.Series) -> pd.Series:
    """Numbers that were written with a decimal comma; other columns as they are."""
    if column.dtype.kind in "fiub" or not column.notna().any():
        return column
    read = _numeric(column.astype(str).str.replace(",", ".", regex=False))
    return read if read.dtype.kind in "fiu" else column


def _from_table(label: str, data: bytes) -> Graph:
    frame = _table(label, data)
    low = {str(c).lower(): c for c in frame.columns}
    ends = next(((low[a], low[b]) for a, b in _ENDS if a in low and b in low), tuple(frame.columns[:2]))
    rest = [c for c in frame.columns if c not in ends]
    weight = next((low[w] for w in _WEIGHTS if w in low and low[w] in rest), None)
    if weight is None and len(rest) == 1 and frame[rest[0]].dtype.kind in "fiu":
        weight = rest[0]
    if frame[list(ends)].isna().any(axis=None):
        raise InputError(f"{label} has rows with fewer than two nodes; each row is one edge.")
    both = pd.concat([frame[ends[0]], frame[ends[1]]], ignore_index=True)
    if both.dtype.kind == "f" and (both == both.round()).all():
        both = both.astype(np.int64)
    index, known = pd.factorize(both, sort=both.dtype.kind in "iu")
    if len(known) > MAX_NODES:
        raise InputError(f"{label} has {len(known):,} nodes; at most {MAX_NODES:,} are accepted.")
    weights = None
    if weight is not None:
        if frame[weight].dtype.kind not in "fiub":
            raise InputError(f"The column {shown(weight)} of {label} must hold numbers, the weights of the edges.")
        weights = frame[weight].to_numpy(np.float64)
    notes = ()
    if unused := [c for c in rest if c != weight]:
        said = ", ".join(c if isinstance(c, str) else f"column {c + 1}" for c in unused[:5])
        notes = (f"Not used: {said}. A weight is the only further column and of numbers, or called weight.",)
    ends_of = index[: len(frame)], index[len(frame) :]
    return graph(*ends_of, weights, nodes=len(known), names=tuple(map(str, known)), notes=notes)


def _with_nodes(made: Graph, name: str, data: bytes) -> Graph:
    label = base(name)
    if extension(name) not in ("csv", "tsv"):
        raise InputError(f"{label} is not a table of nodes; csv and tsv are accepted.")
    if not data.strip() or len(data) > MAX_BYTES["csv"]:
        raise InputError(f"{label} is empty or larger than {MAX_BYTES['csv'] // 10**6} MB.")
    place = {str(n): i for i, n in enumerate(made.names or range(1, len(made) + 1))}
    frame = _table(label, data, set(place))
    rows = np.array([place.get(_key(v), -1) for v in frame.iloc[:, 0]])
    there = rows >= 0
    if not there.any():
        raise InputError(f"None of the nodes in {label} is in the graph; the first column must hold the nodes' names.")
    columns: dict[str, np.ndarray] = {}
    for column in frame.columns[1:]:
        values = frame[column].to_numpy()
        numbers = values.dtype.kind in "fiub"
        full = np.full(len(made), np.nan) if numbers else np.full(len(made), "", dtype=object)
        full[rows[there]] = values[there] if numbers else [str(v) for v in values[there]]
        columns[str(column)] = full if numbers else full.astype(str)
    notes = []
    if (missing := len(made) - len(np.unique(rows[there]))) > 0:
        notes.append(f"{missing:,} nodes of the graph are not in {label}; their values are missing.")
    if (again := int(there.sum()) - len(np.unique(rows[there]))) > 0:
        notes.append(f"{counted(again, 'row')} of {label} name a node once more; the last row of a node counts.")
    if (~there).any():
        notes.append(f"{int((~there).sum()):,} rows of {label} name nodes that have no edge and were left out.")
    return made.noted(*notes, **_placed(columns, made))


def _key(value) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _placed(columns: dict[str, np.ndarray], made: Graph | None = None) -> dict[str, Any]:
    """Attributes, and coordinates where there are columns for them."""
    low = {c.lower(): c for c in columns}
    for names in _PLACES:
        if all(n in low for n in names):
            places = np.stack([columns[low[n]] for n in names], axis=1)
            if places.dtype.kind in "fiu" and np.isfinite(places).all():
                return dict(
                    attributes={**(made.attributes if made else {}), **columns}, coordinates=places.astype(np.float64)
                )
    return dict(attributes={**(made.attributes if made else {}), **columns})


def _from_npz(label: str, data: bytes) -> Graph:
    arrays = read_npz(label, data)
    facts: dict[str, Any] = {}
    with decoding(label, "adjacency, edges, or what scipy.sparse.save_npz writes is accepted"):
        if {"indices", "indptr", "data", "shape"} <= set(arrays):
            shape = tuple(int(v) for v in arrays.pop("shape").ravel())
            kind = arrays.pop("format", np.array(b"csr")).ravel()[0]
            kind = kind.decode() if isinstance(kind, bytes) else str(kind)
            made = {"csr": sp.csr_array, "csc": sp.csc_array}[kind]
            matrix = made((arrays.pop("data"), arrays.pop("indices"), arrays.pop("indptr")), shape=shape)
            matrix.check_format(full_check=True)
            matrix = matrix.tocoo()
        elif {"row", "col", "data", "shape"} <= set(arrays):
            shape = tuple(int(v) for v in arrays.pop("shape").ravel())
            arrays.pop("format", None)
            matrix = sp.coo_array((arrays.pop("data"), (arrays.pop("row"), arrays.pop("col"))), shape=shape)
        elif "edges" in arrays:
            matrix = None
        else:
            square = next((k for k in ("adjacency", "W", "A", *arrays) if k in arrays and _square(arrays[k])), None)
            if square is None:
                raise InputError(f"{label} holds no square matrix and no edges (E, 2); one of them is needed.")
            matrix = sp.coo_array(arrays.pop(square))
    if matrix is None:
        edges = arrays.pop("edges")
        if edges.ndim != 2 or edges.shape[1] != 2 or edges.dtype.kind not in "iu":
            raise InputError(f"The array edges of {label} must be (E, 2) whole numbers.")
        weights = arrays.pop("weights", None)
        if weights is not None and weights.dtype.kind not in "fiub":
            raise InputError(f"The array weights of {label} must hold numbers.")
        most = max((len(v) for v in arrays.values() if v.ndim), default=0)
        rows, columns, n = edges[:, 0], edges[:, 1], max(int(edges.max(initial=-1)) + 1, 0)
        if any(len(v) == most for k, v in arrays.items() if k in ("coordinates", "features")):
            n = max(n, most)
    else:
        if matrix.shape[0] != matrix.shape[1]:
            raise InputError(f"The matrix in {label} is {matrix.shape[0]} x {matrix.shape[1]}; it must be square.")
        if matrix.dtype.kind not in "fiub":
            raise InputError(f"The matrix in {label} must hold numbers.")
        rows, columns, weights, n = matrix.row, matrix.col, matrix.data, matrix.shape[0]
        both = matrix.tocsr()
        if (both != both.T).nnz:
            facts["notes"] = ("The matrix is not symmetric; an edge counts both ways, with the larger weight.",)
    for key in ("coordinates", "features"):
        if key in arrays:
            value = arrays.pop(key)
            if value.ndim != 2 or len(value) != n or value.dtype.kind not in "fiub" or not np.isfinite(value).all():
                raise InputError(f"The array {key} of {label} must be a finite matrix with one row for each node.")
            facts[key] = value.astype(np.float64)
    facts["attributes"] = {k: v for k, v in arrays.items() if v.shape == (n,)}
    return graph(rows.astype(np.int64), columns.astype(np.int64), weights, nodes=n, **facts)


def _square(a: np.ndarray) -> bool:
    return a.ndim == 2 and a.shape[0] == a.shape[1] and a.dtype.kind in "fiub"


def _from_gml(label: str, data: bytes) -> Graph:
    if data.count(b"[") > 500_000:
        raise InputError(f"{label} is too large for gml; give the graph as graphml or as a csv of edges.")
    with decoding(label, "gml with numbered nodes is accepted"):
        read = nx.parse_gml(data.decode("utf-8").splitlines(), label="id")
        nodes = [(str(n), dict(values)) for n, values in read.nodes(data=True)]
        edges = [
            (str(a), str(b), values.get("weight", values.get("value", 1.0))) for a, b, values in read.edges(data=True)
        ]
    labels = [str(values.get("label", "")) for _, values in nodes]
    if all(labels) and len(set(labels)) == len(labels):  # a person knows nodes by label, the file by number
        called = {n: label_ for (n, _), label_ in zip(nodes, labels, strict=True)}
        nodes = [(called[n], {k: v for k, v in values.items() if k != "label"}) for n, values in nodes]
        edges = [(called[a], called[b], w) for a, b, w in edges]
    for _, values in nodes:
        graphics = values.pop("graphics", None)
        if isinstance(graphics, dict):
            values.update({k: v for k, v in graphics.items() if k in ("x", "y", "z")})
    return _from_parts(label, nodes, edges, read.is_directed())


def _from_parts(label: str, nodes: list[tuple[str, dict]], edges: list[tuple[str, str, Any]], directed: bool) -> Graph:
    """A graph out of named nodes with values and weighted edges between names."""
    place = {name: i for i, (name, _) in enumerate(nodes)}
    if len(place) > MAX_NODES or len(edges) > MAX_EDGES:
        raise InputError(f"{label} has {len(place):,} nodes and {len(edges):,} edges, which is more than is accepted.")
    for a, b, _ in edges:
        if a not in place or b not in place:
            raise InputError(f"An edge of {label} ends at a node that the file does not have.")
    try:
        weights = np.array([float(w) for *_, w in edges])
    except (TypeError, ValueError):
        raise InputError(f"The edges of {label} have weights that are not numbers.") from None
    keys = list(dict.fromkeys(k for _, values in nodes for k in values))[:200]
    columns = {}
    for key in keys:
        values = [found.get(key) for _, found in nodes]
        if all(v is None or (isinstance(v, (int, float)) and abs(v) < 1e300) for v in values):
            columns[shown(key)] = np.array([np.nan if v is None else float(v) for v in values])
        elif all(v is None or isinstance(v, (str, int, float, bool)) for v in values):
            columns[shown(key)] = np.array(["" if v is None else shown(v) for v in values])
    names = tuple(shown(n) for n, _ in nodes)
    rows, ends = np.array([place[a] for a, *_ in edges], dtype=np.int64), [place[b] for _, b, _ in edges]
    facts: dict[str, Any] = dict(names=names, notes=(_DIRECTED,) if directed else (), **_placed(columns))
    return graph(rows, np.array(ends, dtype=np.int64), weights, nodes=len(nodes), **facts)
