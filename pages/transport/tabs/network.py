"""Part of the tab *Race*: one network trained as a run, to be looked at and kept."""

import streamlit as st

from core.errors import InputError
from core.models import Model, family
from core.store import Card, find, load
from core.transport.contenders import NETWORKS
from core.transport.signal import as_dataset
from core.ui.history import History
from core.ui.keep import keep
from core.ui.owner import owner_key
from core.ui.run_panel import run_panel, train_button
from core.ui.server_runs import runs
from core.ui.settings_form import settings_form
from core.ui.text import say_error
from pages.transport import look
from pages.transport.shown import Shown, quality
from pages.transport.view import SPECTRUM, TransportView

_FAMILIES = tuple(f"transport.{name}" for name in NETWORKS)
_LEAVE = ("batch", "rate")


def draw(history: History[TransportView], on: Shown) -> None:
    """The offer to train one, its panel while it trains, and what it draws."""
    st.subheader("Train one network, and keep it", anchor=False)
    now = history.now
    if now.model and family_of(now) != SPECTRUM:
        _trained(history, on)
        return
    kind = now.entry("network", "kind", _FAMILIES[0])
    kind = kind if kind in _FAMILIES else _FAMILIES[0]
    with st.container(border=True):
        history.bind(
            "network.kind", st.selectbox, "Network", list(_FAMILIES), value=kind, width=320,
            format_func=lambda f: family(f).title, help=family(kind).summary,
        )  # fmt: skip
        settings = settings_form(history, "network", family(kind).Settings, leave=_LEAVE)
        dataset = as_dataset(on.signal)
        started = train_button(
            "Train it", lambda here: _submit(history, dataset, kind, settings, here), key="transport:train",
            estimate=settings.steps * 4e-3, what=(kind, settings.as_dict(), dataset),
        )  # fmt: skip
    if started:
        history.change(model=f"run:{started}")
        st.rerun()


def family_of(view: TransportView) -> str:
    """The family of the model of a view; that of the spectrum where it cannot be told."""
    kind, _, name = view.model.partition(":")
    try:
        if kind == "run":
            return runs().follow(name).family
        return find(name, owner_key()).card.family if kind == "model" else SPECTRUM
    except (InputError, AttributeError):  # a model without a card
        return SPECTRUM


def _submit(history, dataset, kind: str, settings, here: bool) -> str:
    return runs().submit(
        kind, dataset, settings.as_dict(), seed=history.now.seed, owner=owner_key(),
        name=f"{family(kind).title} of {dataset.title}", here=here,
        more={"view": history.now.having(model="").changed(), "signal": "network"},
    )  # fmt: skip


def _trained(history: History[TransportView], on: Shown) -> None:
    st.button(
        "Another one", icon=":material/restart_alt:", key="transport:another",
        on_click=lambda: history.change(model=""),
    )  # fmt: skip
    try:
        model = _model(history.now.model)
    except InputError as error:
        say_error(error)
        return
    if model is None:
        return
    if model.shape_ != as_dataset(on.signal).shape:
        say_error(f"This network draws {model.shape_} samples; the signal here has {as_dataset(on.signal).shape}.")
        return
    drawn = model.render()
    left, right, numbers = st.columns(3)
    look.values(left, on.signal, drawn, f"**{model.title}**", "network")
    look.error(right, on.signal, on.signal.values - drawn, "Error", "network-error")
    with numbers:
        st.metric("PSNR" if on.kind == "picture" else "SNR", f"{quality(on.signal, drawn):.1f} dB")
        st.metric("Stored numbers", f"{model.stored:,}")
        if model.family == "transport.deep":
            st.caption(
                "Its S is no spectrum: layers after the modulated sines multiply frequencies, so nothing of the tabs "
                "*Field* or *Equation* applies to it."
            )
        keep(
            "transport", history.now.model, model, on.signal.title,
            lambda name: Card.of(model, as_dataset(on.signal), name=name), key=f"network:{history.now.model}",
        )  # fmt: skip


def _model(ref: str) -> Model | None:
    kind, _, name = ref.partition(":")
    if kind == "run":
        view = run_panel(name, key="transport:run")
        if view is None or view.active or not view.kept:
            return None
        return _load(f"{ref}:{view.step}", ref)
    return _load(f"{ref}:{owner_key() if ref.startswith('model:own') else ''}", ref)


@st.cache_resource(max_entries=8, show_spinner="Opening the model ...")
def _load(key: str, _ref: str) -> Model:
    kind, _, name = _ref.partition(":")
    return runs().result(name)[0] if kind == "run" else load(find(name, owner_key()).folder)[0]
