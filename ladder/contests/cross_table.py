"""Compute the cross table of a tournament: each bot against each other, and the standings.

Pages use `current_table`, which caches tables and adds only the results since the last call. After
an annulment or a restart the table is computed again.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from ladder.contests import tournament_points
from ladder.errors import NotFound
from ladder.model import Bot, Entry, EntryState, Match, Tournament, User
from ladder.ratings.ledger import newest

_ENTRANTS: Final = (
    select(Bot.id, Bot.name, User.name, Entry.state)
    .join(Entry, Entry.bot_id == Bot.id)
    .join(User, User.id == Bot.user_id)
    .where(Entry.tournament_id == bindparam("tournament"))
    .order_by(Entry.number)
)


_MOST_CACHED: Final = 64  # cached tournaments of a database
_FORMAT: Final = select(Tournament.format)
ANNULLED: Final = select(func.count()).where(
    Match.tournament_id == bindparam("tournament"), Match.annulled_at.is_not(None)
)
"""Counts the annulled matches of a tournament."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One bot against another: a point for each match with the better rank, half for a tie.

    `games` leaves out those in which a caretaker played for the opponent from the start.
    """

    opponent_id: int
    points: float
    games: int


@dataclass(frozen=True, slots=True)
class Row:
    """One bot of a tournament: its points against each other bot and their sum.

    `games` counts its finished matches; at a table of n a match is worth up to n-1 points. `cells`
    are in the order of the table's rows, without the bot itself. `rank` is by `share`, the part of
    the possible points, so that it makes sense before the end; then by the tie-breaks, of which
    `decided_by` put the bot behind the row before. `tie_breaks` has the value (0 to 1) of each of
    the table's tie-breaks; None for the direct encounter, which depends on the group. In `absences`
    of its matches it did not appear; one that `withdrew` ranks below all others.
    """

    rank: int
    bot_id: int
    name: str
    points: float
    games: int
    cells: tuple[Cell, ...]
    share: float = 0.0
    tie_breaks: tuple[float | None, ...] = ()
    decided_by: tournament_points.TieBreak | None = None
    absences: int = 0
    withdrew: bool = False
    author: str | None = None
    """Given if another bot of the tournament has the same name."""


@dataclass(frozen=True, slots=True)
class CrossTable:
    """All bots of a tournament, best first, and its tie-breaks in their order."""

    rows: tuple[Row, ...]
    tie_breaks: tuple[tournament_points.TieBreak, ...]


class EnteredBot(NamedTuple):
    """A bot of the entry list."""

    name: str
    author: str
    withdrew: bool = False


@dataclass(slots=True)
class _CachedTable:
    """A tournament's tally up to result `last`, which leaves out `annulled` matches."""

    lock: Lock = field(default_factory=Lock)
    last: int = 0
    annulled: int = 0
    tally: tournament_points.Tally = field(default_factory=tournament_points.Tally)
    entered: dict[int, EnteredBot] = field(default_factory=dict)
    table: CrossTable | None = None


_cached: Final = WeakKeyDictionary[Any, dict[int, _CachedTable]]()  # by engine, by tournament
_cache_lock: Final = Lock()  # of `_cached`: pages are made by many threads


def cross_table(session: Session, tournament_id: int, *, without: int = 0) -> CrossTable:
    """Compute the cross table of the results so far, except annulled ones. Raises NotFound.

    Leaves out the match `without`, too.
    """
    tournament = session.get(Tournament, tournament_id)
    if tournament is None:
        raise not_found(tournament_id)
    tally = tournament_points.Tally()
    tally.add(session, tournament_id, after=0, last=newest(session), without=without)
    return table_of(entrants(session, tournament_id), tally, tournament.format)


