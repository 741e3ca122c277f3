"""Write the rounds of tournaments: the first one, and in a Swiss tournament those that follow.

A round of many bots takes seconds, and while the ledger is locked no result of the arena is
written. So the round is planned and inserted before, and the lock is taken for a look if what the
plan goes by is still the same. A process that is killed on the way leaves nothing, and the next one
begins anew.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from random import Random
from statistics import median
from typing import Any, Final, NamedTuple

from sqlalchemy import and_, func, insert, literal, select, text
from sqlalchemy.orm import Session

from ladder import model
from ladder.contests.cross_table import cross_table
from ladder.contests.formats import swiss_round
from ladder.contests.pairings import PlannedDeal, Table
from ladder.contests.tournaments.lookup import tournament_row
from ladder.jobs import attempts
from ladder.matches.queue import clock_columns, clock_of
from ladder.matches.states import JOB
from ladder.model import (
    Deal,
    Entry,
    EntryState,
    Match,
    MatchKind,
    MatchState,
    Seat,
    Tournament,
    TournamentState,
)
from ladder.ratings import ledger

_AT_ONCE: Final = 250  # deals of a statement: a server with much to do ends those that last long
_MANY: Final = 50  # rows, after which autovacuum would look, too
_ANALYSE: Final = text("ANALYZE jobs, matches, seats")

_DUE: Final = and_(
    Tournament.state == TournamentState.RUNNING, Tournament.settled == Tournament.made
)
_ALL_DUE: Final = select(Tournament.id).where(_DUE).order_by(Tournament.id)
_COUNTS: Final = (Tournament.round, Tournament.made, Tournament.settled, Tournament.finished)
ANNULLED: Final = (
    select(func.count())
    .where(Match.tournament_id == Tournament.id, Match.annulled_at.is_not(None))
    .scalar_subquery()
)
"""Counts the annulled matches of a tournament."""


class Basis(NamedTuple):
    """Holds what the next round and the final standings go by: as long as it stays, so do they."""

    counts: tuple[int, ...]
    """The number of rounds, and of matches made, settled, finished, annulled."""
    versions: Mapping[int, int]
    """The versions of the bots that have not withdrawn."""


def due(session: Session) -> Sequence[int]:
    """Return the running tournaments whose newest round is over."""
    return model.execute(session, _ALL_DUE).scalars().all()


def read_basis(session: Session, tournament_id: int) -> Basis | None:
    """Return what a tournament goes on by; None if it is not due."""
    own = select(*_COUNTS, ANNULLED).where(Tournament.id == tournament_id, _DUE)
    row = session.execute(own).one_or_none()
    return None if row is None else Basis(tuple(row), entered_versions(session, tournament_id))


def make_next(session: Session, tournament: Tournament, basis: Basis) -> int:
    """Make the next round by the standings so far; return how many matches it has.

    Returns 0 if the basis has changed meanwhile. Must have its transaction for itself; the caller
    commits.
    """
    tournament_id, number = tournament.id, tournament.round + 1
    with session.begin_nested() as planning:
        model.take_your_time(session)
        planned = _planned(session, tournament, number, basis.versions)
        planning.rollback()  # who holds locks may not take its time
    model.write(session)
    with session.begin_nested() as inserted:
        # New rows alone: nobody waits for them who has the ledger.
        ids = add_round(session, tournament, number, planned, basis.versions)
        ledger.lock(session)
        if read_basis(session, tournament_id) != basis:
            inserted.rollback()
            return 0
    tournament = tournament_row(session, tournament_id)
    tournament.round = number
    tournament.made += len(ids)
    rounds_left = tournament.rounds - number
    tournament.total = tournament.made + rounds_left * len(planned) * tournament.seats
    session.flush()
    return len(ids)


def add_round(
    session: Session,
    tournament: Tournament,
    number: int,
    planned: Sequence[PlannedDeal],
    versions: Mapping[int, int],
) -> list[int]:
    """Insert matches of a round, queued, in the order planned; return their ids.

    `versions` of the bots play them. The caller counts the matches in the tournament.
    """
    shared = _shared(tournament, number, model.now(session))
    ids: list[int] = []
    for start in range(0, len(planned), _AT_ONCE):
        ids += _insert(session, shared, planned[start : start + _AT_ONCE], versions)
    attempts.enqueue(session, JOB, MatchKind.TOURNAMENT, ids)
    return ids


def note_growth(session: Session, matches: int) -> None:
    """Let PostgreSQL plan with a round of so many new matches.

    Until autovacuum comes, up to a minute later, it takes new tables for nearly empty: it then
    dispatched the 480 matches of a new tournament in 27 s instead of 0.2 s, and cancelled that.
    """
    if matches >= _MANY and model.is_postgresql(session):
        model.execute(session, _ANALYSE)


def entered_versions(session: Session, tournament_id: int) -> Mapping[int, int]:
    """Return the version of each bot that has not withdrawn, in the order of the entry list."""
    query = (
        select(Entry.bot_id, Entry.version_id)
        .where(Entry.tournament_id == tournament_id, Entry.state == EntryState.ENTERED)
        .order_by(Entry.number)
    )
    return dict(session.execute(query).all())


def round_luck(seed: int, number: int) -> Random:
    """Return the random numbers of a round, the same each time."""
    return Random(f"round {number} of {seed}")


def _planned(
    session: Session, tournament: Tournament, number: int, staying: Mapping[int, int]
) -> tuple[PlannedDeal, ...]:
    assert tournament.seed is not None  # every tournament with rounds has one
    rows = [row for row in cross_table(session, tournament.id).rows if row.bot_id in staying]
    middle = median([row.rank for row in rows if row.games] or [1])
    return swiss_round(
        {row.bot_id: row.rank if row.games else middle for row in rows},
        seats=tournament.seats,
        deals=tournament.deals,
        past=_past(session, tournament.id, number - 1),
        rng=round_luck(tournament.seed, number),
    )


def _insert(
    session: Session,
    shared: Mapping[str, Any],
    planned: Sequence[PlannedDeal],
    versions: Mapping[int, int],
) -> list[int]:
    """Insert deals with their matches and seats, by a statement for each table."""
    rows = model.integers(session, layout_seed=[deal.layout_seed for deal in planned])
    of_tournament = literal(shared["tournament_id"])
    insert_deals = insert(Deal.__table__).from_select(  # type: ignore[arg-type]
        ["tournament_id", "layout_seed"], select(of_tournament, rows)
    )
    deals = sorted(model.execute(session, insert_deals.returning(Deal.id)).scalars())
    tables = {
        (deal, rotation): table
        for deal, plan in zip(deals, planned, strict=True)
        for rotation, table in enumerate(plan.matches)
    }
    played = tuple(zip(*tables, strict=True))
    rows = model.integers(session, deal_id=played[0], rotation=played[1])
    columns = Match.__table__.columns
    same = (literal(value, columns[name].type) for name, value in shared.items())
    insert_matches = insert(Match.__table__).from_select(  # type: ignore[arg-type]
        ["deal_id", "rotation", *shared], select(rows, *same)
    )
    made = insert_matches.returning(Match.deal_id, Match.rotation, Match.id)
    ids = {(deal, rotation): id for deal, rotation, id in model.execute(session, made)}
    seats = [
        (ids[place], seat, bot, versions[bot])
        for place, table in tables.items()
        for seat, bot in enumerate(table)
    ]
    names = ("match_id", "seat", "bot_id", "version_id")
    rows = model.integers(session, **dict(zip(names, zip(*seats, strict=True), strict=True)))
    model.execute(session, insert(Seat.__table__).from_select(names, select(rows)))  # type: ignore[arg-type]
    return [ids[place] for place in tables]


def _shared(tournament: Tournament, number: int, at: datetime) -> dict[str, Any]:
    """Return the columns that all matches of the round share."""
    return {
        "tournament_id": tournament.id,
        "kind": MatchKind.TOURNAMENT,
        "round": number,
        "seats": tournament.seats,
        "state": MatchState.QUEUED,
        "rated": tournament.rated,
        **clock_columns(clock_of(tournament)),
        "created_at": at,
    }


def _past(session: Session, tournament_id: int, rounds: int) -> list[list[Table]]:
    """Read the tables of the first `rounds` that played: the first seat order of each deal.

    Its first match that was played tells it: others are void if a bot withdrew between them.
    Forfeits that are played after all are on the layout of the deal they belong to, and are no
    table more.
    """
    first = (
        select(func.min(Match.id))
        .where(
            Match.tournament_id == tournament_id,
            Match.round <= rounds,
            Match.state != MatchState.CANCELLED,  # void: its bots sat out
        )
        .group_by(Match.deal_id)
    )
    query = (
        select(Match.round, Match.deal_id, Match.rotation, Deal.layout_seed, Seat.bot_id)
        .join(Seat, Seat.match_id == Match.id)
        .join(Deal, Deal.id == Match.deal_id)
        .where(Match.id.in_(first))
        .order_by(Match.deal_id, Seat.seat)
    )
    tables: defaultdict[tuple[int, int, int, int], list[int]] = defaultdict(list)
    for number, deal, rotation, layout_seed, bot in session.execute(query):
        tables[number or 1, layout_seed, deal, rotation].append(bot)
    orders: dict[tuple[int, int], Table] = {}
    for (number, layout_seed, _, rotation), table in tables.items():
        orders.setdefault((number, layout_seed), tuple(table[-rotation:] + table[:-rotation]))
    past: list[list[Table]] = [[] for _ in range(rounds)]
    for (number, _), order in orders.items():
        past[number - 1].append(order)
    return past
