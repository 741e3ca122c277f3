"""The cross table of a tournament: each of its bots against each other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby, permutations
from operator import itemgetter

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.database.models import Bot, Match, Seat, Tournament
from ladder.errors import NotFound

_Pair = tuple[int, int]  # a bot and an opponent


@dataclass(frozen=True, slots=True)
class Cell:
    """One bot against one other: a point for each match with the better rank, half for a tie."""

    opponent_id: int
    points: float
    games: int


@dataclass(frozen=True, slots=True)
class Row:
    """One bot of a tournament: its points against each other bot and their sum.

    `games` is the number of its finished matches; at a table of n a match brings up to n-1 points.
    `cells` are in the order of the table's rows, without the bot itself. `rank` is by the share of
    the points that could be had, so that it makes sense before the end; equal shares share it.
    """

    rank: int
    bot_id: int
    name: str
    points: float
    games: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class CrossTable:
    """All bots of a tournament, best first."""

    rows: tuple[Row, ...]


def cross_table(session: Session, tournament_id: int) -> CrossTable:
    """The cross table over the matches that are finished so far; raises NotFound."""
    if session.get(Tournament, tournament_id) is None:
        raise NotFound(f"there is no tournament {tournament_id}")
    names = _names(session, tournament_id)
    tally = _Tally(_tables(session, tournament_id))
    shares = {bot: tally.share(bot) for bot in names}
    order = sorted(names, key=lambda bot: (-shares[bot], bot))
    return CrossTable(tuple(_row(bot, order, shares, names, tally) for bot in order))


class _Tally:
    """Points and games of every pair of bots, and every bot's matches."""

    def __init__(self, tables: Iterable[list[_Pair]]) -> None:
        self.points: defaultdict[_Pair, float] = defaultdict(float)
        self.games: Counter[_Pair] = Counter()
        self.matches: Counter[int] = Counter()
        for table in tables:
            self._add(table)

    def _add(self, table: list[_Pair]) -> None:
        self.matches.update(bot for bot, _ in table)
        for (bot, rank), (opponent, other_rank) in permutations(table, 2):
            self.games[bot, opponent] += 1
            self.points[bot, opponent] += (rank < other_rank) + (rank == other_rank) / 2

    def total(self, bot: int) -> float:
        return sum(points for (one, _), points in self.points.items() if one == bot)

    def share(self, bot: int) -> float:
        games = sum(games for (one, _), games in self.games.items() if one == bot)
        return self.total(bot) / games if games else 0.0


def _row(
    bot: int, order: list[int], shares: dict[int, float], names: dict[int, str], tally: _Tally
) -> Row:
    return Row(
        rank=1 + sum(share > shares[bot] for share in shares.values()),
        bot_id=bot,
        name=names[bot],
        points=tally.total(bot),
        games=tally.matches[bot],
        cells=tuple(
            Cell(other, tally.points[bot, other], tally.games[bot, other])
            for other in order
            if other != bot
        ),
    )


def _names(session: Session, tournament_id: int) -> dict[int, str]:
    """The bots of the tournament and their names, also before any match is finished."""
    of_tournament = select(Seat.bot_id).join(Match).where(Match.tournament_id == tournament_id)
    rows = session.execute(select(Bot.id, Bot.name).where(Bot.id.in_(of_tournament)))
    return dict(rows.all())


def _tables(session: Session, tournament_id: int) -> Iterable[list[_Pair]]:
    """Bot and rank by seat of every finished match that is not annulled."""
    query = (
        select(Seat.match_id, Seat.bot_id, Seat.rank)
        .join(Match)
        .where(
            Match.tournament_id == tournament_id,
            Match.state == "finished",
            Match.annulled_at.is_(None),
        )
        .order_by(Seat.match_id, Seat.seat)
    )
    for _, seats in groupby(session.execute(query), key=itemgetter(0)):
        yield [(bot, rank) for _, bot, rank in seats if rank is not None]
