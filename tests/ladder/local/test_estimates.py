"""Elo, intervals and likelihoods: known numbers, and how often intervals hold the truth."""

from math import inf
from random import Random
from statistics import fmean

import pytest

from ladder.local.estimates import elo, estimate, expected_score, more_deals_to_tell, needs_help


@pytest.mark.parametrize(
    ("score", "difference"),
    [(0.5, 0), (10 / 11, 400), (1 / 11, -400), (0.75, 190.85), (0.64, 99.95), (1, inf), (0, -inf)],
)
def test_elo_of_a_score(score: float, difference: float) -> None:
    assert elo(score) == pytest.approx(difference, abs=0.01)
    assert expected_score(difference) == pytest.approx(score, abs=1e-4)


def test_the_plain_interval_of_known_deals() -> None:
    """40 deals of 3/4 and 60 of 1/2: mean 0.6, variance 0.36 / 24, 1.96 standard errors 0.0241."""
    known = estimate([0.75] * 40 + [0.5] * 60)
    assert not known.regularised
    assert known.elo == pytest.approx(70.44, abs=0.01)
    assert known.low == pytest.approx(elo(0.6 - 0.02413), abs=0.1)
    assert known.high == pytest.approx(elo(0.6 + 0.02413), abs=0.1)
    assert known.superiority == pytest.approx(1, abs=1e-9)


def test_few_deals_are_regularised() -> None:
    """Deals of 1, 1/2 and 0, one lost and one won: mean 1/2, variance 1/4, error 0.2236."""
    few = estimate([1.0, 0.5, 0.0])
    assert few.regularised
    assert few.elo == 0
    assert few.superiority == 0.5
    assert few.low == pytest.approx(elo(0.5 - 1.96 * 0.22361), abs=0.1)
    assert few.high == pytest.approx(-few.low)


def test_who_won_everything_has_a_finite_lower_end() -> None:
    """30 deals of 1, one lost and one won: mean 31/32, standard error 1/32."""
    best = estimate([1.0] * 30)
    assert best.regularised
    assert best.elo == best.high == inf
    assert best.low == pytest.approx(elo(31 / 32 - 1.96 / 32), abs=0.1)
    assert estimate([0.0] * 30).high == pytest.approx(-best.low)


def test_one_deal_says_next_to_nothing() -> None:
    """One won, one lost, one won: mean 2/3, standard error 1/3."""
    one = estimate([1.0])
    assert one.low == pytest.approx(elo(2 / 3 - 1.96 / 3), abs=0.1)
    assert one.high == inf
    assert one.superiority == pytest.approx(0.6915, abs=0.001)


@pytest.mark.parametrize(
    ("deals", "helped"),
    [
        ([0.5] * 29, True),
        ([0.5] * 30, False),
        ([1.0] * 200 + [0.0] * 4, True),
        ([1.0] * 200 + [0.0] * 5, False),
        ([0.0] * 200 + [0.5] * 9, True),
    ],
)
def test_when_an_interval_needs_help(deals: list[float], helped: bool) -> None:
    assert needs_help(deals) is estimate(deals).regularised is helped


def test_equal_deals_have_no_variance() -> None:
    assert estimate([0.5] * 40).superiority == 0.5
    assert (estimate([0.75] * 40).superiority, estimate([0.25] * 40).superiority) == (1, 0)


def test_the_likelihood_of_superiority_of_known_deals() -> None:
    """28 deals of 1 and 22 of 0: lead 0.06 over an error of 0.0709 is 0.846 of a deviation."""
    assert estimate([1.0] * 28 + [0.0] * 22).superiority == pytest.approx(0.8013, abs=0.001)


def test_more_deals_to_tell() -> None:
    """Mean 0.56, variance 0.2514: (1.96 / 0.06)² times that is 268 deals, 50 of them played."""
    assert more_deals_to_tell([1.0] * 28 + [0.0] * 22) == 219
    assert more_deals_to_tell([1.0, 0.0] * 20) is None
    assert more_deals_to_tell([1.0] * 50) == 0


@pytest.mark.parametrize("score", [0.5, 0.7, 0.9, 0.97])
@pytest.mark.parametrize("deals", [2, 5, 10, 20, 30, 100])
@pytest.mark.parametrize("games", [1, 2, 4])
def test_intervals_hold_the_truth_often_enough(score: float, deals: int, games: int) -> None:
    """Deals of so many games, each won with this probability, 400 times over; 95 % is wanted.

    A deal of one game stands for games of a deal that all end alike: the worst case.
    """
    rng = Random(f"{score} {deals} {games}")
    held = 0
    for _ in range(400):
        found = estimate([fmean(rng.random() < score for _ in range(games)) for _ in range(deals)])
        held += found.low <= elo(score) <= found.high
    assert held / 400 >= 0.91
