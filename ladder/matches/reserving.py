"""What a claim reserves in the database: a place of its worker, and a slot of each bot.

What runs is counted, not a column of its own: so nothing has to be given back, whatever happens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import bindparam, or_, select
from sqlalchemy.orm import Session

from ladder import workers
from ladder.database import models
from ladder.database.models import Match, Seat
from ladder.matches import room
from ladder.matches.kinds import Kind
from ladder.matches.room import Guest, Occupancy
from ladder.matches.states import State

ALONE_FROM: Final = 2
"""A match that was interrupted so often is played with nothing beside it in its process."""


# Statements are built once: that takes longer than to execute them.
_WORKER: Final = (
    select(models.Worker.places, models.Worker.stopping)
    .where(models.Worker.name == bindparam("worker"))
    .with_for_update()
)
_BESIDE: Final = (
    select(Match.id, Match.kind, Match.claimed_by, Match.interruptions, Seat.bot_id)
    .join(Seat, Seat.match_id == Match.id)
    .where(
        Match.state == State.RUNNING,
        or_(
            Match.claimed_by == bindparam("worker"),
            # The sum keeps databases from looking through all games that a bot ever played.
            (Seat.bot_id + 0).in_(bindparam("bots", expanding=True)),
        ),
    )
)
"""What the worker plays, and what the bots play."""


@dataclass(frozen=True, slots=True)
class Place:
    """A worker that wants to play a match. Its row is locked until the end of the transaction."""

    worker: str
    places: int | None
    """None where the worker has not registered: then nobody counts."""
    stopping: bool


def place(session: Session, worker: str) -> Place:
    """The worker by name; at most one claim of it at a time goes on from here."""
    row = session.execute(_WORKER, {"worker": worker}).one_or_none()
    return Place(worker, None, stopping=False) if row is None else Place(worker, *row)


def has_room(
    session: Session, place: Place, kind: Kind, guests: Sequence[Guest], *, alone: bool
) -> bool:
    """Whether worker and bots can begin this match now. Their rows must be locked.

    A match that is played alone wants a worker that plays nothing, and then keeps others away.
    """
    occupied = Occupancy(room.share(workers.places(session)) if kind is Kind.LADDER else 1)
    beside: dict[int, int] = {}  # the matches of this worker, and how often they were interrupted
    playing = {"worker": place.worker, "bots": [guest.bot_id for guest in guests]}
    for match_id, of_kind, claimed_by, interruptions, bot_id in session.execute(_BESIDE, playing):
        occupied.add(of_kind, (bot_id,))
        if claimed_by == place.worker:
            beside[match_id] = interruptions
    return _fits(place, beside, alone=alone) and occupied.has_room(kind, guests)


def _fits(place: Place, beside: dict[int, int], *, alone: bool) -> bool:
    if place.stopping or (alone and beside) or max(beside.values(), default=0) >= ALONE_FROM:
        return False
    return place.places is None or len(beside) < place.places
