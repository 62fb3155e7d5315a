"""A small app with a mixer and a gallery, for tests and for looking at; `?form=` chooses the kind of data."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
import streamlit as st

from core.ui.components import Form, MixerState, Payload, apply, gallery, mixer

st.set_page_config(layout="wide", page_title="Mixer")
kind = st.query_params.get("form", "image")
size = int(st.query_params.get("size", 16))
count = int(st.query_params.get("k", 24))
hostile = "hostile" in st.query_params


@st.cache_resource
def made(kind: str, size: int, count: int) -> tuple[Payload, np.ndarray, np.ndarray]:
    """Smooth random samples with their principal directions, one sample and its code."""
    rng = np.random.default_rng(3)
    if kind in ("image", "slow"):
        form = Form("image", (size, size), low=0, high=1)
        y, x = np.mgrid[0 : 1 : size * 1j, 0 : 1 : size * 1j]
        blobs = [np.exp(-((x - rng.random()) ** 2 + (y - rng.random()) ** 2) / 0.02).ravel() for _ in range(60)]
        samples = rng.random((300, 60)) ** 4 @ np.array(blobs)
        samples = samples / samples.max()
    elif kind in ("curve", "spectrum"):
        t = np.linspace(400, 1000, 200) if kind == "curve" else np.linspace(0, 8000, 200)
        centre, width = (700, 300) if kind == "curve" else (2500, 2000)
        peaks = [np.exp(-(((t - centre - width * rng.uniform(-1, 1)) / width * 12) ** 2)) for _ in range(30)]
        samples = rng.random((300, 30)) ** 3 @ np.array(peaks) + 0.1
        axis = "wavelength / nm" if kind == "curve" else "frequency / Hz"
        rate = 16000.0 if kind == "spectrum" else None
        form = Form(kind, (200,), axis=axis, positions=tuple(t), rate=rate, low=0, high=float(samples.max()))
    else:
        features = [f"{a} {b}" for a in ("sepal", "petal", "leaf", "stem", "root", "seed") for b in ("length", "width")]
        features += [f"a measured quantity with a long name, {i + 1}" for i in range(24)]
        samples = rng.standard_normal((300, 36)) @ rng.standard_normal((36, 36)) / 5
        form = Form("bars", (36,), features=tuple(features), signed=True, low=-4, high=4)
    mean = samples.mean(0)
    _, s, rows = np.linalg.svd(samples - mean, full_matrices=False)
    if len(s) < count or size >= 32:
        more = np.linalg.qr(rng.standard_normal((form.d, count)))[0].T
        rows, s = np.concatenate([rows[:40], more])[:count], np.linspace(s[0], s[0] / 50, count)
    payload = Payload(rows[:count], form, mean, s[:count] / np.sqrt(len(samples)))
    return payload, samples[:9], (samples[:9] - mean) @ payload.directions.T


payload, samples, codes = made(kind, size, count)
st.session_state.setdefault("history", [MixerState()])
st.session_state.setdefault("future", [])
st.session_state.setdefault("runs", 0)
st.session_state.runs += 1


def changed(state: MixerState) -> None:
    st.session_state.history.append(state)
    st.session_state.future = []


def undo() -> None:
    st.session_state.future.append(st.session_state.history.pop())


def redo() -> None:
    st.session_state.history.append(st.session_state.future.pop())


with st.sidebar:
    st.button("From a link", on_click=changed, args=(MixerState({0: 1.5, 2: -2.0}, muted=(1,)),))
    number = st.number_input("Sample", 0, 8, 0)
    st.button("Run again")
affine = kind != "slow"
state = st.session_state.history[-1]
code = codes[number]
scale = payload.scale
edited = payload.mean + apply(state, code, scale) @ payload.directions
share = (scale**2 / (scale**2).sum()).tolist()
banks = ["mouth"] * 5 + ["pose"] * 5 + ["expression"] * (count - 10) if st.query_params.get("groups") else None
mixer(
    "mixer",
    payload=payload,
    code=code,
    original=samples[number],
    state=state,
    names=[f"<img src=x onerror='window.hurt=1'> {k}" if hostile else f"Direction {k + 1}" for k in range(count)],
    captions=[f"{100 * v:.1f} %" for v in share],
    groups=banks,
    affine=affine,
    pictures=None if affine else {"reconstruction": payload.mean + code @ payload.directions, "edited": edited},
    can_undo=len(st.session_state.history) > 1,
    can_redo=bool(st.session_state.future),
    on_change=changed,
    on_undo=undo,
    on_redo=redo,
)
told = {"state": state.as_dict(), "code": apply(state, code, scale).tolist(), "steps": len(st.session_state.history)}
st.html(
    f"<p id='told' hidden>{json.dumps(told | {'edited': edited.tolist()})}</p>"
    if size <= 16
    else "<p id='told' hidden></p>"
)
st.html(f"<p id='runs'>{st.session_state.runs}</p>")
picked = gallery(
    "gallery", payload=payload, captions=[f"{100 * v:.1f} %" for v in share], selected=st.session_state.get("direction")
)
if picked is not None:
    st.session_state.direction = picked
st.html(f"<p id='picked'>{st.session_state.get('direction')}</p>")
