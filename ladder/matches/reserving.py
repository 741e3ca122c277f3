"""What a claim reserves in the database: a place of its worker, one of those that its kind and its
bots may hold, and a slot of each bot.

What runs is counted, not a column of its own: so nothing has to be given back, whatever happens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from ladder import model, workers
from ladder.matches import room
from ladder.matches.kinds import Kind
from ladder.matches.room import Guest, Occupancy
from ladder.matches.states import State
from ladder.model import CLOCK, Bot, Match, Seat, execute, now

ALONE_FROM: Final = 2
"""A match that was interrupted so often is played with nothing beside it in its process."""


# Statements are built once: that takes longer than to execute them.
_WORKER: Final = (
    select(CLOCK, model.Worker.places, model.Worker.stopping)
    .where(model.Worker.name == bindparam("worker"))
    .with_for_update()
)
_RUNNING: Final = (
    select(Match.id, Match.kind, Bot.id, Bot.usual_think_ms, Match.claimed_by, Match.interruptions)
    .join(Seat, Seat.match_id == Match.id)
    .join(Bot, Bot.id == Seat.bot_id)
    .where(Match.state == State.RUNNING)
)
"""Not only what worker and bots play: to find that by bot, databases look through all its games."""


@dataclass(frozen=True, slots=True)
class Place:
    """A worker that wants to play a match. Its row is locked until the end of the transaction.
    `at`: the time by the database's clock."""

    worker: str
    at: datetime
    places: int | None
    """None where the worker has not registered: then nobody counts."""
    stopping: bool


def place(session: Session, worker: str) -> Place:
    """The worker by name; at most one claim of it at a time goes on from here."""
    row = execute(session, _WORKER, {"worker": worker}).one_or_none()
    return Place(worker, now(session), None, stopping=False) if row is None else Place(worker, *row)


def has_room(
    session: Session, place: Place, kind: Kind, guests: Sequence[Guest], *, alone: bool
) -> bool:
    """Whether worker and bots can begin this match now. Their rows must be locked.

    A match that is played alone wants a worker that plays nothing, and then keeps others away.
    """
    bounded = kind is not Kind.TOURNAMENT  # whose matches may hold all places
    occupied = Occupancy(workers.places(session, place.at) if bounded else 0)
    rows = execute(session, _RUNNING).all()
    for of_kind, table in room.tables(row[:4] for row in rows):
        occupied.add(of_kind, table)
    beside = {row.id: row.interruptions for row in rows if row.claimed_by == place.worker}
    return _fits(place, beside, alone=alone) and occupied.has_room(kind, guests)


def _fits(place: Place, beside: dict[int, int], *, alone: bool) -> bool:
    if place.stopping or (alone and beside) or max(beside.values(), default=0) >= ALONE_FROM:
        return False
    return place.places is None or len(beside) < place.places
