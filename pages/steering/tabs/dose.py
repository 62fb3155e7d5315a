"""Tab *Dose*: what a direction does at each strength, what it costs, and what a random one does; the best block."""

from collections.abc import Callable

import numpy as np
import streamlit as st

from core.errors import InputError
from core.figures import chart
from core.figures.palette import BASIS, CONTROL
from core.figures.text import number
from core.progress import Run
from core.steering.activations import activations
from core.steering.corpus import openings
from core.steering.dose import DoseTable, across_blocks, dose_response, layer_sweep
from core.steering.examples import examples, meter_of
from core.steering.generate import Writing
from core.steering.meters import METERS, Meter, pattern_meter, word_meter
from core.steering.shared import shared
from core.ui.background import background
from core.ui.history import History
from core.ui.run_panel import duration
from core.ui.text import escape, say_error
from pages.steering.opened import Opened, Ready
from pages.steering.tabs.common import SLOW, digest, needs_model, pick_direction, table, title_of
from pages.steering.view import SHIPPED, SteeringView

COUNTS, SEEDS, PROMPTS = (5, 7), (1, 2, 3, 5), (4, 8, 16)
OWN = {"": "None", "words": "List of words", "pattern": "Regular expression"}
STEP_SECONDS, TOKENS = 0.18, 32  # of a batch of eight, on an ordinary core
SWEPT = (4, 8, 11, 14, 17, 20, 23, 26)


