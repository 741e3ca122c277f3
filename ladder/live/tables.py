"""What the database knows of matches that are watched: it says which attempt counts."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from random import Random

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.errors import NotFound
from ladder.live.stream import Event
from ladder.matches import State
from ladder.model import Deal, Match
from referee.rules import Layout


@dataclass(frozen=True, slots=True)
class Standing:
    """How a match stands: its state, and the number of its newest attempt."""

    state: State
    attempt: int

    def counts(self, event: Event) -> bool:
        """Whether it is of the attempt that is played or has ended, and not of one given up."""
        at_play = self.state in (State.RUNNING, State.FINISHED)
        return at_play and event.attempt == self.attempt


def standings(session: Session, match_ids: Collection[int]) -> dict[int, Standing]:
    """How these matches stand at the moment."""
    query = select(Match.id, Match.state, Match.attempt).where(Match.id.in_(match_ids))
    return {
        match_id: Standing(State(state), attempt)
        for match_id, state, attempt in session.execute(query)
    }


def layout(session: Session, match_id: int) -> Layout:
    """The board of a match that was begun, as everybody at its table saw it; or NotFound."""
    query = (
        select(Deal.layout_seed)
        .join(Match, Match.deal_id == Deal.id)
        .where(Match.id == match_id, Match.attempt > 0)
    )
    seed = session.scalar(query)
    if seed is None:
        raise NotFound("match %(match)s has not begun", match=match_id)
    return Layout.shuffled(Random(seed))
