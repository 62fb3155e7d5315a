"""Built-in graphs: no network is needed. Each comes with its source and licence."""

from collections.abc import Callable
from pathlib import Path

import networkx as nx
import numpy as np
import scipy.sparse as sp
from scipy.spatial import cKDTree
from sklearn.datasets import load_digits
from sklearn.neighbors import kneighbors_graph

from core.errors import InputError
from core.graphs.graph import Graph, graph

ASSETS = Path(__file__).parents[2] / "assets" / "samples"
PYGSP = "Converted from PyGSP 0.6.1 (BSD-3-Clause, Copyright 2014 EPFL LTS2)."


def image_grid(image: np.ndarray, title: str = "image grid") -> Graph:
    """Pixels with their four neighbours as edges; the attribute `grey` holds the picture.

    Args:
        image: `(H, W)` of finite numbers, at most 1000 x 1000.
    """
    image = np.asarray(image, dtype=np.float64)
    if image.ndim != 2 or min(image.shape) < 2 or max(image.shape) > 1000:
        raise InputError("An image grid takes a grey picture of 2 x 2 to 1000 x 1000 pixels.")
    h, w = image.shape
    index = np.arange(h * w).reshape(h, w)
    rows = np.concatenate([index[:, :-1].ravel(), index[:-1].ravel()])
    columns = np.concatenate([index[:, 1:].ravel(), index[1:].ravel()])
    y, x = np.mgrid[:h, :w]
    places = np.stack([x.ravel(), -y.ravel()], axis=1).astype(np.float64)
    return graph(rows, columns, coordinates=places, attributes={"grey": image.ravel()}, title=title)


def neighbours(points: np.ndarray, k: int = 6, **facts) -> Graph:
    """Points joined to their k nearest others, weights `exp(-d^2 / s^2)` with s the mean distance to the k-th.

    Args:
        points: `(N, D)` finite.
    """
    distance, index = cKDTree(points).query(points, k=k + 1)
    rows = np.repeat(np.arange(len(points)), k)
    weights = np.exp(-((distance[:, 1:] / max(distance[:, -1].mean(), 1e-300)) ** 2)).ravel()
    if points.shape[1] in (2, 3):
        facts.setdefault("coordinates", np.asarray(points, dtype=np.float64))
    return graph(rows, index[:, 1:].ravel(), np.maximum(weights, 1e-6), nodes=len(points), **facts)


def _stored(name: str) -> dict[str, np.ndarray]:
    with np.load(ASSETS / "graphs.npz", allow_pickle=False) as file:
        return {k.removeprefix(name + "_"): file[k] for k in file.files if k.startswith(name + "_")}


def _roads() -> Graph:
    data = _stored("minnesota")
    places = data["coordinates"].astype(np.float64)
    rows, columns = data["edges"].T.astype(np.int64)
    return graph(
        rows,
        columns,
        nodes=len(places),
        coordinates=places,
        attributes={"north": places[:, 1], "pulse": _pulse(places)},
        title="Roads of Minnesota",
        source="D. Gleich, MatlabBGL; every node a crossing, every edge a road between two.",
        licence=PYGSP,
    )


def _sensors() -> Graph:
    data = _stored("sensors")
    places = data["coordinates"].astype(np.float64)
    rows, columns = data["edges"].T.astype(np.int64)
    return graph(
        rows,
        columns,
        data["weights"].astype(np.float64),
        nodes=len(places),
        coordinates=places,
        attributes={"north": places[:, 1], "pulse": _pulse(places)},
        title="Sensors",
        source="500 sensors at random places of a square, joined to near ones; the David sensor network of PyGSP.",
        licence=PYGSP,
    )


def _bunny() -> Graph:
    points = _stored("bunny")["coordinates"].astype(np.float64)
    return neighbours(
        points,
        attributes={"height": points[:, 1], "pulse": _pulse(points)},
        title="Bunny points",
        source="Stanford Computer Graphics Laboratory; Turk and Levoy 1994; thinned to 2,503 points.",
        licence=PYGSP + " The Stanford 3D Scanning Repository asks for credit and for research use only.",
    )


def _karate() -> Graph:
    club = nx.karate_club_graph()
    edges = np.array([(a, b) for a, b in club.edges()])
    weights = np.array([w for *_, w in club.edges(data="weight", default=1)], dtype=float)
    side = np.array([club.nodes[n]["club"] for n in club])
    return graph(
        edges[:, 0],
        edges[:, 1],
        weights,
        attributes={"club": side, "degree": np.array([d for _, d in club.degree()], dtype=float)},
        title="Karate club",
        source="W. Zachary 1977; friendships of 34 members of a club that split in two.",
        licence="shipped in NetworkX (BSD-3-Clause)",
    )


def _image() -> Graph:
    from skimage import data
    from skimage.transform import resize

    made = image_grid(resize(data.camera(), (100, 100), anti_aliasing=True), "Image grid")
    return made.noted(
        source="Photograph of a cameraman by Lav Varshney, in scikit-image, 100 x 100 pixels.", licence="CC0 1.0"
    )


def _digits() -> Graph:
    x, y = load_digits(return_X_y=True)
    near = kneighbors_graph(x, 8).tocoo()
    return graph(
        near.row.astype(np.int64),
        near.col.astype(np.int64),
        nodes=len(x),
        attributes={"digit": y, "ink": x.mean(axis=1)},
        features=(x / 16).astype(np.float32),
        title="Similar digits",
        source="Alpaydin and Kaynak 1998 (UCI), via scikit-learn: 1,797 digits, each joined to its 8 nearest.",
        licence="CC BY 4.0",
    )


def _opposites() -> Graph:
    """Labels that neighbours do *not* share: a stochastic block model in which smoothing mixes the classes."""
    rng = np.random.default_rng(0)
    n, classes = 1500, 5
    y = np.sort(rng.integers(0, classes, n))
    chance = np.full((classes, classes), 0.0015)
    for c in range(classes):  # edges run mostly to the next class
        chance[c, (c + 1) % classes] = chance[(c + 1) % classes, c] = 0.02
    upper = sp.triu(sp.csr_array(rng.random((n, n)) < chance[np.ix_(y, y)]), k=1).tocoo()
    features = 0.6 * rng.standard_normal((classes, 16))[y] + rng.standard_normal((n, 16))
    return graph(
        upper.row.astype(np.int64),
        upper.col.astype(np.int64),
        nodes=n,
        attributes={"class": y, "first feature": features[:, 0]},
        features=features.astype(np.float32),
        title="Unlike neighbours (synthetic)",
        source="Contextual stochastic block model drawn here: edges join different classes.",
        licence="made by the app",
    )


def _pulse(places: np.ndarray) -> np.ndarray:
    """One at the most central node, falling off around it: a signal with all frequencies."""
    middle = np.linalg.norm(places - np.median(places, axis=0), axis=1).argmin()
    distance = np.linalg.norm(places - places[middle], axis=1)
    return np.exp(-((distance / (0.1 * distance.max())) ** 2)) + 0.0


SAMPLES: dict[str, Callable[[], Graph]] = {
    "roads": _roads,
    "image": _image,
    "sensors": _sensors,
    "karate": _karate,
    "bunny": _bunny,
    "digits": _digits,
    "opposites": _opposites,
}


def sample(name: str) -> Graph:
    """A built-in graph by name.

    Raises:
        InputError: no sample of that name.
    """
    if name not in SAMPLES:
        raise InputError(f"There is no graph {name!r}; there are {', '.join(SAMPLES)}.")
    return SAMPLES[name]()
