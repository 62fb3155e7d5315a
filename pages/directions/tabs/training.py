"""Tab *Training*: how the model at hand came to be."""

import streamlit as st

from core.errors import InputError
from core.figures import chart
from core.models import Model
from core.store import Card, find
from core.ui.history import History
from core.ui.owner import owner_key
from core.ui.run_panel import duration
from core.ui.server_runs import runs
from core.ui.text import escape
from pages.directions.shown import Fitted
from pages.directions.view import DirectionsView


def draw(history: History[DirectionsView], fitted: Fitted) -> None:
    """Curves and figures of the training from the model's card; a model fitted in one go says so."""
    try:
        card = _card(history.now.model)
    except InputError as error:
        st.info(escape(error))
        return
    if card is None:
        _at_once(fitted.model)
        return
    facts = [("Made", card.date[:16].replace("T", " ")), ("On", card.device), ("Seed", str(card.seed))]
    if card.seconds is not None:
        facts.insert(1, ("Took", duration(card.seconds)))
    st.markdown(" · ".join(f"{name} **{escape(value)}**" for name, value in facts if value))
    measures = sorted({name for point in card.curve for name in point} - {"step", "seconds"})
    if not measures:
        st.info("This model's card holds no training curve.", icon=":material/show_chart:")
        return
    columns = st.columns(2)
    for i, name in enumerate(sorted(measures, key=lambda n: n != "loss")):
        points = [(p["step"], p[name]) for p in card.curve if p.get(name) is not None]
        steps, values = zip(*points, strict=True)
        figure = chart.lines({name: (steps, values)}, x="Step", y=name.replace("_", " "), height=240, legend=False)
        columns[i % 2].plotly_chart(figure, key=f"directions:training:{name}", alt=f"{name} over the training steps")


def _card(ref: str) -> Card | None:
    kind, _, name = ref.partition(":")
    if kind == "run":
        return runs().card(name)
    return find(name, owner_key()).card if kind == "model" else None


def _at_once(model: Model) -> None:
    st.info(
        f"{model.title} was fitted in one go when the page opened it, so there is no training curve. "
        "Families that learn step by step show theirs here.",
        icon=":material/bolt:",
    )
