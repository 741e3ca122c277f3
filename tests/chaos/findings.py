"""What must hold after the chaos, and what has happened in it."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from redis import Redis, RedisError
from sqlalchemy import func, select
from sqlalchemy.orm import Session, sessionmaker

from ladder.contests.tournaments import lookup
from ladder.live import stream
from ladder.matches import reading
from ladder.matches.reading import WITHOUT_GAME
from ladder.model import Match, MatchState, RatingChange, Replay
from referee import replay
from referee.rules.trace import cells_json
from tests.ladder.ledgers import check_ledger

OVER = (MatchState.FINISHED, MatchState.FAILED, MatchState.CANCELLED)


class NewestHeard:
    """Looks at the end of each match's live stream, as a page does that is opened late."""

    def __init__(self, redis_url: str, sessions: sessionmaker[Session]) -> None:
        self._redis = Redis.from_url(redis_url)
        self._sessions = sessions
        self._attempts: dict[int, int] = {}
        self.went_back: list[str] = []
        """Sentences; there must be none."""

    def look(self) -> None:
        """Compare the newest attempts with those that were heard before."""
        with self._sessions() as session:
            ids = session.scalars(select(Match.id).where(Match.attempt > 0)).all()
        pipeline = self._redis.pipeline(transaction=False)
        for match_id in ids:
            pipeline.xrevrange(f"santiago:live:{match_id}", count=1)
        with suppress(RedisError):  # it is being restarted
            for match_id, entries in zip(ids, pipeline.execute(), strict=True):
                for position, _ in entries:
                    self._note(match_id, int(position.partition(b"-")[0]))

    def close(self) -> None:
        self._redis.close()

    def _note(self, match_id: int, attempt: int) -> None:
        before = self._attempts.get(match_id, 0)
        if attempt < before:
            self.went_back.append(f"match {match_id}: attempt {attempt} after {before}")
        self._attempts[match_id] = max(before, attempt)


@dataclass(frozen=True)
class Found:
    """Counts, after all that must hold did."""

    states: dict[str, int]
    seats: dict[int, int]
    kinds: dict[str, int]
    interruptions: int
    attempts: int
    verified: int
    heard: int
    """Events of the live streams that were compared with replays."""


def check(session: Session, redis_url: str, heard: NewestHeard) -> Found:
    """Everything that must hold; the session must be at the beginning of a transaction."""
    check_ledger(session)
    session.rollback()
    rows = session.scalars(select(Match).order_by(Match.id)).all()
    assert {match.state for match in rows} <= set(OVER)
    assert all(match.reason for match in rows), "a match ended without a reason"
    _check_counted_once(session, rows)
    assert not heard.went_back, heard.went_back
    verified, events = 0, 0
    with Redis.from_url(redis_url) as redis:
        for match in rows:
            if match.state == MatchState.FINISHED and match.reason not in WITHOUT_GAME:
                verified += 1
                events += _check_replay(session, redis, match)
    return Found(
        states=Counter(match.state for match in rows),
        seats=Counter(match.seats for match in rows),
        kinds=Counter(match.kind for match in rows),
        interruptions=sum(match.interruptions for match in rows),
        attempts=sum(match.attempt for match in rows),
        verified=verified,
        heard=events,
    )


def _check_counted_once(session: Session, rows: Sequence[Match]) -> None:
    """A replay and a change of each rating for each match that was played out, and no other."""
    played = [
        one for one in rows if one.state == MatchState.FINISHED and one.reason not in WITHOUT_GAME
    ]
    assert all(match.rated for match in played)
    entered = select(RatingChange.match_id, func.count()).where(RatingChange.kind == "result")
    changes = dict(session.execute(entered.group_by(RatingChange.match_id)).all())
    assert changes == {match.id: match.seats for match in played}
    assert set(session.scalars(select(Replay.match_id))) == {match.id for match in played}
    for row in lookup.page(session):
        of_it = Counter(match.state for match in rows if match.tournament_id == row.id)
        assert (row.state, row.settled) == ("finished", row.total)
        assert (row.total, row.finished) == (of_it.total(), of_it[MatchState.FINISHED])


def _check_replay(session: Session, redis: Redis, match: Match) -> int:
    """It is the replay of the attempt that counts, and what was heard live of that is in it.

    Returns how many events were compared.
    """
    record = replay.read(reading.replay(session, match.id))
    replay.verify(record)
    assert (record.match_id, record.attempt) == (str(match.id), match.attempt)
    assert list(record.result.ranks) == [seat.rank for seat in match.table]
    states = [frame["state"] for frame in replay.frames(record)["frames"]]
    heard = stream.read(redis, match.id)
    assert all(event.attempt <= match.attempt for event in heard)
    counted = [event for event in heard if event.attempt == match.attempt]
    for event in counted:
        if event.cells is not None:
            assert cells_json(event.cells) == states[event.sequence], (
                f"match {match.id}: a zombie's event"
            )
    return len(counted)
