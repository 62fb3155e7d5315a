"""Ready expressions for mesh motion: changes in scales, to be added to a face's own code."""

from collections.abc import Mapping

PRESETS: Mapping[str, Mapping[str, float]] = {
    "Happy": {"expression: smile": 1.8, "expression: brows up": 0.6, "mouth: jaw open": 0.6},
    "Surprised": {
        "mouth: jaw open": 1.4,
        "expression: brows up": 2.2,
        "expression: blink left": -1.0,
        "expression: blink right": -1.0,
        "mouth: pucker": 0.8,
    },
    "Sad": {
        "expression: mouth corners down": 1.6,
        "expression: brows slant": 1.8,
        "expression: smile": -1.2,
        "pose: pitch": 0.6,
    },
    "Angry": {
        "expression: brows knit": 2.2,
        "expression: nose wrinkle": 1.0,
        "mouth: lips pressed": 1.0,
        "expression: smile": -1.0,
    },
    "Kiss": {"mouth: pucker": 2.6, "expression: smile": -0.8},
    "Wink": {"expression: blink left": 3.0, "expression: smile": 0.8},
    "Asleep": {"expression: blink left": 3.0, "expression: blink right": 3.0, "pose: roll": 0.8, "pose: pitch": 0.8},
}
