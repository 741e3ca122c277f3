"""The check of a submitted version as a job: which may begin, and what becomes of it.

The worker's part is `ladder.bots.examining.run_check`; what follows a good one is in `trials`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Final

from sqlalchemy import ColumnElement, and_, exists, or_, select, update
from sqlalchemy.orm import Session, aliased

from ladder.bots import trials
from ladder.bots.reports import Report
from ladder.bots.validating import PART, holds_place, on_trial
from ladder.bots.versions import CHECK, reject
from ladder.errors import Phrase
from ladder.jobs import attempts
from ladder.jobs.kinds import Attempt, Kind, Queue, Wanted
from ladder.matches.kinds import Kind as MatchKind
from ladder.model import Bot, Job, Match, MatchState, Version, VersionState, now
from ladder.ratings import ledger
from referee.ways import GATEWAY_PREFIX

ATTEMPTS: Final = 5
"""A check that was begun so often without an end is given up."""
LONGEST: Final = 1200.0
"""Seconds that a check may take at most."""


@dataclass(frozen=True, slots=True)
class Check:
    """One attempt at a check: the right to make it, and all that is needed to do so.

    `version` is its name; `secret` is shared with the bot, encrypted. `slots`: games that the
    gateway lets through to it at once; None for a bot that is dialled.
    """

    held: Attempt
    name: str
    version: str
    address: str
    secret: bytes | None = field(repr=False)
    slots: int | None = None

    @property
    def version_id(self) -> int:
        """The version that is checked."""
        return self.held.subject


class Checks(Kind[Check]):
    """Checks of submitted versions: one of an owner at a time, and a part of all places."""

    name = CHECK
    queues = (Queue(CHECK, part=PART),)

    def waits(self, queue: Queue) -> ColumnElement[bool]:  # noqa: ARG002
        return (
            select(Version.id)
            .join(Version.bot)
            .where(
                Job.kind == CHECK,
                Version.id == Job.subject,
                Version.state == VersionState.SUBMITTED,
                _is_in(Version, Bot),
                _first_of_its_owner(),
            )
            .exists()
        )

    def taken(self, session: Session) -> int:
        return on_trial(session)

    def wanted(self, session: Session, subject: int) -> Wanted[Check] | None:
        ledger.lock(session)
        waits = select(Version.id).where(
            Version.id == subject, Version.state == VersionState.SUBMITTED, _first_of_its_owner()
        )
        if session.scalar(waits) is None:
            return None
        return Wanted(LONGEST, partial(_begin, session))

    def give_back(self, session: Session, claim: Check) -> None:
        ledger.lock(session)
        _again(session, claim.held)

    def fail(self, session: Session, claim: Check, why: str) -> None:  # noqa: ARG002
        """Another try after a while, but not for ever, since each may call the bot."""
        ledger.lock(session)
        if claim.held.number < ATTEMPTS:
            _again(session, claim.held, sent_at=now(session))
        else:
            why_not = Phrase("Its check failed %(times)s times: tell the operator.", times=ATTEMPTS)
            _give_up(session, claim.held, why_not)

    def lapse(self, session: Session, attempt: Attempt, worker: str | None) -> None:  # noqa: ARG002
        if attempt.number < ATTEMPTS:
            _again(session, attempt)
        else:
            why_not = Phrase("Its check was interrupted %(times)s times.", times=ATTEMPTS)
            _give_up(session, attempt, why_not)

    def lock(self, session: Session) -> None:
        ledger.lock(session)


CHECKS: Final = Checks()


def finish(session: Session, check: Check, report: Report) -> None:
    """Keep the report for the author; the version goes on to its trial, or is rejected.

    Raises Stale. The caller commits.
    """
    ledger.lock(session)
    attempts.end(session, check.held)
    checked = {"report": report.as_json(), "checked_at": now(session)}
    _set(session, check.version_id, state=VersionState.TRIAL, **checked)
    if report.passed:
        trials.tend(session)
    else:
        version = session.get_one(Version, check.version_id, populate_existing=True)
        reject(session, version, report.reason)


def tend(session: Session) -> None:
    """Settle the trials that are over, and begin those that can be; it is called again and again.

    Must have its transaction for itself; the caller commits.
    """
    if session.scalar(_ANYTHING):
        ledger.lock(session)
        trials.tend(session)


def _begin(session: Session, attempt: Attempt, worker: str, at: datetime) -> Check:  # noqa: ARG001
    _set(session, attempt.subject, state=VersionState.CHECKING)
    version = session.get_one(Version, attempt.subject, populate_existing=True)
    return Check(
        held=attempt,
        name=version.bot.name,
        version=version.name,
        address=version.address,
        secret=version.secret,
        slots=version.bot.joined_slots if version.address.startswith(GATEWAY_PREFIX) else None,
    )


def _again(session: Session, attempt: Attempt, *, sent_at: datetime | None = None) -> None:
    attempts.release(session, attempt, sent_at=sent_at)
    _set(session, attempt.subject, state=VersionState.SUBMITTED)


def _give_up(session: Session, attempt: Attempt, why: Phrase) -> None:
    attempts.end(session, attempt)
    reject(session, session.get_one(Version, attempt.subject, populate_existing=True), why)


def _set(session: Session, version_id: int, **values: object) -> None:
    session.execute(
        update(Version).where(Version.id == version_id).values(**values),
        execution_options={"synchronize_session": False},
    )


def _first_of_its_owner() -> ColumnElement[bool]:
    """Whether nothing else of the same owner is being validated, or waits for longer."""
    other, others, own = aliased(Version), aliased(Bot), aliased(Bot)
    before = (
        select(other.id)
        .join(others, others.id == other.bot_id)
        .join(own, own.user_id == others.user_id)
        .where(
            own.id == Version.bot_id,
            or_(
                holds_place(other),
                and_(
                    other.state == VersionState.SUBMITTED,
                    other.id < Version.id,
                    _is_in(other, others),
                ),
            ),
        )
        .correlate(Version)
    )
    return ~before.exists()


def _is_in(version: type[Version], bot: type[Bot]) -> ColumnElement[bool]:
    """A bot behind the gateway is checked when this very version has dialled in."""
    return or_(~version.address.startswith(GATEWAY_PREFIX), bot.joined_version == version.name)


_ANYTHING: Final = select(
    or_(
        exists().where(Version.state == VersionState.TRIAL),
        exists().where(Match.kind == MatchKind.VALIDATION, Match.state == MatchState.QUEUED),
    )
)
"""Whether some version or a trial that was left over needs a look; built once, asked often."""
