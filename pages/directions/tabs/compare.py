"""Tab *Compare*: rate and error of several families on samples they have not seen."""

import json
import time

import streamlit as st

from core.datasets import Dataset
from core.directions import comparison
from core.errors import InputError
from core.figures import chart
from core.models import families, family
from core.ui.history import History
from core.ui.newest import newest
from core.ui.settings_form import settings_of
from core.ui.text import escape
from pages.directions.fitting import QUICK_SECONDS
from pages.directions.shown import Fitted
from pages.directions.view import DirectionsView

RATES = {
    "directions": "Directions K",
    "numbers for one sample": "Numbers stored for one sample",
    "numbers in all": "Numbers stored in all (basis and codes of this data)",
}
_CONTROL = "directions.random"


@st.fragment
def draw(history: History[DirectionsView], fitted: Fitted) -> None:
    """Choose families and sizes; each point is fitted on four fifths of the samples and measured on the rest."""
    known = families("directions")
    now = history.now.compare
    chosen = [f for f in now.get("families", _default(history)) if f in known]
    history.bind(
        "compare.families", st.multiselect, "Families", list(known), value=chosen,
        format_func=lambda name: known[name].title,
        help="The random basis is the control: what it reaches is no achievement of learning.",
    )  # fmt: skip
    rate = history.bind(
        "compare.rate", st.segmented_control, "Compare at equal", list(RATES), value=now.get("rate", "directions"),
        required=True,
    )  # fmt: skip
    train, held_out = comparison.split(fitted.dataset, seed=history.now.seed)
    sizes = comparison.sizes(fitted.basis.k, *train.matrix.shape)
    scores, sentences = _scores(history, train, held_out, chosen, sizes)
    for sentence in sentences:
        st.caption(f":material/info: {escape(sentence)}")
    if not scores:
        st.info("Choose at least one family.", icon=":material/tune:")
        return
    across = {
        "directions": lambda s: s.k,
        "numbers for one sample": lambda s: s.stored_sample,
        "numbers in all": lambda s: s.stored_basis + len(fitted.dataset) * s.stored_sample,
    }[rate]
    curves = {
        title: ([across(s) for s in part], [s.error for s in part])
        for title in dict.fromkeys(s.title for s in scores)
        if (part := sorted((s for s in scores if s.title == title), key=across))
    }
    figure = chart.lines(
        curves, x=RATES[rate], y="Error on held-out samples", percent=True, log_x=True, height=380, legend=True
    )
    st.plotly_chart(figure, key="directions:compare:plot", alt="Error on held-out samples against stored numbers")
    st.caption(
        f"Fitted on {len(train):,} samples, measured on {len(held_out):,} others. Error is the share of the energy "
        "around the training mean that decoding leaves out. A code with zeros counts two numbers for each weight that "
        "is not zero, where that is less than K."
    )
    verdict = comparison.verdict(scores, fitted.model.family)
    if verdict:
        st.markdown(verdict)
    st.dataframe(
        [
            {
                "Family": s.title,
                "K": s.k,
                "Error": s.error,
                "Numbers a sample": s.stored_sample,
                "Numbers of the basis": s.stored_basis,
                "Fit / s": s.fit_seconds,
                "Encode 1,000 / ms": 1000 * s.encode_seconds,
            }
            for s in scores
        ],
        hide_index=True,
        column_config={
            "Error": st.column_config.NumberColumn(format="percent"),
            "Fit / s": st.column_config.NumberColumn(format="%.3f"),
            "Encode 1,000 / ms": st.column_config.NumberColumn(format="%.2f"),
            "Numbers a sample": st.column_config.NumberColumn(format="%.1f"),
        },
    )


def _default(history: History[DirectionsView]) -> list[str]:
    return list(dict.fromkeys([history.now.family, "directions.pca", _CONTROL]))


def _scores(history, train: Dataset, held_out: Dataset, chosen: list[str], sizes: list[int]):
    """Scores of all points that can be had, and a sentence for each family that cannot."""
    scores, sentences = [], []
    todo = [(name, k) for name in chosen for k in sizes]
    bar = st.empty()
    for i, (name, k) in enumerate(todo):
        cls = family(name)
        values = settings_of(cls.Settings, history.now.settings).as_dict() if name == history.now.family else {}
        try:
            settings = cls.Settings.of({**values, "k": k})
            if cls(settings).seconds(train) > QUICK_SECONDS:
                sentences.append(f"{cls.title} takes longer than two seconds to fit here, so it is not among them.")
                continue
            bar.progress(i / len(todo), f"{cls.title}, K = {k}")
            key = json.dumps([train.fingerprint, name, settings.as_dict(), history.now.seed])
            with newest("compare"):
                scores.append(_score(key, name, settings.as_dict(), history.now.seed, train, held_out))
        except InputError as error:
            sentences.append(f"{cls.title}: {error}")
    bar.empty()
    return scores, list(dict.fromkeys(sentences))


@st.cache_resource(max_entries=512, show_spinner=False)
def _score(key: str, _name: str, _settings: dict, _seed: int, _train: Dataset, _held_out: Dataset):
    cls = family(_name)
    start = time.perf_counter()
    model = cls(cls.Settings.of(_settings)).fit(_train, seed=_seed)
    seconds = time.perf_counter() - start
    return comparison.score(model, _train.matrix.mean(axis=0), _held_out, seconds)
