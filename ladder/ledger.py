"""The ledger: results in one gap-free order, and the rating changes that follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Final

from sqlalchemy import select, text
from sqlalchemy.orm import Session

from ladder import elo
from ladder.database import write
from ladder.database.models import LadderPlace, Ledger, RatingChange

_MEET: Final = text(
    "INSERT INTO meetings (bot_id, opponent_id, seats, games, half_points) "
    "VALUES (:bot_id, :opponent_id, :seats, 1, :half_points) "
    "ON CONFLICT (bot_id, opponent_id, seats) DO UPDATE SET "
    "games = meetings.games + 1, half_points = meetings.half_points + excluded.half_points"
)


@dataclass(frozen=True, slots=True)
class Ranked:
    """What one bot did at a table, as far as the ladder counts it."""

    bot_id: int
    rank: int
    faulted: bool


def lock(session: Session) -> Ledger:
    """Take the ladder's lock until the end of the transaction.

    Whoever settles a match takes it before touching any row: results are so written one after the
    other, and nobody waits for a lock that a waiting one holds.
    """
    write(session)
    return session.scalars(
        select(Ledger).with_for_update(), execution_options={"populate_existing": True}
    ).one()


def record(session: Session, match_id: int, result_number: int, table: Sequence[Ranked]) -> None:
    """Write the rating changes of a rated result, and the counts. The ledger must be locked."""
    places = _places(session, table)
    ratings = [place.rating_milli for place in places]
    gains = elo.changes(ratings, [ranked.rank for ranked in table])
    for place, ranked, gain in zip(places, table, gains, strict=True):
        session.add(
            RatingChange(
                match_id=match_id,
                result_number=result_number,
                seats=place.seats,
                bot_id=place.bot_id,
                before_milli=place.rating_milli,
                after_milli=place.rating_milli + gain,
            )
        )
        place.rating_milli += gain
        place.games += 1
        place.wins += ranked.rank == 1
        place.faults += ranked.faulted
    _count_meetings(session, table)


def _places(session: Session, table: Sequence[Ranked]) -> list[LadderPlace]:
    """The ladder places of a table's bots; new ones where this is their first rated result."""
    seats = len(table)
    query = select(LadderPlace).where(
        LadderPlace.seats == seats, LadderPlace.bot_id.in_([ranked.bot_id for ranked in table])
    )
    found = session.scalars(query, execution_options={"populate_existing": True})
    by_bot = {place.bot_id: place for place in found}
    for ranked in table:
        if ranked.bot_id not in by_bot:
            by_bot[ranked.bot_id] = _new_place(seats, ranked.bot_id)
            session.add(by_bot[ranked.bot_id])
    return [by_bot[ranked.bot_id] for ranked in table]


def _new_place(seats: int, bot_id: int) -> LadderPlace:
    return LadderPlace(
        seats=seats, bot_id=bot_id, rating_milli=elo.START, games=0, wins=0, faults=0
    )


def _count_meetings(session: Session, table: Sequence[Ranked]) -> None:
    """Add one game and 0, 1 or 2 half points for each bot against each other."""
    meetings = [
        {
            "bot_id": one.bot_id,
            "opponent_id": other.bot_id,
            "seats": len(table),
            "half_points": 2 * (one.rank < other.rank) + (one.rank == other.rank),
        }
        for one, other in permutations(table, 2)
    ]
    session.execute(_MEET, meetings)
