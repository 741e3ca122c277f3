"""Count what players of a ladder do, by strength: buildings owned and visited, first stops, wins.

The newest rated games are played again by the rules, some milliseconds each; so the counts are a
part of the report that the service computes from time to time (see `fairness`), and bounded.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.model import EntryKind, RatingChange, Replay, Seat
from ladder.ratings.stored import newest_rated
from ladder.ratings.tallies import TWELFTHS, win_twelfths
from referee.errors import ReplayError
from referee.replay import read, simulate, start
from referee.rules.moves import DRIVES, VERB_BITS, VERB_MASK, VISITS
from referee.rules.pieces import BUILDINGS, CITIZENS

GAMES: Final = 300
"""How many of the newest games are counted."""
THIRDS: Final = 3
"""The players are divided by their rating before the game into so many equal parts."""


@dataclass(frozen=True, slots=True)
class BuildingUse:
    """How one third of the players used a building; third 0 is the weakest.

    `players` counts seats in games, `owned` those that owned it at the end, `owned_wins` the wins
    of these (a shared win is a part of one), `visits` all visits.
    """

    building: str
    third: int
    players: int
    owned: int
    owned_wins: float
    visits: int


@dataclass(frozen=True, slots=True)
class FirstStop:
    """How often one third of the players drove first to a citizen, and won then."""

    citizen: str
    third: int
    players: int
    games: int
    wins: float


@dataclass(frozen=True, slots=True)
class Habits:
    """The counts of so many `games`, best known first by how often they occur."""

    games: int
    buildings: tuple[BuildingUse, ...]
    stops: tuple[FirstStop, ...]


@dataclass(frozen=True, slots=True)
class _Player:
    rating: int
    win_twelfths: int
    owned: frozenset[int]
    visits: Counter[int]
    first: int | None


def habits(session: Session, seats: int) -> Habits:
    """Count the newest rated games at tables of this size."""
    games = list(_games(session, seats))
    players = sorted((one for game in games for one in game), key=lambda one: one.rating)
    parts = [
        players[len(players) * third // THIRDS : len(players) * (third + 1) // THIRDS]
        for third in range(THIRDS)
    ]
    return Habits(
        len(games),
        tuple(
            _use(building, third, part)
            for building in range(len(BUILDINGS))
            for third, part in enumerate(parts)
        ),
        tuple(
            _stop(citizen, third, part)
            for citizen in range(len(CITIZENS))
            for third, part in enumerate(parts)
        ),
    )


def _use(building: int, third: int, part: Sequence[_Player]) -> BuildingUse:
    owners = [one for one in part if building in one.owned]
    wins = sum(one.win_twelfths for one in owners) / TWELFTHS
    visits = sum(one.visits[building] for one in part)
    return BuildingUse(BUILDINGS[building], third, len(part), len(owners), wins, visits)


def _stop(citizen: int, third: int, part: Sequence[_Player]) -> FirstStop:
    came = [one for one in part if one.first == citizen]
    wins = sum(one.win_twelfths for one in came) / TWELFTHS
    return FirstStop(CITIZENS[citizen], third, len(part), len(came), wins)


def _games(session: Session, seats: int) -> Iterator[tuple[_Player, ...]]:
    newest = newest_rated(seats, GAMES)
    query = (
        select(Replay.match_id, Replay.data, RatingChange.before_milli)
        .join(newest, newest.c.id == Replay.match_id)
        .join(Seat, Seat.match_id == Replay.match_id)
        .join(
            RatingChange,
            (RatingChange.match_id == Seat.match_id)
            & (RatingChange.version_id == Seat.version_id)
            & (RatingChange.kind == EntryKind.RESULT),
        )
        .order_by(Replay.match_id.desc(), Seat.seat)
    )
    for (_, data), rows in groupby(session.execute(query), itemgetter(0, 1)):
        ratings = [rating for *_, rating in rows]
        if len(ratings) == seats and (game := _game(data, ratings)):
            yield game


def _game(data: bytes, ratings: Sequence[int]) -> tuple[_Player, ...]:
    """Play a game again; return () if this version of the rules can't, or if a bot faulted."""
    seats = range(len(ratings))
    visits: list[Counter[int]] = [Counter() for _ in seats]
    first: dict[int, int] = {}
    try:
        replay = read(data)
        if any(entry.HasField("fault") for entry in replay.entries):
            return ()
        position = start(replay)
        driver: int | None = None
        for step in simulate(position, replay):
            if driver is not None and position.car:
                first.setdefault(driver, position.layout.citizen_at[position.car])
            driver = None
            if step.move is None:
                continue
            verb = step.move & VERB_MASK
            if verb == VISITS:
                visits[step.seat][step.move >> VERB_BITS] += 1
            elif verb == DRIVES:
                driver = step.seat
    except ReplayError:
        return ()
    owners = [position.owner(building) for building in range(len(BUILDINGS))]
    wins = win_twelfths(list(replay.result.ranks))
    return tuple(
        _Player(
            ratings[seat],
            wins[seat],
            frozenset(thing for thing, owner in enumerate(owners) if owner == seat),
            visits[seat],
            first.get(seat),
        )
        for seat in seats
    )
