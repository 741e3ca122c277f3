"""How many matches the ladders need, and which bots are free for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import inf
from typing import Final

from sqlalchemy import and_, func, or_, select
from sqlalchemy.orm import Session

from ladder.matches import Kind, State, room
from ladder.matches.paces import holders
from ladder.matches.room import Guest, Occupancy
from ladder.model import Match, now

_DEPTH: Final = 2  # for each place a match that is played, and one that waits
_MINUTE: Final = timedelta(minutes=1)


@dataclass(slots=True)
class Need:
    """What is still needed. A match that waits for a slot of a bot fills no place yet."""

    matches: int
    """That can be played at once."""
    pace: float
    """Matches that may be made now."""
    fresh: bool
    """Whether none was made in the last minute: then a whole deal may go beyond the pace."""
    occupied: Occupancy
    owed: set[int]
    """The bots that some queued match of the ladder waits for."""
    dealt: set[int] = field(default_factory=set)
    """The bots that got a deal since."""

    @property
    def more(self) -> bool:
        """Whether another deal is needed."""
        return self.matches > 0

    def may_make(self, number: int) -> bool:
        """Whether the pace allows so many matches more."""
        return number <= self.pace or self.fresh

    def is_free(self, bot_id: int, slots: int) -> bool:
        """Whether a bot with so many slots may be dealt in."""
        return bot_id not in self.owed and self.occupied.free(Kind.LADDER, bot_id, slots)

    def made(self, guests: Sequence[Guest]) -> None:
        """These bots got a deal: as many matches as bots."""
        self.pace -= len(guests)
        self.fresh = False
        self.dealt.update(guest.bot_id for guest in guests)
        for _ in guests:
            self.wait(guests)

    def wait(self, guests: Sequence[Guest]) -> None:
        """A match of these bots waits: it can be played at once, or they owe it."""
        if self.occupied.begin(Kind.LADDER, guests):
            self.matches -= 1
        else:
            self.owed.update(holders([(guest.bot_id, guest.usual_ms) for guest in guests]))


def need(session: Session, places: int, *, message_age: float, pace: float) -> Need:
    """By what is played, what has a message and so can be, and what waits."""
    at = now(session)
    lost = at - timedelta(seconds=message_age)
    in_hand = or_(
        Match.state == State.RUNNING, and_(Match.state == State.QUEUED, Match.sent_at >= lost)
    )
    count = session.scalars(select(func.count()).select_from(Match).where(in_hand)).one()
    lately = _made_lately(session, at, int(pace)) if pace < inf else 0
    found = Need(
        matches=_DEPTH * places - count,
        pace=pace - lately,
        fresh=not lately,
        occupied=room.occupancy(session, in_hand),
        owed=set(),
    )
    for guests in _unsent(session, lost):
        found.wait(guests)
    return found


def _unsent(session: Session, lost: datetime) -> list[list[Guest]]:
    """The tables of the ladder that wait without a message, the oldest first."""
    queued = select(Match.id).where(
        Match.state == State.QUEUED,
        Match.kind == Kind.LADDER,
        or_(Match.sent_at.is_(None), Match.sent_at < lost),
    )
    ids = session.scalars(queued.order_by(Match.id)).all()
    tables = room.guests(session, Kind.LADDER, ids)
    return [tables[match_id] for match_id in ids]


def _made_lately(session: Session, at: datetime, at_most: int) -> int:
    """How many matches of the ladder the last minute brought, so far as that matters."""
    newest = select(Match.created_at).where(Match.kind == Kind.LADDER).order_by(Match.id.desc())
    made = session.scalars(newest.limit(at_most + 1))
    return sum(created_at > at - _MINUTE for created_at in made)
