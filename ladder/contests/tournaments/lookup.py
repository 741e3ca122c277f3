"""Read tournaments, their entry lists, progress and rounds."""

from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Final

from sqlalchemy import ColumnElement, Select, and_, bindparam, func, select
from sqlalchemy.orm import Session

from ladder import model
from ladder.contests.cross_table import ANNULLED, not_found
from ladder.contests.tournament_points import Seated, scored
from ladder.errors import NotFound
from ladder.matches.queue import clock_of
from ladder.model import Bot, Entry, EntryState, Match, MatchState, Seat, User, Version
from ladder.people.accounts import printable
from referee.clock import Clock


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament. `format` and `state` are values of `Format` and of a tournament's state.

    `deals` and `rounds` are as in `create`; `round` is the newest round with matches. `total`
    counts the matches of all rounds, `settled` those that are finished, failed or cancelled,
    `finished` those with a result. `grace` is in seconds. `organiser` created it; None is the
    operator. If `hosted_only` is true, only hosted bots may enter. Times are aware and in UTC.
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
    state: model.TournamentState
    total: int
    settled: int
    finished: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    hosted_only: bool = False

    @property
    def void(self) -> int:
        """The number of matches that ended without a result."""
        return self.settled - self.finished


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """The number of matches in each state; matches of later rounds are only in `total`.

    Of those that are `finished`, the results of the `annulled` ones no longer count.
    """

    total: int
    queued: int
    running: int
    finished: int
    failed: int
    cancelled: int
    annulled: int = 0

    @property
    def over(self) -> bool:
        """Return True if no match waits or runs."""
        return self.queued + self.running == 0


@dataclass(frozen=True, slots=True)
class Entrant:
    """A line of the entry list: its number (from 1), and the version that plays, or `withdrew`."""

    number: int
    bot_id: int
    name: str
    author: str
    version: str
    withdrew: bool = False


@dataclass(frozen=True, slots=True)
class Played:
    """A match of a table; if it was `annulled`, its result no longer counts."""

    id: int
    state: str
    annulled: bool = False


@dataclass(frozen=True, slots=True)
class RoundTable:
    """Bots that sit together in a round, and their matches.

    Each bot comes with its points so far (as in the cross table), most points first.
    """

    bots: tuple[tuple[Entrant, float], ...]
    matches: tuple[Played, ...]


@dataclass(frozen=True, slots=True)
class Round:
    """A round of a Swiss tournament, and the bots that sit out."""

    number: int
    tables: tuple[RoundTable, ...]
    sitting_out: tuple[Entrant, ...]


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
_COUNTS: Final = and_(Match.state == MatchState.FINISHED, Match.annulled_at.is_(None))
_SEATS: Final = (
    select(Match.id, Match.state, _COUNTS, Seat.bot_id, Seat.rank, Seat.fault, Match.reason)
    .join(Seat, Seat.match_id == Match.id)
    .where(Match.tournament_id == bindparam("tournament"), Match.round == bindparam("round"))
    .order_by(Match.id, Seat.seat)
)


def tournament(session: Session, tournament_id: int) -> Tournament:
    """Read a tournament. Raises NotFound."""
    query = _with_organiser().where(model.Tournament.id == tournament_id)
    found = session.execute(query, execution_options={"populate_existing": True}).one_or_none()
    if found is None:
        raise not_found(tournament_id)
    return _row(*found)


def page(session: Session, *, before: int | None = None, limit: int = 50) -> list[Tournament]:
    """Read the newest tournaments, those with ids below `before` if given."""
    return _newest(session, limit, model.below(model.Tournament.id, before))


def names(session: Session, also: int | None = None) -> dict[int, str]:
    """Return the names of the newest tournaments by id, and of `also` if it is older."""
    found = dict(session.execute(_NAMES).all())
    if also is not None and also not in found:
        own = select(model.Tournament.id, model.Tournament.name)
        found.update(session.execute(own.where(model.Tournament.id == also)).all())
    return found


def find_by_name(session: Session, name: str, *, most: int) -> list[Tournament]:
    """Find up to `most` tournaments whose name contains `name`, the newest first."""
    contains = model.Tournament.name.icontains(printable(name), autoescape=True)
    return _newest(session, most, contains)


