"""Which queued matches get a message: the database is the truth, messages may be lost."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import or_, select, update
from sqlalchemy.orm import Session

from ladder.database import now, write
from ladder.database.models import Match
from ladder.matches.claims import playable
from ladder.matches.states import State


def due(session: Session, *, limit: int, message_age: float) -> list[int]:
    """The ids of queued matches that need a message now; they count as sent from here on.

    At most `limit`: first those that never had a message, then those whose last one is older than
    `message_age` seconds and so perhaps lost. A superfluous message does no harm, since its claim
    finds nothing to take. The caller commits, then sends.
    """
    write(session)
    at = now(session)
    lost = at - timedelta(seconds=message_age)
    waiting = or_(Match.sent_at.is_(None), Match.sent_at < lost)
    query = (
        select(Match.id)
        .where(Match.state == State.QUEUED, waiting, playable(at))
        .order_by(Match.sent_at.is_not(None), Match.id)
        .limit(limit)
    )
    ids = list(session.scalars(query))
    session.execute(
        update(Match).where(Match.id.in_(ids), Match.state == State.QUEUED).values(sent_at=at),
        execution_options={"synchronize_session": False},
    )
    return ids
