"""Jobs and the attempts at them: queue, claim, renew, give back, end, reap.

A worker claims a job and keeps its lease by the database's clock. It is refused once another
attempt holds the job, or the job is gone.
"""

import logging
import secrets
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar

from sqlalchemy import and_, bindparam, delete, or_, select, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from ladder.jobs import room
from ladder.jobs.kinds import Attempt, Claim, Kind
from ladder.model import CLOCK, Holding, Job, Timestamp, Upsert, execute, now, write

_log = logging.getLogger(__name__)

_C = TypeVar("_C", bound=Claim)

_DELAY: Final = timedelta(seconds=1)
"""How long a job that found no room waits."""
_MARGIN: Final = timedelta(seconds=30)
"""The time that an attempt may take beyond its longest, to be settled."""


class WantsToBeAlone(Exception):
    """The job needs a process of its own."""


def enqueue(
    session: Session, kind: str, queue: str, subjects: Iterable[int], *, number: int = 0
) -> None:
    """Put jobs into a queue; those that are in one already stay as they are.

    `number`: how many attempts at them were made before.
    """
    _ENQUEUE.put(
        session,
        [
            {"kind": kind, "queue": queue, "subject": subject, "number": number}
            for subject in subjects
        ],
    )


def claim(
    session: Session,
    kind: Kind[_C],
    subject: int,
    worker: str,
    *,
    lease: float,
    alone: bool = True,
    apart: Collection[str] = (),
) -> _C | None:
    """Take a waiting job for `lease` seconds; return None if there is nothing to take.

    That is so if another worker has it, it is over, or its time has not come: a message may be late
    or come twice. If there is no room for it (see `room`), it waits a little longer. `worker` is
    the worker's name in the table `workers`; jobs of the queues `apart` take none of its places.
    The caller commits in any case.

    Raises WantsToBeAlone for a job that needs a process of its own, unless the worker is ready for
    that (`alone`).
    """
    write(session)
    job = {"of_kind": kind.name, "of_subject": subject}
    row = execute(session, _WAITING, job).one_or_none()
    needs = kind.needs(session, subject) if row is not None else None
    if row is None or needs is None:
        return None
    if row.alone and not alone:
        raise WantsToBeAlone
    claimant = room.claimant(session, worker)  # last: its heartbeats wait from here on
    queue = kind.queue(row.queue)
    parties = needs.parties
    if not room.may_begin(session, claimant, kind, queue, parties, alone=row.alone, apart=apart):
        execute(session, _PUT_OFF, job | {"later": claimant.at + _DELAY})
        return None
    attempt = Attempt(
        kind=kind.name,
        subject=subject,
        number=row.number + 1,
        token=secrets.token_hex(16),
        alone=row.alone,
        latest=claimant.at + timedelta(seconds=needs.longest) + _MARGIN,
        worker=worker,
        began=claimant.at,
    )
    until = min(claimant.at + timedelta(seconds=lease), attempt.latest)
    taken = {"of_worker": worker, "until": until, "for_itself": row.alone}
    if not execute(session, _TAKE, job | taken | _fence(attempt)).rowcount:
        return None  # another worker was faster
    room.hold(session, attempt, queue, parties)
    return needs.begin(attempt)


def bring_forward(session: Session, kind: str, subject: int) -> None:
    """Let a job that waits begin at once."""
    execute(session, _PUT_OFF, {"of_kind": kind, "of_subject": subject, "later": None})


def keep_message(session: Session, kind: str, subject: int) -> None:
    """Count the newest message of a job as new, since a worker still waits to do it."""
    write(session)
    job = {"of_kind": kind, "of_subject": subject, "at": now(session)}
    execute(session, _KEEP_MESSAGE, job)


def lose_messages(session: Session) -> None:
    """Have each waiting job get a message anew, since those that were sent are gone."""
    write(session)
    execute(session, _LOSE_MESSAGES, {})


def renew(session: Session, attempt: Attempt, *, lease: float) -> None:
    """Renew the lease of an attempt. Raises Stale if it is not the newest, or the job is over."""
    write(session)
    until = min(now(session) + timedelta(seconds=lease), attempt.latest)
    _change(session, _RENEW, attempt, until=until)


def confirm(session: Session, attempt: Attempt) -> None:
    """Lock the job for the attempt that holds it. Raises Stale for any other attempt."""
    if execute(session, _HELD, _fence(attempt)).one_or_none() is None:
        raise attempt.stale


def end(session: Session, attempt: Attempt) -> None:
    """Delete a job that is done, or that needs no more attempts. Raises Stale."""
    _change(session, _END, attempt)


def release(
    session: Session,
    attempt: Attempt,
    *,
    not_before: datetime | None = None,
    counts: bool = True,
    alone: bool = False,
) -> None:
    """Put the job back into its queue, held by no attempt. Raises Stale.

    It does not begin before `not_before`. An attempt that does not count leaves its number to the
    next one. `alone`: nothing else is done beside the next one.
    """
    uncounted = int(not counts)
    values = {"later": not_before, "uncounted": uncounted, "for_itself": alone}
    _change(session, _RELEASE, attempt, **values)
    execute(session, _LET_GO, {"of_kind": attempt.kind, "of_subject": attempt.subject})


