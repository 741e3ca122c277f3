"""Tell how long ago a bot may have played last to keep its rank, by the ladder's own time.

The time is told by the deals of the ladder, never by a clock: a ladder that stands still keeps
everybody's rank, and a break of the whole ladder counts as one day, however long it was.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from ladder.model import LADDER_DEAL, Match, Timestamp
from ladder.ratings.elo import TABLE_SIZES

DAYS: Final = 7
"""A bot without a rated match in so many days of a ladder is inactive there."""
_ALL: Final = 2**31 - 1
_END: Final = datetime.max.replace(tzinfo=UTC)
_DEAL: Final = (
    select(Match.id, Match.created_at)
    .where(
        LADDER_DEAL,
        Match.seats == bindparam("seats"),
        Match.id < bindparam("before"),
        Match.created_at <= bindparam("until", type_=Timestamp),
        Match.finished_at.is_not(None),
    )
    .order_by(Match.id.desc())
    .limit(1)
)
IS_INACTIVE: Final = (
    "(SELECT m.finished_at FROM rating_changes c JOIN matches m ON m.id = c.match_id"
    " WHERE c.bot_id = p.bot_id AND c.seats = p.seats AND c.kind = 'result'"
    " ORDER BY c.result_number DESC LIMIT 1)"
    " < CASE p.seats WHEN 2 THEN :since_2 WHEN 3 THEN :since_3 ELSE :since_4 END"
)
"""The condition, with what `since` returns, that the bot of a row `p` of `ladder_places` finished
its newest rated match there too long ago. It is NULL if there is no such match or time."""
SINCE: Final = tuple(bindparam(f"since_{seats}", type_=Timestamp) for seats in TABLE_SIZES)
"""The parameters of `IS_INACTIVE`."""


def since(session: Session) -> Mapping[str, datetime | None]:
    """Return when a bot must have played a rated match to keep its rank, by ladder, for `SINCE`.

    None for a ladder that is younger: there is nobody inactive.
    """
    found = [_days_ago(session, seats) for seats in TABLE_SIZES]
    return {name.key: at for name, at in zip(SINCE, found, strict=True)}


def _days_ago(session: Session, seats: int) -> datetime | None:
    """Return when a deal was made DAYS before the newest one, day by day; None if none was."""
    before, until, at = _ALL, _END, None
    for _ in range(DAYS + 1):
        deal = session.execute(_DEAL, {"seats": seats, "before": before, "until": until}).first()
        if deal is None:
            return None
        before, at = deal
        until = at - timedelta(days=1)
    return at
