"""The chances of a moment: the network's, and at the last ship what a search foresees beside."""

from collections.abc import Iterator
from itertools import pairwise
from random import Random
from statistics import fmean

import pytest

from referee.analysis.chances import chances_at
from referee.engine.evaluation import rank_chances, shares
from referee.engine.search import Search
from referee.rules import Layout, Position, roll_dice
from referee.rules.pieces import SHIPS
from tests.referee.games import moments

CERTAIN = 1.3


def _moments(players: int, seed: int) -> Iterator[Position]:
    """Yield the positions of a game of quick looks: before each choice and each roll."""
    rng = Random(seed)
    position = Position.start(Layout.shuffled(rng), players)
    while not position.is_over:
        yield position
        if position.legal_moves:
            position.apply(Search(position, rng).best_move)
        else:
            position.roll(roll_dice(rng))


def _share(chances: list[float]) -> float:
    last = len(chances) - 1
    return sum(chance * (last - place) / last for place, chance in enumerate(chances))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_at_the_last_ship_chances_come_nearer_to_what_a_search_finds(players: int) -> None:
    before, after = [], []
    for position in _moments(players, seed=3):
        told = chances_at(position, CERTAIN)
        if position.ship < SHIPS:
            assert told == rank_chances(position, CERTAIN)
            continue
        for rows in (told, zip(*told, strict=True)):
            assert [sum(row) for row in rows] == pytest.approx([1.0] * players)
        search = Search(position, Random(2))
        search.think(200)
        for seat, found in enumerate(search.shares):
            before.append(abs(shares(position, CERTAIN)[seat] - found))
            after.append(abs(_share(told[seat]) - found))
    assert fmean(after) < 0.8 * fmean(before)


def test_a_forced_move_changes_no_chances() -> None:
    forced = 0
    for before, after in pairwise(position.copy() for position in moments(6)):
        if len(before.legal_moves) == 1:
            forced += 1
            assert chances_at(before, CERTAIN) == chances_at(after, CERTAIN)
    assert forced


def test_a_search_counts_more_the_better_a_game_is_played() -> None:
    position = next(one for one in _moments(2, seed=3) if one.ship == SHIPS)
    network = rank_chances(position, 0.0)[0][0]
    assert network == 0.5
    ahead = [rank_chances(position, certainty, found=(0.9, 0.1)) for certainty in (0.2, 0.7, 1.4)]
    behind = [rank_chances(position, certainty, found=(0.1, 0.9)) for certainty in (0.2, 0.7, 1.4)]
    gaps = [more[0][0] - less[0][0] for more, less in zip(ahead, behind, strict=True)]
    assert gaps == sorted(gaps)
    assert gaps[0] > 0.0


def test_seats_that_faulted_stay_last_and_the_others_share_what_is_left() -> None:
    position = next(one for one in _moments(4, seed=2) if one.ship == SHIPS)
    told = chances_at(position, CERTAIN, (2, 0))
    assert (told[2][3], told[0][2]) == (1.0, 1.0)
    assert told[1][0] + told[3][0] == pytest.approx(1.0)
    ahead = rank_chances(position, CERTAIN, (2, 0), found=(1 / 3, 0.95, 0.0, 0.72))
    even = rank_chances(position, CERTAIN, (2, 0), found=(1 / 3, 5 / 6, 0.0, 5 / 6))
    assert ahead[1][0] > even[1][0]
    alone = chances_at(position, CERTAIN, (2, 0, 3))
    assert alone[1] == [1.0, 0.0, 0.0, 0.0]
    empty = chances_at(position, CERTAIN, (2, 0), absent=2)
    assert empty[2] == empty[0] == [0.0, 0.0, 0.5, 0.5]
    assert empty[1] == told[1]
