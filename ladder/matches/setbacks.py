"""When an attempt comes to nothing: back into the queue, given up or cancelled with a reason."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any, Final

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from ladder.bots import reach
from ladder.matches.claims import Claim, holds, stale
from ladder.matches.forfeiting import forfeit, waited_out
from ladder.matches.reserving import ALONE_FROM
from ladder.matches.settling import settle
from ladder.matches.states import State, move, state_of
from ladder.model import Match, Seat, now, write
from ladder.ratings import ledger

_log = logging.getLogger(__name__)

INTERRUPTIONS: Final = 5
"""A match that was interrupted so often, while nothing else was played in its process, is given up.

Before that it may have suffered from what was played beside it."""

_DELAYS: Final = (5, 10, 20, 40, 60)
"""Seconds until a tournament's match, which could not begin, may be tried again."""


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
    """A bot could not be reached before it accepted: it is offline, and nothing was played.

    In a tournament the match waits for it until the grace time has passed; else it is cancelled.
    Returns the new state; raises Stale. Must have its transaction for itself.
    """
    match = _held(session, claim)
    player = claim.players[seat]
    since = reach.missed(session, player, why)
    at = now(session)
    tournament = match.tournament
    if tournament is None:
        _tell_author(session, match.id, seat, why)
        sentence = f"{player.name} {player.version} could not be reached"
        return _end(session, match, State.CANCELLED, sentence, unreached=match.unreached + 1)
    delay = _DELAYS[min(match.unreached, len(_DELAYS) - 1)]
    later = at + timedelta(seconds=delay)
    _again(session, match, unreached=match.unreached + 1, not_before=later)
    runs = tournament.state == "running"  # while it is paused nobody's time passes
    if runs and waited_out(since, tournament.waiting_since, tournament.grace_ms, at):
        forfeit(session, match.id, [seat])
    return state_of(session, match.id)


def _tell_author(session: Session, match_id: int, seat: int, why: str) -> None:
    """For the log of the bot alone: what everybody reads holds no address."""
    session.execute(
        update(Seat).where(Seat.match_id == match_id, Seat.seat == seat).values(fault_sentence=why),
        execution_options={"synchronize_session": False},
    )


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
    alone = match.interruptions_alone + (match.interruptions >= ALONE_FROM)
    counted = {"interruptions": times, "interruptions_alone": alone}
    if alone < INTERRUPTIONS:
        return _again(session, match, **counted)
    sentence = f"interrupted {times} times, {alone} times alone; the last time because {why}"
    _log.error("match %d is given up: %s", match.id, sentence)
    return _end(session, match, State.FAILED, sentence, **counted)


def _again(session: Session, match: Match, **values: Any) -> State:
    move(session, State.RUNNING, State.QUEUED, Match.id == match.id, **values)
    return State.QUEUED


def _end(session: Session, match: Match, state: State, reason: str, **values: Any) -> State:
    at = now(session)
    own = Match.id == match.id
    move(session, State.RUNNING, state, own, reason=reason, finished_at=at, **values)
    settle(session, match.id, finished=False, at=at)
    return state
