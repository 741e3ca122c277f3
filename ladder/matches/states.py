"""The states of a match and the one function that changes them.

queued ──claim──> running ──finish──> finished
  ^  │ │             │ │ └─ given up ─> failed
  │  │ └─ cancel ──> │ └──── cancel ──> cancelled
  │  └─── forfeit ───────────────────> finished
  └─ given back, interrupted, out of reach

An interruption is no failure: the match goes back into the queue. A forfeit ends a match of a
tournament whose bot stayed away. An admin may put what failed back into the queue.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import ColumnElement, Update, exists, select, update
from sqlalchemy.orm import Session

from ladder.jobs import attempts
from ladder.model import Job, Match, MatchState, execute

JOB: Final = "match"
"""The kind of job that plays a match."""


MATCH_MOVES: Final = frozenset(
    {
        (MatchState.QUEUED, MatchState.RUNNING),
        (MatchState.QUEUED, MatchState.CANCELLED),
        (MatchState.QUEUED, MatchState.FINISHED),
        (MatchState.RUNNING, MatchState.QUEUED),
        (MatchState.RUNNING, MatchState.FINISHED),
        (MatchState.RUNNING, MatchState.FAILED),
        (MatchState.RUNNING, MatchState.CANCELLED),
        (MatchState.FAILED, MatchState.QUEUED),
    }
)


def move_match(
    session: Session, start: MatchState, to: MatchState, *where: ColumnElement[bool], **values: Any
) -> int:
    """Move the matches that are in state `start` and fulfil `where`; return how many these were.

    The test and the change are one statement, so of two that try the same only one succeeds.
    `values` are further columns to set. Matches that end lose their job; who puts one back into the
    queue must give it one. Raises ValueError if no match may move so.
    """
    count = execute(session, match_move(start, to, *where, **values)).rowcount
    if count and to not in UNDER_WAY:
        attempts.drop_all(session, JOB, ~_IS_UNDER_WAY)
    return count


def match_move(
    start: MatchState, to: MatchState, *where: ColumnElement[bool], **values: Any
) -> Update:
    """Return the statement of `move_match`: building it takes longer than executing it.

    It leaves the match's job as it is.
    """
    if (start, to) not in MATCH_MOVES:
        raise ValueError(f"a match does not go from {start} to {to}")
    return update(Match).where(Match.state == start, *where).values(state=to, **values)


UNDER_WAY: Final = (MatchState.QUEUED, MatchState.RUNNING)
_IS_UNDER_WAY: Final = exists().where(Match.id == Job.subject, Match.state.in_(UNDER_WAY))


def state_of_match(session: Session, match_id: int) -> MatchState:
    """Return the state of the match now."""
    return session.scalars(select(Match.state).where(Match.id == match_id)).one()
