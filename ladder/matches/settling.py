"""What follows when a match is over: its tournament counts it, and ends with the last one."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import and_, case, select, update
from sqlalchemy.orm import Session

from ladder.database.models import Match, Tournament


def settle(session: Session, match_id: int, *, finished: bool, at: datetime) -> None:
    """Count a match that has just ended, with a result or not. The ledger must be locked."""
    last = and_(Tournament.settled + 1 == Tournament.total, Tournament.state == "running")
    of_match = select(Match.tournament_id).where(Match.id == match_id).scalar_subquery()
    session.execute(
        update(Tournament)
        .where(Tournament.id == of_match)
        .values(
            settled=Tournament.settled + 1,
            finished=Tournament.finished + int(finished),
            state=case((last, "finished"), else_=Tournament.state),
            finished_at=case((last, at), else_=Tournament.finished_at),
        ),
        execution_options={"synchronize_session": False},
    )
