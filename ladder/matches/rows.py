"""Matches as pages and commands see them, and whether their seats may be named yet.

A ladder match that may not have begun does not show who sits at its table: no bot learns whom it
will meet before it has accepted the game, so its author must not read it on the site either. A
challenge names its seats, since its author chose them; pairings of tournaments are public. A match
counts as begun once the time to accept it is over; a live move shows it sooner.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from ladder.model import EntryKind, Match, MatchKind, MatchState, now

ABSENT: Final = "absent"
"""The reason of a match that was decided without a game, since a bot of it stayed away."""

MISSED: Final = EntryKind.MISSED.value
"""The reason of a match of the ladder that one bot refused too often: its loss, and no win."""
WITHOUT_GAME: Final = (ABSENT, MISSED)

_DIALLING: Final = timedelta(seconds=5)
"""The time from a claim until a bot's time to accept is measured."""
_OF_LADDER: Final = Match.kind == MatchKind.LADDER
_WAITING: Final = select(Match.id).where(_OF_LADDER, Match.state == MatchState.QUEUED)
_RUNNING: Final = select(Match.started_at, Match.start_up_ms, Match.id).where(
    _OF_LADDER, Match.state == MatchState.RUNNING
)


@dataclass(frozen=True, slots=True)
class SeatRow:
    """A seat of a match.

    `bot_id`, `name`, `author` and `version` are None while the seats may not be named. `rank`
    counts from 1, ties shared; `vp` is None if the game ended by forfeit; `fault` is the stable
    code of the bot's fault. Ratings are in milli-Elo, None unless the result was rated.
    """

    seat: int
    bot_id: int | None
    name: str | None
    author: str | None
    version: str | None
    rank: int | None
    vp: int | None
    fault: str | None
    rating_before: int | None
    rating_after: int | None
    deviation_before: int | None
    deviation_after: int | None


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A match.

    `kind` is one of `MatchKind`. `reason` says how a finished game ended (ships, turns or forfeit;
    ABSENT or MISSED if none was played) or, in a sentence, why the match failed. `annul_reason` is
    set if an organiser took the result out of all counts. Times are aware and in UTC.
    """

    id: int
    kind: str
    state: MatchState
    tournament_id: int | None
    tournament_name: str | None
    rated: bool
    seats: tuple[SeatRow, ...]
    attempt: int
    interruptions: int
    reason: str | None
    result_number: int | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    annul_reason: str | None = None

    @property
    def is_named(self) -> bool:
        """Return True if the row says who sits at the table."""
        return all(seat.bot_id is not None for seat in self.seats)

    @property
    def has_replay(self) -> bool:
        """Return True if a game was played to its end."""
        return self.state == MatchState.FINISHED and self.reason not in WITHOUT_GAME


@dataclass(frozen=True, slots=True)
class MatchPage:
    """A page of matches, newest first; `next_before` asks for the next page, None on the last."""

    matches: tuple[MatchRow, ...]
    next_before: int | None


def is_unnamed(match: Match, at: datetime) -> bool:
    """Return True if the match may not have begun at this time, so its seats stay unnamed."""
    if match.kind != MatchKind.LADDER:
        return False
    return match.state == MatchState.QUEUED or (
        match.state == MatchState.RUNNING and _accepting(match.started_at, match.start_up_ms, at)
    )


def is_named(session: Session, match_id: InstrumentedAttribute[int]) -> ColumnElement[bool]:
    """Return the condition that a match may be found by its bots; `match_id` is its id's column."""
    running = session.execute(_RUNNING).all()
    at = now(session) if running else None
    accepting = [
        found for claimed, start_up, found in running if at and _accepting(claimed, start_up, at)
    ]
    named = match_id.not_in(_WAITING)
    return and_(named, match_id.not_in(accepting)) if accepting else named


def _accepting(claimed: datetime | None, start_up_ms: int, at: datetime) -> bool:
    return claimed is None or at < claimed + timedelta(milliseconds=start_up_ms) + _DIALLING
