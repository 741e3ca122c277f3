"""Compare the ratings of a ladder with the strengths by all of its games together.

Both estimate the same, in different ways: if they lie far apart, one of the two is wrong.
"""

from dataclasses import dataclass
from math import sqrt

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.model import LadderPlace, Strength, Version
from ladder.ratings.elo import Skill, is_placed
from ladder.ratings.ranks import ranks


@dataclass(frozen=True, slots=True)
class Agreement:
    """How the ratings of the ranked bots agree with their strengths; the anchor is left out.

    `apart` is their distance in Elo points, the root of its mean square; `inside` counts the
    strengths within two deviations of the rating.
    """

    bots: int
    apart: float
    inside: int


def agreement(session: Session, seats: int) -> Agreement | None:
    """Return how ratings and strengths agree; None if no ranked bot has a strength."""
    standing = ranks(session)
    place, strength = LadderPlace, Strength
    query = (
        select(place.version_id, place.rating_milli, place.deviation_milli, strength.strength_milli)
        .join(Version, Version.id == place.version_id)
        .join(strength, (strength.version_id == place.version_id) & (strength.seats == place.seats))
        .where(place.seats == seats, Version.active, place.deviation_milli > 0)
    )
    rows = [
        (rating - other, deviation)
        for version, rating, deviation, other in session.execute(query)
        if is_placed(Skill(rating, deviation)) and not standing.is_inactive(seats, version)
    ]
    if not rows:
        return None
    return Agreement(
        bots=len(rows),
        apart=sqrt(sum(apart**2 for apart, _ in rows) / len(rows)) / 1000,
        inside=sum(abs(apart) <= 2 * deviation for apart, deviation in rows),
    )
