"""The standings of the ladders: each bot's rank, rating and counts on the ladder of a table size.

Ranks are those of `ladder.ratings.ranks`. Nothing here counts matches.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from threading import Lock
from time import monotonic
from typing import Any, Final, Generic, TypeVar
from weakref import WeakKeyDictionary

from sqlalchemy import BindParameter, Select, select
from sqlalchemy.orm import Session

from ladder.model import Bot, BotState, LadderPlace, User, Version
from ladder.ratings import elo
from ladder.ratings.elo import Skill
from ladder.ratings.ledger import newest
from ladder.ratings.ranks import LONGEST, Ranks, ranks

_95: Final = 1.959964  # deviations, half of an interval of 95 %
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Standing:
    """A bot's place on the ladder of one table size. `wins` counts first ranks, shared or not.

    Ratings are in milli-Elo; `deviation_milli` is one standard deviation, what pages show after ±.
    A `provisional` bot is still being placed: its deviation is too large for a rank, and `rank`
    only says where it stands, by its rating less its deviation (`elo.standing`). So it is with an
    `inactive` one, below all others: it has not played for long (`activity`). Equal ones share a
    rank. The rating of a `pinned` bot never changes. `low_milli` and `high_milli` are the ends of
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
    inactive: bool = False
    pinned: bool = False


class CachedByResult(Generic[_T]):
    """Values by database and key; the `most` newest of each database are kept."""

    def __init__(self, most: int = 1) -> None:
        self._most = most
        self._lock = Lock()
        self._computing: set[tuple[int, Hashable]] = set()
        self._cached = WeakKeyDictionary[Any, OrderedDict[Hashable, tuple[int, float, _T]]]()

    def get(
        self,
        session: Session,
        key: Hashable,
        compute: Callable[[int], _T],
        *,
        last: int | None = None,
    ) -> _T:
        """Return the value after the newest result; `compute` gets that result's number.

        A value that depends on less has another number, `last`: it stays until that changes. While
        another thread computes a value, the one before it is returned.
        """
        if last is None:
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
            cached[key] = (last, monotonic() + LONGEST, value)
            cached.move_to_end(key)
            while len(cached) > self._most:
                cached.popitem(last=False)
        return value


def standings(session: Session, seats: int) -> list[Standing]:
    """Read the ladder of a table size, best first: bots with a rated game, but no barred ones."""
    found = ranks(session)
    rows = [standing_of(row, found) for row in session.execute(of_ladder(seats).order_by(Bot.id))]
    return sorted(rows, key=lambda row: row.rank)


def of_ladder(seats: int | BindParameter[int]) -> Select[*tuple[Any, ...]]:
    """Select the rows of a ladder for `standing_of`, in no order."""
    columns: tuple[Any, ...] = (
        LadderPlace.version_id,
        LadderPlace.seats,
        Bot.id.label("bot_id"),  # from here on the fields of Standing
        Bot.name,
        User.name.label("author"),
        Version.name.label("version"),
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
        .where(Version.active, Bot.state != BotState.RETIRED, ~Bot.barred)
        .where(LadderPlace.seats == seats)
    )


def standing_of(row: Any, ranks: Ranks) -> Standing:
    """Make the standing of a row of `of_ladder`."""
    shown = dict(row._mapping)
    seats, version_id = shown.pop("seats"), shown.pop("version_id")
    skill = Skill(row.rating_milli, row.deviation_milli)
    strength, low, high = interval(*skill)
    inactive = ranks.is_inactive(seats, version_id)
    return Standing(
        rank=ranks.rank(seats, skill, inactive=inactive),
        strength_milli=strength,
        low_milli=low,
        high_milli=high,
        provisional=not elo.is_placed(skill),
        inactive=inactive,
        **shown,
    )


def interval(rating: int, deviation: int) -> tuple[int, int, int]:
    """Return a rating and the ends of its 95 % interval, as the API of older releases had them."""
    reach = round(_95 * deviation)
    return rating, rating - reach, rating + reach
