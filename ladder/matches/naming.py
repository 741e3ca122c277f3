"""Whose seats are named before the game: not those of a ladder match that may not have begun.

No bot is told whom it will meet before it has accepted the game, so its author must not read it on
the site either. Whoever makes a challenge has chosen the table, and pairings of tournaments are
public. A match counts as begun when the time to accept it is over; news of a move show it sooner.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from ladder.matches.kinds import Kind
from ladder.model import Match, MatchState, now

_DIALLING: Final = timedelta(seconds=5)
"""What passes between the claim and the moment from which a bot's time to accept is measured."""


_WAITING: Final = select(Match.id).where(
    Match.kind == Kind.LADDER, Match.state == MatchState.QUEUED
)
_RUNNING: Final = select(Match.started_at, Match.start_up_ms, Match.id).where(
    Match.kind == Kind.LADDER, Match.state == MatchState.RUNNING
)


def is_unnamed(match: Match, at: datetime) -> bool:
    """Whether this match may not have begun at this time, and its seats are not to be named."""
    if match.kind != Kind.LADDER:
        return False
    begins = match.state == MatchState.RUNNING and _accepting(
        match.started_at, match.start_up_ms, at
    )
    return match.state == MatchState.QUEUED or begins


def is_named(session: Session, match_id: InstrumentedAttribute[int]) -> ColumnElement[bool]:
    """Whether a match may be found by who sits at its table; by the column of its id."""
    running = session.execute(_RUNNING).all()
    at = now(session) if running else None
    accepting = [
        found for claimed, start_up, found in running if at and _accepting(claimed, start_up, at)
    ]
    named = match_id.not_in(_WAITING)
    return and_(named, match_id.not_in(accepting)) if accepting else named


def _accepting(claimed: datetime | None, start_up_ms: int, at: datetime) -> bool:
    return claimed is None or at < claimed + timedelta(milliseconds=start_up_ms) + _DIALLING
