"""The centre of the page: the map, its verdict, the three numbers, the two curves and the two clouds."""

import numpy as np
import streamlit as st

from core.compatible.evaluate import Evaluation
from core.compatible.plane import plane
from core.compatible.retrieval import Retrieval
from core.compatible.study import POSITIONS
from core.datasets.guard import counted
from core.figures import chart
from core.figures.palette import CATEGORICAL, CONTROL
from core.figures.spaces import two_clouds
from core.figures.text import number
from core.ui.history import History
from pages.compatible import shown
from pages.compatible.shown import Shown
from pages.compatible.view import MAPS, CompatibleView

_ABOUT = {
    "none": "New embeddings as they are, cut or continued with zeros to the old width.",
    "procrustes": "Orthogonal Procrustes: the rotation that brings new to old; inside the new space nothing changes.",
    "lambda": "λ-orthogonality: the best linear map whose deviation from rigid stays within λ.",
    "affine": "Least squares with a shift: the freest linear map.",
    "bt2": "BT2: a block that is compared with old items, and extra dimensions that keep what it loses.",
}
NEW_OLD, NEW_NEW, OLD_OLD, PLAIN = "new/old", "new/new, mapped", "old/old", "new/old without a map"


def controls(history: History[CompatibleView], study, path) -> None:
    """Which map, and its slider."""
    left, right = st.columns([6, 5], gap="large", vertical_alignment="bottom")
    with left:
        history.bind(
            "map", st.segmented_control, "Map from new to old", list(MAPS), format_func=MAPS.get, required=True
        )
    name = history.now.map
    with right:
        if name == "lambda" and path:
            limits = {p: one.details.get("lambda", 0.0) for p, (one, _) in path.items()}
            history.bind(
                "position", st.select_slider, "Rigid to free: λ", list(path),
                value=shown.nearest(path, history.now.position), format_func=lambda p: _lambda(p, limits[p]),
                help="How far the map may deviate from rigid, the Frobenius norm of WᵀW − I. Left: Procrustes; right: "
                "least squares.",
            )  # fmt: skip
        elif name == "bt2":
            slider, toggle = st.columns([3, 2], vertical_alignment="bottom")
            with slider:
                history.bind(
                    "extra", st.slider, "Extra dimensions", 0, study.d_new, value=min(history.now.extra, study.d_new),
                    help="Old items get zeros there, so that they stay as they are.",
                )  # fmt: skip
            with toggle:
                history.bind("rigid", st.toggle, "Rigid block", help="Else the compatible block is least squares.")
    about = _ABOUT[name]
    if name == "procrustes" and study.d_new > study.d_old:
        about = (
            f"Orthogonal Procrustes: the rotation that brings new to old, of which {study.d_old:,} numbers remain. The "
            f"new space is wider, so the map drops {counted(study.d_new - study.d_old, 'direction')} of it."
        )
    if name == "bt2" and history.now.rigid and study.d_new <= study.d_old:
        about += (
            " Here the new space is no wider than the old one, so a rigid block loses nothing and extra dimensions add "
            "nothing; they pay with a free block."
        )
    st.caption(about)


def draw(history: History[CompatibleView], on: Shown) -> None:
    """Verdict, numbers, curves and clouds of the chosen map."""
    _verdict(on)
    _numbers(on)
    curves, clouds = st.columns(2, gap="large")
    with curves:
        _curves(history.now, on)
    with clouds:
        _clouds(on)


def _verdict(on: Shown) -> None:
    sentence = on.chosen.verdict
    box, icon = {"Y": (st.success, "check_circle"), "N": (st.error, "cancel")}.get(sentence[0], (st.warning, "rule"))
    if sentence.startswith(("Nearly", "Partly")):
        box, icon = st.warning, "rule"
    box(f"**May the model be swapped?** {sentence}", icon=f":material/{icon}:")
    if note := _worse(on):
        st.caption(f":material/info: {note}")


def _worse(on: Shown) -> str:
    """One sentence where a simpler answer does better on this data."""
    mine, plain, rigid = (e.new_old.recall for e in (on.chosen, on.plain, on.rigid))
    if mine < plain:
        return f"On this data no map at all does better: {plain:.1%} new/old."
    if mine < rigid - 1e-9:
        lost = on.rigid.lost
        cost = f"it costs {100 * lost:.1f} points of new/new" if lost >= 5e-4 else "it costs nothing of new/new"
        return f"On this data the rigid map does better: {rigid:.1%} new/old, and {cost}."
    return ""


