"""The one function that moves a match from state to state, and what follows when it is over.

The moves stand in `ladder.model.states`. Matches don't know the conduct of bots: `ladder.wiring`
sets what follows there (`FollowUps`) once in each process.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Update, bindparam, select, update
from sqlalchemy.orm import Session

from ladder.jobs import attempts
from ladder.model import MATCH_MOVES, MATCH_UNDER_WAY, Match, MatchState, Tournament, execute, now

JOB: Final = "match"
"""The kind of job that plays a match."""

_COUNT: Final = (
    update(Tournament.__table__)  # type: ignore[arg-type]
    .where(
        Tournament.id
        == select(Match.tournament_id).where(Match.id == bindparam("match_id")).scalar_subquery()
    )
    .values(settled=Tournament.settled + 1, finished=Tournament.finished + bindparam("with_result"))
)
"""Built once, and of the table: objects would take longer than the database."""


@dataclass(frozen=True, slots=True)
class FollowUps:
    """The functions that other packages add to the events of a match, in the same transaction."""

    rated: Callable[[Session, Collection[tuple[int, int, bool]]], None]
    """Count the faults of a rated match: (bot id, version id, faulted). The ledger is locked."""
    missed: Callable[[Session, int, str], None]
    """Record why a version could not be reached before it accepted."""
    lost: Callable[[Session, int], None]
    """Record that a version is out of reach by a failure of the platform."""
    reached: Callable[[Session, Sequence[int]], None]
    """Record that these versions, which were missed, have played a match to its end."""


_set: list[FollowUps] = []


def set_follow_ups(follow_ups: FollowUps) -> None:
    """Set the functions that `follow_ups` returns, once in each process."""
    _set[:] = [follow_ups]


def follow_ups() -> FollowUps:
    """Return the functions that `ladder.wiring` has set. Raises RuntimeError without it."""
    if not _set:
        raise RuntimeError("this process has not imported ladder.wiring")
    return _set[0]


def move_match(
    session: Session, start: MatchState, to: MatchState, *where: ColumnElement[bool], **values: Any
) -> int:
    """Move the matches that are in state `start` and fulfil `where`; return how many these were.

    The test and the change are one statement, so of two that try the same only one succeeds.
    `values` are further columns to set. Matches that end lose their job; who puts one back into the
    queue must give it one. Raises ValueError if no match may move so.
    """
    move = match_move(start, to, *where, **values).returning(Match.id)
    moved = execute(session, move).scalars().all()
    if to not in MATCH_UNDER_WAY:
        attempts.drop(session, JOB, *moved)
    return len(moved)


def cancel_queued(session: Session, *where: ColumnElement[bool], reason: str) -> int:
    """Cancel the queued matches that fulfil `where`; return how many. `reason` is a sentence."""
    queued, cancelled, at = MatchState.QUEUED, MatchState.CANCELLED, now(session)
    return move_match(session, queued, cancelled, *where, reason=reason, finished_at=at)


def match_move(
    start: MatchState, to: MatchState, *where: ColumnElement[bool], **values: Any
) -> Update:
    """Return the statement of `move_match`: building it takes longer than executing it.

    It leaves the match's job as it is.
    """
    if (start, to) not in MATCH_MOVES:
        raise ValueError(f"a match does not go from {start} to {to}")
    return update(Match).where(Match.state == start, *where).values(state=to, **values)


def settle(session: Session, match_id: int, *, finished: bool) -> None:
    """Count a match that has just ended in its tournament; `finished`: it has a result.

    The ledger must be locked.
    """
    execute(session, _COUNT, {"match_id": match_id, "with_result": int(finished)})
