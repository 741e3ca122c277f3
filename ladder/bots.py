"""Bots: registering them, and their pages."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.orm import Session


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot with its active version and the address where that answers."""

    id: int
    name: str
    author: str
    version: str
    address: str


@dataclass(frozen=True, slots=True)
class LadderPlace:
    """Where a bot stands on the ladder of one table size."""

    seats: int
    rank: int
    rating_milli: int
    games: int
    wins: int
    faults: int


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """A bot against another in rated matches, all table sizes: a point for each better rank."""

    opponent_id: int
    name: str
    author: str
    points: float
    games: int


@dataclass(frozen=True, slots=True)
class Profile:
    """What a bot's page shows. `versions` newest first, the active one is `version`.

    `history`: (result number, seats, rating_milli after it), oldest first, at most the last 1,000
    of each ladder.
    """

    bot_id: int
    name: str
    author: str
    version: str
    versions: tuple[str, ...]
    ratings: tuple[LadderPlace, ...]
    history: tuple[tuple[int, int, int], ...]
    head_to_head: tuple[HeadToHead, ...]


def register(session: Session, *, name: str, author: str, address: str, version: str) -> Bot:
    """Make this version the active one of the author's bot; makes author and bot where needed.

    Registering the same version again only changes its address. The caller commits.
    """
    raise NotImplementedError


def every(session: Session) -> list[Bot]:
    """All bots by name."""
    raise NotImplementedError


def profile(session: Session, bot_id: int) -> Profile:
    """What a bot's page shows; raises NotFound."""
    raise NotImplementedError
