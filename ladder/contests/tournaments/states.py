"""The states of a tournament and the one function that changes them.

created ──start──> running ──last match over──> finished
   │               ^  │  │                         ^
   │          resume  pause                        │
   │               │  v  │                         │
   │              paused ──the matches under way were the last
   └──cancel──> cancelled <──cancel── (running, paused)

While it is paused, no match begins; those under way are played to their end.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final

from sqlalchemy import CursorResult, update
from sqlalchemy.orm import Session

from ladder import model
from ladder.contests.tournaments.reading import found
from ladder.errors import Phrase, Refused


class State(StrEnum):
    """Where a tournament stands."""

    CREATED = "created"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class Step(StrEnum):
    """What happens to a tournament; the words of the sentence that refuses it."""

    START = "started"
    PAUSE = "paused"
    RESUME = "resumed"
    FINISH = "finished"
    CANCEL = "cancelled"


_UNDER_WAY: Final = frozenset({State.RUNNING, State.PAUSED})

STEPS: Final[dict[Step, tuple[frozenset[State], State]]] = {
    Step.START: (frozenset({State.CREATED}), State.RUNNING),
    Step.PAUSE: (frozenset({State.RUNNING}), State.PAUSED),
    Step.RESUME: (frozenset({State.PAUSED}), State.RUNNING),
    Step.FINISH: (_UNDER_WAY, State.FINISHED),
    Step.CANCEL: (_UNDER_WAY | {State.CREATED}, State.CANCELLED),
}
"""Each step: the states it starts from, and the one it leads to."""


def possible(state: str) -> tuple[Step, ...]:
    """The steps that an organiser may take from this state."""
    return tuple(
        step for step, (starts, _) in STEPS.items() if state in starts and step != Step.FINISH
    )


def take(session: Session, tournament_id: int, step: Step, **values: Any) -> None:
    """Take a step; `values` are further columns to set. Raises NotFound and Refused.

    The test and the change are one statement, so of two that try the same only one succeeds.
    """
    starts, to = STEPS[step]
    result = session.execute(
        update(model.Tournament)
        .where(model.Tournament.id == tournament_id, model.Tournament.state.in_(starts))
        .values(state=to, **values),
        execution_options={"synchronize_session": False},
    )
    assert isinstance(result, CursorResult)
    if result.rowcount:
        return
    raise Refused(
        "tournament %(tournament)s is %(state)s: it can't be %(step)s now",
        tournament=tournament_id,
        state=Phrase(found(session, tournament_id).state),
        step=Phrase(step),
    )
