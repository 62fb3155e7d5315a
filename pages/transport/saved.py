"""Local spectra that are kept in the library, and those that come from there."""

import streamlit as st

from core.errors import InputError
from core.store import Card, find, load
from core.transport.fit import Fitted
from core.transport.models import Spectrum
from core.transport.signal import KINDS, Signal, as_dataset
from core.ui.history import History
from core.ui.owner import owner_key
from core.ui.text import say_error
from pages.transport.data import Chosen
from pages.transport.shown import Shown, quality
from pages.transport.view import SPECTRUM, TransportView


def model_of(on: Shown) -> Spectrum:
    """The spectrum on the page as a model that can be saved."""
    model = Spectrum(on.settings, device="cpu")
    model.spectrum_, model.axes_, model.seed_ = on.spectrum, on.spectrum.d, on.seed
    model.shape_ = as_dataset(on.signal).shape
    return model


def card_of(history: History[TransportView], on: Shown, model: Spectrum, name: str) -> Card:
    """Its card; `more` holds the view that opens it again."""
    view = history.now.having(model="", tab="Field").changed()
    metrics = {"psnr" if on.kind == "picture" else "snr": on.psnr}
    return Card.of(model, as_dataset(on.signal), name=name, metrics=metrics, more={"view": view, "signal": on.kind})


def spectrum_of(history: History[TransportView], chosen: Chosen) -> Shown | None:
    """A spectrum of the library, over its signal where that is here, and over its own drawing where not."""
    ref = history.now.model
    if not ref.startswith("model:"):
        return None
    try:
        who = owner_key() if ref.startswith("model:own") else ""
        model, card = _load(f"{ref}:{who}", ref)
    except InputError as error:
        say_error(error)
        return None
    if card.family != SPECTRUM:
        return None
    signal, drawn = chosen.signal, model.render()
    if as_dataset(signal).fingerprint != card.fingerprint:
        kind = card.more.get("signal")
        kind = kind if kind in KINDS else ("sound", "picture", "solid")[model.axes_ - 1]
        signal = Signal(drawn, kind, card.data, card.rate)
        st.info("The signal of this model is not here; what the model draws of it stands in its place.")
    fitted = Fitted(model.spectrum_, None, {})
    return Shown(signal, "", model.settings, fitted, drawn, quality(signal, drawn), f"{ref}:{signal.shape}", card.seed)


@st.cache_resource(max_entries=8, show_spinner="Opening the model ...")
def _load(key: str, _ref: str):
    model, card = load(find(_ref.partition(":")[2], owner_key()).folder)
    return model, card
