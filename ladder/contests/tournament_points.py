"""Count the points of a tournament, and order its bots by their share, then by tie-breaks.

All values are shares of what was possible, so that bots with different numbers of matches can be
compared. Nothing is random: bots that are equal in everything share a rank.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby, permutations
from math import fsum
from typing import Final, NamedTuple

from sqlalchemy import text
from sqlalchemy.orm import Session

from ladder.matches.reading import ABSENT
from ladder.ratings.tallies import half_points

_DECIMALS: Final = 9  # of a mean: so that rounding errors don't separate equal bots

Pair = tuple[int, int]
"""A bot and an opponent."""

_SEATS: Final = (
    "SELECT m.id, s.bot_id, s.rank, s.fault, m.reason"
    " FROM matches m JOIN seats s ON s.match_id = m.id"
    " WHERE {sign}m.tournament_id = :tournament AND m.annulled_at IS NULL AND m.id <> :without"
    " AND m.result_number > :after AND m.result_number <= :last ORDER BY m.result_number"
)
_OF_TOURNAMENT: Final = text(_SEATS.format(sign=""))
# `+` keeps databases from using the tournament's index: a few results are found by number.
_OF_RESULTS: Final = text(_SEATS.format(sign="+"))
_FEW: Final = 2_000  # results of all ladders and tournaments


class TieBreak(StrEnum):
    """The criteria that decide between bots with the same share of the points."""

    DIRECT = "direct encounter"
    """The share of the points in games among the tied bots, if all of them have met."""
    OPPONENTS = "strength of the opponents"
    """Buchholz: the mean share of the opponents, weighted by the games against each."""
    BEATEN = "strength of beaten opponents"
    """Sonneborn-Berger: the points against each opponent, weighted by that one's share."""
    FIRSTS = "first places"
    """The part of the matches that ended with the first rank, shared or not."""


ORDERS: Mapping[str, tuple[TieBreak, ...]] = {
    "round_robin": (TieBreak.DIRECT, TieBreak.BEATEN, TieBreak.FIRSTS),
    "gauntlet": (TieBreak.DIRECT, TieBreak.BEATEN, TieBreak.FIRSTS),
    "swiss": (TieBreak.OPPONENTS, TieBreak.DIRECT, TieBreak.FIRSTS),
}
"""The tie-breaks of each format; the first that differs decides.

In a Swiss tournament bots meet different opponents, so the strength of these counts first.
"""


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


def scored(table: Sequence[Seated]) -> Iterator[tuple[Pair, int]]:
    """Yield each bot and opponent of a match, and the half points of the first against the second.

    Those who were there get points among themselves: an absent seat loses against each of them, but
    that is nobody's merit.
    """
    there = [seat for seat in table if not seat.by_caretaker]
    for one, other in permutations(there, 2):
        yield (one.bot_id, other.bot_id), half_points(one.rank, other.rank)
    if len(there) < len(table):
        for one, other in permutations(table, 2):
            if one.by_caretaker:
                yield (one.bot_id, other.bot_id), 0


@dataclass(slots=True)
class Tally:
    """The results of a tournament so far: games and half points of each bot against each opponent;
    matches, first ranks and absences of each bot."""

    games: Counter[Pair] = field(default_factory=Counter)
    half_points: Counter[Pair] = field(default_factory=Counter)
    matches: Counter[int] = field(default_factory=Counter)
    firsts: Counter[int] = field(default_factory=Counter)
    absences: Counter[int] = field(default_factory=Counter)

    def share(self, bot: int, others: Sequence[int]) -> float:
        """Return the bot's part of the points against these; 0 if it met none of them."""
        games = sum(self.games[bot, other] for other in others)
        return sum(self.half_points[bot, other] for other in others) / (2 * games) if games else 0.0

    def add(
        self, session: Session, tournament_id: int, *, after: int, last: int, without: int = 0
    ) -> bool:
        """Add the results numbered above `after`, up to `last`; return True if there are any.

        Leaves out the match `without`.
        """
        if last == after:
            return False
        parameters = {"tournament": tournament_id, "after": after, "last": last, "without": without}
        query = _OF_RESULTS if last - after <= _FEW else _OF_TOURNAMENT
        rows = session.execute(query, parameters).all()
        for _, table in groupby(rows, key=lambda row: row[0]):
            self._add([Seated(*seat) for _, *seat in table])
        return bool(rows)

    def _add(self, table: Sequence[Seated]) -> None:
        for seat in table:
            self.matches[seat.bot_id] += 1
            self.firsts[seat.bot_id] += seat.rank == 1 and seat.fault != ABSENT
            self.absences[seat.bot_id] += seat.fault == ABSENT
        for pair, points in scored(table):
            self.games[pair] += 1
            self.half_points[pair] += points


