"""A bot of a tournament that stayed away: its match is decided without a game."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.errors import NotFound
from ladder.matches.rows import ABSENT
from ladder.matches.settling import settle
from ladder.matches.states import move_match
from ladder.model import Match, MatchState, Seat, now
from ladder.ratings import ledger

FAULT: Final = "absent"
"""The code of the fault of a bot that stayed away."""


def waited_out(
    missed_since: datetime, waiting_since: datetime | None, grace_ms: int, at: datetime
) -> bool:
    """Whether a tournament has waited for a bot for its grace time: no longer than since it began
    or last went on, however long the bot had been missed before."""
    since = max(missed_since, waiting_since or missed_since)
    return since + timedelta(milliseconds=grace_ms) <= at


def forfeit(session: Session, match_id: int, seats: Collection[int]) -> bool:
    """End a queued match of a tournament: the absent seats rank last, the others share the first.

    Where all are absent, all share it. It gets a result number, and the tournament counts it; it is
    not rated, and has no replay. Returns False where the match does not wait in the queue any more.
    Raises NotFound for a match that is none of a tournament. Must have its transaction for itself.
    """
    newest = ledger.lock(session)
    match = session.get(Match, match_id, populate_existing=True)
    if match is None or match.tournament_id is None:
        raise NotFound("there is no match %(match)s of a tournament", match=match_id)
    at = now(session)
    if not move_match(
        session,
        MatchState.QUEUED,
        MatchState.FINISHED,
        Match.id == match_id,
        result_number=newest + 1,
        rated=False,
        reason=ABSENT,
        finished_at=at,
    ):
        return False
    ledger.next_number(session)
    table = session.scalars(select(Seat).where(Seat.match_id == match_id)).all()
    present = len(table) - len(seats)
    for seat in table:
        absent = seat.seat in seats
        seat.rank = present + 1 if absent else 1
        seat.fault = FAULT if absent else None
    session.flush()
    settle(session, match_id, finished=True, at=at)
    return True
