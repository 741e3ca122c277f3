"""Whether there is room for a match: its bots have slots left, and none holds too many places.

A bot plays at most `slots` games at the same time, and on the ladder it holds at most a quarter of
all places (one at least), so that a bot that takes all the time it may does not hold up the others.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import ColumnElement, and_, exists, or_, select
from sqlalchemy.orm import Session

from ladder import workers
from ladder.database.models import Bot, Match, Seat, Version
from ladder.matches.kinds import Kind

_SHARE: Final = 4  # a bot holds one place in so many
_FOR_VALIDATION: Final = 10  # new versions are tried in one place in so many


@dataclass(frozen=True, slots=True)
class Guest:
    """A bot at the table of a match. `ready`: it may play this match now."""

    bot_id: int
    slots: int
    ready: bool


@dataclass(slots=True)
class Occupancy:
    """How many games each bot plays, in all and on the ladder, where it may hold `share` places."""

    share: int
    games: Counter[int] = field(default_factory=Counter)
    ladder_games: Counter[int] = field(default_factory=Counter)

    def add(self, kind: str, bot_ids: Iterable[int]) -> None:
        """A match begins."""
        bots = tuple(bot_ids)
        self.games.update(bots)
        if kind == Kind.LADDER:
            self.ladder_games.update(bots)

    def has_room(self, kind: str, guests: Iterable[Guest]) -> bool:
        """Whether all of them may begin a match of this kind now."""
        return all(guest.ready and self.free(kind, guest.bot_id, guest.slots) for guest in guests)

    def free(self, kind: str, bot_id: int, slots: int) -> bool:
        """Whether a bot with so many slots may begin a match of this kind."""
        if kind == Kind.LADDER and self.ladder_games[bot_id] >= self.share:
            return False
        return self.games[bot_id] < slots


def share(places: int) -> int:
    """How many of the places one bot may hold by matches of the ladder."""
    return max(1, places // _SHARE)


def for_validation(places: int) -> int:
    """How many of the places new versions may hold together."""
    return max(1, places // _FOR_VALIDATION)


def occupancy(session: Session, *where: ColumnElement[bool]) -> Occupancy:
    """How many of the matches that fulfil `where` each bot plays."""
    found = Occupancy(share(workers.places(session)))
    query = select(Match.kind, Seat.bot_id).join(Seat, Seat.match_id == Match.id)
    for kind, bot_id in session.execute(query.where(*where)):
        found.add(kind, (bot_id,))
    return found


def full(session: Session, kind: Kind, occupied: Occupancy) -> list[int]:
    """The bots that play so many games that they can begin none of this kind."""
    slots = select(Bot.id, Bot.slots).where(Bot.id.in_(list(occupied.games)))
    return [bot for bot, count in session.execute(slots) if not occupied.free(kind, bot, count)]


def guests(session: Session, kind: Kind, match_ids: Sequence[int]) -> dict[int, list[Guest]]:
    """Who sits at the tables of these matches, all of one kind."""
    query = (
        select(Seat.match_id, Bot.id, Bot.slots, ready_for(kind))
        .join(Bot, Bot.id == Seat.bot_id)
        .join(Version, Version.id == Seat.version_id)
        .where(Seat.match_id.in_(match_ids))
        .order_by(Seat.match_id, Seat.seat)
    )
    found = defaultdict(list)
    for match_id, bot_id, slots, ready in session.execute(query):
        found[match_id].append(Guest(bot_id, slots, bool(ready)))
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
    or on the entry list of a tournament. How the bot stands then says nothing of it.
    """
    here = and_(Bot.state == "active", Bot.offline_since.is_(None))
    if kind is Kind.LADDER:
        return and_(here, Version.state == "active")
    return or_(here, Version.state != "active")
