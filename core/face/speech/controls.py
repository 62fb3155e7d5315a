"""The mouth's named controls, and how they become codes of a bank."""

from collections.abc import Mapping

import numpy as np

from core.errors import InputError

CONTROLS = ("jaw open", "lips wide", "lips round", "lips funnel", "lips pressed", "lip to teeth")
"""What speech is translated to; each runs from 0 (at rest) to 1 (the most that clear speech does)."""

_BOTH = ("Left", "Right")
MOVES: Mapping[str, Mapping[str, float]] = {
    "jaw open": {"jawOpen": 0.6},
    "lips wide": {f"mouth{m}{s}": a for m, a in (("Stretch", 0.5), ("Dimple", 0.3)) for s in _BOTH},
    "lips round": {"mouthPucker": 0.75},
    "lips funnel": {"mouthFunnel": 0.6},
    "lips pressed": {"mouthRollLower": 0.25, "mouthRollUpper": 0.25, **{f"mouthPress{s}": 0.4 for s in _BOTH}},
    "lip to teeth": {"mouthRollLower": 0.5, **{f"mouthUpperUp{s}": 0.2 for s in _BOTH}},
}
"""Each control at 1 as movements of a face under their ARKit names."""

FACTORS = ("mouth open", "mouth round", "mouth wide")
_AS_FACTORS = np.array(  # rows: controls; columns: the three factors of the parametric head
    [[0.75, 0.0, 0.0], [0.0, 0.0, 0.75], [0.0, 0.85, 0.0], [0.1, 0.55, 0.0], [-0.6, 0.0, 0.0], [-0.2, 0.0, 0.1]]
)


def to_factors(controls: np.ndarray) -> np.ndarray:
    """The three mouth factors of the parametric head, `(T, 3)` in 0..1, of controls `(T, 6)`.

    Round and wide pull against each other: where their sum is above 1 both are made smaller.
    """
    out = np.clip(_checked(controls) @ _AS_FACTORS, 0, 1)
    pair = out[:, 1:]
    pair /= np.maximum(1, pair.sum(1, keepdims=True))
    return out


def to_codes(
    controls: np.ndarray,
    moves: Mapping[str, np.ndarray],
    directions: np.ndarray,
    *,
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """Codes of a mouth bank that come nearest to the controls, by least squares.

    With the displacement `m` of every control (see `MOVES`) the codes are `argmin |code @ directions - controls @ m|`;
    for orthonormal directions that is a projection.

    Args:
        controls: `(T, 6)`.
        moves: displacement `(D,)` (any shape is flattened) of each ARKit movement at full strength, in the space of
            the directions; or, instead, of each control by its own name. A movement that is missing does nothing.
        directions: `(K, D)`.
        weights: `(D,)` how much each coordinate counts, such as more for the lips; all alike when left out.

    Returns:
        `(T, K)` to be added to the codes of a closed, resting mouth.

    Raises:
        InputError: shapes that do not fit, or no movement that the mouth makes.
    """
    directions = np.asarray(directions, dtype=np.float64)
    made = np.zeros((len(CONTROLS), directions.shape[-1]))
    known = False
    for row, name in zip(made, CONTROLS, strict=True):
        for move, amount in {name: 1.0}.items() if name in moves else MOVES[name].items():
            if move in moves:
                displacement = np.asarray(moves[move], dtype=np.float64).ravel()
                if displacement.shape != row.shape:
                    raise InputError(f"The movement {move} has {displacement.size} coordinates, not {row.size}.")
                row += amount * displacement
                known = True
    if not known:
        raise InputError(
            f"None of these movements is one of the mouth; known are {', '.join(MOVES)} and ARKit's names."
        )
    root = np.ones(len(made[0])) if weights is None else np.sqrt(np.asarray(weights, dtype=np.float64).ravel())
    table, *_ = np.linalg.lstsq((directions * root).T, (made * root).T, rcond=None)
    return (_checked(controls) @ table.T).astype(np.float32)


def _checked(controls: np.ndarray) -> np.ndarray:
    controls = np.asarray(controls, dtype=np.float64)
    if controls.ndim != 2 or controls.shape[1] != len(CONTROLS):
        raise InputError(f"The mouth's controls are {len(CONTROLS)} numbers a frame: {', '.join(CONTROLS)}.")
    return controls
