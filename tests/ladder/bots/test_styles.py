import pytest
from sqlalchemy.orm import Session

from ladder.bots import styles
from ladder.bots.styles import Source
from ladder.matches import results
from ladder.matches.results import Result, SeatResult
from referee.bot import Bot
from referee.replay import simulate, start, write
from referee.rules.pieces import BUILDINGS, CITIZENS
from tests.ladder.databases import on_sqlite
from tests.ladder.league import claimed, match_ids, ranked, start_tournament
from tests.web.arena import AnyMove, GivesUp, played


def play(session: Session, match_id: int, table: list[Bot]) -> tuple[list[int], list[int]]:
    """Play a match of the league; bots by seat, and their points before those for goods."""
    claim = claimed(session, match_id)
    replay = played(claim, table)
    seats = tuple(
        SeatResult(rank, None, "illegal" if rank == max(replay.result.ranks) else None)
        for rank in replay.result.ranks
    )
    results.finish(session, claim, Result(seats, "ships", write(replay)))
    session.commit()
    position = start(replay)
    for _ in simulate(position, replay):
        pass
    points = [position.vp(seat) for seat in range(len(seats))]
    return [player.bot_id for player in claim.players], points


@on_sqlite
def test_points_by_source_add_up_to_the_score(session: Session) -> None:
    start_tournament(session, seats=3, count=3)
    seats, points = play(session, match_ids(session)[0], [AnyMove(1), AnyMove(2), AnyMove(3)])
    for bot_id, vp in zip(seats, points, strict=True):
        found = styles.style(session, bot_id)
        assert found.games == 1
        assert 2 + sum(one.mean for one in found.points) == vp
        assert {name for name, _ in found.citizens} <= set(CITIZENS)
        assert {name for name, _ in found.buildings} <= set(BUILDINGS)
        times = [times for _, times in found.citizens]
        assert times == sorted(times, reverse=True)
        assert sum(times) > 5
        assert [one.source for one in found.points] == list(Source)
        if not found.won:
            assert all(one.when_won is None for one in found.points)


def test_games_with_a_fault_of_its_own_are_left_out(session: Session) -> None:
    start_tournament(session, seats=2, count=2)
    seats, _ = play(session, match_ids(session)[0], [GivesUp(3), AnyMove(2)])
    assert styles.style(session, seats[0]).games == 0
    assert styles.style(session, seats[1]).games == 1


def test_replays_that_cannot_be_played_again_are_left_out(session: Session) -> None:
    start_tournament(session, count=2)
    first = match_ids(session)[0]
    session.commit()
    results.finish(session, claimed(session, first), ranked(1, 2))  # its replay is no replay
    found = styles.style(session, 1)
    assert (found.games, found.won, found.citizens, found.buildings) == (0, 0, (), ())
    assert [one.mean for one in found.points] == pytest.approx([0.0] * 4)
