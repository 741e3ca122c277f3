"""The standings of the ladders: each bot's rank, rating and counts on the ladder of a table size.

The places of all bots are a few thousand numbers: they are read at once, and again only after a new
result. Nothing here counts matches.
"""

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from time import monotonic
from typing import Any, Final, Generic, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

from sqlalchemy import BindParameter, Select, select, text
from sqlalchemy.orm import Session

from ladder.model import Bot, LadderPlace, User, Version, VersionState
from ladder.ratings import elo
from ladder.ratings.elo import TABLE_SIZES, Skill
from ladder.ratings.ledger import newest

_LONGEST: Final = 10.0  # seconds: a rebuild changes ratings without a new result
_95: Final = 1.959964  # deviations, half of an interval of 95 %
_T = TypeVar("_T")

# CROSS JOIN makes SQLite read versions first and skip the places of inactive ones.
_PLACES: Final = text(
    "SELECT p.version_id, p.seats, p.bot_id, p.rating_milli, p.deviation_milli, p.games, p.wins,"
    " p.faults FROM versions v CROSS JOIN ladder_places p"
    f" WHERE v.state = '{VersionState.ACTIVE}' AND p.version_id = v.id AND p.seats IN (2, 3, 4)"
)


@dataclass(frozen=True, slots=True)
class Standing:
    """A bot's place on the ladder of one table size. `wins` counts first ranks, shared or not.

    Ratings are in milli-Elo; `deviation_milli` is one standard deviation, what pages show after ±.
    A `provisional` bot is still being placed: its deviation is too large for a rank, and `rank`
    only says where it stands, by its rating less its deviation (`elo.standing`). Equal ones share
    a rank. The rating of a `pinned` bot never changes. `low_milli` and `high_milli` are the ends of
    the 95 % interval;
    `strength_milli` is the rating once more, for readers of an older release.
    """

    rank: int
    bot_id: int
    name: str
    author: str
    version: str
    rating_milli: int
    deviation_milli: int
    games: int
    wins: int
    faults: int
    strength_milli: int | None = None
    low_milli: int | None = None
    high_milli: int | None = None
    provisional: bool = False
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """A bot's rank, rating and deviation (milli-Elo) on one ladder; see `Standing`."""

    seats: int
    rank: int
    rating_milli: int
    deviation_milli: int
    games: int
    provisional: bool


class PlaceNumbers(NamedTuple):
    """The rating and deviation of a place (milli-Elo), and its counts of games."""

    rating_milli: int
    deviation_milli: int
    games: int
    wins: int
    faults: int

    @property
    def skill(self) -> Skill:
        """The rating with its deviation."""
        return Skill(self.rating_milli, self.deviation_milli)


PlacesBySize = Mapping[int, PlaceNumbers]
"""The places of a version, by table size."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """The order of all active versions that have a place, by version id.

    `falling` holds what the versions of each ladder are ordered by (`elo.standing`), negated, in
    ascending order. `by_rank` lists the versions of each ladder, and `by_mean` those of all, by the
    mean of that, those that have played on every ladder before the others; the best come first,
    equal ones follow in the order of their bots' ids. `games` counts the seats of each ladder's
    games; `played` are the table sizes of the ladders that have a place.
    """

    places: Mapping[int, PlacesBySize]
    falling: Mapping[int, Sequence[int]]
    by_rank: Mapping[int, Sequence[int]]
    by_mean: Sequence[int]
    games: Mapping[int, int]
    played: tuple[int, ...]

    @property
    def busiest(self) -> int:
        """The table size with most games; the largest one of equal ones."""
        return max(reversed(TABLE_SIZES), key=self.games.__getitem__)

    def rank(self, seats: int, skill: Skill) -> int:
        """Return 1 plus the number of those that stand higher, so that equal ones share a rank."""
        return 1 + bisect_left(self.falling[seats], -elo.standing(skill))

    def places_of(self, version_id: int) -> tuple[Place | None, ...]:
        """Return an active version's place at each of TABLE_SIZES; None if it has none there."""
        own = self.places.get(version_id, {})
        return tuple(
            Place(
                seats,
                self.rank(seats, own[seats].skill),
                own[seats].rating_milli,
                own[seats].deviation_milli,
                own[seats].games,
                provisional=not elo.is_placed(own[seats].skill),
            )
            if seats in own
            else None
            for seats in TABLE_SIZES
        )


