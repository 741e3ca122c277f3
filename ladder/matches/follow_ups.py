"""What other parts of the ladder do when something happens to a match.

Matches know neither tournaments nor the conduct of bots: `ladder.wiring` sets these functions once,
when a process starts.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sqlalchemy.orm import Session

from ladder.matches.tables import Player


class RoundOver(Protocol):
    """Let a tournament go on, or end, after the last match of a round. The ledger is locked."""

    def __call__(self, session: Session, tournament_id: int, *, at: datetime) -> None: ...


class Rated(Protocol):
    """Count the faults of a rated match, whose seats are (bot id, version id, faulted).

    The ledger is locked.
    """

    def __call__(self, session: Session, seats: Collection[tuple[int, int, bool]], /) -> None: ...


class Missed(Protocol):
    """Note that a bot could not be reached before it accepted; return since when it is missed."""

    def __call__(self, session: Session, player: Player, why: str, /) -> datetime: ...


class Reached(Protocol):
    """Note that these versions, of which one was missed, have played a match to its end."""

    def __call__(self, session: Session, version_ids: Sequence[int], /) -> None: ...


@dataclass(frozen=True, slots=True)
class FollowUps:
    """What follows from an event of a match, in the same transaction."""

    round_over: RoundOver
    rated: Rated
    missed: Missed
    reached: Reached


_set: list[FollowUps] = []


def set_follow_ups(follow_ups: FollowUps) -> None:
    """Set what follows; once in each process."""
    _set[:] = [follow_ups]


def follow_ups() -> FollowUps:
    """Return what follows. Raises RuntimeError if the process has not imported `ladder.wiring`."""
    if not _set:
        raise RuntimeError("this process has not imported ladder.wiring")
    return _set[0]
