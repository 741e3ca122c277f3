"""Whether there is room for a match: its bots have slots left, and none holds too many places.

A bot plays at most `slots` games at the same time, and on the ladder it holds at most a quarter of
all places (one at least), so that a bot that takes all the time it may does not hold up the others.
Trials and challenges, too, hold but a part of the places, all of a kind together.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, exists, or_, select
from sqlalchemy.orm import Session

from ladder import workers
from ladder.matches.kinds import Kind
from ladder.matches.paces import holders
from ladder.model import Bot, Match, Seat, Version

_SHARE: Final = 4  # a bot holds one place in so many
_PARTS: Final[dict[str, int]] = {Kind.VALIDATION: 10, Kind.CHALLENGE: 4}
"""What goes before tournaments takes one place in so many at most: else it could hold them up."""


@dataclass(frozen=True, slots=True)
class Guest:
    """A bot at the table of a match. `ready`: it may play this match now. `usual_ms`: how long it
    usually thinks in one; None where that is not known."""

    bot_id: int
    slots: int
    ready: bool
    usual_ms: int | None = None


@dataclass(slots=True)
class Occupancy:
    """What is played at so many `places`: matches by kind, games by bot, and the places that each
    bot holds by matches of the ladder; see `ladder.matches.paces`."""

    places: int
    matches: Counter[str] = field(default_factory=Counter)
    games: Counter[int] = field(default_factory=Counter)
    held: Counter[int] = field(default_factory=Counter)

    def add(self, kind: str, table: Sequence[tuple[int, int | None]]) -> None:
        """A match of these bots begins, who usually think for so many ms."""
        self.matches[kind] += 1
        self.games.update(bot_id for bot_id, _ in table)
        if kind == Kind.LADDER:
            self.held.update(holders(table))

    def begin(self, kind: str, guests: Sequence[Guest]) -> bool:
        """Add a match of these guests, if all of them may begin it now."""
        table = [(guest.bot_id, guest.usual_ms) for guest in guests]
        if not self.has_room(kind, guests):
            return False
        self.add(kind, table)
        return True

    def has_room(self, kind: str, guests: Sequence[Guest]) -> bool:
        """Whether all of them may begin a match of this kind now."""
        if not self.has_part(kind):
            return False
        if not all(guest.ready and self.games[guest.bot_id] < guest.slots for guest in guests):
            return False
        if kind != Kind.LADDER:
            return True
        holding = holders([(guest.bot_id, guest.usual_ms) for guest in guests])
        return all(self.held[bot_id] < share(self.places) for bot_id in holding)

    def has_part(self, kind: str) -> bool:
        """Whether one more of a kind may be played, whoever is at the table."""
        part = _PARTS.get(kind)
        return part is None or self.matches[kind] < max(1, self.places // part)

    def free(self, kind: str, bot_id: int, slots: int) -> bool:
        """Whether a bot with so many slots may begin a match of this kind."""
        if kind == Kind.LADDER and self.held[bot_id] >= share(self.places):
            return False
        return self.games[bot_id] < slots


def share(places: int) -> int:
    """How many of the places one bot may hold by matches of the ladder."""
    return max(1, places // _SHARE)


def occupancy(session: Session, *where: ColumnElement[bool]) -> Occupancy:
    """What the bots play of the matches that fulfil `where`."""
    found = Occupancy(workers.places(session))
    query = (
        select(Match.id, Match.kind, Bot.id, Bot.usual_think_ms)
        .join(Seat, Seat.match_id == Match.id)
        .join(Bot, Bot.id == Seat.bot_id)
    )
    for kind, table in tables(session.execute(query.where(*where))):
        found.add(kind, table)
    return found


def tables(
    rows: Iterable[Sequence[Any]],
) -> list[tuple[str, list[tuple[int, int | None]]]]:
    """Kind, and bots with their usual ms, of each match; from rows of (match, kind, bot, ms)."""
    found: dict[int, tuple[str, list[tuple[int, int | None]]]] = {}
    for match_id, kind, bot_id, usual_ms in rows:
        found.setdefault(match_id, (kind, []))[1].append((bot_id, usual_ms))
    return list(found.values())


def full(session: Session, kind: Kind, occupied: Occupancy) -> list[int]:
    """The bots that play so many games that they can begin none of this kind."""
    if not occupied.games:
        return []
    slots = select(Bot.id, Bot.slots).where(Bot.id.in_(list(occupied.games)))
    return [bot for bot, count in session.execute(slots) if not occupied.free(kind, bot, count)]


def guests(session: Session, kind: Kind, match_ids: Sequence[int]) -> dict[int, list[Guest]]:
    """Who sits at the tables of these matches, all of one kind."""
    if not match_ids:
        return {}
    query = (
        select(Seat.match_id, Bot.id, Bot.slots, ready_for(kind), Bot.usual_think_ms)
        .join(Bot, Bot.id == Seat.bot_id)
        .join(Version, Version.id == Seat.version_id)
        .where(Seat.match_id.in_(match_ids))
        .order_by(Seat.match_id, Seat.seat)
    )
    found = defaultdict(list)
    for match_id, bot_id, slots, ready, usual_ms in session.execute(query):
        found[match_id].append(Guest(bot_id, slots, bool(ready), usual_ms))
    return dict(found)


def absent(kind: Kind) -> ColumnElement[bool]:
    """Whether somebody at the table of a match of this kind may not play it now."""
    return (
        exists()
        .where(Seat.match_id == Match.id)
        .where(Bot.id == Seat.bot_id, Version.id == Seat.version_id, ~ready_for(kind))
    )


def ready_for(kind: Kind) -> ColumnElement[bool]:
    """Whether a bot (of the tables bots and versions) may play matches of this kind now.

    Beside the ladder a version may play that is not the bot's active one: it is new and tried out,
    or on the entry list of a tournament. Whether the active one is out of reach then says nothing
    of it, and a pause nothing of a trial. A bot that is paused, or retired and so without a secret
    by which it could be known, plays in no tournament.
    """
    reached = or_(Bot.offline_since.is_(None), Version.state != "active")
    if kind is Kind.LADDER:
        return and_(Bot.state == "active", reached, Version.state == "active")
    if kind is Kind.VALIDATION:
        plays = and_(Bot.state == "active", Version.state == "active")
        return and_(reached, or_(plays, Version.state == "trial"))
    return and_(Bot.state == "active", reached)
