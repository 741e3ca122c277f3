"""Attempts: a worker claims a match, keeps its lease, and is refused once another one holds it."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, CursorResult, and_, exists, or_, select, update
from sqlalchemy.orm import Session, joinedload, selectinload

from ladder.database import models, now, write
from ladder.database.models import Match, Tournament
from ladder.errors import Stale
from ladder.matches.states import State, move
from referee.clock import Clock

_WITH_PLAYERS = (
    joinedload(Match.deal),
    selectinload(Match.table).joinedload(models.Seat.bot).joinedload(models.Bot.user),
    selectinload(Match.table).joinedload(models.Seat.version),
)


@dataclass(frozen=True, slots=True)
class Player:
    """Who plays a seat and where it answers. `secret`: what is shared with it, still encrypted."""

    bot_id: int
    version_id: int
    name: str
    version: str
    author: str
    address: str
    secret: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Claim:
    """One attempt at a match: the right to play it, and all that is needed to do so.

    `players` are by seat. `token` is the fencing token: only who knows the newest one changes the
    match. The dice are no part of it: the worker draws them, and they stay in its memory.
    """

    match_id: int
    attempt: int
    token: str = field(repr=False)
    layout_seed: int
    clock: Clock
    players: tuple[Player, ...]


def claim(session: Session, match_id: int, worker: str, *, lease: float) -> Claim | None:
    """Take a queued match for `lease` seconds; None where there is nothing to take.

    That is so when another worker has it, it is over, its tournament does not run, or its time
    has not come: a message may be late or come twice. `worker` is a name for the operator.
    """
    write(session)
    at = now(session)
    taken = move(
        session,
        State.QUEUED,
        State.RUNNING,
        Match.id == match_id,
        playable(at),
        attempt=Match.attempt + 1,
        token=secrets.token_hex(16),
        claimed_by=worker,
        lease_until=at + timedelta(seconds=lease),
        started_at=at,
    )
    return _claim(session, match_id) if taken else None


def renew(session: Session, claim: Claim, *, lease: float) -> None:
    """Show that the attempt is alive; raises Stale once it is not the newest or was cancelled."""
    write(session)
    result = session.execute(
        update(Match)
        .where(holds(claim))
        .values(lease_until=now(session) + timedelta(seconds=lease)),
        execution_options={"synchronize_session": False},
    )
    assert isinstance(result, CursorResult)
    if not result.rowcount:
        raise stale(claim)


def playable(at: datetime) -> ColumnElement[bool]:
    """Whether a queued match may be played at this time."""
    runs = exists().where(Tournament.id == Match.tournament_id, Tournament.state == "running")
    return and_(
        or_(Match.not_before.is_(None), Match.not_before <= at),
        or_(Match.tournament_id.is_(None), runs),
    )


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


def _claim(session: Session, match_id: int) -> Claim:
    query = select(Match).where(Match.id == match_id).options(*_WITH_PLAYERS)
    match = session.scalars(query, execution_options={"populate_existing": True}).one()
    assert match.token is not None
    return Claim(
        match_id=match.id,
        attempt=match.attempt,
        token=match.token,
        layout_seed=match.deal.layout_seed,
        clock=_clock(match),
        players=tuple(_player(seat) for seat in match.table),
    )


def _clock(match: Match) -> Clock:
    return Clock(
        match.move_limit_ms / 1000,
        match.bank_ms / 1000,
        match.increment_ms / 1000,
        match.start_up_ms / 1000,
    )


def _player(seat: models.Seat) -> Player:
    return Player(
        bot_id=seat.bot_id,
        version_id=seat.version_id,
        name=seat.bot.name,
        version=seat.version.name,
        author=seat.bot.user.name,
        address=seat.version.address,
        secret=seat.version.secret,
    )