@dataclass(frozen=True, slots=True)
class Placed:
    """A bot in the standings: its rank, and the tie-break that separates it from the one before."""

    bot_id: int
    rank: int
    decided_by: TieBreak | None


@dataclass(frozen=True, slots=True)
class Scores:
    """Each bot's share of the points, and the tie-breaks that don't depend on a group."""

    share: Mapping[int, float]
    opponents: Mapping[int, float]
    beaten: Mapping[int, float]
    firsts: Mapping[int, float]

    def of(self, tie_break: TieBreak, bot: int) -> float | None:
        """Return the bot's value (0 to 1); None for the direct encounter, which needs a group."""
        return None if tie_break is TieBreak.DIRECT else self.values(tie_break)[bot]

    def values(self, tie_break: TieBreak) -> Mapping[int, float]:
        """Return a tie-break's values for all bots; not for the direct encounter."""
        return {
            TieBreak.OPPONENTS: self.opponents,
            TieBreak.BEATEN: self.beaten,
            TieBreak.FIRSTS: self.firsts,
        }[tie_break]


def scores(bots: Sequence[int], tally: Tally) -> Scores:
    """Compute the scores of these bots, which must be the whole field."""
    share = {bot: tally.share(bot, bots) for bot in bots}
    met: dict[int, list[int]] = {bot: [] for bot in bots}
    for bot, other in tally.games:
        met[bot].append(other)

    def mean(bot: int, weights: Mapping[Pair, int], scale: int) -> float:
        games = sum(tally.games[bot, other] for other in met[bot])
        total = fsum(weights[bot, other] * share[other] for other in met[bot])
        return round(total / (scale * games), _DECIMALS) if games else 0.0

    return Scores(
        share=share,
        opponents={bot: mean(bot, tally.games, 1) for bot in bots},
        beaten={bot: mean(bot, tally.half_points, 2) for bot in bots},
        firsts={bot: tally.firsts[bot] / max(1, tally.matches[bot]) for bot in bots},
    )


def standing(
    bots: Sequence[int], tally: Tally, scored: Scores, tie_breaks: Sequence[TieBreak]
) -> list[Placed]:
    """Return the bots, best first; bots that share a rank keep the order of `bots`."""
    placed: list[Placed] = []
    for tied in _split(bots, scored.share.__getitem__):
        for group, decided_by in _parted(tied, tie_breaks, tally, scored):
            rank = len(placed) + 1
            placed += [Placed(group[0], rank, decided_by)]
            placed += [Placed(bot, rank, None) for bot in group[1:]]
    return placed


def _parted(
    tied: list[int], tie_breaks: Sequence[TieBreak], tally: Tally, scored: Scores
) -> list[tuple[list[int], TieBreak | None]]:
    """Split tied bots into groups of equal rank, each with the tie-break that separates it."""
    if len(tied) == 1 or not tie_breaks:
        return [(tied, None)]
    groups: list[tuple[list[int], TieBreak | None]] = []
    for group in _split(tied, _value(tie_breaks[0], tied, tally, scored)):
        inner = _parted(group, tie_breaks[1:], tally, scored)
        if groups:
            inner[0] = (inner[0][0], tie_breaks[0])
        groups += inner
    return groups


def _value(
    tie_break: TieBreak, tied: Sequence[int], tally: Tally, scored: Scores
) -> Callable[[int], float]:
    if tie_break is TieBreak.DIRECT:
        all_met = all(tally.games[pair] for pair in permutations(tied, 2))
        return lambda bot: tally.share(bot, tied) if all_met else 0.0
    return scored.values(tie_break).__getitem__


def _split(bots: Sequence[int], value: Callable[[int], float]) -> list[list[int]]:
    """Group bots of equal value, the highest value first."""
    groups: dict[float, list[int]] = {}
    for bot in bots:
        groups.setdefault(value(bot), []).append(bot)
    return [groups[worth] for worth in sorted(groups, reverse=True)]
