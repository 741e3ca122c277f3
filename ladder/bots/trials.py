"""The trial of a version that has passed its check: one unrated match against house bots.

A version waits in the state `trial` until its match is over. That is looked at again and again, so
nothing is lost where a process dies in between. While no house bot is in reach the trial is put
off: the version has no match then, and holds up no other one.
"""

from __future__ import annotations

import secrets
from typing import Final

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from ladder.bots.validating import may_go_on
from ladder.bots.versions import reject, take_over
from ladder.errors import Phrase
from ladder.matches.kinds import Kind
from ladder.matches.states import move_match
from ladder.matches.tables import absent
from ladder.matches.unrated import queue_unrated
from ladder.model import Bot, BotState, Match, MatchState, Seat, Version, VersionState, now
from ladder.people.notices import notify

OPPONENTS: Final = 2
TRIALS: Final = 2
"""Matches that may come to nothing on nobody's account before the trial is given up."""
NO_OPPONENT: Final = Phrase("Its trial waits until a house bot is in reach again.")
NO_PLACE: Final = Phrase("Its trial waits for a place: other versions are being validated.")


def tend(session: Session) -> None:
    """Make the trial matches that are missing, and settle the trials whose match is over.

    The ledger must be locked; the caller commits.
    """
    session.flush()
    _drop_left_over(session)
    waiting = select(Version).where(Version.state == VersionState.TRIAL).order_by(Version.id)
    for version in session.scalars(waiting).all():
        _tend(session, version)


def drop(session: Session, version: Version, why: str) -> bool:
    """Cancel the match of a trial that is not to be played; whether it had not been begun yet."""
    moved = move_match(
        session,
        MatchState.QUEUED,
        MatchState.CANCELLED,
        Match.id == version.trial_match_id,
        reason=why,
        finished_at=now(session),
    )
    return moved == 1


def _drop_left_over(session: Session) -> None:
    """Trials that are back in the queue, while their version was withdrawn or its bot retired."""
    rejected = exists().where(
        Seat.match_id == Match.id,
        Version.id == Seat.version_id,
        Version.state == VersionState.REJECTED,
    )
    move_match(
        session,
        MatchState.QUEUED,
        MatchState.CANCELLED,
        Match.kind == Kind.VALIDATION,
        rejected,
        reason="the version was withdrawn, or its bot retired",
        finished_at=now(session),
    )


def _tend(session: Session, version: Version) -> None:
    if version.trial_match_id is None:
        _begin(session, version)
        return
    match = session.get_one(Match, version.trial_match_id, populate_existing=True)
    if match.state == MatchState.FINISHED:
        _judge(session, version, match.id)
    elif match.state == MatchState.QUEUED:
        away = "the other bot of the trial could not be reached"
        if _opponent_is_away(session, match) and drop(session, version, away):
            version.trials, version.trial_match_id = version.trials - 1, None
            _begin(session, version)
    elif match.state == MatchState.CANCELLED and _missed_opponent(session, match):
        version.trials, version.trial_match_id = version.trials - 1, None
        _begin(session, version)
    elif match.state in (MatchState.FAILED, MatchState.CANCELLED):
        if version.trials < TRIALS:
            version.trial_match_id = None
            _begin(session, version)
        else:
            why = Phrase("Its trial match could not be played: %(why)s.", why=match.reason)
            reject(session, version, why)


def _opponent_is_away(session: Session, match: Match) -> bool:
    """Whether the match can't be played now; the new version itself is always asked to."""
    away = select(Match.id).where(Match.id == match.id, absent(Kind.VALIDATION))
    return session.scalars(away).one_or_none() is not None


def _missed_opponent(session: Session, match: Match) -> bool:
    """Whether the match was cancelled since a house bot could not be reached."""
    missed = Match.table.any(Seat.fault_sentence.is_not(None) & Seat.bot.has(house=True))
    query = select(Match.id).where(Match.id == match.id, missed)
    return session.scalars(query).one_or_none() is not None


def _judge(session: Session, version: Version, match_id: int) -> None:
    own = select(Seat).where(Seat.match_id == match_id, Seat.version_id == version.id)
    seat = session.scalars(own, execution_options={"populate_existing": True}).one()
    if seat.fault is None:
        take_over(session, version.id)
    else:
        said = seat.fault_sentence or seat.fault
        reject(
            session,
            version,
            Phrase("It faulted in its trial, match %(match)s: %(said)s", match=match_id, said=said),
        )


def _begin(session: Session, version: Version) -> None:
    """Queue a match, or put it off; where the operator has no house bots there is no trial."""
    house = (
        select(Bot.id, Version.id)
        .join(Version, (Version.bot_id == Bot.id) & Version.active)
        .where(Bot.house, Bot.state == BotState.ACTIVE, Bot.id != version.bot_id)
        .order_by(Bot.pinned.desc(), Bot.id)
    )
    version.reason, waited_for = None, version.reason
    if session.execute(house).first() is None:
        take_over(session, version.id)
        return
    there = session.execute(house.where(Bot.offline_since.is_(None)).limit(OPPONENTS)).all()
    if not there or not may_go_on(session, version):
        _put_off(session, version, NO_PLACE if there else NO_OPPONENT, told=waited_for is not None)
    else:
        table = [(bot_id, version_id) for bot_id, version_id in there]
        table.insert(secrets.randbelow(len(table) + 1), (version.bot_id, version.id))
        match = queue_unrated(session, Kind.VALIDATION, table)
        version.trial_match_id, version.trials = match.id, version.trials + 1
    session.flush()


def _put_off(session: Session, version: Version, why: Phrase, *, told: bool) -> None:
    """The author is told once, and reads beside the version what it waits for."""
    if not told:
        notify(
            session,
            version.bot.user_id,
            "Version %(version)s of %(bot)s passed its check. %(why)s",
            bot_id=version.bot_id,
            version=version.name,
            bot=version.bot.name,
            why=why,
        )
    version.reason = str(why)
