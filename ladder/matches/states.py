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

from enum import StrEnum
from typing import Any, Final

from sqlalchemy import ColumnElement, Update, exists, select, update
from sqlalchemy.orm import Session

from ladder.jobs import attempts
from ladder.model import Job, Match, execute

JOB: Final = "match"
"""The kind of job that plays a match."""


class State(StrEnum):
    """Where a match stands."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"


MOVES: Final = frozenset(
    {
        (State.QUEUED, State.RUNNING),
        (State.QUEUED, State.CANCELLED),
        (State.QUEUED, State.FINISHED),
        (State.RUNNING, State.QUEUED),
        (State.RUNNING, State.FINISHED),
        (State.RUNNING, State.FAILED),
        (State.RUNNING, State.CANCELLED),
        (State.FAILED, State.QUEUED),
    }
)


def move(
    session: Session, start: State, to: State, *where: ColumnElement[bool], **values: Any
) -> int:
    """Move the matches that are in state `start` and fulfil `where`; how many these were.

    The test and the change are one statement, so of two that try the same only one succeeds.
    `values` are further columns to set. Matches that end have no job any more; who brings one back
    into the queue sees to its job.
    """
    count = execute(session, moving(start, to, *where, **values)).rowcount
    if count and to not in UNDER_WAY:
        attempts.drop_all(session, JOB, ~_IS_UNDER_WAY)
    return count


def moving(start: State, to: State, *where: ColumnElement[bool], **values: Any) -> Update:
    """The statement of `move`: to build it takes longer than to execute it.

    The match's job is left as it is.
    """
    if (start, to) not in MOVES:
        raise ValueError(f"a match does not go from {start} to {to}")
    return update(Match).where(Match.state == start, *where).values(state=to, **values)


UNDER_WAY: Final = (State.QUEUED, State.RUNNING)
_IS_UNDER_WAY: Final = exists().where(Match.id == Job.subject, Match.state.in_(UNDER_WAY))


def state_of(session: Session, match_id: int) -> State:
    """Where the match stands now."""
    return State(session.scalars(select(Match.state).where(Match.id == match_id)).one())
