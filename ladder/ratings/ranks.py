"""The order of all bots on the ladders, in memory: a few thousand numbers, changed by each result.

They are read whole when the site first needs them, when a version becomes active or ceases to be,
and every few seconds: then a bot that has retired, or that an admin has barred, is gone, and one
that has not played for long is inactive. After a result only the places of its table are read
again: the ledger has a row for each. Nothing here counts matches.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import sqrt
from threading import Lock
from time import monotonic
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from ladder.model import BotState, Ledger, Version, VersionState
from ladder.ratings import activity, elo
from ladder.ratings.elo import TABLE_SIZES, Skill

_ALL_SIZES: Final = 0
_LOCK: Final = Lock()
LONGEST: Final = 10.0
"""Seconds that ratings are kept: a rebuild changes them without a new result."""

# What the ranks follow from: the newest entry of the ledger, and which versions are active.
_SOURCE: Final = select(
    Ledger.last_result, select(func.sum(Version.id)).where(Version.active).scalar_subquery()
)
# CROSS JOIN makes SQLite read versions first and skip the places of inactive ones.
_PLACES = (
    "SELECT p.version_id, p.seats, p.bot_id, p.rating_milli, p.deviation_milli, p.games, p.wins,"
    f" p.faults, {activity.IS_INACTIVE} FROM versions v CROSS JOIN ladder_places p"
    f" WHERE v.state = '{VersionState.ACTIVE}' AND p.version_id = v.id AND p.seats IN (2, 3, 4)"
    f" AND (SELECT b.state <> '{BotState.RETIRED}' AND NOT b.barred"
    " FROM bots b WHERE b.id = p.bot_id)"
)
_ALL: Final = text(_PLACES).bindparams(*activity.SINCE)
_CHANGED: Final = text(
    f"{_PLACES} AND v.id IN (SELECT version_id FROM rating_changes WHERE result_number > :known)"
).bindparams(*activity.SINCE)


@dataclass(frozen=True, slots=True)
class Place:
    """A bot's rank, rating and deviation (milli-Elo) on one ladder; see `standings.Standing`."""

    seats: int
    rank: int
    rating_milli: int
    deviation_milli: int
    games: int
    provisional: bool
    inactive: bool


class PlaceNumbers(NamedTuple):
    """The rating and deviation of a place (milli-Elo), and its counts of games."""

    bot_id: int
    rating_milli: int
    deviation_milli: int
    games: int
    wins: int
    faults: int
    standing: int
    """Ladders are ordered by it: see `elo.standing`."""
    inactive: bool
    """True if the bot has not played there for long: see `activity`. It stands below the others."""

    @property
    def skill(self) -> Skill:
        """The rating with its deviation."""
        return Skill(self.rating_milli, self.deviation_milli)


PlacesBySize = Mapping[int, PlaceNumbers]
"""The places of a version, by table size."""
_Order = tuple[int, int]  # what is sorted by, so that the best come first
_Line = tuple[_Order, int, int]  # this, bot, version
_Lines = Mapping[int, list[_Line]]  # sorted, by table size; under _ALL_SIZES by the mean


@dataclass(frozen=True, slots=True)
class Ranks:
    """The order of all active versions that have a place, by version id.

    `falling` holds what the versions of each ladder are ordered by in ascending order: if they are
    inactive, and `elo.standing`, negated. `by_rank` lists the versions of each ladder, and
    `by_mean` those of all, by the number of ladders on which they are not inactive, then by their
    `mean_skill`; the best come first, equal ones follow in the order of their bots' ids. `games`
    counts the seats of each ladder's games; `played` are the table sizes of the ladders that have
    a place.
    """

    places: Mapping[int, PlacesBySize]
    falling: Mapping[int, Sequence[_Order]]
    by_rank: Mapping[int, Sequence[int]]
    by_mean: Sequence[int]
    games: Mapping[int, int]
    played: tuple[int, ...]

    @property
    def busiest(self) -> int:
        """The table size with most games; the largest one of equal ones."""
        return max(reversed(TABLE_SIZES), key=self.games.__getitem__)

    def is_inactive(self, seats: int, version_id: int) -> bool:
        """Return True if a version has not played there for long, or has left the standings."""
        place = self.places.get(version_id, {}).get(seats)
        return place is None or place.inactive

    def rank(self, seats: int, skill: Skill, *, inactive: bool) -> int:
        """Return 1 plus the number of those that stand higher, so that equal ones share a rank."""
        return 1 + bisect_left(self.falling[seats], (inactive, -elo.standing(skill)))

    def places_of(self, version_id: int) -> tuple[Place | None, ...]:
        """Return an active version's place at each of TABLE_SIZES; None if it has none there."""
        own = self.places.get(version_id, {})
        return tuple(
            Place(
                seats,
                self.rank(seats, own[seats].skill, inactive=own[seats].inactive),
                own[seats].rating_milli,
                own[seats].deviation_milli,
                own[seats].games,
                provisional=not elo.is_placed(own[seats].skill),
                inactive=own[seats].inactive,
            )
            if seats in own
            else None
            for seats in TABLE_SIZES
        )


