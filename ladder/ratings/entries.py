"""A bot's entries in the ledger, as its rating history shows them."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.errors import NotFound
from ladder.model import Bot, RatingChange, Version


@dataclass(frozen=True, slots=True)
class RatingEntry:
    """A version's rating before and after one entry, in milli-Elo, on the ladder of `seats`.

    `kind`: result, inheritance, annulment or pin; `match_id` is None where no match is behind it.
    """

    result_number: int
    seats: int
    kind: str
    version: str
    match_id: int | None
    before_milli: int
    after_milli: int


def entries(
    session: Session, bot_id: int, seats: int, *, before: int | None = None, limit: int = 50
) -> list[RatingEntry]:
    """The newest entries of a bot on one ladder, of those with a lower number than `before`.

    No number is cut in two: an annulment may change several versions at once. Raises NotFound.
    """
    if session.get(Bot, bot_id) is None:
        raise NotFound("there is no bot %(bot)s", bot=bot_id)
    own = RatingChange.bot_id == bot_id, RatingChange.seats == seats
    numbers = select(RatingChange.result_number).where(*own).distinct()
    if before is not None:
        numbers = numbers.where(RatingChange.result_number < before)
    newest = session.scalars(numbers.order_by(RatingChange.result_number.desc()).limit(limit)).all()
    query = (
        select(
            RatingChange.result_number,
            RatingChange.seats,
            RatingChange.kind,
            Version.name,
            RatingChange.match_id,
            RatingChange.before_milli,
            RatingChange.after_milli,
        )
        .join(Version, Version.id == RatingChange.version_id)
        .where(*own, RatingChange.result_number.in_(newest))
        .order_by(RatingChange.result_number.desc(), RatingChange.id)
    )
    return [RatingEntry(*row) for row in session.execute(query)]
