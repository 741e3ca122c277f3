"""Scores, Elo and intervals, on games made by hand."""

from collections.abc import Sequence
from math import inf
from random import Random

import pytest

from ladder.local.strength import comparisons, elo, summaries
from ladder.local.tournament import PlannedGame, PlayedGame
from referee.rules import Layout

LAYOUT = Layout.shuffled(Random(1))


def game(
    *ranks: int,
    deal: int = 0,
    entrants: Sequence[int] | None = None,
    vp: Sequence[int] | None = None,
    faults: Sequence[tuple[int, str]] = (),
) -> PlayedGame:
    """A game in which entrant 0 sits at seat 0 and so on, unless said otherwise."""
    seats = tuple(range(len(ranks))) if entrants is None else tuple(entrants)
    points = tuple(40 - rank for rank in ranks) if vp is None else tuple(vp)
    planned = PlannedGame(1, deal, seats, LAYOUT, bytes(32))
    return PlayedGame(planned, ranks, points, tuple(faults), b"")


@pytest.mark.parametrize(
    ("score", "difference"),
    [(0.5, 0), (10 / 11, 400), (1 / 11, -400), (0.75, 190.85), (0.64, 99.95), (1, inf), (0, -inf)],
)
def test_elo_of_a_score(score: float, difference: float) -> None:
    assert elo(score) == pytest.approx(difference, abs=0.01)


def test_at_a_table_each_meets_each() -> None:
    best, *_ = summaries([game(1, 2, 3)], ["ana", "luz", "rey"])
    assert (best.name, best.score, best.wins, best.mean_vp) == ("ana", 1.0, 1, 39)
    assert [bot.score for bot in summaries([game(1, 2, 3)], ["ana", "luz", "rey"])] == [1, 0.5, 0]


def test_a_shared_rank_is_half_a_point_and_a_shared_first_a_share_of_the_win() -> None:
    for bot in summaries([game(1, 1)], ["ana", "luz"]):
        assert (bot.score, bot.wins) == (0.5, 0.5)


def test_a_tie_for_the_second_place() -> None:
    scores = {bot.name: bot.score for bot in summaries([game(1, 2, 2)], ["ana", "luz", "rey"])}
    assert scores == {"ana": 1.0, "luz": 0.25, "rey": 0.25}


def test_entrants_of_one_name_are_one_bot_that_does_not_meet_itself() -> None:
    names = ["ana", "luz", "luz"]
    ana, luz = summaries([game(2, 1, 3)], names)
    assert (ana.seats, luz.seats) == (1, 2)
    assert (ana.score, luz.score) == (0.5, 0.5)
    assert luz.wins == 1
    (pair,) = comparisons([game(2, 1, 3)], names)
    assert (pair.name, pair.pairs, pair.score) == ("ana", 2, 0.5)


def test_a_table_of_one_bot_alone_says_nothing() -> None:
    (luz,) = summaries([game(1, 2)], ["luz", "luz"])
    assert luz.score == 0.5
    assert comparisons([game(1, 2)], ["luz", "luz"]) == []


def test_who_sits_where_is_told_by_the_plan() -> None:
    best, _ = summaries([game(2, 1, entrants=(1, 0))], ["ana", "luz"])
    assert best.name == "ana"


def test_a_bot_that_never_played_is_listed_without_points() -> None:
    *_, last = summaries([game(1, 2)], ["ana", "luz", "rey"])
    assert {bot.name: bot.seats for bot in summaries([game(1, 2)], ["ana", "luz", "rey"])} == {
        "ana": 1,
        "luz": 1,
        "rey": 0,
    }
    assert last.score == 0


def test_faults_are_counted_and_a_forfeit_has_no_points() -> None:
    luz = summaries([game(1, 2, vp=(), faults=[(1, "Too late.")])], ["ana", "luz"])[1]
    assert (luz.faults, luz.mean_vp) == (1, None)


def test_the_stronger_one_is_named_first() -> None:
    (pair,) = comparisons([game(2, 1, deal=0), game(2, 1, deal=1)], ["ana", "luz"])
    assert (pair.name, pair.other) == ("luz", "ana")


def test_equals_are_named_once() -> None:
    games = [game(2, 1, deal=0), game(1, 2, deal=0)]
    (pair,) = comparisons(games, ["luz", "ana"])
    assert (pair.name, pair.other, pair.elo) == ("ana", "luz", 0)


def test_one_deal_is_too_few_for_an_interval() -> None:
    (pair,) = comparisons([game(1, 2), game(2, 1)], ["ana", "luz"])
    assert (pair.low, pair.high) == (-inf, inf)


def test_who_won_everything_is_infinitely_stronger_but_with_a_finite_lower_end() -> None:
    games = [game(1, 2, deal=deal) for deal in range(30)]
    (pair,) = comparisons(games, ["ana", "luz"])
    assert pair.elo == pair.high == inf
    # 30 deals of 1 and one of 1/2: mean 61/62, standard error 1/62; 400 lg(0.952 / 0.048)
    assert pair.low == pytest.approx(519.9, abs=0.1)


def test_the_interval_of_known_deals() -> None:
    """Deals of 1, 1/2 and 0, and the drawn one: mean 1/2, variance 1/6, standard error 0.204."""
    games = [
        *(game(1, 2, deal=0), game(1, 2, deal=0)),
        *(game(1, 2, deal=1), game(2, 1, deal=1)),
        *(game(2, 1, deal=2), game(2, 1, deal=2)),
    ]
    (pair,) = comparisons(games, ["ana", "luz"])
    assert pair.elo == 0
    assert pair.low == pytest.approx(-381.9, abs=0.1)
    assert pair.high == -pair.low


def test_more_deals_make_the_interval_narrower() -> None:
    def width(deals: int) -> float:
        games = [game(1 + deal % 2, 2 - deal % 2, deal=deal) for deal in range(deals)]
        (pair,) = comparisons(games, ["ana", "luz"])
        return pair.high - pair.low

    assert width(400) < width(100) < width(20)
    assert width(400) == pytest.approx(width(100) / 2, rel=0.05)
