"""When an attempt comes to nothing: back into the queue, or given up with a reason."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder import ledger
from ladder.database import now, write
from ladder.database.models import Match
from ladder.matches.claims import Claim, holds, stale
from ladder.matches.settling import settle
from ladder.matches.states import State, move

INTERRUPTIONS: Final = 5
"""A match that was interrupted so often is given up."""

DELAYS: Final = (2, 10, 30)
"""Seconds until a match that could not begin, since a bot was out of reach, is tried again. After
these tries and one more it is given up."""


def give_back(session: Session, claim: Claim) -> None:
    """Put the match back, to be played at once: its worker stops in good order. Raises Stale."""
    write(session)
    if not move(session, State.RUNNING, State.QUEUED, holds(claim)):
        raise stale(claim)


def interrupt(session: Session, claim: Claim, why: str) -> State:
    """The platform failed during the attempt: the match is played again, or given up.

    Returns the new state; raises Stale. Must have its transaction for itself.
    """
    return _interrupted(session, _held(session, claim), why)


def unreachable(session: Session, claim: Claim, seat: int, why: str) -> State:
    """A bot could not be reached before it accepted: tried again after a delay, or given up.

    Returns the new state; raises Stale. Must have its transaction for itself.
    """
    match = _held(session, claim)
    player = claim.players[seat]
    times = match.unreached + 1
    if times > len(DELAYS):
        sentence = f"{player.name} {player.version} could not be reached {times} times: {why}"
        return _give_up(session, match, sentence, unreached=times)
    later = now(session) + timedelta(seconds=DELAYS[times - 1])
    return _again(session, match, unreached=times, not_before=later)


def reap(session: Session) -> list[int]:
    """Interrupt the attempts whose lease has passed, since their workers are dead.

    Returns the ids of their matches. Must have its transaction for itself.
    """
    ledger.lock(session)
    expired = select(Match).where(Match.state == State.RUNNING, Match.lease_until < now(session))
    dead = session.scalars(expired.with_for_update()).all()
    for match in dead:
        _interrupted(session, match, f"worker {match.claimed_by} gave no more sign of life")
    return [match.id for match in dead]


def _held(session: Session, claim: Claim) -> Match:
    """The match, with all locks that giving it up needs; raises Stale."""
    ledger.lock(session)
    query = select(Match).where(holds(claim)).with_for_update()
    match = session.scalars(query, execution_options={"populate_existing": True}).one_or_none()
    if match is None:
        raise stale(claim)
    return match


def _interrupted(session: Session, match: Match, why: str) -> State:
    times = match.interruptions + 1
    if times >= INTERRUPTIONS:
        sentence = f"interrupted {times} times, the last time because {why}"
        return _give_up(session, match, sentence, interruptions=times)
    return _again(session, match, interruptions=times)


def _again(session: Session, match: Match, **values: Any) -> State:
    move(session, State.RUNNING, State.QUEUED, Match.id == match.id, **values)
    return State.QUEUED


def _give_up(session: Session, match: Match, reason: str, **values: Any) -> State:
    at = now(session)
    own = Match.id == match.id
    move(session, State.RUNNING, State.FAILED, own, reason=reason, finished_at=at, **values)
    settle(session, match.id, finished=False, at=at)
    return State.FAILED
