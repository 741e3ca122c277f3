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
    version_id: int
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
                kind="result",
                match_id=match_id,
                result_number=result_number,
                seats=place.seats,
                bot_id=place.bot_id,
                version_id=place.version_id,
                before_milli=place.rating_milli,
                after_milli=place.rating_milli + gain,
            )
        )
        place.rating_milli += gain
        place.games += 1
        place.wins += ranked.rank == 1
        place.faults += ranked.faulted
    _count_meetings(session, table)


def inherit(session: Session, *, old: int, new: int) -> None:
    """Start a new version from its predecessor's ratings (ids of versions); no games yet.

    The ledger must be locked. The entry has a result number of its own.
    """
    book = session.scalars(select(Ledger)).one()
    book.last_result += 1
    for place in session.scalars(select(LadderPlace).where(LadderPlace.version_id == old)).all():
        heir = session.get(LadderPlace, (place.seats, new))
        if heir is None:
            heir = _new_place(place.seats, place.bot_id, new)
            session.add(heir)
        session.add(
            RatingChange(
                kind="inheritance",
                result_number=book.last_result,
                seats=place.seats,
                bot_id=place.bot_id,
                version_id=new,
                before_milli=heir.rating_milli,
                after_milli=place.rating_milli,
            )
        )
        heir.rating_milli = place.rating_milli
    session.flush()


def _places(session: Session, table: Sequence[Ranked]) -> list[LadderPlace]:
    """The ladder places at a table; new ones where this is a version's first rated result."""
    seats = len(table)
    versions = [ranked.version_id for ranked in table]
    query = select(LadderPlace).where(
        LadderPlace.seats == seats, LadderPlace.version_id.in_(versions)
    )
    found = session.scalars(query, execution_options={"populate_existing": True})
    places = {place.version_id: place for place in found}
    for ranked in table:
        if ranked.version_id not in places:
            places[ranked.version_id] = _new_place(seats, ranked.bot_id, ranked.version_id)
            session.add(places[ranked.version_id])
    return [places[version] for version in versions]


def _new_place(seats: int, bot_id: int, version_id: int) -> LadderPlace:
    return LadderPlace(
        seats=seats,
        version_id=version_id,
        bot_id=bot_id,
        rating_milli=elo.START,
        games=0,
        wins=0,
        faults=0,
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
