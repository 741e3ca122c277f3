"""Answer "may this job begin now?": its worker needs a place, its queue room, its parties slots.

A party takes part in at most `slots` jobs at the same time. By shared queues it holds at most a
quarter of all places (but always one), so that a party that uses all its time does not hold up the
others. A queue with a part takes no more than that part of the places, and none of them if it is
apart.

The database counts what runs of this queue and these parties: so nothing has to be given back,
whatever happens, and a claim costs the same however much is running.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Integer, bindparam, func, insert, select
from sqlalchemy.orm import Session

from ladder.jobs import workers
from ladder.jobs.kinds import Attempt, Kind, Party, Queue
from ladder.model import CLOCK, Holding, Job, Timestamp, Worker, execute, is_postgresql, now

_SHARE: Final = 4  # a party holds one place in four


@dataclass(slots=True)
class Occupancy:
    """The jobs under way: by queue, by party, and the places that each party holds.

    `places` is the number of all places; `held` counts only jobs of shared queues.
    """

    places: int
    jobs: Counter[str] = field(default_factory=Counter)
    parties: Counter[int] = field(default_factory=Counter)
    held: Counter[int] = field(default_factory=Counter)

    def add(self, queue: Queue, parties: Iterable[Party]) -> None:
        """Count a job of these parties."""
        self.jobs[queue.name] += 1
        for party in parties:
            self.parties[party.id] += 1
            self.held[party.id] += queue.shared and party.holds

    def begin(self, queue: Queue, parties: Collection[Party]) -> bool:
        """Count a job of these parties if it may begin now; return False if not."""
        if not self.has_room(queue, parties):
            return False
        self.add(queue, parties)
        return True

    def has_room(self, queue: Queue, parties: Iterable[Party]) -> bool:
        """Return True if a job of these parties may begin now."""
        return self.has_part(queue) and all(
            party.ready and self.free(queue, party.id, party.slots, holds=party.holds)
            for party in parties
        )

    def has_part(self, queue: Queue) -> bool:
        """Return True if the queue's part of the places allows one more job."""
        return queue.part is None or self.jobs[queue.name] < part_of(self.places, queue.part)

    def free(self, queue: Queue, party_id: int, slots: int, *, holds: bool = True) -> bool:
        """Return True if a party with this many slots may begin one more job of the queue."""
        if queue.shared and holds and self.held[party_id] >= part_of(self.places, _SHARE):
            return False
        return self.parties[party_id] < slots