class CachedByResult(Generic[_T]):
    """Values by database and key; the `most` newest of each database are kept."""

    def __init__(self, most: int = 1) -> None:
        self._most = most
        self._lock = Lock()
        self._computing: set[tuple[int, Hashable]] = set()
        self._cached = WeakKeyDictionary[Any, OrderedDict[Hashable, tuple[int, float, _T]]]()

    def get(self, session: Session, key: Hashable, compute: Callable[[int], _T]) -> _T:
        """Return the value after the newest result; `compute` gets that result's number.

        While another thread computes a value, the one before it is returned.
        """
        last = newest(session)  # read first: the value may already include a newer result
        engine = session.get_bind()
        mine = (id(engine), key)
        with self._lock:
            cached = self._cached.setdefault(engine, OrderedDict())
            known = cached.get(key)
            fresh = known is not None and monotonic() < known[1]
            if known is not None and fresh and (known[0] == last or mine in self._computing):
                return known[2]
            self._computing.add(mine)
        try:
            value = compute(last)
        finally:
            with self._lock:
                self._computing.discard(mine)
        with self._lock:
            cached[key] = (last, monotonic() + _LONGEST, value)
            cached.move_to_end(key)
            while len(cached) > self._most:
                cached.popitem(last=False)
        return value


_cache: Final = CachedByResult[Ranks]()


def ranks(session: Session) -> Ranks:
    """Return the ranks after the newest result."""
    return _cache.get(session, None, lambda _last: _read(session))


def mean_rating(own: PlacesBySize) -> float:
    """Return the mean rating over the ladders on which a version has a place."""
    return sum([place.rating_milli for place in own.values()]) / len(own)


def standings(session: Session, seats: int) -> list[Standing]:
    """Read the ladder of tables with `seats` seats, best first; only bots with a rated game."""
    found = ranks(session)
    rows = [standing_of(row, found) for row in session.execute(of_ladder(seats).order_by(Bot.id))]
    return sorted(rows, key=lambda row: row.rank)


def of_ladder(seats: int | BindParameter[int]) -> Select[*tuple[Any, ...]]:
    """Select the rows of a ladder for `standing_of`, in no order."""
    columns: tuple[Any, ...] = (
        LadderPlace.seats,
        Bot.id,
        Bot.name,
        User.name,
        Version.name,
        LadderPlace.rating_milli,
        LadderPlace.deviation_milli,
        LadderPlace.games,
        LadderPlace.wins,
        LadderPlace.faults,
        Bot.pinned,
    )
    return (
        select(*columns)
        .select_from(LadderPlace)
        .join(Bot, Bot.id == LadderPlace.bot_id)
        .join(User, User.id == Bot.user_id)
        .join(Version, Version.id == LadderPlace.version_id)
        .where(Version.active, LadderPlace.seats == seats)
    )


def standing_of(row: Any, ranks: Ranks) -> Standing:
    """Make the standing of a row of `of_ladder`."""
    seats, bot_id, name, author, version, rating, deviation, games, wins, faults, pinned = row
    strength, low, high = interval(rating, deviation)
    skill = Skill(rating, deviation)
    return Standing(
        rank=ranks.rank(seats, skill),
        bot_id=bot_id,
        name=name,
        author=author,
        version=version,
        rating_milli=rating,
        deviation_milli=deviation,
        games=games,
        wins=wins,
        faults=faults,
        strength_milli=strength,
        low_milli=low,
        high_milli=high,
        provisional=not elo.is_placed(skill),
        pinned=bool(pinned),
    )


def interval(rating: int, deviation: int) -> tuple[int, int, int]:
    """Return a rating and the ends of its 95 % interval, as the API of older releases had them."""
    reach = round(_95 * deviation)
    return rating, rating - reach, rating + reach


def _read(session: Session) -> Ranks:
    places: dict[int, dict[int, PlaceNumbers]] = {}
    ranked: dict[int, list[tuple[int, int, int]]] = {seats: [] for seats in TABLE_SIZES}
    bots: dict[int, int] = {}
    rows: list[tuple[int, ...]] = [*map(tuple, session.execute(_PLACES).all())]
    for version, seats, bot_id, *numbers in rows:
        own = places.get(version)
        if own is None:
            own = places[version] = {}
            bots[version] = bot_id
        place = own[seats] = PlaceNumbers(*numbers)
        ranked[seats].append((-elo.standing(place.skill), bot_id, version))
    for order in ranked.values():
        order.sort()
    played = tuple(seats for seats in TABLE_SIZES if ranked[seats])
    by_mean = sorted(
        (len(own) < len(played), -_mean_standing(own), bots[version], version)
        for version, own in places.items()
    )
    seats_played = {
        seats: sum(places[version][seats].games for *_, version in ranked[seats])
        for seats in TABLE_SIZES
    }
    return Ranks(
        places,
        {seats: [standing for standing, *_ in order] for seats, order in ranked.items()},
        {seats: [version for *_, version in order] for seats, order in ranked.items()},
        [version for *_, version in by_mean],
        seats_played,
        played,
    )


def _mean_standing(own: PlacesBySize) -> float:
    return sum([elo.standing(place.skill) for place in own.values()]) / len(own)
