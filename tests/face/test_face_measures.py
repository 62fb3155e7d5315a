"""The measures on made-up models whose answers are known."""

import numpy as np
import pytest

from core.face.head.factors import BANKS, FACTORS, columns
from core.face.head.tuples import Tuples, plan
from core.face.small.measure import measure, spread
from core.face.small.report import text

SIDE = 6


class Made:
    """A picture is 13 squares as bright as its factors; codes are read off it without error.

    Args:
        leak: share of the other face's pose that a swap of the mouth brings along.
        strength: how much of a swap is drawn.
    """

    def __init__(self, leak=0.0, strength=1.0):
        self.leak, self.strength = leak, strength

    def rows(self):
        return {bank: columns(bank) for bank in BANKS}

    def encode(self, samples):
        return 10 * (samples.reshape(len(samples), -1)[:, : 3 * len(FACTORS) : 3].astype(np.float64) - 0.5)

    def animate(self, pictures, codes):
        own = self.encode(pictures)
        moved = own + self.strength * (codes - own)
        mouth = columns("mouth")
        swapped = np.abs(codes - own)[:, mouth].max(1) > 1e-9
        if self.leak and swapped.any():
            moved[swapped, FACTORS.index("yaw")] += self.leak * (self.asked - own[:, FACTORS.index("yaw")])[swapped]
        return drawn(moved / 10 + 0.5)


def drawn(values):
    flat = np.zeros((len(values), SIDE * SIDE * 3))
    flat[:, : 3 * len(FACTORS)] = np.repeat(values, 3, axis=1)
    return flat.reshape(-1, SIDE, SIDE, 3)


@pytest.fixture(scope="module")
def shown():
    people, factors = plan(60, 10, seed=0, first=10**6)
    pictures = drawn(0.25 + 0.25 * (factors.reshape(-1, len(FACTORS)) + 1) / 2)
    return Tuples(np.rint(255 * pictures).reshape(60, 6, SIDE, SIDE, 3), factors, people)


def test_a_perfect_model_gets_the_perfect_numbers(shown):
    m = measure(Made(), shown)
    ideal = np.zeros((3, 13))
    for i, bank in enumerate(BANKS):
        ideal[i, columns(bank)] = 1
    assert np.allclose(m.response, ideal, atol=0.03) and np.allclose(m.exact, ideal, atol=0.03)
    assert np.allclose(m.leak, ideal, atol=0.03) and np.allclose(m.kept, 1 - ideal, atol=0.03)
    assert (m.removed > 0.99).all() and m.psnr > 80
    own = np.stack([m.probe[i, columns(bank)].min() for i, bank in enumerate(BANKS)])
    assert (own > 0.99).all()
    assert m.figures()["factors with most information in their own bank"] == 13


def test_a_model_that_draws_half_of_a_swap_responds_by_half(shown):
    m = measure(Made(strength=0.5), shown)
    for i, bank in enumerate(BANKS):
        assert m.response[i, columns(bank)] == pytest.approx(0.5, abs=0.03)
        assert m.removed[i] == pytest.approx(0.5, abs=0.03)


def test_a_leak_is_found_where_it_is(shown):
    made = Made(leak=0.4)
    made.asked = made.encode(np.asarray(shown.pictures[:, 5]) / 255)[:, FACTORS.index("yaw")]
    m = measure(made, shown)
    assert m.response[0, FACTORS.index("yaw")] == pytest.approx(0.4, abs=0.03)
    assert np.abs(m.response[1:, : columns("mouth").stop]).max() < 0.03
    assert m.figures()["mouth: largest foreign response"] == pytest.approx(0.4, abs=0.03)


def test_a_swap_that_loses_the_own_mouth_responds_and_does_not_leak(shown):
    class Blurring(Made):
        def animate(self, pictures, codes):
            moved = codes.copy()
            swapped = np.abs(codes - self.encode(pictures))[:, columns("pose")].max(1) > 1e-9
            own = moved[swapped, columns("mouth")]
            moved[swapped, columns("mouth")] = own.mean(0) + 0.4 * (own - own.mean(0))
            return drawn(moved / 10 + 0.5)

    m, mouth = measure(Blurring(), shown), columns("mouth")
    assert m.response[1, mouth] == pytest.approx(0.3, abs=0.1)  # half of what was lost
    assert m.leak[1, mouth] == pytest.approx(0, abs=0.03) and m.kept[1, mouth] == pytest.approx(0.4, abs=0.03)


def test_codes_without_information_have_no_probe(shown):
    class Blind(Made):
        def encode(self, samples):
            return np.random.default_rng(0).standard_normal((len(samples), 13))

        def animate(self, pictures, codes):
            return pictures

    m = measure(Blind(), shown)
    assert m.probe.max() < 0.1 and np.abs(m.removed).max() < 1e-9 and m.information.max() < 0.2


def test_figures_over_draws_and_their_text(shown):
    draws = [measure(Made(), shown, seed=s) for s in (0, 1)]
    mean, sd = spread(draws)["mouth: response"]
    assert mean == pytest.approx(1, abs=0.03) and sd < 0.03
    assert "pose: error removed" in text(draws) and "mouth" in text(draws)
