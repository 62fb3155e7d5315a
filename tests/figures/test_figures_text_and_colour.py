import numpy as np
import pytest

from core.figures.colouring import OTHER, colouring
from core.figures.palette import CATEGORICAL, MOST_CLASSES, diverging, marks, sequential
from core.figures.text import number, percent


@pytest.mark.parametrize(
    "value, text",
    [(0, "0"), (1.2345, "1.23"), (-0.0123456, "-0.0123"), (0.99999, "1.00"), (1234.5, "1,230"), (9.999e-5, "1.00e-4"),
     (2e7, "2.00e7"), (float("nan"), "not defined")],
)  # fmt: skip
def test_three_significant_digits(value, text):
    assert number(value) == text


def test_percent_has_one_decimal():
    assert percent(0.12345) == "12.3%" and percent(float("nan")) == "not defined"
    assert percent(-1e-9) == "0.0%"


def test_marks_differ_as_long_as_they_can():
    assert len(set(marks(MOST_CLASSES))) == MOST_CLASSES
    assert [colour for colour, _ in marks(8)] == list(CATEGORICAL)


def _luminance(hex_colour):
    c = np.array([int(hex_colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def test_categorical_colours_stay_apart_for_the_colour_blind():
    # Viénot, Brettel and Mollon 1999: the plane that protanopes and deuteranopes see, in linear RGB.
    protan = np.array([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]])
    deutan = np.array([[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]])
    linear = np.array([_luminance(c) for c in CATEGORICAL])
    for seen in (linear @ protan.T, linear @ deutan.T):
        display = np.clip(seen, 0, 1) ** (1 / 2.4)
        apart = np.linalg.norm(display[:, None] - display[None], axis=2)[np.triu_indices(len(CATEGORICAL), 1)]
        assert apart.min() > 0.13


def test_diverging_is_near_white_at_zero_blue_below_and_rust_above():
    below, zero, above = diverging(np.array([-1.0, 0.0, 1.0])).astype(int)
    assert zero.min() > 240 and below[2] > below[0] and above[0] > above[2]


def test_sequential_gets_lighter():
    assert (np.diff(sequential(np.linspace(0, 1, 20)).astype(int).sum(axis=1)) > 0).all()


def test_few_values_are_classes_in_natural_order():
    found = colouring(np.array(["10", "2", "2", "1"]), "digit")
    assert [name for name, *_ in found.classes] == ["1", "2", "10"]
    assert found.colour.tolist() == [2, 1, 1, 0] and found.scale is None and found.texts[0] == "digit 10"


def test_measured_numbers_are_a_scale_from_the_2nd_to_the_98th_percentile():
    values = np.linspace(-3.0, 5.0, 400)
    found = colouring(values, "fat / %")
    assert found.scale["low"] == pytest.approx(np.percentile(values, 2)) and not found.classes
    assert found.colour.min() == 0 and found.colour.max() == 1 and (np.diff(found.colour) >= 0).all()


def test_of_too_many_classes_the_rare_ones_share_a_mark():
    values = np.array([f"c{i}" for i in range(50) for _ in range(50 - i)])
    found = colouring(values, "class")
    assert len(found.classes) == MOST_CLASSES and found.classes[-1][0] == OTHER
    assert (found.colour[values == "c49"] == MOST_CLASSES - 1).all() and found.colour[0] == 0


def test_equal_numbers_do_not_divide_by_zero():
    assert np.isfinite(colouring(np.ones(5), "x").colour).all()