def current_table(session: Session, tournament_id: int) -> CrossTable:
    """Return the cross table, the same object until something changes. Raises NotFound."""
    format_ = session.scalar(_FORMAT.where(Tournament.id == tournament_id))
    if format_ is None:
        raise not_found(tournament_id)
    cached = _cached_table(session, tournament_id)
    with cached.lock:
        _catch_up(session, tournament_id, cached)
        entered = entrants(session, tournament_id)
        if cached.table is None or entered != cached.entered:
            cached.entered, cached.table = entered, table_of(entered, cached.tally, format_)
        return cached.table


def table_of(
    entered: Mapping[int, EnteredBot], tally: tournament_points.Tally, format_: str
) -> CrossTable:
    """Make the cross table of a tournament of this format, of the bots by id."""
    values = tournament_points.scores(list(entered), tally)
    tie_breaks = tournament_points.ORDERS[format_]
    placed = _placed(entered, tally, values, tie_breaks)
    order = [place.bot_id for place in placed]
    named = Counter(entry.name for entry in entered.values())
    rows = []
    for place in placed:
        bot, entry = place.bot_id, entered[place.bot_id]
        cells = _cells(bot, order, tally)
        row = Row(
            rank=place.rank,
            bot_id=bot,
            name=entry.name,
            points=sum(cell.points for cell in cells),
            games=tally.matches[bot],
            cells=cells,
            share=values.share[bot],
            tie_breaks=tuple(values.of(tie_break, bot) for tie_break in tie_breaks),
            decided_by=place.decided_by,
            absences=tally.absences[bot],
            withdrew=entry.withdrew,
            author=entry.author if named[entry.name] > 1 else None,
        )
        rows.append(row)
    return CrossTable(tuple(rows), tie_breaks)


def _placed(
    entered: Mapping[int, EnteredBot],
    tally: tournament_points.Tally,
    values: tournament_points.Scores,
    tie_breaks: tuple[tournament_points.TieBreak, ...],
) -> list[tournament_points.Placed]:
    """Return the bots, best first: those that withdrew rank below all others.

    Of those that share a rank, the ones that have not played come last.
    """
    played_first = sorted(entered, key=lambda bot: tally.matches[bot] == 0)
    stayed = [bot for bot in played_first if not entered[bot].withdrew]
    gone = [bot for bot in played_first if entered[bot].withdrew]
    return tournament_points.standing(stayed, tally, values, tie_breaks) + [
        replace(place, rank=len(stayed) + place.rank)
        for place in tournament_points.standing(gone, tally, values, tie_breaks)
    ]


def entrants(session: Session, tournament_id: int) -> dict[int, EnteredBot]:
    """Read the entry list in its order, by the ids of the bots."""
    rows = session.execute(_ENTRANTS, {"tournament": tournament_id})
    return {
        bot: EnteredBot(name, author, state is EntryState.WITHDRAWN)
        for bot, name, author, state in rows
    }


def not_found(tournament_id: int) -> NotFound:
    """Make the error for an unknown tournament."""
    return NotFound("there is no tournament %(tournament)s", tournament=tournament_id)


def _cells(bot: int, order: Sequence[int], tally: tournament_points.Tally) -> tuple[Cell, ...]:
    return tuple(
        Cell(other, tally.half_points[bot, other] / 2, tally.games[bot, other])
        for other in order
        if other != bot
    )


def _cached_table(session: Session, tournament_id: int) -> _CachedTable:
    with _cache_lock:
        tables = _cached.setdefault(session.get_bind(), {})
        cached = tables.pop(tournament_id, None) or _CachedTable()
        tables[tournament_id] = cached  # the newest at the end
        while len(tables) > _MOST_CACHED:
            tables.pop(next(iter(tables)))
        return cached


def _catch_up(session: Session, tournament_id: int, cached: _CachedTable) -> None:
    last = newest(session)  # read first: newer results are counted next time
    annulled = session.execute(ANNULLED, {"tournament": tournament_id}).scalar_one()
    if annulled != cached.annulled or last < cached.last:
        cached.last, cached.tally, cached.table = 0, tournament_points.Tally(), None
    if cached.tally.add(session, tournament_id, after=cached.last, last=last):
        cached.table = None
    cached.last, cached.annulled = last, annulled
