"""The places of all bots on all ladders, which are few and read at once; ranks among them.

They change with the number of the newest result alone, so that they are read once for it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from sqlalchemy import text
from sqlalchemy.orm import Session

from ladder.contests.pairings.tables import TABLE_SIZES
from ladder.ratings import elo
from ladder.ratings.kept_looks import Looks

# Versions first: SQLite takes the tables in this order, which spares it those that play no more.
_PLACES: Final = text(
    "SELECT p.version_id, p.seats, p.bot_id, p.rating_milli, p.games, p.wins, p.faults"
    " FROM versions v CROSS JOIN ladder_places p"
    " WHERE v.state = 'active' AND p.version_id = v.id AND p.seats IN (2, 3, 4)"
)


class Held(NamedTuple):
    """A place: rating in thousandths, and counts of games."""

    rating_milli: int
    games: int
    wins: int
    faults: int


Own = Mapping[int, Held]
"""The places of one version, by table size."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """All active versions with a place, by their ids. `falling`: the ratings on each ladder with
    their signs turned, so that the best comes first; `by_rank`: the versions on each ladder, and
    `by_mean` those on any, the best first. Who is equal stands in the order of the bots' ids."""

    places: Mapping[int, Own]
    falling: Mapping[int, Sequence[int]]
    by_rank: Mapping[int, Sequence[int]]
    by_mean: Sequence[int]

    def rank(self, seats: int, rating_milli: int) -> int:
        """One more than there are better ratings, so that equal ones share it."""
        return 1 + bisect_left(self.falling[seats], -rating_milli)


_looks: Final = Looks[Ranks]()


def ranks(session: Session) -> Ranks:
    """As things stand after the newest result."""
    return _looks.at(session, None, lambda _last: _read(session))


def mean(own: Own) -> float:
    """The mean rating on all ladders; one without a place counts as the start."""
    rated = sum([held[0] for held in own.values()])
    return (rated + (len(TABLE_SIZES) - len(own)) * elo.START) / len(TABLE_SIZES)


def _read(session: Session) -> Ranks:
    places: dict[int, dict[int, Held]] = {}
    ranked: dict[int, list[tuple[int, int, int]]] = {seats: [] for seats in TABLE_SIZES}
    bots: dict[int, int] = {}
    rows: list[tuple[int, ...]] = [*map(tuple, session.execute(_PLACES).all())]
    for version, seats, bot_id, rating, games, wins, faults in rows:
        own = places.get(version)
        if own is None:
            own = places[version] = {}
            bots[version] = bot_id
        own[seats] = Held(rating, games, wins, faults)
        ranked[seats].append((-rating, bot_id, version))
    for order in ranked.values():
        order.sort()
    by_mean = sorted((-mean(own), bots[version], version) for version, own in places.items())
    return Ranks(
        places,
        {seats: [rating for rating, *_ in order] for seats, order in ranked.items()},
        {seats: [version for *_, version in order] for seats, order in ranked.items()},
        [version for *_, version in by_mean],
    )
