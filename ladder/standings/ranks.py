"""Ranks on the ladders: from the ratings of all active versions, which are few and read at once."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.database.models import LadderPlace, Version


@dataclass(frozen=True, slots=True)
class Ranks:
    """The ratings on each ladder with their signs turned, so that the best comes first."""

    falling: Mapping[int, Sequence[int]]

    def rank(self, seats: int, rating_milli: int) -> int:
        """One more than there are better ratings, so that equal ones share it."""
        return 1 + bisect_left(self.falling.get(seats, ()), -rating_milli)

    def count(self, seats: int) -> int:
        """How many bots have a place on the ladder."""
        return len(self.falling.get(seats, ()))


def ranks(session: Session, ladders: Collection[int]) -> Ranks:
    """The ranks on the ladders of these table sizes."""
    query = (
        select(LadderPlace.seats, LadderPlace.rating_milli)
        .join(Version, Version.id == LadderPlace.version_id)
        .where(LadderPlace.seats.in_(ladders), Version.active)
    )
    falling: defaultdict[int, list[int]] = defaultdict(list)
    for seats, rating in session.execute(query):
        falling[seats].append(-rating)
    return Ranks({seats: sorted(ratings) for seats, ratings in falling.items()})
