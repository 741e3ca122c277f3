"""Bots that are away and come back, with a real worker, scheduler and games."""

from pathlib import Path

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session, sessionmaker

from ladder.bots import versions
from ladder.contests.tournaments import creating, lifecycle
from ladder.model import Ladder, Match, RatingChange, Replay, Seat, Version
from referee.bot import Bot, Decision
from referee.clock import Clock
from referee.replay import read, verify
from referee.rules import Move
from tests.e2e.processes import until
from tests.ladder.databases import on_postgresql, on_sqlite
from tests.ladder.service import Start
from tests.referee.games import served

QUICK = Clock(start_up=1.0)
Sessions = sessionmaker[Session]


class Hasty(Bot):
    """Takes the first legal move."""

    def choose(self, decision: Decision) -> Move:
        return decision.moves[0]


def registered(sessions: Sessions, tmp_path: Path, *names: str) -> list[int]:
    """Bots of different authors: one that is there, one that is not, and more."""
    with sessions.begin() as session:
        made = [
            versions.register(
                session,
                name=name,
                author=f"{name}s",
                address=f"unix:{tmp_path}/{name}",
                version="1",
            ).id
            for name in ("here", "away", *names)
        ]
        session.execute(update(Ladder).values(start_up_ms=1000))
    return made


def is_offline(sessions: Sessions, bot_id: int) -> bool:
    with sessions() as session:
        away = select(Version.offline_since).where(Version.bot_id == bot_id, Version.active)
        return session.scalars(away).one() is not None


def finished(sessions: Sessions) -> int:
    query = select(func.count()).select_from(Match).where(Match.state == "finished")
    with sessions() as session:
        return session.scalars(query).one()


@on_sqlite
def test_a_tournament_waits_for_its_grace_and_then_the_others_play(
    start: Start, sessions: Sessions, tmp_path: Path
) -> None:
    here, away, there = registered(sessions, tmp_path, "there")
    with sessions.begin() as session:
        cup = creating.create(
            session,
            None,
            name="Copa",
            seats=3,
            bot_ids=[here, away, there],
            deals=1,
            clock=QUICK,
            grace=3.0,
        )
        lifecycle.start(session, cup.id)
    with served(Hasty, f"unix:{tmp_path}/here"), served(Hasty, f"unix:{tmp_path}/there"):
        start("scheduler", SANTIAGO_LADDER_PACE="0")
        start("worker")
        until(lambda: is_offline(sessions, away))
        assert not is_offline(sessions, here)
        until(lambda: finished(sessions) == 3)
    with sessions() as session:
        seats = session.scalars(select(Seat)).all()
        assert [seat.rank for seat in seats if seat.bot_id == away] == [3, 3, 3]
        assert {(seat.bot_id, seat.fault) for seat in seats} == {
            (here, None),
            (there, None),
            (away, "absent"),
        }
        for replay in session.scalars(select(Replay.data)).all():
            verify(read(replay))
        assert session.scalars(select(RatingChange)).all() == []
        unreached = session.scalars(select(Match.unreached)).all()
        assert sum(unreached) <= 2  # it is not dialled again and again


@on_postgresql
def test_on_the_ladder_nobody_is_paired_with_it_until_it_is_back(
    start: Start, sessions: Sessions, tmp_path: Path
) -> None:
    _, away = registered(sessions, tmp_path)
    with served(Hasty, f"unix:{tmp_path}/here"):
        start("scheduler")
        start("worker")
        until(lambda: is_offline(sessions, away))
        with sessions() as session:
            states = session.scalars(select(Match.state).order_by(Match.id)).all()
        assert set(states) <= {"queued", "running"}
        assert finished(sessions) == 0
        with served(Hasty, f"unix:{tmp_path}/away"):
            until(lambda: not is_offline(sessions, away))
            until(lambda: finished(sessions) >= 1)
