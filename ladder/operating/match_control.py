"""List matches that wait or run; cancel, requeue and annul matches, each with a reason.

Each of these needs a transaction of its own, which the caller commits.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, select, update
from sqlalchemy.orm import Session

from ladder import model
from ladder.contests.tournaments import lifecycle
from ladder.errors import Forbidden, Phrase, Refused
from ladder.jobs import attempts
from ladder.matches import job, reading, results
from ladder.matches.queue import may_be_played
from ladder.matches.states import JOB, move_match, settle
from ladder.model import Bot, Job, Match, MatchKind, MatchState, Seat, Tournament
from ladder.people.accounts import Account, checked_reason, record_action, require_admin
from ladder.ratings import ledger

_LONGEST_REASON: Final = 1_000  # characters, for an annulment
_MOST_RUNNING: Final = 50  # rows of a list
_MOST_WAITING: Final = 20


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A match that waits or runs.

    `late` is True if its lease has run out: its worker is dead. `unreached` counts how often a bot
    could not be reached; the next try is not before `not_before`.
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
    """List the running matches, the longest running first."""
    return _under_way(session, Match.state == MatchState.RUNNING, Match.started_at, _MOST_RUNNING)


def waiting_longest(session: Session) -> tuple[UnderWay, ...]:
    """List the waiting matches, oldest first, without those of tournaments that don't run."""
    waits = and_(Match.state == MatchState.QUEUED, may_be_played())
    return _under_way(session, waits, Match.id, _MOST_WAITING)


def cancel(session: Session, admin: Account | None, match_id: int, reason: str) -> None:
    """Cancel a match that waits or runs; a tournament counts it as a match without a result.

    `admin` is None for the operator. Raises Forbidden, Invalid (`reason`), NotFound and Refused.
    """
    require_admin(admin)
    reason = checked_reason(reason)
    match = _locked(session, match_id)
    if match.state not in model.MATCH_UNDER_WAY:
        raise Refused(
            "match %(match)s is %(state)s: there is nothing to cancel",
            match=match_id,
            state=Phrase(match.state),
        )
    at, own = model.now(session), Match.id == match_id
    why = f"An admin cancelled it: {reason}" if admin else f"The operator cancelled it: {reason}"
    move_match(session, match.state, MatchState.CANCELLED, own, reason=why, finished_at=at)
    record_action(session, admin, "cancel", f"match {match_id}", reason)
    settle(session, match_id, finished=False)


def requeue(session: Session, admin: Account | None, match_id: int, reason: str) -> None:
    """Queue a running or failed match again.

    This voids the running attempt and forgets its interruptions. A failed match stays failed if its
    tournament is over or in another round. Raises as `cancel`.
    """
    require_admin(admin)
    reason = checked_reason(reason)
    match = _locked(session, match_id)
    if match.state not in (MatchState.RUNNING, MatchState.FAILED):
        raise Refused(
            "match %(match)s is %(state)s: only running or failed matches can be queued again",
            match=match_id,
            state=Phrase(match.state),
        )
    if job.is_void(session, match_id):
        raise Refused("a bot of match %(match)s has withdrawn from the tournament", match=match_id)
    if match.state == MatchState.FAILED:
        _reopen(session, match)
        attempts.enqueue(session, JOB, match.kind, [match_id], number=match.attempt)
    else:
        attempts.void(session, JOB, match_id)
    move_match(
        session,
        match.state,
        MatchState.QUEUED,
        Match.id == match_id,
        interruptions=0,
        interruptions_alone=0,
        reason=None,
        finished_at=None,
    )
    record_action(session, admin, "requeue", f"match {match_id}", reason)


def annul(session: Session, account: Account | None, match_id: int, reason: str) -> None:
    """Annul a finished match: its result no longer counts anywhere; its replay stays.

    An entry in the ledger takes back its rating changes. If its tournament is over, authors learn
    of the ranks that change. `account` must be an organiser's, or None for the operator. Raises
    Forbidden, NotFound, Invalid (`reason`) and Refused.
    """
    if account and not account.may_organise:
        raise Forbidden("only organisers and admins annul matches")
    reason = checked_reason(reason, most=_LONGEST_REASON)
    news = lifecycle.rank_news(session, match_id)
    match = _locked(session, match_id)
    if match.state != MatchState.FINISHED:
        raise Refused(
            "match %(match)s is %(state)s: only finished matches can be annulled",
            match=match_id,
            state=Phrase(match.state),
        )
    if match.annulled_at is not None:
        raise Refused("match %(match)s is already annulled", match=match_id)
    session.add_all(lifecycle.rank_news(session, match_id, news).notices)
    results.annul(session, match, account.id if account else None, reason)
    record_action(session, account, "annul", f"match {match_id}", reason)


def _reopen(session: Session, match: Match) -> None:
    """Take a failed match out of its tournament's count of settled ones. Raises Refused."""
    if match.kind == MatchKind.VALIDATION:
        raise Refused(
            "match %(match)s was a trial: its version got another one, or was rejected",
            match=match.id,
        )
    tournament = match.tournament
    if tournament is None:
        return
    if tournament.state not in model.TOURNAMENT_UNDER_WAY or match.round != tournament.round:
        raise Refused(
            "match %(match)s belongs to a round that is over: it can't be changed", match=match.id
        )
    count = update(Tournament).where(Tournament.id == tournament.id)
    model.execute(session, count.values(settled=Tournament.settled - 1))


def _locked(session: Session, match_id: int) -> Match:
    ledger.lock(session)
    query = select(Match).where(Match.id == match_id).with_for_update()
    match = session.scalars(query, execution_options={"populate_existing": True}).one_or_none()
    if match is None:
        raise reading.no_match(match_id)
    return match


def _under_way(
    session: Session, which: ColumnElement[bool], order: Any, limit: int
) -> tuple[UnderWay, ...]:
    at = model.now(session)
    query = (
        select(Match, Job.not_before, Job.lease_until)
        .outerjoin(Job, and_(Job.kind == JOB, Job.subject == Match.id))
        .where(which)
    )
    rows = session.execute(query.order_by(order, Match.id).limit(limit)).all()
    seated = (
        select(Seat.match_id, Bot.name)
        .join(Bot, Bot.id == Seat.bot_id)
        .where(Seat.match_id.in_([match.id for match, *_ in rows]))
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
            worker=match.claimed_by if match.state == MatchState.RUNNING else None,
            attempt=match.attempt,
            interruptions=match.interruptions,
            unreached=match.unreached,
            created_at=match.created_at,
            started_at=match.started_at,
            not_before=not_before,
            late=lease_until is not None and lease_until < at,
        )
        for match, not_before, lease_until in rows
    )
