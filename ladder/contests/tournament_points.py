"""Count the points of a tournament: who got how many against whom."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, permutations
from typing import Final, NamedTuple

from sqlalchemy import text
from sqlalchemy.orm import Session

from ladder.contests.tie_breaks import Tally
from ladder.matches.rows import ABSENT
from ladder.ratings.tallies import half_points

_SEATS: Final = (
    "SELECT m.id, s.bot_id, s.rank, s.fault, m.reason"
    " FROM matches m JOIN seats s ON s.match_id = m.id"
    " WHERE {sign}m.tournament_id = :tournament AND m.annulled_at IS NULL"
    " AND m.result_number > :after AND m.result_number <= :last ORDER BY m.result_number"
)
_OF_TOURNAMENT: Final = text(_SEATS.format(sign=""))
# `+` keeps databases from using the tournament's index: a few results are found by number.
_OF_RESULTS: Final = text(_SEATS.format(sign="+"))
_FEW: Final = 2_000  # results of all ladders and tournaments


class Seated(NamedTuple):
    """A seat of a finished match: its bot, its rank and the code of its fault.

    `reason` says how the match ended.
    """

    bot_id: int
    rank: int
    fault: str | None = None
    reason: str | None = None

    @property
    def by_caretaker(self) -> bool:
        """True if a caretaker played the seat from the start."""
        return self.fault == ABSENT and self.reason != ABSENT


def scored(table: Sequence[Seated]) -> Iterator[tuple[tuple[int, int], int]]:
    """Yield each bot and opponent of a match, and the half points of the first against the second.

    Those who were there get points among themselves: an absent seat loses against each of them, but
    that is nobody's merit.
    """
    for one, other in permutations(table, 2):
        if one.by_caretaker:
            yield (one.bot_id, other.bot_id), 0
        elif not other.by_caretaker:
            yield (one.bot_id, other.bot_id), half_points(one.rank, other.rank)


@dataclass(slots=True)
class ResultCount:
    """A running count of a tournament's results, in the fields of `Tally`."""

    games: Counter[tuple[int, int]] = field(default_factory=Counter)
    half_points: Counter[tuple[int, int]] = field(default_factory=Counter)
    matches: Counter[int] = field(default_factory=Counter)
    firsts: Counter[int] = field(default_factory=Counter)
    absences: Counter[int] = field(default_factory=Counter)

    def add(self, session: Session, tournament_id: int, *, after: int, last: int) -> bool:
        """Add the results numbered above `after`, up to `last`; return True if there are any."""
        if last == after:
            return False
        wanted = {"tournament": tournament_id, "after": after, "last": last}
        query = _OF_RESULTS if last - after <= _FEW else _OF_TOURNAMENT
        rows = session.execute(query, wanted).all()
        for _, table in groupby(rows, key=lambda row: row[0]):
            self._add([Seated(*seat) for _, *seat in table])
        return bool(rows)

    def tally(self) -> Tally:
        """Return the count so far."""
        return Tally(self.games, self.half_points, self.matches, self.firsts)

    def _add(self, table: Sequence[Seated]) -> None:
        for seat in table:
            self.matches[seat.bot_id] += 1
            self.firsts[seat.bot_id] += seat.rank == 1 and seat.fault != ABSENT
            self.absences[seat.bot_id] += seat.fault == ABSENT
        for pair, points in scored(table):
            self.games[pair] += 1
            self.half_points[pair] += points
