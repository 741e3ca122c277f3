"""What follows when a match is over: its tournament counts it, goes on, or ends with the last."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from ladder.database.models import Match, Tournament


def settle(session: Session, match_id: int, *, finished: bool, at: datetime) -> None:
    """Count a match that has just ended, with a result or not. The ledger must be locked.

    With the last match of a round its tournament goes on to the next one, or ends.
    """
    of_match = select(Match.tournament_id).where(Match.id == match_id).scalar_subquery()
    counted = session.execute(
        update(Tournament)
        .where(Tournament.id == of_match)
        .values(
            settled=Tournament.settled + 1,
            finished=Tournament.finished + int(finished),
        )
        .returning(
            Tournament.id,
            Tournament.settled * Tournament.rounds == Tournament.total * Tournament.round,
        ),
        execution_options={"synchronize_session": False},
    ).one_or_none()
    if counted is None:
        return
    tournament_id, round_is_over = counted
    if round_is_over:
        # Here, since tournaments are made of matches, and import this package.
        from ladder.tournaments.rounds import round_over

        round_over(session, tournament_id, at=at)