class _Source(NamedTuple):
    """Ranks follow from it: the newest result, and the sum of the ids of active versions."""

    last_result: int
    active: int | None


@dataclass(frozen=True, slots=True)
class _Kept:
    """Ranks, their sorted lines, what they were read from, and until when changes are added.

    Who has not played a rated match `since` then is inactive: see `activity`.
    """

    ranks: Ranks
    lines: _Lines
    since: Mapping[str, datetime | None]
    source: _Source
    until: float

    def serves(self, wanted: _Source) -> bool:
        """Return True if nothing is missing that `wanted` has."""
        last, active = self.source
        return active == wanted.active and last >= wanted.last_result and monotonic() < self.until


class _Keeper:
    """Keeps the newest ranks of one database; a thread that misses a result reads it for all.

    Threads that come meanwhile wait, since it takes milliseconds: none shows an older result.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: _Kept | None = None

    def ranks(self, session: Session) -> Ranks:
        """Return the ranks after the newest result that the session sees, or after a later one."""
        # Read first: the places may already include a newer result, which is then read again.
        source = _Source(*session.execute(_SOURCE).one())
        kept = self._kept
        if kept is None or not kept.serves(source):
            with self._lock:
                kept = self._kept = _up_to_date(session, self._kept, source)
        return kept.ranks


_keepers: Final = WeakKeyDictionary[Any, _Keeper]()


def ranks(session: Session) -> Ranks:
    """Return the ranks after the newest result."""
    engine = session.get_bind()
    with _LOCK:
        keeper = _keepers.setdefault(engine, _Keeper())
    return keeper.ranks(session)


def mean_skill(own: PlacesBySize) -> Skill:
    """Return the mean rating over the ladders on which a version has a place, and its deviation."""
    rating = sum([place.rating_milli for place in own.values()])
    variance = sum([place.deviation_milli**2 for place in own.values()])
    return Skill(round(rating / len(own)), round(sqrt(variance) / len(own)))


def _up_to_date(session: Session, kept: _Kept | None, source: _Source) -> _Kept:
    if kept is None or kept.source.active != source.active or monotonic() >= kept.until:
        since = activity.since(session)
        places = _read(session, since)
        lines = _sorted({}, places)
        return _Kept(_ranks(places, lines), lines, since, source, monotonic() + LONGEST)
    if kept.serves(source):
        return kept  # another thread has just read it
    changed = _read(session, kept.since, kept.source.last_result)
    places = {**kept.ranks.places, **changed}
    lines = _sorted(kept.lines, changed)
    return _Kept(_ranks(places, lines), lines, kept.since, source, kept.until)


def _read(
    session: Session, since: Mapping[str, datetime | None], known: int | None = None
) -> dict[int, PlacesBySize]:
    """Read the places of all active versions, or of those with entries after number `known`."""
    query = _ALL if known is None else _CHANGED.bindparams(known=known)
    rows = session.execute(query, since)
    places: dict[int, dict[int, PlaceNumbers]] = {}
    for version, seats, bot_id, rating, deviation, games, wins, faults, inactive in rows:
        standing = elo.standing(Skill(rating, deviation))
        numbers = PlaceNumbers(
            bot_id, rating, deviation, games, wins, faults, standing, bool(inactive)
        )
        places.setdefault(version, {})[seats] = numbers
    return {**places}


def _sorted(lines: _Lines, changed: Mapping[int, PlacesBySize]) -> _Lines:
    """Put the versions with changed places where they belong now."""
    fresh: dict[int, list[_Line]] = {size: [] for size in (_ALL_SIZES, *TABLE_SIZES)}
    for version, own in changed.items():
        for seats, place in own.items():
            fresh[seats].append(((place.inactive, -place.standing), place.bot_id, version))
        plays_on = sum([not one.inactive for one in own.values()])
        order = (-plays_on, -elo.standing(mean_skill(own)))
        fresh[_ALL_SIZES].append((order, place.bot_id, version))
    return {
        size: sorted([line for line in lines.get(size, ()) if line[2] not in changed] + new)
        for size, new in fresh.items()
    }


def _ranks(places: Mapping[int, PlacesBySize], lines: _Lines) -> Ranks:
    by_rank = {seats: [line[2] for line in lines[seats]] for seats in TABLE_SIZES}
    played = tuple(seats for seats in TABLE_SIZES if by_rank[seats])
    return Ranks(
        places,
        {seats: [line[0] for line in lines[seats]] for seats in TABLE_SIZES},
        by_rank,
        [line[2] for line in lines[_ALL_SIZES]],
        {
            seats: sum([places[version][seats].games for version in by_rank[seats]])
            for seats in TABLE_SIZES
        },
        played,
    )
