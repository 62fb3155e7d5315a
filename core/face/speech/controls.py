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
_CLOSE, _JAW = "mouthClose", "jawOpen"  # the first brings the lips together over an open jaw of the same amount

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


def movements(controls: np.ndarray) -> dict[str, np.ndarray]:
    """How strongly each ARKit movement acts, `(T,)` by name, at controls `(T, 6)`.

    The controls add up, with one exception: where the lips are pressed they meet although the jaw is somewhat open.
    """
    controls = _checked(controls)
    found: dict[str, np.ndarray] = {}
    for name, column in zip(CONTROLS, controls.T, strict=True):
        for move, amount in MOVES[name].items():
            found[move] = found.get(move, 0.0) + amount * column
    found[_CLOSE] = found[_JAW] * np.clip(controls[:, CONTROLS.index("lips pressed")], 0, 1)
    return found


def to_codes(
    controls: np.ndarray,
    moves: Mapping[str, np.ndarray],
    directions: np.ndarray,
    *,
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """Codes of a mouth bank that come nearest to the controls, by least squares.

    With the displacement `d` that the controls make (`movements`) the codes are `argmin |code @ directions - d|`; for
    orthonormal directions that is a projection.

    Args:
        controls: `(T, 6)`.
        moves: displacement `(D,)` (any shape is flattened) of each ARKit movement at full strength, in the space of
            the directions. A movement that is missing does nothing. Or, instead, of every control by its own name.
        directions: `(K, D)`.
        weights: `(D,)` how much each coordinate counts, such as more for the lips; all alike when left out.

    Returns:
        `(T, K)` to be added to the codes of a closed, resting mouth.

    Raises:
        InputError: shapes that do not fit, or no movement that the mouth makes.
    """
    directions = np.asarray(directions, dtype=np.float64)
    own = all(name in moves for name in CONTROLS)
    amounts = dict(zip(CONTROLS, _checked(controls).T, strict=True)) if own else movements(controls)
    known = [name for name in amounts if name in moves]
    if not known:
        raise InputError(
            f"None of these movements is one of the mouth; known are {', '.join(MOVES)} and ARKit's names."
        )
    made = np.stack(
        [np.asarray(moves[name], dtype=np.float64).ravel() for name in known if _fits(moves, name, directions)]
    )
    root = np.ones(made.shape[1]) if weights is None else np.sqrt(np.asarray(weights, dtype=np.float64).ravel())
    table, *_ = np.linalg.lstsq((directions * root).T, (made * root).T, rcond=None)
    return (np.stack([amounts[name] for name in known], axis=1) @ table.T).astype(np.float32)


def _fits(moves: Mapping[str, np.ndarray], name: str, directions: np.ndarray) -> bool:
    if np.size(moves[name]) != directions.shape[-1]:
        raise InputError(f"The movement {name} has {np.size(moves[name])} coordinates, not {directions.shape[-1]}.")
    return True


def _checked(controls: np.ndarray) -> np.ndarray:
    controls = np.asarray(controls, dtype=np.float64)
    if controls.ndim != 2 or controls.shape[1] != len(CONTROLS):
        raise InputError(f"The mouth's controls are {len(CONTROLS)} numbers a frame: {', '.join(CONTROLS)}.")
    return controls
