"""Tab *How it works*: equations, words and honest limits."""

import streamlit as st

from core.ui.history import History
from pages.compatible.shown import Shown
from pages.compatible.view import CompatibleView

_LEFT = r"""
#### The question
A *gallery* of items was embedded by an **old** model. A **new** model embeds queries. A search takes the item with the
largest cosine. *old/old* is what you have, *new/old* is the swap without touching the gallery, *new/new* is what you
reach after all of it has been computed again. **Recall@1** is the share of queries whose nearest item is right; **mAP**
looks at the whole ranking. By label an item never finds itself; by identity it must.

#### The maps
All rows have unit length; $X$ holds new and $Y$ old embeddings of the same items.

- **Rigid** (orthogonal Procrustes): $\min_W \lVert XW-Y\rVert$ with $W^\top W=I$. With $X^\top Y=U\Sigma V^\top$ the
  answer is $UV^\top$. It changes no inner product of new items, so new/new costs nothing; only where the new space is
  wider than the old one, its further directions are lost.
- **Affine**: least squares with a shift. It fits best and may press directions flat.
- **Rigid to free** (λ-orthogonality): the best $W$ with $\lVert W^\top W-I\rVert_F\le\lambda$. λ = 0 is rigid, a large
  λ least squares. Each λ starts from the answer of the one before, the first from Procrustes.
- **Extra dimensions** (BT2): $[\,XB,\ XE\,]$. The block $B$ is compared with old items, which get zeros in the rest;
  $E$ are the directions in which most of the new space is left once $XB$ is known.
"""
_RIGHT = r"""
#### Re-indexing
A share of the gallery is computed again, the rest stays old; the curve is recall@1 of mapped new queries on that mixed
gallery. Two orders need old embeddings only, so they can be known before anything is computed.

#### Simplex heads
The rows of the classifier are fixed at the corners of a regular simplex, any two with inner product
$-1/(C-1)$. Two networks that share them are drawn to the same places, and a class that comes later finds its own
corner free (CoReS, CL2R, HOC).

#### Convergent learning
Units are matched by the correlation of their activations: each with its best (*semi-matching*), or one to one. LASSO
predicts one unit from few. Canonical correlation, principal angles and CKA ask the same of whole spaces.

#### Limits to know
- λ-orthogonality and BT2 were made for networks in training. Here they are maps of embeddings that are there already;
  the hard limit on λ stands in for the paper's smooth gate, and BT2's losses are replaced by their closed form.
- Recall falls as a gallery grows. Large uploads are judged on 2,000 items drawn at random: compare the numbers with
  each other, not with those of a full gallery.
- Maps are fitted and judged on items of the same kind. New kinds of items may fare worse.
- The networks of the sample are small, and one seed is one draw.
"""
_SOURCES = (
    "Schönemann 1966 (Procrustes) · Li, Yosinski, Clune, Lipson, Hopcroft 2016 (convergent learning) · Raghu et al. "
    "2017 (SVCCA) · Kornblith et al. 2019 (CKA) · Pernici et al. 2019 (simplex heads) · Zhou et al. 2022 (BT2) · "
    "Biondi et al. 2023 (CoReS, CL2R) · Biondi et al. 2024 (HOC) · Ricci et al. 2025 (λ-orthogonality)"
)


def draw(history: History[CompatibleView], on: Shown) -> None:
    """Two columns of words and equations, and the sources."""
    left, right = st.columns(2, gap="large")
    left.markdown(_LEFT)
    right.markdown(_RIGHT)
    st.caption(_SOURCES)
