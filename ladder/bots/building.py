"""The build of a hosted version as a job: which may begin, and what follows from its outcome.

A new version is built before its check. One that plays, and whose bundle was dropped, is built
again: its state stays as it is meanwhile, and its matches wait. A worker has a host make the build
(`ladder.bots.builds`).
"""

from collections.abc import Collection, Sequence
from datetime import timedelta
from functools import cache, partial
from typing import Final

from sqlalchemy import ColumnElement, and_, exists, false, or_, select, true
from sqlalchemy.orm import Session

from ladder import model
from ladder.bots import availability, packages, reach, trials, versions
from ladder.bots.builds import WITHIN, BuildClaim, Bundle, begin_log
from ladder.bots.versions import ATTEMPTS, BUILD, CHECK, Validation
from ladder.errors import Phrase, Refused
from ladder.jobs import attempts
from ladder.jobs.kinds import Attempt, Needs, Parties, Queue
from ladder.matches import lanes, tables
from ladder.model import Bot, BotState, Conduct, Job, Version, VersionState
from ladder.ratings import ledger

LONGEST: Final = 2 * WITHIN + 300.0
"""Seconds that a build may take at most: two runs, and the time to bring package and bundle."""
WITHOUT_ROOM: Final = timedelta(minutes=1)
"""The time until a build is begun again whose bundle found no room on the operator's disk."""
NO_HOST: Final = Phrase("Waiting for a host: none accepts hosted bots at the moment.")
NO_RUNTIME: Final = Phrase("Waiting for a host: none of those running has the runtime of this bot.")
WAITING: Final = (str(NO_HOST), str(NO_RUNTIME))
"""The reasons of versions that wait for a host."""


class Builds(Validation[BuildClaim]):
    """Builds of uploaded versions: one of an owner at a time, and a part of all places."""

    name = BUILD
    queues = (Queue(BUILD, part=trials.PART),)
    failed = Phrase(
        "We could not build it in %(times)s tries; that is no fault of the version. Submit it "
        "again later, or tell the operator.",
        times=ATTEMPTS,
    )
    interrupted = Phrase("The build was interrupted %(times)s times.", times=ATTEMPTS)

    def waits(self) -> ColumnElement[bool]:
        return _waits()

    def fits(self, queue: Queue, full: Collection[int]) -> ColumnElement[bool]:  # noqa: ARG002
        return _waits() if lanes.has_lane(full) else false()

    def parties(
        self,
        session: Session,
        queue: Queue,  # noqa: ARG002
        subjects: Sequence[int],
    ) -> Parties:
        return dict.fromkeys(subjects, lanes.of_unrated(session))

    def needs(self, session: Session, subject: int) -> Needs[BuildClaim] | None:
        ledger.lock(session)
        waits = select(Version.id).where(Version.id == subject, _may_begin())
        if session.scalar(waits) is None:
            return None
        return Needs(LONGEST, partial(_begin, session), lanes.of_unrated(session, lock=True))

    def give_up(self, session: Session, attempt: Attempt, why: Phrase) -> None:
        attempts.end(session, attempt)
        cannot_play(session, versions.version_of(session, attempt), why)


BUILDS: Final = Builds()


def finish(session: Session, build: BuildClaim, bundle: Bundle) -> None:
    """Give the version its bundle; a new one goes on to its check. Raises Stale.

    The build has failed if its author's quota has no room for the bundle any more. The caller
    commits.
    """
    ledger.lock(session)
    try:
        packages.charge(session, bundle.sha256, user_id=build.user_id)
    except Refused as error:
        break_off(session, build, Phrase(error.template, **error.fields))
        return
    attempts.end(session, build.held)
    version = versions.version_of(session, build.held)
    version.bundle, version.built_at = bundle.sha256, model.now(session)
    version.difference = bundle.difference
    if version.state is VersionState.BUILDING:
        model.move_version(version, VersionState.SUBMITTED)
        attempts.enqueue(session, CHECK, CHECK, [version.id])
    session.flush()


