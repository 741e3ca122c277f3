"""Which queued matches get a message: the database is the truth, messages may be lost.

A message is sent only where the match can be played as soon as a worker has a place for it: one
that waits for a slot of a bot stays in the database.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    and_,
    bindparam,
    exists,
    or_,
    select,
    update,
)
from sqlalchemy.orm import Session

from ladder.matches import room
from ladder.matches.claims import playable
from ladder.matches.kinds import Kind
from ladder.matches.room import Occupancy
from ladder.matches.states import State
from ladder.model import Match, Seat, Timestamp, now, write

_Time = datetime | BindParameter[datetime]

_LOOK_AT: Final = 4  # candidates for each message that may be sent


def waiting(session: Session, *, message_age: float) -> list[Kind]:
    """The kinds of which some match may need a message, in order of priority; locks nothing."""
    at = now(session)
    lost = at - timedelta(seconds=message_age)
    row = session.execute(_WAITING, {"at": at, "lost": lost}).one()
    return [kind for kind, waits in zip(Kind, row, strict=True) if waits]


def due(session: Session, kind: Kind, *, limit: int, message_age: float) -> list[int]:
    """The ids of queued matches that need a message now; they count as sent from here on.

    At most `limit`: first those that never had a message, then those whose last one is older than
    `message_age` seconds and so perhaps lost. A superfluous message does no harm, since its claim
    finds nothing to take. The caller commits, then sends.
    """
    at = now(session)
    lost = at - timedelta(seconds=message_age)
    occupied = room.occupancy(session, _in_hand(kind, lost))
    if not occupied.has_part(kind):
        return []
    ids = _seated(session, kind, _queued(kind, at, lost), occupied, limit)
    if ids:
        write(session)  # not before: to find them takes a while
        session.execute(
            update(Match).where(Match.id.in_(ids), Match.state == State.QUEUED).values(sent_at=at),
            execution_options={"synchronize_session": False},
        )
    return ids


def _seated(
    session: Session, kind: Kind, queued: ColumnElement[bool], occupied: Occupancy, limit: int
) -> list[int]:
    """The first of the queued matches that can be played beside what is in hand."""
    busy = exists().where(
        Seat.match_id == Match.id, Seat.bot_id.in_(room.full(session, kind, occupied))
    )
    query = (
        select(Match.id)
        .where(queued, ~busy, ~room.absent(kind))
        .order_by(Match.sent_at.is_not(None), Match.id)
        .limit(_LOOK_AT * limit)
        .with_for_update(skip_locked=True)  # who claims or cancels it knows better
    )
    found = list(session.scalars(query))
    guests = room.guests(session, kind, found)
    ids: list[int] = []
    for match_id in found:
        if len(ids) < limit and occupied.begin(kind, guests[match_id]):
            ids.append(match_id)
    return ids


def _queued(kind: Kind, at: _Time, lost: _Time) -> ColumnElement[bool]:
    """Whether a match of this kind waits, and has no message under way as far as anybody knows."""
    unsent = or_(Match.sent_at.is_(None), Match.sent_at < lost)
    return and_(Match.kind == kind, Match.state == State.QUEUED, unsent, playable(at))


def _in_hand(kind: Kind, lost: datetime) -> ColumnElement[bool]:
    """What is played, and what will be before matches of this kind: its messages are under way."""
    under_way = and_(
        Match.state == State.QUEUED, Match.sent_at >= lost, Match.kind.in_(kind.before)
    )
    return or_(Match.state == State.RUNNING, under_way)


_WAITING: Final = select(
    *(
        exists().where(
            _queued(kind, bindparam("at", type_=Timestamp), bindparam("lost", type_=Timestamp))
        )
        for kind in Kind
    )
)
"""Whether a match of each kind waits; built once, since the scheduler asks all the time."""
