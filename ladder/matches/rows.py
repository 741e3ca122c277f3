"""What pages and the command see of matches."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ladder.model import MatchState

ABSENT: Final = "absent"
"""The reason of a match that was decided without a game, since a bot of it stayed away."""


@dataclass(frozen=True, slots=True)
class SeatRow:
    """One seat of a match. Ratings are in milli-Elo and there only after a rated result.

    Who sits there (`bot_id` to `version`) is None as long as it is not to be known, see `naming`.

    `rank` counts from 1, ties shared; `vp` is None where the game ended by forfeit; `fault` is the
    stable code of what the bot did wrong.
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


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A match. `state`: queued, running, finished, failed or cancelled.

    `kind`: validation, challenge, tournament or ladder. `annul_reason` is there where an organiser
    has taken the result out of all that is counted.

    `reason`: how a finished game ended (ships, turns or forfeit), ABSENT where there was none, or a
    sentence that says why the match failed. Times are aware and in UTC.
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
        """Whether it is to be known who sits at the table."""
        return all(seat.bot_id is not None for seat in self.seats)

    @property
    def has_replay(self) -> bool:
        """Whether a game was played to its end."""
        return self.state == MatchState.FINISHED and self.reason != ABSENT


@dataclass(frozen=True, slots=True)
class MatchPage:
    """Matches, newest first; `next_before` asks for the page after it, None on the last."""

    matches: tuple[MatchRow, ...]
    next_before: int | None
