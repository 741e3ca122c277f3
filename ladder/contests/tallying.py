"""Adds up the finished matches of a tournament, all at once or some results after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby, permutations
from typing import Any, Final

from sqlalchemy import text
from sqlalchemy.orm import Session

from ladder.contests.tie_breaks import Pair, Tally
from ladder.ratings.tallies import half_points

_SEATS: Final = (
    "SELECT m.id, s.bot_id, s.rank FROM matches m JOIN seats s ON s.match_id = m.id"
    " WHERE {sign}m.tournament_id = :tournament AND m.annulled_at IS NULL"
    " AND m.result_number > :after AND m.result_number <= :last ORDER BY m.result_number"
)
_OF_TOURNAMENT: Final = text(_SEATS.format(sign=""))
# The sign keeps databases from the tournament's index: a few results are found by their numbers.
_OF_RESULTS: Final = text(_SEATS.format(sign="+"))
_FEW: Final = 2_000  # results of all ladders and tournaments


@dataclass(slots=True)
class Count:
    """What has been added up so far; see `Tally`."""

    games: Counter[Pair] = field(default_factory=Counter)
    half_points: Counter[Pair] = field(default_factory=Counter)
    matches: Counter[int] = field(default_factory=Counter)
    firsts: Counter[int] = field(default_factory=Counter)

    def add(self, session: Session, tournament_id: int, *, after: int, last: int) -> bool:
        """Add the results with numbers above `after`, up to `last`; whether there are any."""
        if last == after:
            return False
        wanted = {"tournament": tournament_id, "after": after, "last": last}
        query = _OF_RESULTS if last - after <= _FEW else _OF_TOURNAMENT
        rows = session.execute(query, wanted).all()
        for _, table in groupby(rows, key=lambda row: row[0]):
            self._add([(bot, rank) for _, bot, rank in table])
        return bool(rows)

    def tally(self) -> Tally:
        """As it stands."""
        return Tally(self.games, self.half_points, self.matches, self.firsts)

    def _add(self, table: Sequence[tuple[int, Any]]) -> None:
        for bot, rank in table:
            self.matches[bot] += 1
            self.firsts[bot] += rank == 1
        for (bot, rank), (other, opponent) in permutations(table, 2):
            self.games[bot, other] += 1
            self.half_points[bot, other] += half_points(rank, opponent)
