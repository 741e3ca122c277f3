"""How long matches may take, by their clocks and the rule that ends every game (H7)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sqlalchemy import select, union
from sqlalchemy.orm import Session

from ladder.model import Ladder, Match, MatchState, Tournament, TournamentState
from referee.clock import Clock
from referee.rules.pieces import MAX_PLAYERS


def longest(session: Session) -> float:
    """Seconds that any match may take which is queued, or that ladders and tournaments may make."""
    clocks = session.execute(
        union(
            _clocks(Ladder),
            _clocks(Tournament).where(
                Tournament.state.not_in((TournamentState.FINISHED, TournamentState.CANCELLED))
            ),
            _clocks(Match).where(Match.state.in_((MatchState.QUEUED, MatchState.RUNNING))),
        )
    )
    return max(
        (clock_of(row).longest_match(row.seats) for row in clocks),
        default=Clock().longest_match(MAX_PLAYERS),
    )


def clock_of(row: Any) -> Clock:
    """The clock that stands in the columns of a row."""
    return Clock(
        row.move_limit_ms / 1000,
        row.bank_ms / 1000,
        row.increment_ms / 1000,
        row.start_up_ms / 1000,
    )


def clock_columns(clock: Clock) -> dict[str, int]:
    """By column, in whole milliseconds: the inverse of `clock_of`."""
    return {f"{name}_ms": round(1000 * seconds) for name, seconds in asdict(clock).items()}


def _clocks(table: type[Ladder] | type[Tournament] | type[Match]) -> Any:
    return select(
        table.seats,
        table.move_limit_ms,
        table.bank_ms,
        table.increment_ms,
        table.start_up_ms,
    )
