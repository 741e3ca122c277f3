"""Shares of the points come from who is ahead; at the end they say who is, exactly."""

from random import Random

import pytest

from referee.engine.shares import compared, far_behind, final_shares
from referee.rules import Layout, Position
from referee.rules.playouts import playouts


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_end_of_a_game_gives_a_point_for_each_seat_that_is_behind(players: int) -> None:
    start = Position.start(Layout.shuffled(Random(players)), players)
    for end in playouts(start, 20, Random(1)):
        ranks = [score.rank for score in end.scores()]
        points = [
            sum((rank < other) + (rank == other) / 2 for other in ranks) - 0.5 for rank in ranks
        ]
        wanted = [point / (players - 1) for point in points] + [0.0] * (4 - players)
        assert final_shares(end) == pytest.approx(wanted)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_who_is_equal_at_the_end_shares_the_point(players: int) -> None:
    """As all are before the first move."""
    shares = final_shares(Position.start(Layout.shuffled(Random(players)), players))
    assert shares == pytest.approx([0.5] * players + [0.0] * (4 - players))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_equal_seats_share_evenly_and_empty_seats_get_nothing(players: int) -> None:
    shares = compared((5.0, 5.0, 5.0, 5.0), players, 4.0)
    assert shares[:players] == pytest.approx([0.5] * players)
    assert shares[players:] == (0.0,) * (4 - players)


def test_a_lead_counts_the_same_whoever_has_it() -> None:
    worth = (1.0, 9.0, 4.0, 6.0)
    once, turned = compared(worth, 4, 4.0), compared((*worth[1:], worth[0]), 4, 4.0)
    assert turned == pytest.approx((*once[1:], once[0]))
    assert once[1] > once[3] > once[2] > once[0]


def test_a_large_lead_is_certain_and_an_endless_one_does_no_harm() -> None:
    assert compared((60.0, 30.0, 0.0, 0.0), 3, 1.5) == pytest.approx((1.0, 0.5, 0.0, 0.0))
    assert compared((1e9, 0.0, 0.0, 0.0), 2, 1.5) == pytest.approx((1.0, 0.0, 0.0, 0.0))
    assert compared((0.0, 1e9, 0.0, 0.0), 2, 1.5) == pytest.approx((0.0, 1.0, 0.0, 0.0))


@pytest.mark.parametrize("faulted", range(3))
def test_a_seat_that_faulted_changes_nothing_between_the_others(faulted: int) -> None:
    worth = (1.0, 9.0, 4.0, 0.0)
    ahead, behind = sorted({0, 1, 2} - {faulted}, key=lambda seat: -worth[seat])
    of_two = compared((worth[ahead], worth[behind], 0.0, 0.0), 2, 4.0)
    found = compared(far_behind(worth, 3, 1 << faulted, 4.0), 3, 4.0)
    assert found[faulted] == pytest.approx(0.0)
    assert (found[ahead], found[behind]) == pytest.approx([(1 + share) / 2 for share in of_two[:2]])


def test_a_seat_that_faulted_is_last_at_the_end() -> None:
    start = Position.start(Layout.shuffled(Random(3)), 3)
    for end in playouts(start, 5, Random(1)):
        first = next(seat for seat, score in enumerate(end.scores()) if score.rank == 1)
        shares = final_shares(end, 1 << first)
        assert shares[first] == 0.0
        assert sum(shares) == pytest.approx(1.5)
