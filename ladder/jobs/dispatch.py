"""Decide which waiting jobs get a message: the database is the truth, messages may be lost.

A message is sent only if the job can be done as soon as a worker has a place for it: a job that
waits for a slot of a party stays in the database.
"""

from datetime import datetime, timedelta
from functools import cache
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, and_, bindparam, or_, select, update
from sqlalchemy.orm import Session

from ladder.jobs import room
from ladder.jobs.kinds import Kind, Kinds, Queue
from ladder.model import Job, Timestamp, execute, now, write

_CANDIDATES: Final = 4  # read for each message that may be sent
_DAY: Final = timedelta(days=1)


def waiting(session: Session, kinds: Kinds, *, message_age: float) -> list[tuple[Kind[Any], Queue]]:
    """Return the queues in which a job may need a message, by priority; lock nothing."""
    at = now(session)
    lost = at - timedelta(seconds=message_age)
    row = execute(session, _some_waits(kinds), {"at": at, "lost": lost}).one()
    return [queue for queue, waits in zip(kinds.queues, row, strict=True) if waits]


def due(
    session: Session, kinds: Kinds, queue_name: str, *, limit: int, message_age: float
) -> list[int]:
    """Return the subjects of the jobs of a queue that need a message now, and count them as sent.

    At most `limit`: first jobs that never had a message, then those whose last one is older than
    `message_age` seconds and so perhaps lost. A superfluous message does no harm: its claim finds
    nothing to take. The caller commits, then sends.
    """
    kind, queue = next(one for one in kinds.queues if one[1].name == queue_name)
    at = now(session)
    lost = at - timedelta(seconds=message_age)
    occupied = room.occupancy(session, kinds, kinds.before(queue), at, lost)
    if not occupied.has_part(queue):
        return []
    full = room.full(session, kind, queue, occupied)
    moment = {"at": at, "lost": lost, "day_ago": at - _DAY, "full": full}
    ids: list[int] = []
    # One after the other: the index has their order, so that few of the jobs are looked at.
    for candidates in _candidates(kind, queue, kind.fits(queue, full)):
        if len(ids) == limit:
            break
        most = {"most": _CANDIDATES * (limit - len(ids))}
        subjects = execute(session, candidates, moment | most).scalars().all()
        for subject, parties in zip(
            subjects, room.parties_of(session, kind, queue, subjects), strict=True
        ):
            if len(ids) < limit and occupied.begin(queue, parties):
                ids.append(subject)
    if ids:
        write(session)  # not before: to find them takes a while
        execute(session, _SENT, {"of_kind": kind.name, "subjects": ids, "at": at})
    return ids


def unsent(queue: str, lost: ColumnElement[datetime]) -> ColumnElement[bool]:
    """Return the condition that a job of this queue waits, without a message since `lost`."""
    return and_(
        Job.queue == queue,
        Job.lease_until.is_(None),
        or_(Job.sent_at.is_(None), Job.sent_at < lost),
    )


# Built once, since the scheduler asks all the time.
_AT: Final = bindparam("at", type_=Timestamp)
_LOST: Final = bindparam("lost", type_=Timestamp)
_TIME_HAS_COME: Final = or_(Job.not_before.is_(None), Job.not_before <= _AT)
_SENT: Final = (
    update(Job.__table__)  # type: ignore[arg-type]
    .where(
        Job.kind == bindparam("of_kind"),
        Job.subject.in_(bindparam("subjects", expanding=True)),
        Job.lease_until.is_(None),
    )
    .values(sent_at=_AT)
)


@cache
def _some_waits(kinds: Kinds) -> Select[*tuple[bool, ...]]:
    """Select for each queue if a job waits."""
    return select(
        *(
            select(Job.subject)
            .where(unsent(queue.name, _LOST), _TIME_HAS_COME, kind.waits())
            .exists()
            for kind, queue in kinds.queues
        )
    )


@cache
def _candidates(
    kind: Kind[Any], queue: Queue, fits: ColumnElement[bool]
) -> tuple[Select[int], ...]:
    """Select the jobs that need a first message, and those whose last one may be lost."""
    waits = (
        select(Job.subject)
        .where(Job.queue == queue.name, Job.lease_until.is_(None), _TIME_HAS_COME, fits)
        .order_by(*kind.order(), Job.subject)
        .limit(bindparam("most"))
        .with_for_update(skip_locked=True)  # it is being claimed or dropped
    )
    return waits.where(Job.sent_at.is_(None)), waits.where(Job.sent_at < _LOST)
