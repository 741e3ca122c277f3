from itertools import permutations
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from ladder.ratings.plackett_luce import Rankings, Strengths, strengths

Table = list[tuple[int, int]]
"""Player and rank by seat."""


def fit(tables: list[Table], count: int, deals: list[int] | None = None) -> Strengths:
    return strengths(matches(tables, count, deals))


def matches(tables: list[Table], count: int, deals: list[int] | None = None) -> Rankings:
    return Rankings(
        players=np.array([[player for player, _ in table] for table in tables]),
        ranks=np.array([[rank for _, rank in table] for table in tables]),
        deals=np.array(deals or range(len(tables))),
        count=count,
    )


def won(winner: int, loser: int, times: int) -> list[Table]:
    return [[(winner, 1), (loser, 2)]] * times


def lead(found: Strengths) -> float:
    return float(found.middle[0] - found.middle[1])


def test_two_players_are_as_far_apart_as_their_odds_with_one_draw_more() -> None:
    found = fit(won(0, 1, 30) + won(1, 0, 10), 2)
    assert lead(found) == pytest.approx(log(30.5 / 10.5), rel=0.01)
    assert found.middle.sum() == pytest.approx(0)


def test_who_has_only_won_is_finite() -> None:
    assert lead(fit(won(0, 1, 1), 2)) == pytest.approx(log(1.5 / 0.5), rel=0.01)


def test_a_draw_is_half_of_each() -> None:
    draws: list[Table] = [[(0, 1), (1, 1)]] * 4
    assert lead(fit(won(0, 1, 8) + draws, 2)) == pytest.approx(
        lead(fit(won(0, 1, 10) + won(1, 0, 2), 2))
    )


def test_who_missed_a_match_falls_as_by_a_loss_and_nobody_else_moves() -> None:
    played = won(0, 1, 12) + won(1, 0, 12) + won(1, 2, 6) + won(2, 1, 6)
    before = fit(played, 3)
    missed = np.array([[0, 1]] * 6)
    after = strengths(matches(played, 3), missed=missed)
    assert after.middle[1:] == pytest.approx(before.middle[1:])
    assert after.reach == pytest.approx(before.reach)
    # Of 24 games and a draw, half were won; now it is 12.5 of 31 against the same opponent.
    assert lead(after) == pytest.approx(log(12.5 / 18.5), rel=0.02)


@pytest.mark.parametrize("seats", [3, 4])
def test_at_larger_tables_it_counts_as_the_last_of_all(seats: int) -> None:
    table: Table = [(player, 1) for player in range(seats)]
    before = fit([table] * 5, seats)
    missed = np.array([list(range(seats))] * 2)
    after = strengths(matches([table] * 5, seats), missed=missed)
    last: Table = [(0, seats), *((player, 1) for player in range(1, seats))]
    all_rated = fit([table] * 5 + [last] * 2, seats)
    assert after.middle[1:] == pytest.approx(before.middle[1:])
    assert lead(all_rated) < lead(after) < 0  # the others do not rise besides


def test_a_tie_of_all_says_that_all_are_equal() -> None:
    found = fit([[(0, 1), (1, 1), (2, 1), (3, 1)]], 4)
    assert found.middle == pytest.approx([0] * 4)


def test_players_are_as_likely_to_win_as_the_model_says() -> None:
    """Tables of three in the exact proportions of Plackett and Luce, without chance."""
    truth, tables = [0.8, 0.0, -0.8], []
    for order in permutations(range(3)):
        first, second, third = (exp(truth[player]) for player in order)
        chance = first / (first + second + third) * second / (second + third)
        table = [(player, rank) for rank, player in enumerate(order, 1)]
        tables += [table] * round(20_000 * chance)
    assert fit(tables, 3).middle == pytest.approx(truth, abs=0.002)


tables = st.lists(
    st.tuples(st.permutations(range(5)), st.lists(st.integers(1, 3), min_size=3, max_size=3)),
    min_size=1,
    max_size=12,
).map(lambda found: [list(zip(players[:3], ranks, strict=True)) for players, ranks in found])


@settings(max_examples=30)
@given(tables, st.permutations(range(3)))
def test_the_order_of_the_seats_makes_no_difference(tables: list[Table], order: list[int]) -> None:
    straight, turned = fit(tables, 5), fit([[table[seat] for seat in order] for table in tables], 5)
    assert turned.middle == pytest.approx(straight.middle, abs=1e-5)
    assert turned.reach == pytest.approx(straight.reach, rel=1e-3)


@settings(max_examples=30)
@given(tables)
def test_a_bad_first_guess_makes_no_difference(tables: list[Table]) -> None:
    guess = np.array([5.0, -5.0, 3.0, 0.0, -3.0])
    assert strengths(matches(tables, 5), start=guess).middle == pytest.approx(
        fit(tables, 5).middle, abs=1e-5
    )


def test_matches_of_a_deal_that_always_agree_say_less() -> None:
    """Forty deals of two matches: in the one league their results agree, in the other not."""
    deals = [number // 2 for number in range(80)]
    agree = (won(0, 1, 2) + won(1, 0, 2)) * 20
    differ = (won(0, 1, 1) + won(1, 0, 1)) * 40
    alike, unlike = fit(agree, 2, deals), fit(differ, 2, deals)
    single = fit(agree, 2)
    assert alike.reach[0] > 1.2 * single.reach[0]
    assert unlike.reach[0] < 0.8 * single.reach[0]


def test_a_deal_that_is_not_complete_is_no_block() -> None:
    """Its matches count as the model says."""
    deals = [number // 2 for number in range(80)]
    agree = (won(0, 1, 2) + won(1, 0, 2)) * 20
    torn = [deal if number % 2 else 100 + deal for number, deal in enumerate(deals)]
    assert fit(agree, 2, torn).reach[0] < fit(agree, 2, deals).reach[0]


def test_more_matches_make_it_surer() -> None:
    few, many = fit(won(0, 1, 5) + won(1, 0, 5), 2), fit(won(0, 1, 50) + won(1, 0, 50), 2)
    assert many.reach[0] < few.reach[0] / 2
