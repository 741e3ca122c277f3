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

from sqlalchemy import ColumnElement, Update, select, update
from sqlalchemy.orm import Session

from ladder.model import Match, execute


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
    `values` are further columns to set.
    """
    return execute(session, moving(start, to, *where, **values), {}).rowcount


def moving(start: State, to: State, *where: ColumnElement[bool], **values: Any) -> Update:
    """The statement of `move`: to build it takes longer than to execute it.

    Whoever leaves `running` loses the lease. Whoever comes back into the queue has no message under
    way, and no attempt holds its token: not even where it then ends without being played.
    """
    if (start, to) not in MOVES:
        raise ValueError(f"a match does not go from {start} to {to}")
    if start is State.RUNNING:
        values["lease_until"] = None
    if to is State.QUEUED:
        values["sent_at"] = values["token"] = None
    return update(Match).where(Match.state == start, *where).values(state=to, **values)


def state_of(session: Session, match_id: int) -> State:
    """Where the match stands now."""
    return State(session.scalars(select(Match.state).where(Match.id == match_id)).one())
