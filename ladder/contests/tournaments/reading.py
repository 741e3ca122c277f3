"""Tournaments as pages and commands show them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Select, bindparam, func, select
from sqlalchemy.orm import Session

from ladder import model
from ladder.contests.cross_table import not_found
from ladder.matches.durations import clock_of
from ladder.model import Bot, Entry, Match, MatchState, TournamentState, User, Version
from referee.clock import Clock


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament. `format` and `state` are words of limits.Format and states.State.

    `deals` and `rounds` are as in `create`; `round` is the newest whose matches have been made.
    `total` counts the matches of all rounds, `settled` those that are finished, failed or
    cancelled, `finished` those with a result. `grace` is in seconds; `organiser` made it, None for
    the operator. Times are aware and in UTC.
    """

    id: int
    name: str
    format: str
    seats: int
    deals: int
    rounds: int
    round: int
    rated: bool
    clock: Clock
    grace: float
    organiser: str | None
    state: TournamentState
    total: int
    settled: int
    finished: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class Progress:
    """How many matches of a tournament are in each state; those of later rounds in none yet."""

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


@dataclass(frozen=True, slots=True)
class Entrant:
    """A line of the entry list: its number from 1, and the version that plays."""

    number: int
    bot_id: int
    name: str
    author: str
    version: str


_MOST_NAMES: Final = 50
_NAMES: Final = (
    select(model.Tournament.id, model.Tournament.name)
    .order_by(model.Tournament.id.desc())
    .limit(_MOST_NAMES)
)
_COUNTED: Final = tuple(state for state in MatchState if state is not MatchState.FINISHED)
_OPEN: Final = (
    select(Match.state, func.count())
    .where(Match.tournament_id == bindparam("tournament"), Match.state.in_(_COUNTED))
    .group_by(Match.state)
)


def tournament(session: Session, tournament_id: int) -> Tournament:
    """One tournament; raises NotFound."""
    query = _with_organiser().where(model.Tournament.id == tournament_id)
    found = session.execute(query, execution_options={"populate_existing": True}).one_or_none()
    if found is None:
        raise not_found(tournament_id)
    return _row(found[0], found[1])


def page(session: Session, *, before: int | None = None, limit: int = 50) -> list[Tournament]:
    """The newest tournaments, of those with a lower id than `before`."""
    query = _with_organiser().order_by(model.Tournament.id.desc()).limit(limit)
    if before is not None:
        query = query.where(model.Tournament.id < before)
    return [_row(row, organiser) for row, organiser in session.execute(query)]


def names(session: Session, also: int | None = None) -> dict[int, str]:
    """The newest tournaments by id, newest first, and this one if it is older."""
    found = dict(session.execute(_NAMES).all())
    if also is not None and also not in found:
        own = select(model.Tournament.id, model.Tournament.name)
        found.update(session.execute(own.where(model.Tournament.id == also)).all())
    return found


def entries(session: Session, tournament_id: int) -> tuple[Entrant, ...]:
    """The entry list in its order; raises NotFound."""
    found(session, tournament_id)
    query = (
        select(Entry.number, Bot.id, Bot.name, User.name, Version.name)
        .join(Bot, Bot.id == Entry.bot_id)
        .join(User, User.id == Bot.user_id)
        .join(Version, Version.id == Entry.version_id)
        .where(Entry.tournament_id == tournament_id)
        .order_by(Entry.number)
    )
    return tuple(Entrant(*row) for row in session.execute(query))


def progress(session: Session, tournament_id: int, *, known: Tournament | None = None) -> Progress:
    """How far it is; raises NotFound. The finished are counted as they end, the others are few.

    `known`: the tournament, where it has been read already.
    """
    tournament = known or found(session, tournament_id)
    counts = dict(session.execute(_OPEN, {"tournament": tournament_id}).all())
    queued, running, failed, cancelled = (counts.get(state, 0) for state in _COUNTED)
    return Progress(tournament.total, queued, running, tournament.finished, failed, cancelled)


def found(session: Session, tournament_id: int) -> model.Tournament:
    """The tournament as it stands in the database now; raises NotFound."""
    row = session.get(model.Tournament, tournament_id, populate_existing=True)
    if row is None:
        raise not_found(tournament_id)
    return row


def _with_organiser() -> Select[model.Tournament, str]:
    return select(model.Tournament, User.name).outerjoin(
        User, User.id == model.Tournament.created_by
    )


def _row(row: model.Tournament, organiser: str | None) -> Tournament:
    return Tournament(
        id=row.id,
        name=row.name,
        format=row.format,
        seats=row.seats,
        deals=row.deals,
        rounds=row.rounds,
        round=row.round,
        rated=row.rated,
        clock=clock_of(row),
        grace=row.grace_ms / 1000,
        organiser=organiser,
        state=row.state,
        total=row.total,
        settled=row.settled,
        finished=row.finished,
        created_at=row.created_at,
        started_at=row.started_at,
        finished_at=row.finished_at,
    )