def break_off(session: Session, build: BuildClaim, why: str) -> None:
    """End a build that failed by its author's doing. Raises Stale. The caller commits.

    A new version is rejected; one that is built again is out of reach, and rests.
    """
    ledger.lock(session)
    BUILDS.give_up(session, build.held, Phrase("The build failed: %(why)s", why=why))


def tend(session: Session) -> None:
    """Have dropped bundles built again that are needed, and say which versions wait for a host.

    The scheduler repeats it. Must have its transaction for itself; the caller commits.
    """
    lacks_bundle, waits_for_host = model.execute(session, _TO_TEND).one()
    if lacks_bundle:
        ledger.lock(session)
        lacking = session.scalars(select(Version.id).where(_lacks_bundle())).all()
        attempts.enqueue(session, BUILD, BUILD, lacking)
    if not waits_for_host:
        return
    if not lanes.lanes(session):
        _say(session, true(), str(NO_HOST))
        return
    _say(session, ~tables.has_runtime(), str(NO_RUNTIME))
    _say(session, tables.has_runtime(), None)


def _say(session: Session, which: ColumnElement[bool], why: str | None) -> None:
    """Write down why these uploads wait for a host, or that they do not."""
    replaceable = or_(Version.reason.is_(None), Version.reason.in_(WAITING))
    outdated = and_(_waits_for_host(), which, replaceable, Version.reason.is_distinct_from(why))
    if session.scalar(select(Version.id).where(outdated).limit(1)) is not None:
        model.change_rows(session, Version, outdated, reason=why)


def cannot_play(session: Session, version: Version, why: Phrase) -> None:
    """Reject a version that has nothing to play with, or let it rest, and say why.

    In tournaments it counts as out of reach from now on. Lock the ledger first.
    """
    if version.state in model.UNDER_VALIDATION:
        versions.reject(session, version, why)
        return
    at = model.now(session)
    version.offline_since = version.offline_since or at
    version.unreached_since = version.unreached_since or at
    if version.active and version.conduct is Conduct.GOOD:
        availability.suspend(session, version, why)
    session.flush()


def _needs_build() -> ColumnElement[bool]:
    """Return the condition that a version was uploaded, and that its bundle is not there."""
    return and_(
        Version.package.is_not(None),
        Version.state.in_((VersionState.SUBMITTED, VersionState.ACTIVE, VersionState.SUPERSEDED)),
        ~tables.has_bundle(),
    )


def _lacks_bundle() -> ColumnElement[bool]:
    """Return the condition that a version plays, but for its bundle, which nobody builds yet."""
    job = exists().where(Job.kind == BUILD, Job.subject == Version.id)
    of_active = exists().where(Bot.id == Version.bot_id, Bot.state == BotState.ACTIVE)
    plays = and_(reach.has_matches(), Version.offline_since.is_(None), of_active)
    return and_(_needs_build(), plays, ~job)


def _waits_for_host() -> ColumnElement[bool]:
    waits = Version.state.in_((VersionState.SUBMITTED, VersionState.TRIAL))
    return and_(Version.package.is_not(None), waits)


@cache
def _waits() -> ColumnElement[bool]:
    """Return the condition that a job is a build that may begin; built once, as the next one."""
    return exists().where(Job.kind == BUILD, Version.id == Job.subject, _may_begin())


@cache
def _may_begin() -> ColumnElement[bool]:
    """Return the condition that a version's build may begin, as far as hosts have its runtime."""
    owner_builds = versions.owner_has(lambda other: other.state == VersionState.BUILDING)
    return and_(_needs_build(), tables.has_runtime(), ~owner_builds)


def _begin(session: Session, attempt: Attempt) -> BuildClaim:
    version = versions.version_of(session, attempt)
    if version.state is VersionState.SUBMITTED:
        model.move_version(version, VersionState.BUILDING)
        version.reason = None
    begin_log(session, version.id)
    session.flush()
    assert version.package is not None
    assert version.runtime is not None
    return BuildClaim(
        held=attempt,
        user_id=version.bot.user_id,
        package=version.package,
        runtime=version.runtime,
        before=version.bundle,
    )


_TO_TEND: Final = select(
    *(select(Version.id).where(which).exists() for which in (_lacks_bundle(), _waits_for_host()))
)
"""Built once, since the scheduler asks all the time."""
