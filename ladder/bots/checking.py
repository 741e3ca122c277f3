"""The check of a submitted version as a job: which may begin, and what its report leads to.

A worker makes the check with `ladder.bots.reports.run_check`; a version that passes goes on to its
trial, in `ladder.bots.trials`.
"""

from collections.abc import Collection, Sequence
from functools import cache, partial
from typing import Final

from sqlalchemy import ColumnElement, and_, exists, or_, select
from sqlalchemy.orm import Session

from ladder import model
from ladder.bots import trials, versions
from ladder.bots.building import WAITING
from ladder.bots.builds import add_lines
from ladder.bots.gateway import note_presence
from ladder.bots.reports import LONGEST, CheckClaim, Report
from ladder.bots.versions import AGAIN_AFTER, ATTEMPTS, CHECK, Validation
from ladder.errors import Phrase
from ladder.jobs import attempts
from ladder.jobs.kinds import Attempt, Needs, Parties, Queue
from ladder.matches import lanes, tables
from ladder.model import Job, Joined, Match, MatchKind, MatchState, Version, VersionState
from ladder.ratings import ledger
from referee.ways import GATEWAY_PREFIX

NOBODY_YET: Final = Phrase("Nothing listens there yet. We keep trying for a minute.")


class Checks(Validation[CheckClaim]):
    """Checks of submitted versions: one of an owner at a time, and a part of all places."""

    name = CHECK
    queues = (Queue(CHECK, part=trials.PART),)
    failed = Phrase(
        "We could not check it in %(times)s tries; that is no fault of the version. Submit it "
        "again later, or tell the operator.",
        times=ATTEMPTS,
    )
    interrupted = Phrase("The check was interrupted %(times)s times.", times=ATTEMPTS)

    def waits(self) -> ColumnElement[bool]:
        return _waits()

    def fits(self, queue: Queue, full: Collection[int]) -> ColumnElement[bool]:  # noqa: ARG002
        return _waits() if lanes.has_lane(full) else _waits_without_host()

    def parties(
        self,
        session: Session,
        queue: Queue,  # noqa: ARG002
        subjects: Sequence[int],
    ) -> Parties:
        hosted = select(Version.id).where(Version.id.in_(subjects), tables.needs_host())
        return dict.fromkeys(session.scalars(hosted), lanes.of_unrated(session))

    def taken(self, session: Session) -> int:
        return trials.count(session)

    def needs(self, session: Session, subject: int) -> Needs[CheckClaim] | None:
        ledger.lock(session)
        waits = select(tables.needs_host()).where(
            Version.id == subject, Version.state == VersionState.SUBMITTED, _is_first_of_its_owner()
        )
        hosted = session.scalar(waits)
        if hosted is None:
            return None
        parties = lanes.of_unrated(session, lock=True) if hosted else []
        longest = 2 * LONGEST if hosted else LONGEST
        return Needs(longest, partial(_begin, session), parties)

    def give_up(self, session: Session, attempt: Attempt, why: Phrase) -> None:
        attempts.end(session, attempt)
        versions.reject(session, versions.version_of(session, attempt), why)


CHECKS: Final = Checks()


def finish(session: Session, check: CheckClaim, report: Report) -> None:
    """Keep the report for the author; the version goes on to its trial, or is rejected.

    If nobody listens there yet, it is tried again for a minute. Raises Stale. The caller commits.
    """
    ledger.lock(session)
    if report.nobody_listens and check.held.number < ATTEMPTS:
        versions.put_back(session, check.held, NOBODY_YET, later=AGAIN_AFTER)
        return
    attempts.end(session, check.held)
    version = versions.version_of(session, check.held)
    version.report, version.checked_at = report.as_json(), model.now(session)
    add_lines(session, version.id, report.wrote)
    if report.passed:
        model.move_version(version, VersionState.TRIAL)
        trials.tend(session)
    else:
        versions.reject(session, version, report.reason)


def tend(session: Session) -> None:
    """Settle the trials that are over, and begin those that can be; the scheduler repeats it.

    Must have its transaction for itself; the caller commits.
    """
    if model.execute(session, _ANY_TRIAL).scalar():
        ledger.lock(session)
        trials.tend(session)


def _begin(session: Session, attempt: Attempt) -> CheckClaim:
    version = versions.version_of(session, attempt)
    model.move_version(version, VersionState.CHECKING)
    version.reason = None
    behind_gateway = version.address.startswith(GATEWAY_PREFIX)
    if behind_gateway:
        note_presence(session, version)  # it may have joined while it was submitted
    session.flush()
    return CheckClaim(
        held=attempt,
        version=version.name,
        address=version.address,
        secret=version.secret,
        slots=version.slots if behind_gateway else None,
        bundle=version.bundle,
        runtime=version.runtime,
    )


@cache
def _waits() -> ColumnElement[bool]:
    """Return the condition that a job is a check that may be made; built once, as the next one."""
    return exists().where(
        Job.kind == CHECK,
        Version.id == Job.subject,
        Version.state == VersionState.SUBMITTED,
        _can_be_called(Version),
        _is_first_of_its_owner(),
    )


@cache
def _waits_without_host() -> ColumnElement[bool]:
    """Return the condition that it may be made, and needs no host."""
    dialled = exists().where(Version.id == Job.subject, ~tables.needs_host())
    return and_(dialled, _waits())


@cache
def _is_first_of_its_owner() -> ColumnElement[bool]:
    """Return the condition that no other version of the owner is validated, or comes before."""
    return ~versions.owner_has(_goes_before)


def _goes_before(other: type[Version]) -> ColumnElement[bool]:
    earlier = and_(other.state == VersionState.SUBMITTED, other.id < Version.id)
    return or_(trials.holds_place(other), and_(earlier, _can_be_called(other)))


def _can_be_called(version: type[Version]) -> ColumnElement[bool]:
    """Return the condition that a check can reach a version, as far as it is the author's doing.

    A hosted one needs its bundle and a host; behind the gateway this very version must have dialled
    in.
    """
    joined = exists().where(Joined.bot_id == version.bot_id, Joined.version == version.name)
    has_host = or_(version.reason.is_(None), version.reason.not_in(WAITING))
    built = or_(version.package.is_(None), and_(version.bundle.is_not(None), has_host))
    return and_(built, or_(~version.address.startswith(GATEWAY_PREFIX), joined))


_ANY_TRIAL: Final = select(
    or_(
        exists().where(Version.state == VersionState.TRIAL),
        exists().where(Match.kind == MatchKind.VALIDATION, Match.state == MatchState.QUEUED),
    )
)
"""True if a version is on trial, or the match of one that was withdrawn is still queued."""
