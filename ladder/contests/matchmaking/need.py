"""How many matches the ladders need, and which bots are free for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import inf
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.jobs import room
from ladder.jobs.dispatch import unsent
from ladder.jobs.room import Occupancy
from ladder.matches import Kind, tables
from ladder.matches.job import MATCHES
from ladder.matches.tables import Guest
from ladder.model import Job, Match, now
from referee.rules.pieces import MAX_PLAYERS

_DEPTH: Final = 2  # for each place a match that is played, and one that waits
_LADDER: Final = MATCHES.queue(Kind.LADDER)
_MINUTE: Final = timedelta(minutes=1)


@dataclass(slots=True)
class Need:
    """What is still needed. A match that waits for a slot of a bot fills no place yet."""

    matches: int
    """That can be played at once."""
    pace: float
    """Matches that may be made in a minute."""
    at: datetime
    lately: list[datetime]
    """When the newest matches of the ladder were made, as far as the pace depends on them."""
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
        """Whether the pace allows a deal of so many matches now.

        A deal that is larger than the pace waits until it is due: four matches at a pace of one
        come every four minutes.
        """
        if self.pace == inf:
            return True
        since = self.at - _MINUTE * max(1.0, number / self.pace)
        made = sum(created_at > since for created_at in self.lately)
        return made + number <= max(self.pace, number)

    def is_free(self, bot_id: int, slots: int) -> bool:
        """Whether a bot with so many slots may be dealt in."""
        return bot_id not in self.owed and self.occupied.free(_LADDER, bot_id, slots)

    def made(self, guests: Sequence[Guest]) -> None:
        """These bots got a deal: as many matches as bots."""
        self.lately += [self.at] * len(guests)
        self.dealt.update(guest.bot_id for guest in guests)
        for _ in guests:
            self.wait(guests)

    def wait(self, guests: Sequence[Guest]) -> None:
        """A match of these bots waits: it can be played at once, or they owe it."""
        parties = tables.parties(guests)
        if self.occupied.begin(_LADDER, parties):
            self.matches -= 1
        else:
            self.owed.update(party.id for party in parties if party.holds)


def need(session: Session, places: int, *, message_age: float, pace: float) -> Need:
    """By what is played, what has a message and so can be, and what waits."""
    at = now(session)
    lost = at - timedelta(seconds=message_age)
    queues = [queue.name for queue in MATCHES.queues]
    occupied = room.occupancy(session, [MATCHES], queues, lost)
    found = Need(
        matches=_DEPTH * places - sum(occupied.jobs[queue] for queue in queues),
        pace=pace,
        at=at,
        lately=_made_lately(session, pace) if pace < inf else [],
        occupied=occupied,
        owed=set(),
    )
    for guests in _unsent(session, lost):
        found.wait(guests)
    return found


def _unsent(session: Session, lost: datetime) -> list[list[Guest]]:
    """The tables of the ladder that wait without a message, the oldest first."""
    queued = select(Job.subject).where(unsent(Kind.LADDER, lost)).order_by(Job.subject)
    ids = session.scalars(queued).all()
    seated = tables.guests(session, Kind.LADDER, ids)
    return [seated[match_id] for match_id in ids]


def _made_lately(session: Session, pace: float) -> list[datetime]:
    """Return when the newest matches of the ladder were made, as many as a pace can depend on."""
    newest = select(Match.created_at).where(Match.kind == Kind.LADDER).order_by(Match.id.desc())
    return list(session.scalars(newest.limit(max(int(pace), MAX_PLAYERS))))
