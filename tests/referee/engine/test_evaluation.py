"""The chances of ranks are chances, and the end of a game is what it is."""

from random import Random
from statistics import fmean

import pytest

from referee.engine.evaluation import rank_chances, shares
from referee.engine.search import Search
from referee.rules import Layout, Position, play_out, roll_dice


def _start(players: int) -> Position:
    position = Position.start(Layout.shuffled(Random(7)), players)
    position.roll(roll_dice(Random(3)))
    return position


@pytest.mark.parametrize("players", [2, 3, 4])
def test_chances_of_seats_and_of_ranks_sum_to_one(players: int) -> None:
    chances = rank_chances(_start(players))
    assert [sum(row) for row in chances] == pytest.approx([1.0] * players)
    assert [sum(row[rank] for row in chances) for rank in range(players)] == pytest.approx(
        [1.0] * players
    )


@pytest.mark.parametrize("players", [2, 3, 4])
def test_shares_sum_to_half_the_seats(players: int) -> None:
    assert sum(shares(_start(players))) == pytest.approx(players / 2)


@pytest.mark.parametrize("over", [False, True])
def test_seats_of_bots_that_faulted_end_below_all_others(over: bool) -> None:
    position = _start(4)
    if over:
        play_out(position, Random(1))
    faulted = (2, 0)
    chances = rank_chances(position, faulted=faulted)
    assert (chances[2][3], chances[0][2]) == (1.0, 1.0)
    assert [sum(chances[seat][:2]) for seat in (1, 3)] == pytest.approx([1.0, 1.0])
    found = shares(position, faulted=faulted)
    assert (found[2], found[0]) == pytest.approx((0.0, 1 / 3))
    assert found[1] + found[3] == pytest.approx(5 / 3)
    assert found[1] == pytest.approx((3 * chances[1][0] + 2 * chances[1][1]) / 3)


def test_a_search_without_a_seat_is_sure_to_end_ahead_of_it() -> None:
    position = _start(3)
    while len(position.legal_moves) < 2:
        position.apply(position.legal_moves[0])
    other = (position.seat + 1) % 3
    search = Search(position, Random(1), (other,))
    search.think(200)
    for value in search.moves():
        assert value.shares[other] == pytest.approx(0.0)
        assert value.shares[position.seat] >= 0.5


@pytest.mark.parametrize("players", [2, 3, 4])
def test_certain_chances_are_surer_of_who_is_ahead(players: int) -> None:
    position = _start(players)
    careful, certain = (rank_chances(position, certainty) for certainty in (0.5, 1.0))
    first = max(range(players), key=lambda seat: careful[seat][0])
    assert 1 / players < careful[first][0] < certain[first][0]
    expected = [shares(position, certainty)[first] for certainty in (0.5, 1.0)]
    assert 0.5 < expected[0] < expected[1]


def test_between_two_who_play_well_early_leads_mean_no_more_than_usual() -> None:
    position, rng = _start(2), Random(5)
    at: dict[int, list[float]] = {}
    while position.ship < 5:
        usual, good = (max(shares(position, certainty)) for certainty in (1.0, 1.4))
        at.setdefault(position.ship, []).append((good - 0.5) / (usual - 0.5))
        if position.legal_moves:
            position.apply(rng.choice(position.legal_moves))
        else:
            position.roll(roll_dice(rng))
    means = [fmean(at[ship]) for ship in (1, 2, 3, 4)]
    assert means[0] == 1.0
    assert means == sorted(means)
    assert means[3] > means[2]


def test_the_end_of_a_game_is_certain() -> None:
    position = _start(3)
    play_out(position, Random(3))
    assert [row.index(1.0) + 1 for row in rank_chances(position)] == [
        score.rank for score in position.scores()
    ]


def test_a_search_values_every_legal_move() -> None:
    position = _start(4)
    search = Search(position, Random(1))
    search.think(50)
    assert {value.move for value in search.moves()} == set(position.legal_moves)
