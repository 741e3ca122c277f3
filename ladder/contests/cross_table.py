"""Compute the cross table of a tournament: each bot against each other, and the standings.

Pages use `current_table`, which caches tables and adds only the results since the last call. After
an annulment or a restart the table is computed again.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby, permutations
from threading import Lock
from typing import Any, Final
from weakref import WeakKeyDictionary

from sqlalchemy import bindparam, func, select, text
from sqlalchemy.orm import Session

from ladder.contests.tie_breaks import ORDERS, Placed, Scores, Tally, TieBreak, scores, standing
from ladder.errors import NotFound
from ladder.model import Bot, Entry, Match, Tournament
from ladder.ratings.ledger import newest
from ladder.ratings.tallies import half_points

_ENTRANTS: Final = (
    select(Bot.id, Bot.name)
    .join(Entry, Entry.bot_id == Bot.id)
    .where(Entry.tournament_id == bindparam("tournament"))
    .order_by(Entry.number)
)


_MOST_CACHED: Final = 64  # cached tournaments of a database
_FORMAT: Final = select(Tournament.format)
_SEATS: Final = (
    "SELECT m.id, s.bot_id, s.rank FROM matches m JOIN seats s ON s.match_id = m.id"
    " WHERE {sign}m.tournament_id = :tournament AND m.annulled_at IS NULL"
    " AND m.result_number > :after AND m.result_number <= :last ORDER BY m.result_number"
)
_OF_TOURNAMENT: Final = text(_SEATS.format(sign=""))
# `+` keeps databases from using the tournament's index: a few results are found by number.
_OF_RESULTS: Final = text(_SEATS.format(sign="+"))
_FEW: Final = 2_000  # results of all ladders and tournaments


@dataclass(frozen=True, slots=True)
class Cell:
    """One bot against another: a point for each match with the better rank, half for a tie."""

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
    the table's tie-breaks; None for the direct encounter, which depends on the group.
    """

    rank: int
    bot_id: int
    name: str
    points: float
    games: int
    cells: tuple[Cell, ...]
    share: float = 0.0
    tie_breaks: tuple[float | None, ...] = ()
    decided_by: TieBreak | None = None


@dataclass(frozen=True, slots=True)
class CrossTable:
    """All bots of a tournament, best first, and its tie-breaks in their order."""

    rows: tuple[Row, ...]
    tie_breaks: tuple[TieBreak, ...]


@dataclass(slots=True)
class ResultCount:
    """A running count of a tournament's results, in the fields of `Tally`."""

    games: Counter[tuple[int, int]] = field(default_factory=Counter)
    half_points: Counter[tuple[int, int]] = field(default_factory=Counter)
    matches: Counter[int] = field(default_factory=Counter)
    firsts: Counter[int] = field(default_factory=Counter)

    def add(self, session: Session, tournament_id: int, *, after: int, last: int) -> bool:
        """Add the results numbered above `after`, up to `last`; return True if there are any."""
        if last == after:
            return False
        wanted = {"tournament": tournament_id, "after": after, "last": last}
        query = _OF_RESULTS if last - after <= _FEW else _OF_TOURNAMENT
        rows = session.execute(query, wanted).all()
        for _, table in groupby(rows, key=lambda row: row[0]):
            self._add([(bot, rank) for _, bot, rank in table])
        return bool(rows)

    def tally(self) -> Tally:
        """Return the count so far."""
        return Tally(self.games, self.half_points, self.matches, self.firsts)

    def _add(self, table: Sequence[tuple[int, Any]]) -> None:
        for bot, rank in table:
            self.matches[bot] += 1
            self.firsts[bot] += rank == 1
        for (bot, rank), (other, opponent) in permutations(table, 2):
            self.games[bot, other] += 1
            self.half_points[bot, other] += half_points(rank, opponent)


@dataclass(slots=True)
class _CachedTable:
    """A tournament's count up to result `last`, which leaves out `annulled` matches."""

    lock: Lock = field(default_factory=Lock)
    last: int = 0
    annulled: int = 0
    count: ResultCount = field(default_factory=ResultCount)
    names: dict[int, str] = field(default_factory=dict)
    table: CrossTable | None = None


_cached: Final = WeakKeyDictionary[Any, dict[int, _CachedTable]]()  # by engine, by tournament
_cache_lock: Final = Lock()  # of `_cached`: pages are made by many threads


def cross_table(session: Session, tournament_id: int) -> CrossTable:
    """Compute the cross table of the results so far, except annulled ones. Raises NotFound."""
    tournament = session.get(Tournament, tournament_id)
    if tournament is None:
        raise not_found(tournament_id)
    count = ResultCount()
    count.add(session, tournament_id, after=0, last=newest(session))
    return table_of(entrants(session, tournament_id), count.tally(), tournament.format)


def current_table(session: Session, tournament_id: int) -> CrossTable:
    """Return the cross table, the same object until something changes. Raises NotFound."""
    format_ = session.scalar(_FORMAT.where(Tournament.id == tournament_id))
    if format_ is None:
        raise not_found(tournament_id)
    cached = _cached_table(session, tournament_id)
    with cached.lock:
        _catch_up(session, tournament_id, cached)
        names = entrants(session, tournament_id)
        if cached.table is None or names != cached.names:
            cached.names, cached.table = names, table_of(names, cached.count.tally(), format_)
        return cached.table


def table_of(names: dict[int, str], tally: Tally, format_: str) -> CrossTable:
    """Make the cross table of a tournament of this format between bots with these names."""
    scored = scores(list(names), tally)
    tie_breaks = ORDERS[format_]
    placed = standing(list(names), tally, scored, tie_breaks)
    order = [place.bot_id for place in placed]
    rows = (_row(place, names, order, tally, scored, tie_breaks) for place in placed)
    return CrossTable(tuple(rows), tie_breaks)


def entrants(session: Session, tournament_id: int) -> dict[int, str]:
    """Read the bots of the entry list and their names, in its order."""
    return dict(session.execute(_ENTRANTS, {"tournament": tournament_id}).all())


def not_found(tournament_id: int) -> NotFound:
    """Make the error for an unknown tournament."""
    return NotFound("there is no tournament %(tournament)s", tournament=tournament_id)


def _row(
    place: Placed,
    names: dict[int, str],
    order: list[int],
    tally: Tally,
    scored: Scores,
    tie_breaks: tuple[TieBreak, ...],
) -> Row:
    bot = place.bot_id
    cells = tuple(
        Cell(other, tally.half_points.get((bot, other), 0) / 2, tally.games.get((bot, other), 0))
        for other in order
        if other != bot
    )
    return Row(
        rank=place.rank,
        bot_id=bot,
        name=names[bot],
        points=sum(cell.points for cell in cells),
        games=tally.matches.get(bot, 0),
        cells=cells,
        share=scored.share[bot],
        tie_breaks=tuple(scored.of(tie_break, bot) for tie_break in tie_breaks),
        decided_by=place.decided_by,
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
    annulled = session.scalar(
        select(func.count()).where(
            Match.tournament_id == tournament_id, Match.annulled_at.is_not(None)
        )
    )
    if annulled != cached.annulled or last < cached.last:
        cached.last, cached.count, cached.table = 0, ResultCount(), None
    if cached.count.add(session, tournament_id, after=cached.last, last=last):
        cached.table = None
    cached.last, cached.annulled = last, annulled or 0
