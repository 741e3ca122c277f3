"""What follows when a match is over: its tournament counts it, goes on, or ends with the last."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from sqlalchemy import bindparam, select, update
from sqlalchemy.orm import Session

from ladder.matches.follow_ups import follow_ups
from ladder.model import Match, Tournament, execute

_COUNT: Final = (
    update(Tournament.__table__)  # type: ignore[arg-type]
    .where(
        Tournament.id
        == select(Match.tournament_id).where(Match.id == bindparam("match_id")).scalar_subquery()
    )
    .values(settled=Tournament.settled + 1, finished=Tournament.finished + bindparam("with_result"))
    .returning(Tournament.id, Tournament.round_is_over)
)
"""Built once, and of the table: objects would take longer than the database."""


def settle(session: Session, match_id: int, *, finished: bool, at: datetime) -> None:
    """Count a match that has just ended, with a result or not. The ledger must be locked.

    With the last match of a round its tournament goes on to the next one, or ends.
    """
    row = {"match_id": match_id, "with_result": int(finished)}
    counted = execute(session, _COUNT, row).one_or_none()
    if counted is None:
        return
    tournament_id, round_is_over = counted
    if round_is_over:
        follow_ups().round_over(session, tournament_id, at=at)
