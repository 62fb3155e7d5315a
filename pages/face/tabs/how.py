"""Tab *How it works*: equations, words, and honest limits."""

import streamlit as st

from core.ui.history import History
from pages.face.opened import Opened
from pages.face.view import FaceView

_LEFT = r"""
#### Three banks
A face's motion is written as weights on three banks of directions, **mouth**, **pose** and **expression**. With the
directions $q_i$ of all banks orthonormal, $q_i\cdot q_j=\delta_{ij}$, the motion from the face's own code $\alpha^0$ to
an edited one $\alpha$ is

$$\Delta=\sum_i(\alpha_i-\alpha^0_i)\,q_i .$$

Untouched sliders stand at $\alpha^0$, so that $\Delta=0$ and the photograph comes back bit by bit. *Reset* means the
face's own code, not zero; zero is an average face at rest.

#### Mesh motion
The directions are displacements of the 468 points of a face mesh ($q_i\in\mathbb R^{1404}$). They are learned from the
exact movements of a parametric head, brought to the mesh, and made orthonormal all together by Löwdin's method: of all
orthonormal sets of the same span it is the nearest to the movements themselves. Pose is a rotation of the head in
space. The photograph is warped by the moved mesh; the lids close over the eyes, and a mouth that opens is filled.

The own code is measured: the rotation under which the average face fits best, and what is left explained by mouth,
expression and the shapes of different people together, so that a long chin is not taken for an open jaw.

#### Networks
In EDTalk the directions live in the space of an encoder's vector $h$ of the whole face, made orthonormal by a QR at
every pass. The codes are affine in $h$, $\alpha=Ah+b$. A decoder draws $z=h+\sum_i\alpha_iq_i$ (the small one here
$z=h+\sum_i(\alpha_i-\alpha^0_i)q_i$) as a flow of the source's features. The face is cut out and aligned as the
network expects, and the change that it makes is pasted back into the photograph.
"""
_RIGHT = r"""
#### In which order edits act
1. *Take from*: a share of the way from the own code of a bank to the other face's.
2. *Edits that add up*: each one times its strength.
3. Sliders: a slider that was moved gives its weight, whatever lies below.
4. Gains: $\alpha=\alpha^0+g\,(\alpha-\alpha^0)$ for each bank, $g$ from 0 to 2.

#### Limits to know
- Mesh motion moves what the photograph shows. It makes no wrinkles, no light that changes with the pose, and past 25
  degrees of yaw there is nothing behind the cheek to show.
- What stands in front of a face (hair, a hand, glasses) moves with it.
- The far half of a face in profile is guessed, and so is what the border of the picture cuts off.
- Teeth and the inside of a mouth that was shut are painted.
- A network draws at its own size, 96 to 256 pixels; in a large photograph what it changes looks soft. Our small one has
  seen renders of a parametric head only, so a photograph is outside what it knows.
- A parametric head knows no skin; brows and lids move as its sculptor meant them to.
- Directions are named after the movement that they were learned from. Made orthogonal, each is a little different
  from that movement; the smile, which shares most of its motion with a wide mouth, is the most different.

#### Faces of others
Animate only faces that you may animate: your own, or with leave. Every picture and clip that leaves this page says
inside that it was synthesised.
"""


def draw(history: History[FaceView], on: Opened | None) -> None:
    """Two columns of text."""
    left, right = st.columns(2, gap="large")
    left.markdown(_LEFT)
    right.markdown(_RIGHT)