def part_of(places: int, part: int) -> int:
    """Return one place in every `part`, and at least one."""
    return max(1, places // part)


@dataclass(frozen=True, slots=True)
class Claimant:
    """A worker that wants to do a job; its row is locked until the end of the transaction.

    `at` is the time by the database's clock.
    """

    worker: str
    at: datetime
    places: int | None
    """None if the worker has not registered: then its places are not counted."""
    stopping: bool


def claimant(session: Session, worker: str) -> Claimant:
    """Find and lock a worker by name, so that only one of its claims at a time goes on."""
    row = execute(session, _WORKER, {"worker": worker}).one_or_none()
    if row is None:
        return Claimant(worker, now(session), None, stopping=False)
    return Claimant(worker, *row)


def may_begin(
    session: Session,
    claimant: Claimant,
    kind: Kind[Any],
    queue: Queue,
    parties: Sequence[Party],
    *,
    alone: bool,
    apart: Collection[str] = (),
) -> bool:
    """Return True if worker, queue and parties can begin this job now. Their rows must be locked.

    A job that is done `alone` needs an idle worker, and keeps other jobs off it. Jobs of the queues
    `apart` take none of the worker's places.
    """
    beside = {"worker": claimant.worker, "apart": apart}
    count, placed, one_alone = execute(session, _BESIDE, beside).one()
    if claimant.stopping or one_alone or (alone and count):
        return False
    if not (queue.apart or claimant.places is None or placed < claimant.places):
        return False
    bounded = queue.part is not None or queue.shared
    occupied = Occupancy(workers.places(session, claimant.at) if bounded else 0)
    if queue.part is not None:
        wait_for_turn(session, queue.name)
        running = execute(session, _OF_QUEUE, {"queue": queue.name}).scalar_one()
        occupied.jobs[queue.name] = running + kind.taken(session)
    if parties:
        _count(occupied, session, _OF_PARTIES, [party.id for party in parties])
    return occupied.has_room(queue, parties)


def wait_for_turn(session: Session, line: str) -> None:
    """Let those in a line count one after the other: two at once would both see the last place.

    On SQLite all that write do so anyway.
    """
    if is_postgresql(session):
        execute(session, _TURN, {"line": line})


def hold(session: Session, attempt: Attempt, queue: Queue, parties: Iterable[Party]) -> None:
    """Record which slots and places of its parties a job takes while it runs."""
    rows = [
        {
            "kind": attempt.kind,
            "subject": attempt.subject,
            "party": party.id,
            "holds": queue.shared and party.holds,
        }
        for party in parties
    ]
    if rows:
        execute(session, _HOLD, rows)


def occupancy(
    session: Session,
    kinds: Iterable[Kind[Any]],
    queues: Collection[str],
    at: datetime,
    lost: datetime,
) -> Occupancy:
    """Count what runs, and what soon will: jobs of `queues` that got a message since `lost`."""
    occupied = Occupancy(workers.places(session, at))
    occupied.jobs.update(dict(execute(session, _RUNNING).all()))
    _count(occupied, session, _OF_ALL, [])
    by_name = {kind.name: kind for kind in kinds}
    sent = {"kinds": list(by_name), "queues": list(queues), "lost": lost}
    under_way = defaultdict(list)
    for name, queue_name, subject in execute(session, _SENT, sent):
        under_way[name, queue_name].append(subject)
    for (name, queue_name), subjects in under_way.items():
        queue = by_name[name].queue(queue_name)
        for parties in parties_of(session, by_name[name], queue, subjects):
            occupied.add(queue, parties)
    for kind in by_name.values():
        for queue in kind.queues:
            occupied.jobs[queue.name] += kind.taken(session) if queue.part is not None else 0
    return occupied


def parties_of(
    session: Session, kind: Kind[Any], queue: Queue, subjects: Sequence[int]
) -> list[list[Party]]:
    """Return the parties of each job."""
    by_subject = kind.parties(session, queue, subjects) if subjects else {}
    return [by_subject.get(subject, []) for subject in subjects]


def full(session: Session, kind: Kind[Any], queue: Queue, occupied: Occupancy) -> list[int]:
    """Return the parties whose jobs leave them no room for another one of this queue."""
    slots = kind.slots(session, list(occupied.parties))
    return [party for party, count in slots.items() if not occupied.free(queue, party, count)]


def _count(occupied: Occupancy, session: Session, query: Any, parties: Sequence[int]) -> None:
    for party, count, held in execute(session, query, {"parties": parties} if parties else {}):
        occupied.parties[party], occupied.held[party] = count, held


# Statements are built once: that takes longer than to execute them.
_RUNS: Final = Job.lease_until.is_not(None)
_WORKER: Final = (
    select(CLOCK, Worker.places, Worker.stopping)
    .where(Worker.name == bindparam("worker"))
    .with_for_update()
)
_TURN: Final = select(func.pg_advisory_xact_lock(func.hashtext(bindparam("line"))))
_BESIDE: Final = select(
    func.count(),
    func.count().filter(Job.queue.not_in(bindparam("apart", expanding=True))),
    func.coalesce(func.max(Job.alone.cast(Integer)), 0),
).where(_RUNS, Job.worker == bindparam("worker"))
_OF_QUEUE: Final = select(func.count()).where(_RUNS, Job.queue == bindparam("queue"))
_RUNNING: Final = select(Job.queue, func.count()).where(_RUNS).group_by(Job.queue)
_SENT: Final = select(Job.kind, Job.queue, Job.subject).where(
    Job.kind.in_(bindparam("kinds", expanding=True)),
    Job.queue.in_(bindparam("queues", expanding=True)),
    Job.lease_until.is_(None),
    Job.sent_at >= bindparam("lost", type_=Timestamp),
)
_OF_ALL: Final = select(
    Holding.party, func.count(), func.sum(Holding.holds.cast(Integer))
).group_by(Holding.party)
_OF_PARTIES: Final = _OF_ALL.where(Holding.party.in_(bindparam("parties", expanding=True)))
_HOLD: Final = insert(Holding.__table__)  # type: ignore[arg-type]
