"""Checks of submitted versions: which are due, and who holds them. As with matches, see
`ladder.matches.claims`: the database is the truth, messages are hints, a check is done again where
its worker died, and a worker that comes back from the dead changes nothing.

The worker's part is `ladder.bots.examining.run_check`; what follows a good one is in `trials`.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from sqlalchemy import ColumnElement, CursorResult, and_, exists, or_, select, update
from sqlalchemy.orm import Session, aliased

from ladder.bots import trials
from ladder.bots.reports import Report
from ladder.bots.validating import holds_place, room
from ladder.bots.versions import reject
from ladder.errors import Phrase, Stale
from ladder.matches.kinds import Kind
from ladder.matches.states import State
from ladder.model import Bot, Match, Version, now, write
from ladder.ratings import ledger
from referee.ways import GATEWAY_PREFIX

ATTEMPTS: Final = 5
"""A check that was begun so often without an end is given up."""


@dataclass(frozen=True, slots=True)
class Check:
    """One attempt at a check: the right to make it, and all that is needed to do so.

    `version` is its name. `token` is the fencing token; `secret` is shared with the bot, encrypted.
    `slots`: games that the gateway lets through to it at once; None for a bot that is dialled.
    """

    version_id: int
    attempt: int
    token: str = field(repr=False)
    name: str
    version: str
    address: str
    secret: bytes | None = field(repr=False)
    slots: int | None = None


def due(session: Session, *, limit: int, message_age: float) -> list[int]:
    """The ids of versions whose check needs a message now; they count as sent from here on.

    Before that it settles the trials that are over and takes back the checks of dead workers, so it
    is called again and again; how many there may be at a time says `validating`. Must have its
    transaction for itself; the caller commits, then sends.
    """
    if not session.scalar(_ANYTHING):
        return []
    ledger.lock(session)
    _reap(session)
    trials.tend(session)
    at = now(session)
    lost = at - timedelta(seconds=message_age)
    waiting = or_(Version.check_sent_at.is_(None), Version.check_sent_at < lost)
    query = (
        select(Version)
        .join(Version.bot)
        .where(Version.state == "submitted", _is_in(Version, Bot), _first_of_its_owner())
        .order_by(Version.id)
        .limit(min(limit, room(session)))
    )
    found = session.scalars(query.where(waiting)).all()
    for version in found:
        version.check_sent_at = at
    return [version.id for version in found]


def claim(session: Session, version_id: int, *, lease: float) -> Check | None:
    """Take a submitted version for `lease` seconds; None where there is nothing to take."""
    ledger.lock(session)
    if room(session) < 1:
        return None
    attempt = Version.check_attempt + 1
    taken = session.execute(
        update(Version)
        .where(Version.id == version_id, Version.state == "submitted", _first_of_its_owner())
        .values(
            state="checking",
            check_attempt=attempt,
            check_token=secrets.token_hex(16),
            check_lease_until=now(session) + timedelta(seconds=lease),
        ),
        execution_options={"synchronize_session": False},
    )
    assert isinstance(taken, CursorResult)
    return _check(session, version_id) if taken.rowcount else None


def renew(session: Session, check: Check, *, lease: float) -> None:
    """Show that the attempt is alive; raises Stale once it is not the newest or was rejected."""
    write(session)
    _move(session, check, check_lease_until=now(session) + timedelta(seconds=lease))


def give_back(session: Session, check: Check) -> None:
    """Leave the check to another worker: this one stops. Raises Stale."""
    ledger.lock(session)
    _move(session, check, state="submitted", check_lease_until=None, check_sent_at=None)


def fail(session: Session, check: Check) -> None:
    """The check came to nothing on nobody's account: another try after a while, but not for ever,
    since each may call the bot. Raises Stale."""
    ledger.lock(session)
    _move(session, check, state="submitted", check_lease_until=None, check_sent_at=now(session))
    if check.attempt >= ATTEMPTS:
        version = session.get_one(Version, check.version_id, populate_existing=True)
        why = Phrase("Its check failed %(times)s times: tell the operator.", times=ATTEMPTS)
        reject(session, version, why)


def finish(session: Session, check: Check, report: Report) -> None:
    """Keep the report for the author; the version goes on to its trial, or is rejected.

    Raises Stale. The caller commits.
    """
    ledger.lock(session)
    _move(
        session,
        check,
        state="trial",
        check_lease_until=None,
        report=report.as_json(),
        checked_at=now(session),
    )
    version = session.get_one(Version, check.version_id, populate_existing=True)
    if report.passed:
        trials.tend(session)
    else:
        reject(session, version, report.reason)


def _reap(session: Session) -> None:
    """Take back the checks whose lease has passed, since their workers are dead."""
    dead = and_(Version.state == "checking", Version.check_lease_until < now(session))
    for version in session.scalars(select(Version).where(dead)).all():
        version.state, version.check_sent_at = "submitted", None
        version.check_lease_until = None
        if version.check_attempt >= ATTEMPTS:
            why = Phrase("Its check was interrupted %(times)s times.", times=ATTEMPTS)
            reject(session, version, why)
    session.flush()


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
                and_(other.state == "submitted", other.id < Version.id, _is_in(other, others)),
            ),
        )
        .correlate(Version)
    )
    return ~before.exists()


def _is_in(version: type[Version], bot: type[Bot]) -> ColumnElement[bool]:
    """A bot behind the gateway is checked when this very version has dialled in."""
    return or_(~version.address.startswith(GATEWAY_PREFIX), bot.joined_version == version.name)


def _move(session: Session, check: Check, **values: object) -> None:
    """Change the version that this attempt holds; raises Stale."""
    held = and_(
        Version.id == check.version_id,
        Version.state == "checking",
        Version.check_attempt == check.attempt,
        Version.check_token == check.token,
    )
    done = session.execute(
        update(Version).where(held).values(**values),
        execution_options={"synchronize_session": False},
    )
    assert isinstance(done, CursorResult)
    if not done.rowcount:
        raise Stale(f"attempt {check.attempt} no longer holds the check of {check.version_id}")


def _check(session: Session, version_id: int) -> Check:
    version = session.get_one(Version, version_id, populate_existing=True)
    assert version.check_token is not None
    return Check(
        version_id=version.id,
        attempt=version.check_attempt,
        token=version.check_token,
        name=version.bot.name,
        version=version.name,
        address=version.address,
        secret=version.secret,
        slots=version.bot.joined_slots if version.address.startswith(GATEWAY_PREFIX) else None,
    )


_ANYTHING: Final = select(
    or_(
        select(Version.id)
        .join(Version.bot)
        .where(
            or_(
                Version.state.in_(("checking", "trial")),
                and_(Version.state == "submitted", _is_in(Version, Bot)),
            )
        )
        .exists(),
        exists().where(Match.kind == Kind.VALIDATION, Match.state == State.QUEUED),
    )
)
"""Whether some version or a trial that was left over needs a look; built once, asked often."""
