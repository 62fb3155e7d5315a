"""Tab *How it works*: equations, words, and honest limits."""

import streamlit as st

from core.ui.history import History
from pages.transport.shown import Shown
from pages.transport.view import TransportView

_LEFT = r"""
#### The local spectrum
A picture is written as a slow brightness and $K$ waves, the **carriers** $w_i$, which are the same everywhere. What
changes from place to place is how much of each there is:

$$f(x)=S_0(x)+\mathrm{Re}\sum_{i=1}^{K}S_i(x)\,e^{2\pi\mathrm{j}\,w_i\cdot x}$$

$S_i$ is complex and lies on a coarse grid of splines. $|S_i|$ is the amplitude of carrier $i$ at a place; its angle
$\psi_i$ shifts the wave there. A wave alone with a real amplitude could not move its phase; that is why each carrier
is a pair.

#### The exact fit
With the carriers fixed the model is linear in $S$. Conjugate gradients find the one best $S$ for

$$\min_S\ \lVert f_S-f\rVert^2+\rho\lVert S\rVert^2+\lambda\lVert S''\rVert^2$$

in a fraction of a second, so the sliders refit at once. A carrier serves frequencies within half the grid's cells
around it. If these discs do not cover the picture's spectrum, no solver helps: see *Carriers over the spectrum*.

#### Frequency from phase
The strongest carrier alone gives a coarse answer. **Reassigned** adds the slope of its phase,
$w_i+\nabla\psi_i/2\pi$ (Auger and Flandrin 1995); **analytic** takes the slope of the phase of the whole sum.
"""
_RIGHT = r"""
#### The equation
The idea behind this page says that the spectrum is transported: $\nabla S(x)\approx F(x,S(x))$. With
$F(x,\cdot)=\nabla S(x)$ *any* smooth $S$ obeys this, so the statement is empty unless $F$ is small. Here $F$ is fitted
afterwards on a frozen $S$, judged on tiles it never saw, and set against $F(S)$, $F(x)$ and $F=0$. The mean
$|\nabla S|^2$ stands beside it, because a flat $S$ has nothing left to explain.

#### Limits to know
- The paper behind this page (*Neural Spectral Transport Representation*, arXiv 2511.18384, 2025) was **withdrawn by
  arXiv** because authorship and affiliation could not be verified. No code of it is known. None of its numbers is
  quoted here; every number on this page is measured on your picture.
- The exact fit is strong where most places hold *one* frequency: fringes, chirps, some textures. On photographs a
  truncated cosine transform or a trained network of equal size is usually better, and the page says so.
- Where the fit misses much of the local variance the field means little. Those places are greyed out.
- Many carriers that lie close together share the energy among them in an arbitrary way. Few carriers and a finer grid
  read better.
- *Modulated sines, deep* in the race puts a network behind the carriers. It draws better, and its amplitudes are no
  spectrum any more: the layers multiply frequencies.
- Band gains scale whole carriers. A carrier whose disc is wide takes its neighbours along.
- Drawing at 2× or 4× interpolates; it adds no detail.
"""


def draw(_history: History[TransportView], _on: Shown) -> None:
    """Two columns of text."""
    left, right = st.columns(2, gap="large")
    left.markdown(_LEFT)
    right.markdown(_RIGHT)
    st.caption(
        "Auger and Flandrin 1995 · Hestenes and Stiefel 1952 · Sitzmann and others 2020 (SIREN) · Tancik and others "
        "2020 (Fourier features) · Müller and others 2022 (hash grid) · Liu and others 2024 (FINER)"
    )
