"""Attempts: a worker claims a match, keeps its lease, and is refused once another one holds it."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    CursorResult,
    Row,
    and_,
    bindparam,
    exists,
    or_,
    select,
    update,
)
from sqlalchemy.orm import Session

from ladder.errors import Stale
from ladder.matches import reserving
from ladder.matches.durations import clock_of
from ladder.matches.kinds import Kind
from ladder.matches.players import Player, seated
from ladder.matches.states import State, moving
from ladder.model import Deal, Match, Timestamp, Tournament, execute, now, write
from referee.clock import Clock

_COLUMNS: Final[tuple[Any, ...]] = (
    Match.id,
    Match.kind,
    Match.attempt,
    Match.interruptions,
    Match.move_limit_ms,
    Match.bank_ms,
    Match.increment_ms,
    Match.start_up_ms,
    Deal.layout_seed,
)

_LATER: Final = timedelta(seconds=1)
"""A match that finds no room waits for so long."""
_SPARE: Final = timedelta(seconds=30)
"""What an attempt may take beyond the longest match on its clock: to settle it."""
_EVER: Final = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Claim:
    """One attempt at a match: the right to play it, and all that is needed to do so.

    `players` are by seat. `token` is the fencing token: only who knows the newest one changes the
    match. The dice are no part of it: the worker draws them, and they stay in its memory. `alone`:
    nothing else is to be played beside it. After `latest` no lease is renewed: by the rules
    and the clock every match has ended by then.
    """

    match_id: int
    attempt: int
    token: str = field(repr=False)
    layout_seed: int
    clock: Clock
    players: tuple[Player, ...]
    alone: bool = False
    latest: datetime = _EVER


class PlaysAlone(Exception):
    """The match wants a process for itself."""


def claim(
    session: Session, match_id: int, worker: str, *, lease: float, alone: bool = True
) -> Claim | None:
    """Take a queued match for `lease` seconds; None where there is nothing to take.

    That is so when another worker has it, it is over, its tournament does not run, or its time
    has not come: a message may be late or come twice. It is so, too, where there is no room for it
    (see `reserving`): it then waits a little. `worker` is its name in the table `workers`. Rows
    are locked in the order worker, match, bots by id. The caller commits in any case.

    Raises PlaysAlone for a match that wants a process for itself where the worker is not ready for
    that (`alone`).
    """
    write(session)
    place = reserving.place(session, worker)
    at = place.at
    wanted = execute(session, _WANTED, {"match_id": match_id, "at": at}).one_or_none()
    if wanted is None:
        return None
    for_itself = wanted.interruptions >= reserving.ALONE_FROM
    if for_itself and not alone:
        raise PlaysAlone
    kind = Kind(wanted.kind)
    table = seated(session, match_id, kind)
    guests = [guest for _, guest in table]
    if not reserving.has_room(session, place, kind, guests, alone=for_itself):
        _put_off(session, match_id, at)
        return None
    return _taken(session, wanted, worker, tuple(player for player, _ in table), at, lease)


def _taken(
    session: Session,
    wanted: Row[Any],
    worker: str,
    players: tuple[Player, ...],
    at: datetime,
    lease: float,
) -> Claim:
    clock = clock_of(wanted)
    latest = at + timedelta(seconds=clock.longest_match(len(players))) + _SPARE
    token = secrets.token_hex(16)
    attempt = wanted.attempt + 1
    told = {
        "of_match": wanted.id,
        "number": attempt,
        "new_token": token,
        "worker": worker,
        "until": min(at + timedelta(seconds=lease), latest),
        "at": at,
    }
    taken = execute(session, _TAKE, told).rowcount
    assert taken  # its row is locked
    return Claim(
        match_id=wanted.id,
        attempt=attempt,
        token=token,
        layout_seed=wanted.layout_seed,
        clock=clock,
        players=players,
        alone=wanted.interruptions >= reserving.ALONE_FROM,
        latest=latest,
    )


def _put_off(session: Session, match_id: int, at: datetime) -> None:
    """Leave the match in the queue; its next message is sent when there may be room."""
    session.execute(
        update(Match).where(Match.id == match_id).values(not_before=at + _LATER, sent_at=None),
        execution_options={"synchronize_session": False},
    )


def keep_message(session: Session, match_id: int) -> None:
    """A worker still waits for the chance to play this match: it needs no other message."""
    write(session)
    session.execute(
        update(Match)
        .where(Match.id == match_id, Match.state == State.QUEUED)
        .values(sent_at=now(session)),
        execution_options={"synchronize_session": False},
    )


def note_lag(session: Session, claim: Claim, lag_ms: int) -> None:
    """Keep how long the worker's loop stood still at worst during this attempt."""
    told = {"of_match": claim.match_id, "of_attempt": claim.attempt, "lag_ms": lag_ms}
    execute(session, _NOTE_LAG, told)


def renew(session: Session, claim: Claim, *, lease: float) -> None:
    """Show that the attempt is alive; raises Stale once it is not the newest or was cancelled."""
    write(session)
    until = min(now(session) + timedelta(seconds=lease), claim.latest)
    result = session.execute(
        update(Match).where(holds(claim)).values(lease_until=until),
        execution_options={"synchronize_session": False},
    )
    assert isinstance(result, CursorResult)
    if not result.rowcount:
        raise stale(claim)


def playable(at: datetime | BindParameter[datetime]) -> ColumnElement[bool]:
    """Whether a queued match may be played at this time."""
    return and_(or_(Match.not_before.is_(None), Match.not_before <= at), goes_on())


def goes_on() -> ColumnElement[bool]:
    """Whether a match is of no tournament, or of one that runs."""
    runs = exists().where(Tournament.id == Match.tournament_id, Tournament.state == "running")
    return or_(Match.tournament_id.is_(None), runs)


def holds(claim: Claim) -> ColumnElement[bool]:
    """Whether the match is still in the hands of this attempt."""
    return and_(
        Match.id == claim.match_id,
        Match.state == State.RUNNING,
        Match.attempt == claim.attempt,
        Match.token == claim.token,
    )


def stale(claim: Claim) -> Stale:
    """The error for an attempt that is over."""
    return Stale(f"attempt {claim.attempt} no longer holds match {claim.match_id}")


# Built once: to build a statement takes longer than to execute it.
_WANTED: Final = (
    select(*_COLUMNS)
    .join(Deal, Deal.id == Match.deal_id)
    .where(
        Match.id == bindparam("match_id"),
        Match.state == State.QUEUED,
        playable(bindparam("at", type_=Timestamp)),
    )
    .with_for_update(of=Match)
)
"""The match, locked, if it may be played now."""
_TAKE: Final = moving(
    State.QUEUED,
    State.RUNNING,
    Match.id == bindparam("of_match"),
    attempt=bindparam("number"),
    token=bindparam("new_token"),
    claimed_by=bindparam("worker"),
    lease_until=bindparam("until"),
    started_at=bindparam("at"),
)
_NOTE_LAG: Final = (
    update(Match.__table__)  # type: ignore[arg-type]
    .where(Match.id == bindparam("of_match"), Match.attempt == bindparam("of_attempt"))
    .values(lag_ms=bindparam("lag_ms"))
)