def entries(session: Session, tournament_id: int) -> tuple[Entrant, ...]:
    """Read the entry list in its order. Raises NotFound."""
    query = (
        select(Entry.number, Bot.id, Bot.name, User.name, Version.name, Entry.state)
        .join(Bot, Bot.id == Entry.bot_id)
        .join(User, User.id == Bot.user_id)
        .join(Version, Version.id == Entry.version_id)
        .where(Entry.tournament_id == tournament_id)
        .order_by(Entry.number)
    )
    rows = session.execute(query).all()
    if not rows:
        tournament_row(session, tournament_id)
    return tuple(
        Entrant(number, bot, name, author, version, withdrew=state is EntryState.WITHDRAWN)
        for number, bot, name, author, version, state in rows
    )


def progress(
    session: Session, tournament_id: int, *, tournament: Tournament | None = None
) -> MatchCounts:
    """Count the matches of a tournament by state. Raises NotFound.

    The tournament's row counts the finished ones; the others, and annulled ones, are few. Pass
    `tournament` if it has been read already.
    """
    row = tournament or tournament_row(session, tournament_id)
    counts = dict(session.execute(_OPEN, {"tournament": tournament_id}).all())
    queued, running, failed, cancelled = (counts.get(state, 0) for state in _COUNTED)
    annulled = session.execute(ANNULLED, {"tournament": tournament_id}).scalar_one()
    return MatchCounts(row.total, queued, running, row.finished, failed, cancelled, annulled)


def round_of(session: Session, tournament_id: int, number: int) -> Round:
    """Read a round; it has no tables before its matches are made. Raises NotFound."""
    if not 1 <= number <= tournament_row(session, tournament_id).rounds:
        raise NotFound(
            "tournament %(tournament)s has no round %(round)s",
            tournament=tournament_id,
            round=number,
        )
    entrants = {entrant.bot_id: entrant for entrant in entries(session, tournament_id)}
    found = model.execute(session, _SEATS, {"tournament": tournament_id, "round": number}).all()
    tables: dict[frozenset[int], tuple[dict[int, float], list[Played]]] = {}
    for (match_id, state, counts), rows in groupby(found, itemgetter(0, 1, 2)):
        seats = [seat[3:] for seat in rows]
        bots = [bot for bot, *_ in seats]
        points, matches = tables.setdefault(frozenset(bots), (dict.fromkeys(bots, 0.0), []))
        annulled = state is MatchState.FINISHED and not counts
        matches.append(Played(match_id, state, annulled))
        if counts:
            for (bot, _), half_points in scored([Seated(*seat) for seat in seats]):
                points[bot] += half_points / 2
    sitting = {bot for table in tables for bot in table}
    return Round(
        number,
        tuple(_table(points, matches, entrants) for points, matches in tables.values()),
        tuple(
            one
            for bot, one in entrants.items()
            if tables and bot not in sitting and not one.withdrew
        ),
    )


def tournament_row(session: Session, tournament_id: int) -> model.Tournament:
    """Read the row of a tournament from the database. Raises NotFound."""
    row = session.get(model.Tournament, tournament_id, populate_existing=True)
    if row is None:
        raise not_found(tournament_id)
    return row


def _with_organiser() -> Select[model.Tournament, str]:
    return select(model.Tournament, User.name).outerjoin(
        User, User.id == model.Tournament.created_by
    )


def _newest(session: Session, limit: int, where: ColumnElement[bool]) -> list[Tournament]:
    query = _with_organiser().where(where).order_by(model.Tournament.id.desc()).limit(limit)
    return [_row(row, organiser) for row, organiser in session.execute(query)]


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
        hosted_only=row.hosted_only,
    )


def _table(
    points: dict[int, float], matches: list[Played], entrants: dict[int, Entrant]
) -> RoundTable:
    best_first = sorted(points, key=lambda bot: (-points[bot], entrants[bot].number))
    return RoundTable(tuple((entrants[bot], points[bot]) for bot in best_first), tuple(matches))