def draw(history: History[SteeringView], opened: Opened, ready: Ready | None) -> None:
    """Choices, the curves once they are measured, and the sweep over blocks."""
    if ready is None:
        _saved(history, opened, pick_direction(history, opened))
        needs_model()
        return
    if len(opened.blocks) > 1:
        st.info("Doses are measured for directions of a single block.", icon=":material/info:")
        return
    now = history.now.dose
    with st.container(horizontal=True, vertical_alignment="bottom"):
        i = pick_direction(history, opened)
        count = _choice(history, "count", "Strengths", COUNTS)
        seeds = _choice(history, "seeds", "Seeds", SEEDS, 2)
        prompts = _choice(history, "prompts", "Prompts", PROMPTS, 8)
    own = _own_meter(history)
    meters = {**METERS, **({"own": own} if own else {})}
    fitting = "own" if own else meter_of(opened.model.evidence_[i].label)
    chosen = history.now.one_of("dose", "meter", meters, fitting)
    history.bind(
        "dose.meter",
        st.selectbox,
        "Meter",
        list(meters),
        value=chosen,
        format_func=lambda n: meters[n].title,
        width=280,
    )
    view, block = history.now, ready.block(history.now)
    strengths = np.round(np.linspace(-1, 1, count) * ready.end(i, block), 1) + 0.0
    more = dict(method=view.method, where=view.where)
    direction, sigma = opened.basis.directions[i], float(opened.basis.scale[i])

    def compute(run: Run) -> DoseTable | None:
        measured = DoseTable()
        tables = dose_response(
            shared(opened.source), direction, sigma, block, strengths=strengths.tolist(), seeds=range(seeds),
            prompts=openings()[:prompts], meters=meters, writing=Writing(tokens=TOKENS, chat=False),
            centre=np.array(opened.basis.mean), **more,
        )  # fmt: skip
        for measured in tables:
            run.progress(measured.done, measured.total, preview=measured)
            if run.should_stop():
                return None
        return measured

    batches = (2 * count - 1) * seeds * -(-prompts // 8)
    key = digest(
        opened.key, i, strengths.tolist(), seeds, prompts, block, more,
        [now.get("own"), now.get("words")] if own else None,
    )  # fmt: skip
    _saved(history, opened, i)
    found = background(
        "steering:dose", f"steering:dose:{key}", compute, "Writing and measuring",
        ask=f"Measure: {(2 * count - 1) * seeds * prompts} texts, {duration(batches * TOKENS * STEP_SECONDS)} or so",
        preview=lambda so_far: _curves(so_far, meters[chosen], "preview"), lane=SLOW,
    )  # fmt: skip
    if found is not None and found.doses:
        _verdict(found, meters[chosen], title_of(opened, view, i), ready, sigma, block)
        _curves(found, meters[chosen], "whole")
        _examples(found)
    st.divider()
    _sweep(history, opened, ready, i, meters, chosen)


def _choice(history: History[SteeringView], field: str, label: str, options, usual=None):
    value = history.now.dose.get(field)
    value = value if value in options else usual or options[0]
    return history.bind(f"dose.{field}", st.segmented_control, label, options, value=value, required=True)


def _own_meter(history: History[SteeringView]) -> Meter | None:
    """A person's own meter, or None with a sentence where it cannot be one."""
    now = history.now.dose
    kind = history.now.one_of("dose", "own", OWN, "")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        history.bind(
            "dose.own",
            st.segmented_control,
            "Your own meter",
            list(OWN),
            value=kind,
            format_func=OWN.get,
            required=True,
        )
        if not kind:
            return None
        text = str(now.get("words", ""))
        history.bind(
            "dose.words", st.text_input, "Words" if kind == "words" else "Expression", value=text,
            placeholder="lovely, great, wonderful" if kind == "words" else r"\b(very|really) \w+", width=420,
        )  # fmt: skip
    if not text.strip():
        return None
    try:
        return word_meter(text) if kind == "words" else pattern_meter(text)
    except InputError as error:
        say_error(error)
        return None


def _saved(history: History[SteeringView], opened: Opened, i: int) -> None:
    """The dose that comes with the page."""
    try:
        kept = examples() if opened.ref == SHIPPED else None
    except OSError:
        return
    name = opened.names[i]
    if kept is None or name not in kept.doses:
        return
    with st.expander(f"Saved result for {title_of(opened, history.now, i)}", icon=":material/inventory:"):
        _curves(kept.doses[name], METERS[meter_of(name)], "saved")
        st.caption(f"Measured on {kept.model} behind block {kept.block}; made by `{kept.made}`.")


def _verdict(found: DoseTable, meter: Meter, name: str, ready: Ready, sigma: float, block: int) -> None:
    if len(found.strengths()) < 3:
        return
    rank, spread = found.rank_correlation(meter.name)
    at = min(
        (s for s in found.strengths() if s > 0), key=lambda s: abs(s * sigma / ready.norms[block] - 0.2), default=0
    )
    strengths, cost, _ = found.curve("perplexity")
    ratio = float(cost[list(strengths).index(at)] / cost[list(strengths).index(0.0)])
    r = at * sigma / ready.norms[block]
    row = st.container(horizontal=True)
    row.metric(
        "Rank correlation", f"{rank:.2f}", help=f"Spearman, of strength with {meter.title}; ± {spread:.2f} over seeds."
    )
    row.metric(f"Perplexity at r = {r:.2f}", f"× {ratio:.2f}", help="Against unsteered; under the unsteered model.")
    control = found.control_share(meter.name, at)
    row.metric(
        "Random direction", f"{100 * control:.0f}%", help="Of the effect, at equal r. A quarter or less is good."
    )
    low, high = (float(v) for v in found.curve(meter.name)[1][[0, -1]])
    st.caption(
        f"*{name}* moves {meter.title} from {number(low)} to {number(high)} {meter.unit} from the lowest to the "
        "highest strength."
        + ("" if abs(rank) >= 0.9 else " **The dose-response is not monotone here.**")
        + (" **A random direction moves it by more than a quarter as much.**" if control > 0.25 else "")
    )


def _curves(found: DoseTable, meter: Meter, place: str) -> None:
    if not found.doses:
        return
    wanted = [
        (meter.name, f"{meter.title} / {meter.unit}"),
        ("kl", "KL per token / nats"),
        ("perplexity", "perplexity"),
    ]
    for column, (what, title) in zip(st.columns(3), wanted, strict=True):
        try:
            own = found.curve(what)
        except KeyError:  # measured before this meter was made
            continue
        lines = {"direction": own[:2]}
        if any(d.kind == "random" for d in found.doses):
            lines["random"] = found.curve(what, "random")[:2]
        figure = chart.lines(
            lines, x="strength / sigma", y=title, colours=[BASIS, CONTROL], dashed=("random",), height=280, legend=True
        )
        if own[2].any():
            chart.add_band(figure, own[0], own[1] - own[2], own[1] + own[2], "± sd over seeds")
        said = ", ".join(f"{s:+.1f}: {number(v)}" for s, v in zip(*own[:2], strict=True))
        with column:
            st.plotly_chart(figure, key=f"steering:dose:{place}:{what}", alt=f"{title} by strength: {said}")


def _examples(found: DoseTable) -> None:
    with st.expander("One text of each strength"):
        rows = [
            {"kind": kind, "sigma": f"{s:+.1f}", "text": text}
            for kind, s, _, text in sorted(found.examples, key=lambda e: e[:2])
        ]
        table(rows)


def _sweep(
    history: History[SteeringView], opened: Opened, ready: Ready, i: int, meters: dict[str, Meter], chosen: str
) -> None:
    """The same direction looked for behind other blocks, at equal r."""
    st.subheader("Which block", anchor=False)
    texts, codes = opened.model.texts_, opened.codes[:, i]
    if not texts:
        st.caption("These directions were found in activations; without texts they cannot be looked for elsewhere.")
        return
    blocks = [b for b in SWEPT if b < len(ready.norms)] or list(range(len(ready.norms)))
    st.caption(
        f"The texts are read behind blocks {', '.join(map(str, blocks))}; in each, the direction along which "
        "activations vary with these weights is added at r = 0.2."
    )

    def compute(run: Run) -> DoseTable | None:
        model = shared(opened.source)
        read = activations(model, texts, blocks=blocks, pooling=opened.model.settings.pooling, run=_Half(run))
        if run.should_stop():
            return None
        samples = read.samples if len(blocks) > 1 else read.samples[:, None]
        directions = across_blocks(samples, codes[read.extra["text"]])
        measured = DoseTable()
        for measured in layer_sweep(
            model, dict(zip(blocks, directions, strict=True)), prompts=openings()[:8], meters=meters,
            writing=Writing(tokens=TOKENS, chat=False),
        ):  # fmt: skip
            run.progress(measured.total + measured.done, 2 * measured.total)
            if run.should_stop():
                return None
        return measured

    seconds = sum(map(len, texts)) / 1000 + (len(blocks) + 1) * TOKENS * STEP_SECONDS
    found = background(
        "steering:sweep", f"steering:sweep:{digest(opened.key, i, blocks, list(meters))}", compute,
        "Reading and writing",
        ask=f"Try every block, {duration(seconds)} or so", lane=SLOW,
    )  # fmt: skip
    if found is None or not found.doses:
        return
    start = next(d for d in found.doses if d.strength == 0)
    rest = [d for d in found.doses if d.strength]
    meter = meters.get(chosen, METERS["distinct"])
    readers: list[tuple[str, Callable]] = [
        (f"{meter.title} / {meter.unit}", lambda d: d.meters.get(meter.name, np.nan)),
        ("perplexity", lambda d: d.perplexity),
    ]
    for column, (title, read) in zip(st.columns(2), readers, strict=True):
        at = [d.block for d in rest]
        figure = chart.lines(
            {"steered at r = 0.2": (at, [read(d) for d in rest]), "unsteered": (at, [read(start)] * len(at))},
            x="block", y=title, colours=[BASIS, CONTROL], dashed=("unsteered",), height=260,
        )  # fmt: skip
        with column:
            st.plotly_chart(figure, key=f"steering:sweep:{title}", alt=f"{title} by block")
    best = max(rest, key=lambda d: d.meters.get(meter.name, 0.0))
    st.caption(
        f"Most {escape(meter.title)}: block {best.block}. One seed, eight prompts: small differences mean nothing."
    )


class _Half(Run):
    """The first half of a longer piece of work."""

    def __init__(self, run: Run):
        self._run = run

    def progress(self, step, total, metrics=None, preview=None):
        self._run.progress(step, 2 * total)

    def should_stop(self):
        return self._run.should_stop()