def _numbers(on: Shown) -> None:
    e, plain = on.chosen, on.plain
    columns = st.columns(3)
    cards = (
        ("old/old", e.old_old, None, "Old queries on the old gallery: what you have today."),
        ("new/old", e.new_old, plain.new_old, "Mapped new queries on the old gallery: the swap without re-indexing."),
        ("new/new", e.mapped, e.new_new, "Mapped new queries on a mapped new gallery: after re-indexing everything."),
    )
    for place, (name, now, before, help) in zip(columns, cards, strict=True):
        same = before is None or abs(now.recall - before.recall) < 5e-4
        delta = "no map touches it" if before is None else f"{100 * (now.recall - before.recall):+.1f} points"
        place.metric(
            name, f"{now.recall:.1%}", delta, border=True, help=f"{help} Recall@1, by {now.by}.",
            delta_color="off" if same else "normal", delta_arrow="off" if same else "auto",
        )  # fmt: skip
        was = "" if before is None else f"before the map {before.recall:.1%} · "
        place.caption(f"{was}mAP {now.mean_ap:.1%}{_was(before)}{_ties(now)}")
    part = "" if e.fitted + e.judged >= on.study.items else f" of {on.study.items:,} (a part, drawn at random)"
    st.caption(
        f"Recall@1 by {e.new_old.by}: how often the nearest item is right. Fitted on {e.fitted:,} items, judged on "
        f"{e.judged:,} others{part}; mAP: mean average precision. The map deviates from rigid by "
        f"{number(e.map.deviation)}; mean squared distance of mapped new to old {number(e.loss)}."
    )


def _was(before: Retrieval | None) -> str:
    return "" if before is None else f" (before {before.mean_ap:.1%})"


def _ties(now: Retrieval) -> str:
    return "" if now.recall_ties - now.recall < 5e-4 else f" · with ties {now.recall_ties:.1%}"


def _curves(view: CompatibleView, on: Shown) -> None:
    if view.map == "bt2":
        tried = shown.extras(on.key, view.rigid, on.study)
        x = [int(e.map.details["extra"]) for e in tried]
        at, title = min(view.extra, on.study.d_new), "extra dimensions"
    elif on.path is None:
        return
    else:
        tried, x = [e for _, e in on.path.values()], list(on.path)
        at = {"lambda": shown.nearest(on.path, view.position), "procrustes": 0}.get(view.map)
        title = "λ, allowed deviation from rigid"
    curves = {
        NEW_NEW: (x, [e.mapped.recall for e in tried]),
        NEW_OLD: (x, [e.new_old.recall for e in tried]),
        OLD_OLD: (x, [on.chosen.old_old.recall] * len(x)),
        PLAIN: (x, [on.plain.new_old.recall] * len(x)),
    }
    colours = (CATEGORICAL[1], CATEGORICAL[0], CONTROL, CONTROL)
    fig = chart.lines(
        curves, x=title, y="recall@1", colours=colours, dashed=(OLD_OLD,), percent=True, height=380, width=2.5
    )
    fig.data[3].line.dash = "dot"
    for trace in fig.data[2:]:
        trace.mode = "lines"
    if at is not None:
        fig.add_vline(x=at, line=dict(color=CONTROL, width=1))
        for i, score in ((0, on.chosen.mapped), (1, on.chosen.new_old)):
            fig.add_scatter(
                x=[at], y=[score.recall], mode="markers", showlegend=False, hoverinfo="skip",
                marker=dict(size=13, color=colours[i], line=dict(color="white", width=2)),
            )  # fmt: skip
    if view.map != "bt2":
        marks = [p for i, p in enumerate(x) if i % max(1, len(x) // 5) == 0 or p == POSITIONS]
        texts = [_lambda(p, on.path[p][0].details.get("lambda", 0.0)) for p in marks]
        fig.update_xaxes(tickmode="array", tickvals=marks, ticktext=texts)
    st.plotly_chart(
        fig, key="compatible:curves",
        alt=f"new/old from {curves[NEW_OLD][1][0]:.1%} to {curves[NEW_OLD][1][-1]:.1%} and new/new from "
        f"{curves[NEW_NEW][1][0]:.1%} to {curves[NEW_NEW][1][-1]:.1%} over {title}",
    )  # fmt: skip


def _lambda(position: int, limit: float) -> str:
    if position in (0, POSITIONS):
        return "rigid" if position == 0 else "free"
    return number(limit, 2)


def _clouds(on: Shown) -> None:
    flat = plane(on.study.test, on.chosen.map)
    st.plotly_chart(
        two_clouds(flat.old, flat.new, flat.label, on.study.test.classes),
        key="compatible:clouds",
        alt="Old embeddings as rings and mapped new ones as dots in the plane of the old ones",
    )
    apart = float(np.mean(np.linalg.norm(flat.new - flat.old, axis=1)))
    st.caption(
        f"{len(flat.old):,} judged items in the plane of the old space that holds most of its variance "
        f"({flat.explained:.0%}). Rings: old; dots: mapped new; mean distance here {number(apart)}."
    )


def waiting() -> None:
    """What stands here while the networks of a sample are trained."""
    st.caption(
        "As soon as both are trained, the three retrieval numbers, the slider between rigid and free and the two "
        "clouds of embeddings stand here."
    )


def evaluations(on: Shown) -> dict[str, Evaluation]:
    """The simple maps and the chosen one, for tables."""
    rows = {"none": on.plain, "rigid (Procrustes)": on.rigid}
    for name, title in (("affine", "affine (least squares)"),):
        rows[title] = shown.judged(on.key, name, on.study, on.study.map(name))
    rows["chosen"] = on.chosen
    return rows
