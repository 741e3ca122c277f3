"""The trial of a version that has passed its check: one unrated match against house bots.

A version waits in the state `trial` until its match is over. That is looked at again and again, so
nothing is lost where a process dies in between.
"""

from __future__ import annotations

import secrets
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.bots.versions import reject, take_over
from ladder.database import now
from ladder.database.models import Bot, Match, Seat, Version
from ladder.matches.kinds import Kind
from ladder.matches.states import State, move
from ladder.matches.unrated import queue_unrated

OPPONENTS: Final = 2
TRIALS: Final = 2
"""Matches that may come to nothing on nobody's account before the trial is given up."""


def tend(session: Session) -> None:
    """Make the trial matches that are missing, and settle the trials whose match is over.

    The ledger must be locked; the caller commits.
    """
    session.flush()
    waiting = select(Version).where(Version.state == "trial").order_by(Version.id)
    for version in session.scalars(waiting).all():
        _tend(session, version)


def drop(session: Session, version: Version) -> None:
    """Cancel the match of a trial that nobody wants any more, unless it is being played."""
    move(
        session,
        State.QUEUED,
        State.CANCELLED,
        Match.id == version.trial_match_id,
        reason=f"version {version.name} of {version.bot.name} was withdrawn",
        finished_at=now(session),
    )


def _tend(session: Session, version: Version) -> None:
    if version.trial_match_id is None:
        _begin(session, version)
        return
    match = session.get_one(Match, version.trial_match_id, populate_existing=True)
    if match.state == State.FINISHED:
        _judge(session, version, match.id)
    elif match.state in (State.FAILED, State.CANCELLED):
        if version.trials < TRIALS:
            _begin(session, version)
        else:
            reject(session, version, f"Its trial match could not be played: {match.reason}.")


def _judge(session: Session, version: Version, match_id: int) -> None:
    own = select(Seat).where(Seat.match_id == match_id, Seat.version_id == version.id)
    seat = session.scalars(own, execution_options={"populate_existing": True}).one()
    if seat.fault is None:
        take_over(session, version.id)
    else:
        said = seat.fault_sentence or seat.fault
        reject(session, version, f"It faulted in its trial, match {match_id}: {said}")


def _begin(session: Session, version: Version) -> None:
    """Queue a match; where the operator has no house bots there is no trial."""
    house = (
        select(Bot.id, Version.id)
        .join(Version, (Version.bot_id == Bot.id) & Version.active)
        .where(Bot.house, Bot.state == "active", Bot.id != version.bot_id)
        .order_by(Bot.pinned.desc(), Bot.id)
    )
    if session.execute(house).first() is None:
        take_over(session, version.id)
        return
    there = session.execute(house.where(Bot.offline_since.is_(None)).limit(OPPONENTS)).all()
    if there:
        table = [(bot_id, version_id) for bot_id, version_id in there]
        table.insert(secrets.randbelow(len(table) + 1), (version.bot_id, version.id))
        match = queue_unrated(session, Kind.VALIDATION, table)
        version.trial_match_id, version.trials = match.id, version.trials + 1
