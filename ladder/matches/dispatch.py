"""Which queued matches get a message: the database is the truth, messages may be lost."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import func, or_, select, update
from sqlalchemy.orm import Session

from ladder.database import now, write
from ladder.database.models import Match
from ladder.matches.claims import playable
from ladder.matches.states import State


def due(session: Session, *, window: int, message_age: float) -> list[int]:
    """The ids of queued matches that need a message now; they count as sent from here on.

    These are the ones that may be played and have no message yet, or one that is older than
    `message_age` seconds and so perhaps lost. At most `window` messages are under way at a time. A
    superfluous message does no harm: its claim finds nothing to take.
    """
    write(session)
    at = now(session)
    lost = at - timedelta(seconds=message_age)
    room = window - _under_way(session, lost)
    if room <= 0:
        return []
    waiting = or_(Match.sent_at.is_(None), Match.sent_at < lost)
    query = select(Match.id).where(Match.state == State.QUEUED, waiting, playable(at))
    ids = list(session.scalars(query.order_by(Match.id).limit(room)))
    _mark(session, ids, at)
    return ids


def _under_way(session: Session, since: datetime) -> int:
    query = select(func.count()).where(Match.state == State.QUEUED, Match.sent_at >= since)
    return session.scalar(query) or 0


def _mark(session: Session, ids: list[int], at: datetime) -> None:
    session.execute(
        update(Match).where(Match.id.in_(ids), Match.state == State.QUEUED).values(sent_at=at),
        execution_options={"synchronize_session": False},
    )
