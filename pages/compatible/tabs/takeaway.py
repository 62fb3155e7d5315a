"""Tab *Take away*: the map and a snippet that applies it, tables as csv, the recipe."""

import io

import numpy as np
import streamlit as st

from core.compatible.export import snippet, to_npz
from core.compatible.pairs import unit_rows
from core.compatible.reindex import ORDERS, priority
from core.tables import to_csv
from core.ui.history import History
from core.ui.takeaway import download, recipe
from pages.compatible.centre import evaluations
from pages.compatible.shown import Shown, nearest
from pages.compatible.tabs.reindexing import NAMES
from pages.compatible.view import CompatibleView


def draw(history: History[CompatibleView], on: Shown) -> None:
    """Downloads on the left; the snippet on the right."""
    files, code = st.columns([2, 3], gap="large")
    with files:
        _map(history, on)
        _tables(history, on)
        _order(history, on)
        recipe(history)
    with code:
        st.subheader("Apply the map", anchor=False)
        st.caption("Needs NumPy only, map.npz, and new.npy with the embeddings of the new model.")
        st.code(snippet(on.chosen.map), language="python")
        st.subheader("Fit it again", anchor=False)
        files = "" if on.given.fitted is not None else ", with the files from the left beside it"
        st.caption(f"Run it from the project's folder{files}; it prints the numbers and the verdict.")
        st.code(_again(history.now, on), language="python")


def _map(history: History[CompatibleView], on: Shown) -> None:
    st.subheader("The map", anchor=False)
    with st.container(horizontal=True):
        download(history.page, "Map as npz", lambda: to_npz(on.chosen.map), "map.npz")
        download(history.page, "New embeddings", lambda: _npy(on.given.new), "new.npy")
        download(history.page, "Old embeddings", lambda: _npy(on.given.old), "old.npy")
        if on.given.labels is not None:
            labels = on.given.labels
            download(history.page, "Labels", lambda: to_csv(["label"], ([str(v)] for v in labels)), "labels.csv")
        download(
            history.page, "Mapped new embeddings",
            lambda: _npy(unit_rows(on.chosen.map(unit_rows(on.given.new)))), "mapped.npy",
        )  # fmt: skip
    shape = " x ".join(map(str, on.chosen.map.weight.shape))
    st.caption(f"weight {shape}, offset, and width: how many of the mapped numbers are compared with old items.")


def _tables(history: History[CompatibleView], on: Shown) -> None:
    st.subheader("Numbers", anchor=False)
    with st.container(horizontal=True):
        download(history.page, "Maps as csv", lambda: _numbers(on), "maps.csv")
        if on.path is not None:
            download(history.page, "Rigid to free as csv", lambda: _path(on), "lambda.csv")
        values = on.chosen.map.singular_values
        download(
            history.page, "Singular values as csv",
            lambda: to_csv(["number", "singular value"], enumerate(values.tolist(), 1)), "singular-values.csv",
        )  # fmt: skip


def _order(history: History[CompatibleView], on: Shown) -> None:
    st.subheader("Re-indexing order", anchor=False)
    allowed = [o for o in ORDERS if o != "class distance" or on.study.test.labels is not None]
    order = history.now.reindexing.get("order", "confusion")
    order = order if order in allowed else "confusion"
    history.bind(
        "reindexing.order", st.selectbox, "Order", allowed, value=order, format_func=NAMES.get,
        help="Of all items; the first row is the item to compute again first.",
    )  # fmt: skip
    download(history.page, "Order as csv", lambda: _order_csv(on, order, history.now.seed), "order.csv")


def _order_csv(on: Shown, order: str, seed: int) -> bytes:
    mapped, old = unit_rows(on.chosen.map(unit_rows(on.given.new))), unit_rows(on.given.old)
    labels = None
    if order == "class distance":
        labels = np.unique(on.given.labels.astype(str), return_inverse=True)[1]
    first = priority(order, mapped, old, labels, seed=seed)
    return to_csv(["place", "row (0 is the first item)"], enumerate(first.tolist(), 1))


def _numbers(on: Shown) -> bytes:
    rows = [
        (n, e.old_old.recall, e.new_old.recall, e.new_new.recall, e.mapped.recall, e.old_old.mean_ap, e.new_old.mean_ap,
         e.new_new.mean_ap, e.mapped.mean_ap, e.loss, e.map.deviation, e.fitted, e.judged, e.new_old.by)
        for n, e in evaluations(on).items()
    ]  # fmt: skip
    retrievals = ("old/old", "new/old", "new/new", "new/new mapped")
    header = ["map", *(f"{r} {m}" for m in ("recall@1", "mAP") for r in retrievals)]
    return to_csv([*header, "loss", "deviation", "fitted", "judged", "by"], rows)


def _path(on: Shown) -> bytes:
    rows = [
        (p, m.details.get("lambda", 0.0), e.new_old.recall, e.mapped.recall, e.loss, m.deviation)
        for p, (m, e) in on.path.items()
    ]
    return to_csv(["position", "lambda", "new/old recall@1", "new/new mapped recall@1", "loss", "deviation"], rows)


def _npy(x: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.save(out, np.asarray(x, dtype=np.float32))
    return out.getvalue()


def _again(view: CompatibleView, on: Shown) -> str:
    """Lines that compute the chosen map and its numbers again."""
    judged_by = "identity" if on.study.test.labels is None else "label"
    one = {
        "lambda": f"study.path()[{nearest(on.path, view.position)}]" if on.path else 'study.map("procrustes")',
        "bt2": f'study.map("bt2", extra={min(view.extra, on.study.d_new)}, orthogonal={view.rigid})',
    }.get(view.map, f'study.map("{view.map}")')
    place, _, name = view.data.partition(":")
    if place == "sample":
        lines = ["from core.compatible.samples import digit_embeddings", "from core.compatible.study import Study", ""]
        lines.append(f'given = digit_embeddings("{name}", seed={view.seed})')
    else:
        files = '[("old.npy", Path("old.npy").read_bytes()), ("new.npy", Path("new.npy").read_bytes())]'
        labels = ', ("labels.csv", Path("labels.csv").read_bytes())' if on.given.labels is not None else ""
        lines = ["from pathlib import Path", "", "from core.compatible.loading import load_embeddings"]
        lines += ["from core.compatible.study import Study", "", f"files = {files}"]
        lines.append(f"given = load_embeddings(files{labels})")
    lines += [
        f'study = Study.of(given, by="{judged_by}", share={view.share / 100}, seed={view.seed})',
        f"found = study.judge([{one}])[0]",
        'for name in ("old_old", "new_old", "mapped"):',
        '    print(name, f"{getattr(found, name).recall:.1%}")',
        "print(found.verdict)",
    ]
    return "\n".join(lines) + "\n"
