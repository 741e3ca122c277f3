"""Tournaments as pages and commands show them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ladder.database import models
from ladder.database.models import Match
from ladder.errors import NotFound


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


TournamentRow = Tournament  # the list of tournaments shows all that there is


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


def tournament(session: Session, tournament_id: int) -> Tournament:
    """One tournament; raises NotFound."""
    return row(found(session, tournament_id))


def page(session: Session, *, before: int | None = None, limit: int = 50) -> list[TournamentRow]:
    """The newest tournaments, of those with a lower id than `before`."""
    query = select(models.Tournament).order_by(models.Tournament.id.desc()).limit(limit)
    if before is not None:
        query = query.where(models.Tournament.id < before)
    return [row(model) for model in session.scalars(query)]


def progress(session: Session, tournament_id: int) -> Progress:
    """How far it is; raises NotFound."""
    total = found(session, tournament_id).total
    query = (
        select(Match.state, func.count())
        .where(Match.tournament_id == tournament_id)
        .group_by(Match.state)
    )
    counts = dict(session.execute(query).all())
    states = ("queued", "running", "finished", "failed", "cancelled")
    return Progress(total, *(counts.get(state, 0) for state in states))


def found(session: Session, tournament_id: int) -> models.Tournament:
    """The tournament as it stands in the database now; raises NotFound."""
    model = session.get(models.Tournament, tournament_id, populate_existing=True)
    if model is None:
        raise NotFound(f"there is no tournament {tournament_id}")
    return model


def row(model: models.Tournament) -> Tournament:
    """A tournament for readers."""
    return Tournament(
        id=model.id,
        name=model.name,
        seats=model.seats,
        state=model.state,
        total=model.total,
        settled=model.settled,
        finished=model.finished,
        created_at=model.created_at,
        started_at=model.started_at,
        finished_at=model.finished_at,
    )
