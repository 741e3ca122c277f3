"""The places of all bots on all ladders, which are few and read at once; ranks among them.

They change with the number of the newest result alone, so that they are read once for it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final
from weakref import WeakKeyDictionary

from sqlalchemy import select, text
from sqlalchemy.orm import Session

from ladder import elo
from ladder.database.models import Ledger

SIZES: Final = (2, 3, 4)
"""The table sizes that have a ladder."""
_LONGEST: Final = 10.0  # seconds that places are kept: a rebuild mends them without a new result

_LAST: Final = select(Ledger.last_result)
# Versions first: SQLite takes the tables in this order, which spares it those that play no more.
_PLACES: Final = text(
    "SELECT p.version_id, p.seats, p.rating_milli, p.games"
    " FROM versions v CROSS JOIN ladder_places p"
    " WHERE v.state = 'active' AND p.version_id = v.id AND p.seats IN (2, 3, 4)"
)

Own = Mapping[int, tuple[int, int]]
"""Rating in thousandths and games of a version, by table size."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """All active versions with a place. `falling`: the ratings on each ladder with their signs
    turned, so that the best comes first; `by_mean`: the versions, the best mean rating first."""

    places: Mapping[int, Own]
    falling: Mapping[int, Sequence[int]]
    by_mean: Sequence[int]

    def rank(self, seats: int, rating_milli: int) -> int:
        """One more than there are better ratings, so that equal ones share it."""
        return 1 + bisect_left(self.falling[seats], -rating_milli)

    def count(self, seats: int) -> int:
        """How many bots have a place on the ladder."""
        return len(self.falling[seats])


@dataclass(frozen=True, slots=True)
class _Kept:
    ranks: Ranks
    last_result: int
    until: float


_kept: Final = WeakKeyDictionary[Any, _Kept]()  # by engine


def ranks(session: Session) -> Ranks:
    """As things stand after the newest result."""
    last = session.execute(_LAST).scalar_one()  # before the places, which may be newer
    engine = session.get_bind()
    kept = _kept.get(engine)
    if kept is None or kept.last_result != last or monotonic() > kept.until:
        kept = _kept[engine] = _Kept(_read(session), last, monotonic() + _LONGEST)
    return kept.ranks


def mean(own: Own) -> float:
    """The mean rating on all ladders; one without a place counts as the start."""
    rated = sum(rating for rating, _ in own.values())
    return (rated + (len(SIZES) - len(own)) * elo.START) / len(SIZES)


def _read(session: Session) -> Ranks:
    places: defaultdict[int, dict[int, tuple[int, int]]] = defaultdict(dict)
    falling: dict[int, list[int]] = {seats: [] for seats in SIZES}
    for version, seats, rating, games in session.execute(_PLACES).all():
        places[version][seats] = (rating, games)
        falling[seats].append(-rating)
    for ratings in falling.values():
        ratings.sort()
    by_mean = sorted(places)
    by_mean.sort(key=lambda version: mean(places[version]), reverse=True)
    return Ranks(places, falling, by_mean)
