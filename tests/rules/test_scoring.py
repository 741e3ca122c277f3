"""What counts at the end: E1 and E2."""

import pytest

from referee.rules import Outcome, Position, Reason, Score
from tests.rules.table import Goods, player, table


def ended(*players: str) -> Position:
    return table(*players, ship=7, phase="over", reason="ships")


def results(*players: str) -> list[tuple[int, int, int, int]]:
    """VP, leftover goods, pesos and rank by seat."""
    outcome = ended(*players).outcome()
    assert outcome is not None
    return [(one.vp, one.leftover, one.pesos, one.rank) for one in outcome.scores]


@pytest.mark.parametrize(
    ("goods", "vp", "leftover"),
    [
        ({}, 10, 0),
        ({"sugar": 2}, 10, 2),
        ({"sugar": 3}, 11, 0),
        ({"sugar": 1, "rum": 1, "wood": 1}, 11, 0),
        ({"citrus": 4, "wood": 4}, 12, 2),
        ({"tobacco": 5, "cigars": 5}, 13, 1),
    ],
)
def test_e1_three_goods_of_any_kinds_make_a_vp(goods: Goods, vp: int, leftover: int) -> None:
    me = player(vp=10, pesos=99, **goods)  # pesos make none
    assert results(me, player())[0] == (vp, leftover, 99, 1)


def test_e2_the_most_vp_win() -> None:
    ranks = [rank for *_, rank in results(player(vp=7), player(vp=30), player(vp=8, pesos=9))]
    assert ranks == [3, 1, 2]


def test_e2_then_the_most_leftover_goods() -> None:
    one, two = results(player(vp=7, pesos=9, rum=1), player(vp=7, pesos=0, wood=2))
    assert (one, two) == ((7, 1, 9, 2), (7, 2, 0, 1))


def test_e2_goods_are_counted_as_leftover_only_after_they_made_vp() -> None:
    one, two = results(player(vp=6, rum=3, sugar=1), player(vp=7, rum=2))
    assert (one, two) == ((7, 1, 3, 2), (7, 2, 3, 1))


def test_e2_then_the_most_pesos() -> None:
    ranks = [rank for *_, rank in results(player(pesos=4), player(pesos=6), player(pesos=5))]
    assert ranks == [3, 1, 2]


def test_e2_players_equal_in_all_three_share_the_rank() -> None:
    same = player(vp=5, pesos=2, rum=1)
    assert [rank for *_, rank in results(same, same, player(vp=4))] == [1, 1, 3]
    assert [rank for *_, rank in results(player(vp=9), same, same, player(vp=4))] == [1, 2, 2, 4]
    assert [rank for *_, rank in results(same, same, same, same)] == [1, 1, 1, 1]


def test_e2_the_outcome_says_why_the_game_ended_and_who_has_what() -> None:
    position = ended(player(vp=8, pesos=1, wood=4), player(vp=9, pesos=0))
    scores = (Score(0, 9, 1, 1, rank=1), Score(1, 9, 0, 0, rank=2))
    assert position.outcome() == Outcome(Reason.SHIPS, scores)
    turns = table(player(), player(), turn=300, phase="over", reason="turns").outcome()
    assert turns is not None
    assert turns.reason is Reason.TURNS


def test_e1_a_game_that_goes_on_has_no_outcome_but_can_be_scored() -> None:
    position = table(player(vp=4, sugar=3), player(vp=5))
    assert position.outcome() is None
    assert [(one.vp, one.rank) for one in position.scores()] == [(5, 1), (5, 1)]
