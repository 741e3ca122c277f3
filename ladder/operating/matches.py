"""Matches that wait or are played, and what an admin does where one is stuck."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, select, update
from sqlalchemy.orm import Session

from ladder.errors import NotFound, Phrase, Refused
from ladder.matches import Kind, State
from ladder.matches.claims import goes_on
from ladder.matches.settling import settle
from ladder.matches.states import move
from ladder.model import Bot, Match, Seat, Tournament, now
from ladder.operating.reasons import given, may_operate
from ladder.people.account import Account
from ladder.people.auditing import audit
from ladder.ratings import ledger

_MOST_RUNNING: Final = 50  # rows of a list
_MOST_WAITING: Final = 20


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A match that waits or is played. `late`: its lease has passed, so its worker is gone.

    `unreached`: how often a bot could not be reached; not before `not_before` it is tried again.
    """

    id: int
    kind: str
    bots: tuple[str, ...]
    worker: str | None
    attempt: int
    interruptions: int
    unreached: int
    created_at: datetime
    started_at: datetime | None
    not_before: datetime | None
    late: bool


def running(session: Session) -> tuple[UnderWay, ...]:
    """What is played now, the longest first."""
    return _under_way(session, Match.state == State.RUNNING, Match.started_at, _MOST_RUNNING)


def waiting_longest(session: Session) -> tuple[UnderWay, ...]:
    """What waits, the oldest first; not those of tournaments that do not run."""
    waits = and_(Match.state == State.QUEUED, goes_on())
    return _under_way(session, waits, Match.id, _MOST_WAITING)


def cancel(session: Session, admin: Account, match_id: int, reason: str) -> None:
    """Cancel a match that waits or is played; a tournament counts it as one without a result.

    Raises Forbidden, Invalid (`reason`), NotFound and Refused. Must have its transaction for
    itself; the caller commits, here and below.
    """
    may_operate(admin)
    reason = given(reason)
    match = _locked(session, match_id)
    if match.state not in (State.QUEUED, State.RUNNING):
        raise Refused(
            "match %(match)s is %(state)s: there is nothing to cancel",
            match=match_id,
            state=Phrase(match.state),
        )
    at, own = now(session), Match.id == match_id
    told = {"reason": f"An admin cancelled it: {reason}", "finished_at": at}
    move(session, State(match.state), State.CANCELLED, own, **told)
    audit(session, admin, "cancel", f"match {match_id}", reason)
    settle(session, match_id, finished=False, at=at)


def requeue(session: Session, admin: Account, match_id: int, reason: str) -> None:
    """Let a match be played anew that is being played, or was given up.

    The attempt under way is void, and none of its interruptions counts any more. A match of a
    tournament that has gone on to another round, or is over, stays given up. Raises as `cancel`.
    """
    may_operate(admin)
    reason = given(reason)
    match = _locked(session, match_id)
    if match.state not in (State.RUNNING, State.FAILED):
        raise Refused(
            "match %(match)s is %(state)s: only what is played or failed is queued",
            match=match_id,
            state=Phrase(match.state),
        )
    if match.state == State.FAILED:
        _count_no_more(session, match)
    fresh: dict[str, Any] = {
        "interruptions": 0,
        "interruptions_alone": 0,
        "not_before": None,
        "reason": None,
        "finished_at": None,
    }
    move(session, State(match.state), State.QUEUED, Match.id == match_id, **fresh)
    audit(session, admin, "requeue", f"match {match_id}", reason)


def _count_no_more(session: Session, match: Match) -> None:
    """A match that had failed is open again for its tournament."""
    if match.kind == Kind.VALIDATION:
        raise Refused(
            "match %(match)s was a trial: the version got another one, or was rejected",
            match=match.id,
        )
    tournament = match.tournament
    if tournament is None:
        return
    if tournament.state not in ("running", "paused") or match.round != tournament.round:
        raise Refused(
            "match %(match)s is of a round that is over: it stays as it is", match=match.id
        )
    session.execute(
        update(Tournament)
        .where(Tournament.id == tournament.id)
        .values(settled=Tournament.settled - 1),
        execution_options={"synchronize_session": False},
    )


def _locked(session: Session, match_id: int) -> Match:
    ledger.lock(session)
    query = select(Match).where(Match.id == match_id).with_for_update()
    match = session.scalars(query, execution_options={"populate_existing": True}).one_or_none()
    if match is None:
        raise NotFound("there is no match %(match)s", match=match_id)
    return match


def _under_way(
    session: Session, which: ColumnElement[bool], order: Any, limit: int
) -> tuple[UnderWay, ...]:
    at = now(session)
    found = session.scalars(select(Match).where(which).order_by(order, Match.id).limit(limit)).all()
    seated = (
        select(Seat.match_id, Bot.name)
        .join(Bot, Bot.id == Seat.bot_id)
        .where(Seat.match_id.in_([match.id for match in found]))
        .order_by(Seat.match_id, Seat.seat)
    )
    names: dict[int, tuple[str, ...]] = {}
    for match_id, name in session.execute(seated):
        names[match_id] = (*names.get(match_id, ()), name)
    return tuple(
        UnderWay(
            id=match.id,
            kind=match.kind,
            bots=names.get(match.id, ()),
            worker=match.claimed_by if match.state == State.RUNNING else None,
            attempt=match.attempt,
            interruptions=match.interruptions,
            unreached=match.unreached,
            created_at=match.created_at,
            started_at=match.started_at,
            not_before=match.not_before,
            late=match.lease_until is not None and match.lease_until < at,
        )
        for match in found
    )
