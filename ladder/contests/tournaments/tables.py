"""The tables of a round, as its page shows them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby, permutations
from operator import itemgetter
from typing import Final

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from ladder.contests.tournaments.reading import Entrant, entries
from ladder.model import Match, Seat
from ladder.ratings.tallies import half_points


@dataclass(frozen=True, slots=True)
class Played:
    """A match of a table: its id and state."""

    id: int
    state: str


@dataclass(frozen=True, slots=True)
class RoundTable:
    """Bots that sit together in a round: each with its points so far, as in the cross table, those
    with most first; and the matches that they play."""

    bots: tuple[tuple[Entrant, float], ...]
    matches: tuple[Played, ...]


@dataclass(frozen=True, slots=True)
class Round:
    """A round of a Swiss tournament, and who sits out in it."""

    number: int
    tables: tuple[RoundTable, ...]
    sitting_out: tuple[Entrant, ...]


_SEATS: Final = (
    select(Match.id, Match.state, Match.annulled_at, Seat.bot_id, Seat.rank)
    .join(Seat, Seat.match_id == Match.id)
    .where(Match.tournament_id == bindparam("tournament"), Match.round == bindparam("round"))
    .order_by(Match.id, Seat.seat)
)
_Seats = list[tuple[int, int | None]]  # a match's bots and ranks


def round_of(session: Session, tournament_id: int, number: int) -> Round:
    """One round; no table where its matches have not been made. Raises NotFound."""
    entrants = {entrant.bot_id: entrant for entrant in entries(session, tournament_id)}
    found = session.execute(_SEATS, {"tournament": tournament_id, "round": number}).all()
    tables: dict[frozenset[int], tuple[dict[int, float], list[Played]]] = {}
    for (match_id, state, annulled), rows in groupby(found, itemgetter(0, 1, 2)):
        seats = [(bot, rank) for *_, bot, rank in rows]
        points, matches = tables.setdefault(
            frozenset(bot for bot, _ in seats), (dict.fromkeys((bot for bot, _ in seats), 0.0), [])
        )
        matches.append(Played(match_id, state))
        if annulled is None:
            _add_points(points, seats)
    sitting = {bot for table in tables for bot in table}
    return Round(
        number,
        tuple(_table(points, matches, entrants) for points, matches in tables.values()),
        tuple(one for bot, one in entrants.items() if tables and bot not in sitting),
    )


def _add_points(points: dict[int, float], seats: _Seats) -> None:
    ranked = [(bot, rank) for bot, rank in seats if rank is not None]
    for (bot, rank), (_, opponent) in permutations(ranked, 2):
        points[bot] += half_points(rank, opponent) / 2


def _table(
    points: dict[int, float], matches: list[Played], entrants: dict[int, Entrant]
) -> RoundTable:
    best_first = sorted(points, key=lambda bot: (-points[bot], entrants[bot].number))
    return RoundTable(tuple((entrants[bot], points[bot]) for bot in best_first), tuple(matches))
