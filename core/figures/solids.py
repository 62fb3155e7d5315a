"""Surfaces of solids as figures that one can turn."""

import numpy as np
import plotly.graph_objects as go

from core.figures.palette import BASIS


def solid(vertices: np.ndarray, faces: np.ndarray, *, height: int = 340, colour: str = BASIS) -> go.Figure:
    """A surface `(V, 3)`, `(F, 3)` in the unit box, first axis up; an empty one leaves the box empty."""
    fig = go.Figure()
    if len(faces):
        z, y, x = np.asarray(vertices, dtype=np.float32).T
        i, j, k = np.asarray(faces, dtype=np.int32).T
        fig.add_mesh3d(
            x=x, y=y, z=z, i=i, j=j, k=k, color=colour, hoverinfo="skip",
            lighting=dict(ambient=0.45, diffuse=0.8, specular=0.15), lightposition=dict(x=200, y=-300, z=400),
        )  # fmt: skip
    axis = dict(visible=False, range=[0, 1])
    fig.update_layout(
        height=height, margin=dict(l=0, r=0, t=0, b=0), paper_bgcolor="rgba(0,0,0,0)",
        scene=dict(xaxis=axis, yaxis=axis, zaxis=axis, aspectmode="cube", camera=dict(eye=dict(x=1.1, y=-1.1, z=0.75))),
    )  # fmt: skip
    return fig
