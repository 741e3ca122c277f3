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

from sqlalchemy import BindParameter, Select, and_, select, text
from sqlalchemy.orm import Session

from ladder.model import Bot, LadderPlace, Strength, User, Version, VersionState
from ladder.ratings import elo
from ladder.ratings.elo import TABLE_SIZES
from ladder.ratings.ledger import newest

_LONGEST: Final = 10.0  # seconds: a rebuild changes ratings without a new result
_T = TypeVar("_T")

# CROSS JOIN makes SQLite read versions first and skip the places of inactive ones.
_PLACES: Final = text(
    "SELECT p.version_id, p.seats, p.bot_id, p.rating_milli, p.games, p.wins, p.faults"
    " FROM versions v CROSS JOIN ladder_places p"
    f" WHERE v.state = '{VersionState.ACTIVE}' AND p.version_id = v.id AND p.seats IN (2, 3, 4)"
)


@dataclass(frozen=True, slots=True)
class Standing:
    """A bot's place on the ladder of one table size. `wins` counts first ranks, shared or not.

    Equal ratings share a `rank`. Rating, strength and the ends of the strength's 95 % interval are
    in milli-Elo; strength and interval are None until they have been computed. A `provisional` bot
    has few rated games; the rating of a `pinned` bot never changes.
    """

    rank: int
    bot_id: int
    name: str
    author: str
    version: str
    rating_milli: int
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
    """A bot's rank and rating (milli-Elo) on one ladder."""

    seats: int
    rank: int
    rating_milli: int
    games: int
    provisional: bool


class PlaceNumbers(NamedTuple):
    """The rating of a place (milli-Elo), and its counts of games."""

    rating_milli: int
    games: int
    wins: int
    faults: int


PlacesBySize = Mapping[int, PlaceNumbers]
"""The places of a version, by table size."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """The order of all active versions that have a place, by version id.

    `falling` holds the negated ratings of each ladder in ascending order. `by_rank` lists the
    versions of each ladder and `by_mean` those of all ladders, best first; equal ones follow in the
    order of their bots' ids. `games` counts the seats of each ladder's games; `played` are the
    table sizes of the ladders that have a place.
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

    def rank(self, seats: int, rating_milli: int) -> int:
        """Return 1 plus the number of better ratings, so that equal ratings share a rank."""
        return 1 + bisect_left(self.falling[seats], -rating_milli)

    def places_of(self, version_id: int, *, pinned: bool) -> tuple[Place | None, ...]:
        """Return an active version's place at each of TABLE_SIZES; None if it has none there."""
        own = self.places.get(version_id, {})
        return tuple(
            Place(
                seats,
                self.rank(seats, own[seats].rating_milli),
                own[seats].rating_milli,
                own[seats].games,
                provisional=elo.is_provisional(own[seats].games, pinned=pinned),
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


def mean_rating(own: PlacesBySize, played: Sequence[int]) -> float:
    """Return the mean rating over the `played` ladders; one without a place is `elo.START`."""
    rated = sum([place.rating_milli for place in own.values()])
    return (rated + (len(played) - len(own)) * elo.START) / len(played)


def standings(session: Session, seats: int) -> list[Standing]:
    """Read the ladder of tables with `seats` seats, best first; only bots with a rated game."""
    query = of_ladder(seats).order_by(LadderPlace.rating_milli.desc(), Bot.id)
    found = ranks(session)
    return [standing_of(row, found) for row in session.execute(query)]


def of_ladder(seats: int | BindParameter[int]) -> Select[*tuple[Any, ...]]:
    """Select the rows of a ladder for `standing_of`, in no order."""
    columns: tuple[Any, ...] = (
        LadderPlace.seats,
        Bot.id,
        Bot.name,
        User.name,
        Version.name,
        LadderPlace.rating_milli,
        LadderPlace.games,
        LadderPlace.wins,
        LadderPlace.faults,
        Strength.strength_milli,
        Strength.low_milli,
        Strength.high_milli,
        Bot.pinned,
    )
    strength = and_(
        Strength.version_id == LadderPlace.version_id, Strength.seats == LadderPlace.seats
    )
    return (
        select(*columns)
        .select_from(LadderPlace)
        .join(Bot, Bot.id == LadderPlace.bot_id)
        .join(User, User.id == Bot.user_id)
        .join(Version, Version.id == LadderPlace.version_id)
        .outerjoin(Strength, strength)
        .where(Version.active, LadderPlace.seats == seats)
    )


def standing_of(row: Any, ranks: Ranks) -> Standing:
    """Make the standing of a row of `of_ladder`."""
    seats, bot_id, name, author, version, rating, games, wins, faults, *strength, pinned = row
    strength_milli, low_milli, high_milli = strength
    return Standing(
        rank=ranks.rank(seats, rating),
        bot_id=bot_id,
        name=name,
        author=author,
        version=version,
        rating_milli=rating,
        games=games,
        wins=wins,
        faults=faults,
        strength_milli=strength_milli,
        low_milli=low_milli,
        high_milli=high_milli,
        provisional=elo.is_provisional(games, pinned=bool(pinned)),
        pinned=bool(pinned),
    )


def _read(session: Session) -> Ranks:
    places: dict[int, dict[int, PlaceNumbers]] = {}
    ranked: dict[int, list[tuple[int, int, int]]] = {seats: [] for seats in TABLE_SIZES}
    bots: dict[int, int] = {}
    rows: list[tuple[int, ...]] = [*map(tuple, session.execute(_PLACES).all())]
    for version, seats, bot_id, rating, games, wins, faults in rows:
        own = places.get(version)
        if own is None:
            own = places[version] = {}
            bots[version] = bot_id
        own[seats] = PlaceNumbers(rating, games, wins, faults)
        ranked[seats].append((-rating, bot_id, version))
    for order in ranked.values():
        order.sort()
    played = tuple(seats for seats in TABLE_SIZES if ranked[seats])
    by_mean = sorted(
        (-mean_rating(own, played), bots[version], version) for version, own in places.items()
    )
    seats_played = {
        seats: sum(places[version][seats].games for *_, version in ranked[seats])
        for seats in TABLE_SIZES
    }
    return Ranks(
        places,
        {seats: [rating for rating, *_ in order] for seats, order in ranked.items()},
        {seats: [version for *_, version in order] for seats, order in ranked.items()},
        [version for *_, version in by_mean],
        seats_played,
        played,
    )
