"""Scores, wins and comparisons, on games made by hand."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from ladder.local.estimates import estimate
from ladder.local.results import Share, comparisons, summaries
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
    still = (0.0,) * len(ranks)
    return PlayedGame(planned, ranks, points, tuple(faults), still, (0,) * len(ranks))


def test_at_a_table_each_meets_each() -> None:
    best, *_ = summaries([game(1, 2, 3)], ["ana", "luz", "rey"])
    assert (best.name, best.score, best.wins.won, best.mean_vp) == ("ana", 1.0, 1, 39)
    assert [bot.score for bot in summaries([game(1, 2, 3)], ["ana", "luz", "rey"])] == [1, 0.5, 0]


def test_a_shared_rank_is_half_a_point_and_a_shared_first_a_share_of_the_win() -> None:
    for bot in summaries([game(1, 1)], ["ana", "luz"]):
        assert (bot.score, bot.wins.won) == (0.5, 0.5)


def test_a_tie_for_the_second_place() -> None:
    scores = {bot.name: bot.score for bot in summaries([game(1, 2, 2)], ["ana", "luz", "rey"])}
    assert scores == {"ana": 1.0, "luz": 0.25, "rey": 0.25}


def test_entrants_of_one_name_are_one_bot_that_does_not_meet_itself() -> None:
    names = ["ana", "luz", "luz"]
    ana, luz = summaries([game(2, 1, 3)], names)
    assert (ana.wins.games, luz.wins.games) == (1, 2)
    assert (ana.score, luz.score) == (0.5, 0.5)
    assert luz.wins.won == 1
    (pair,) = comparisons([game(2, 1, 3)], names)
    assert (pair.name, pair.meetings, pair.score) == ("ana", 2, 0.5)


def test_a_table_of_one_bot_alone_says_nothing() -> None:
    (luz,) = summaries([game(1, 2)], ["luz", "luz"])
    assert luz.score == 0.5
    assert comparisons([game(1, 2)], ["luz", "luz"]) == []


def test_who_sits_where_is_told_by_the_plan() -> None:
    best, _ = summaries([game(2, 1, entrants=(1, 0))], ["ana", "luz"])
    assert best.name == "ana"


def test_a_bot_that_never_played_is_listed_without_points() -> None:
    *_, last = summaries([game(1, 2)], ["ana", "luz", "rey"])
    assert {bot.name: bot.wins.games for bot in summaries([game(1, 2)], ["ana", "luz", "rey"])} == {
        "ana": 1,
        "luz": 1,
        "rey": 0,
    }
    assert last.name == "luz"
    rey = next(bot for bot in summaries([game(1, 2)], ["ana", "luz", "rey"]) if bot.name == "rey")
    assert (rey.strength, rey.mean_vp, rey.score) == (None, None, 0.5)


def test_faults_are_counted_and_a_forfeit_has_no_points() -> None:
    luz = summaries([game(1, 2, vp=(), faults=[(1, "Too late.")])], ["ana", "luz"])[1]
    assert (luz.faults, luz.mean_vp) == (1, None)


def test_the_stronger_one_is_named_first() -> None:
    (pair,) = comparisons([game(2, 1, deal=0), game(2, 1, deal=1)], ["ana", "luz"])
    assert (pair.name, pair.other) == ("luz", "ana")


def test_equals_are_named_once() -> None:
    games = [game(2, 1, deal=0), game(1, 2, deal=0)]
    (pair,) = comparisons(games, ["luz", "ana"])
    assert (pair.name, pair.other, pair.strength.elo) == ("ana", "luz", 0)


def test_games_of_a_deal_count_as_one() -> None:
    games = [*(game(1, 2, deal=0), game(2, 1, deal=0)), *(game(1, 2, deal=1), game(1, 2, deal=1))]
    (pair,) = comparisons(games, ["ana", "luz"])
    assert (pair.tables, pair.meetings, pair.won, pair.shared) == (4, 4, 3, 0)
    assert (pair.score, pair.strength) == (0.75, estimate([0.5, 1.0]))


def test_against_the_field_a_deal_is_the_mean_of_all_that_a_bot_met_in_it() -> None:
    games = [game(1, 2, 3, deal=0), game(2, 1, 3, deal=1)]
    ana = next(bot for bot in summaries(games, ["ana", "luz", "rey"]) if bot.name == "ana")
    assert ana.strength == estimate([1.0, 0.5])


def test_wins_by_seat_and_by_the_bot_before() -> None:
    games = [game(1, 2, 3), game(1, 1, 3, entrants=(1, 2, 0))]
    ana = next(bot for bot in summaries(games, ["ana", "luz", "rey"]) if bot.name == "ana")
    assert ana.wins == Share(1, 2)
    assert ana.by_seat == {0: Share(1, 1), 2: Share(0, 1)}
    assert ana.behind == {"rey": Share(1, 2)}
    luz = next(bot for bot in summaries(games, ["ana", "luz", "rey"]) if bot.name == "luz")
    assert luz.by_seat[0] == Share(0.5, 1)


def test_think_time_is_the_mean_of_all_decisions() -> None:
    games = [replace(game(1, 2), think=(think, 0.0), decisions=(10, 0)) for think in (0.1, 0.3)]
    ana, luz = summaries(games, ["ana", "luz"])
    assert ana.think_ms == pytest.approx(20)
    assert luz.think_ms is None


def test_the_games_that_are_still_needed() -> None:
    games = [game(1 + deal % 3 // 2, 2 - deal % 3 // 2, deal=deal) for deal in range(30)]
    (pair,) = comparisons(games, ["ana", "luz"])
    assert (pair.score, pair.games_to_tell) == (2 / 3, 2)