def void(session: Session, kind: str, subject: int) -> None:
    """Put a job back into its queue; void the attempt that holds it, if any."""
    job = {"of_kind": kind, "of_subject": subject}
    execute(session, _VOID, job)
    execute(session, _LET_GO, job)


def drop(session: Session, kind: str, *subjects: int) -> None:
    """Delete the jobs of a kind with these subjects; void the attempts that hold them, if any."""
    if subjects:
        execute(session, _DROP, [{"of_kind": kind, "of_subject": one} for one in subjects])


def expired(session: Session) -> set[str]:
    """Return the names of the kinds of which a job's lease has run out."""
    return set(execute(session, _EXPIRED, {"at": now(session)}).scalars())


def reap(session: Session, kind: Kind[Any]) -> list[int]:
    """Take back the jobs of dead workers, in a transaction of its own; return their subjects.

    A job that cannot be taken back is logged, and holds up no other one.
    """
    kind.lock(session)
    at = now(session)
    dead = session.execute(
        select(Job.subject, Job.number, Job.token, Job.alone, Job.worker)
        .where(Job.kind == kind.name, Job.lease_until < at)
        .order_by(Job.subject)
        .with_for_update()
    ).all()
    taken_back = []
    for subject, number, token, alone, worker in dead:
        assert token is not None  # since it has a lease
        attempt = Attempt(kind.name, subject, number, token, alone, at, worker)
        try:
            with session.begin_nested():
                kind.lapse(session, attempt)
        except OperationalError:  # no fault of this job
            raise
        except Exception:
            _log.exception("%s %d cannot be taken back from a dead worker", kind.name, subject)
        else:
            taken_back.append(subject)
    return taken_back


def _fence(attempt: Attempt) -> dict[str, Any]:
    return {
        "of_kind": attempt.kind,
        "of_subject": attempt.subject,
        "of_number": attempt.number,
        "of_token": attempt.token,
    }


def _change(session: Session, statement: Any, attempt: Attempt, **values: object) -> None:
    if not execute(session, statement, _fence(attempt) | values).rowcount:
        raise attempt.stale


# Built once: to build a statement takes longer than to execute it.
_JOB: Any = Job.__table__
_OWN: Final = and_(Job.kind == bindparam("of_kind"), Job.subject == bindparam("of_subject"))
_HOLDS: Final = and_(
    _OWN,
    Job.lease_until.is_not(None),
    Job.number == bindparam("of_number"),
    Job.token == bindparam("of_token"),
)
"""The condition that an attempt still holds the job."""
_QUEUED: Final = and_(_OWN, Job.lease_until.is_(None))
_AT: Final = bindparam("at", type_=Timestamp)
_LATEST: Final = bindparam("later", type_=Timestamp)
_FREE: Final[dict[str, Any]] = {
    "token": None,
    "worker": None,
    "lease_until": None,
    "alone": bindparam("for_itself", False),
}
_ENQUEUE: Final = Upsert(Job)
_WAITING: Final = select(Job.queue, Job.number, Job.alone).where(
    _QUEUED, or_(Job.not_before.is_(None), Job.not_before <= CLOCK)
)
_TAKE: Final = (
    update(_JOB)
    .where(_QUEUED, Job.number == bindparam("of_number") - 1)
    .values(
        number=bindparam("of_number"),
        token=bindparam("of_token"),
        worker=bindparam("of_worker"),
        lease_until=bindparam("until", type_=Timestamp),
        alone=bindparam("for_itself"),
    )
)
_PUT_OFF: Final = update(_JOB).where(_QUEUED).values(not_before=_LATEST, sent_at=None)
_EXPIRED: Final = select(Job.kind).where(Job.lease_until < _AT).distinct()
_KEEP_MESSAGE: Final = update(_JOB).where(_QUEUED).values(sent_at=_AT)
_LOSE_MESSAGES: Final = update(_JOB).where(Job.sent_at.is_not(None)).values(sent_at=None)
_RENEW: Final = update(_JOB).where(_HOLDS).values(lease_until=bindparam("until", type_=Timestamp))
_HELD: Final = select(Job.number).where(_HOLDS).with_for_update()
_END: Final = delete(_JOB).where(_HOLDS)
_RELEASE: Final = (
    update(_JOB)
    .where(_HOLDS)
    .values(**_FREE, number=Job.number - bindparam("uncounted"), sent_at=None, not_before=_LATEST)
)
_VOID: Final = update(_JOB).where(_OWN).values(**_FREE, sent_at=None, not_before=None)
_LET_GO: Final = delete(Holding.__table__).where(  # type: ignore[arg-type]
    Holding.kind == bindparam("of_kind"), Holding.subject == bindparam("of_subject")
)
_DROP: Final = delete(_JOB).where(_OWN)
