"""Tournaments: making their matches, starting and cancelling them, and their progress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sqlalchemy.orm import Session


class Clock(Protocol):
    """Seconds for a decision, in the bank of a seat, and added to the bank by each decision."""

    @property
    def move_limit(self) -> float: ...
    @property
    def bank(self) -> float: ...
    @property
    def increment(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament. `state`: created, running, finished or cancelled.

    `total` counts its matches, `settled` those that are finished, failed or cancelled, `finished`
    those with a result. Times are aware and in UTC.
    """

    id: int
    name: str
    seats: int
    state: str
    total: int
    settled: int
    finished: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


TournamentRow = Tournament
"""What the list of tournaments shows is all that a tournament has."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How many matches of a tournament are in each state."""

    total: int
    queued: int
    running: int
    finished: int
    failed: int
    cancelled: int

    @property
    def over(self) -> bool:
        """Whether nothing is left to be played."""
        return self.queued + self.running == 0


def create(
    session: Session,
    *,
    name: str,
    seats: int,
    bot_ids: Sequence[int],
    deals: int,
    clock: Clock,
    seed: int | None = None,
) -> Tournament:
    """A round robin: every combination of `seats` of the bots plays `deals` deals.

    A deal is one layout in every rotation of the seats, so a combination plays deals x seats
    matches. All matches are made at once, queued; none is played before `start`. The same seed
    gives the same pairings and layouts. Raises Refused for fewer bots than seats, NotFound for an
    unknown bot. The caller commits.
    """
    raise NotImplementedError


def start(session: Session, tournament_id: int) -> None:
    """Let its matches be played. Raises NotFound, Refused if it is over. The caller commits."""
    raise NotImplementedError


def cancel(session: Session, tournament_id: int) -> None:
    """Cancel all its matches that have no result yet, also those that are being played.

    Results stay. Raises NotFound, Refused if it is over. The caller commits.
    """
    raise NotImplementedError


def progress(session: Session, tournament_id: int) -> Progress:
    """How far it is; raises NotFound."""
    raise NotImplementedError


def page(session: Session, *, before: int | None = None, limit: int = 50) -> list[TournamentRow]:
    """The newest tournaments with a lower id than `before`."""
    raise NotImplementedError


def tournament(session: Session, tournament_id: int) -> Tournament:
    """One tournament; raises NotFound."""
    raise NotImplementedError
