"""Tab *How it works*: equations, words, and the limits of what the page shows."""

import streamlit as st

from core.ui.history import History
from pages.steering.opened import Opened, Ready
from pages.steering.view import SteeringView

_BASIS = """
A transformer carries one vector for each token through its blocks, the **residual stream**. Behind block $\\ell$ we
read it for every token of a text and take the mean,

$$x = \\frac{1}{T-1} \\sum_{t=2}^{T} h_t^{(\\ell)} \\in \\mathbb{R}^W$$

without the first token, which all others attend to and whose vector is a hundred times longer. A few hundred texts give
a basis: PCA, turned so that each text uses few directions (varimax of the whitened scores),

$$x \\approx \\mu + \\sum_k c_k\\, v_k, \\qquad V V^\\top = I, \\qquad \\sigma_k = \\mathrm{std}(c_k)$$

The paper calls the $v_k$ *skills*. Its own recipe joins all middle blocks and takes plain PCA; it is a choice in
*Build*. A **direction between two sets** is the difference of their means, or the first principal component of
differences of pairs; how well it tells held-out texts apart is the AUC, beside what shuffled labels reach.
"""
_STEER = """
While the model writes, every token's vector behind block $\\ell$ is changed:

| method | what becomes of $h$ |
|---|---|
| add | $h + \\sum_k a_k \\sigma_k v_k$ |
| keep the norm | the same, scaled back to the length of $h$ |
| raise the projection | $h + \\max(0,\\, a\\sigma - \\langle h-\\mu, v\\rangle)\\,v$ |
| project out | $h - \\langle h-\\mu, v\\rangle\\,v$ |

$a_k$ is the slider, in sigma. How strong it is depends on its length against a token's,

$$r = \\frac{\\lVert \\sum_k a_k \\sigma_k v_k \\rVert}{\\mathbb{E}\\,\\lVert h_t \\rVert}$$

and hardly on the block: at 0.1 one sees little, at 0.2 the change is clear and the text fluent, 0.35 brings first
oddities, 0.5 degenerate text. Directions are orthogonal, so several add up as the root of the sum of squares. *Leave
alone* takes what lies along one direction out of all others.

Both columns are written in one batch, and each draws from random numbers of its own with the same seed: they differ
by the steer alone. A copy of the steered text runs without the steer, which gives the **KL** of every token,
$\\sum_y p(y) \\log \\frac{p(y)}{q(y)}$ with $p$ steered and $q$ not, and the **perplexity** of the text under the
unsteered model.
"""
_LIMITS = """
- A model of 135 million parameters: its facts are shaky. Steering here is a matter of style, not of truth.
- **Telling it in words is often as good or better** (AxBench found so for larger models). The column *Told in words* is
  the honest rival; *Random direction* is the other one, and costs as much perplexity as a real one.
- Meters count words and signs. They say that Spanish function words appear, not that the Spanish is right.
- The sample texts were written for this page from a few frames a style; natural texts separate less well.
- Praise and complaint share a direction here: sentiment did not come out as one of its own.
- The published gains (mathematics, data selection) are for models of 3 to 8 billion parameters; nothing of that is
  claimed for this one.
- In bfloat16 a text written in one go and one continued after a pause may part at a near tie; in float32 they do not.
"""


def draw(history: History[SteeringView], opened: Opened, ready: Ready | None) -> None:
    """Two columns of words."""
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("A basis of activations", anchor=False)
        st.markdown(_BASIS)
        st.subheader("Limits", anchor=False)
        st.markdown(_LIMITS)
    with right:
        st.subheader("Steering", anchor=False)
        st.markdown(_STEER)
        st.caption(
            "Kang and others, *Characterizing Model-Native Skills*, arXiv 2604.17614 · Zou and others, *Representation "
            "Engineering*, 2023 · Rimsky and others, *Steering Llama 2 via Contrastive Activation Addition*, ACL 2024 "
            "· Dalva and others, *FluxSpace*, CVPR 2025 · Hong and others, *ConceptVectors*, 2024 · Geva and others, "
            "EMNLP 2022 · Wu and others, *AxBench*, ICML 2025"
        )
