"""The cross table of a tournament: each of its bots against each other, and who stands where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from ladder.contests.tallying import Count
from ladder.contests.tie_breaks import ORDERS, Placed, Scores, Tally, TieBreak, scores, standing
from ladder.errors import NotFound
from ladder.model import Bot, Entry, Tournament
from ladder.ratings.ledger import newest

_ENTRANTS: Final = (
    select(Bot.id, Bot.name)
    .join(Entry, Entry.bot_id == Bot.id)
    .where(Entry.tournament_id == bindparam("tournament"))
    .order_by(Entry.number)
)


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
    `cells` are in the order of the table's rows, without the bot itself. `rank` is by `share`, the
    part of the points that could be had, so that it makes sense before the end; then by the
    tie-breaks, of which `decided_by` put the bot behind the row before. `tie_breaks` has the value
    of each of the table's tie-breaks (from 0 to 1); None for the direct encounter, which is not a
    bot's own.
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


def cross_table(session: Session, tournament_id: int) -> CrossTable:
    """The cross table over the results so far that are not annulled; raises NotFound."""
    tournament = session.get(Tournament, tournament_id)
    if tournament is None:
        raise not_found(tournament_id)
    count = Count()
    count.add(session, tournament_id, after=0, last=newest(session))
    return table_of(entrants(session, tournament_id), count.tally(), tournament.format)


def table_of(names: dict[int, str], tally: Tally, format_: str) -> CrossTable:
    """The cross table of a tournament of this format between bots with these names."""
    scored = scores(list(names), tally)
    tie_breaks = ORDERS[format_]
    placed = standing(list(names), tally, scored, tie_breaks)
    order = [place.bot_id for place in placed]
    rows = (_row(place, names, order, tally, scored, tie_breaks) for place in placed)
    return CrossTable(tuple(rows), tie_breaks)


def entrants(session: Session, tournament_id: int) -> dict[int, str]:
    """The bots of the entry list and their names, in its order."""
    return dict(session.execute(_ENTRANTS, {"tournament": tournament_id}).all())


def not_found(tournament_id: int) -> NotFound:
    """The error where there is no such tournament."""
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
