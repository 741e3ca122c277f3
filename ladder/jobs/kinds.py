"""Kinds of jobs: what each one brings (`Kind`), and what it is handed (`Attempt`)."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Generic, Protocol, TypeVar

from sqlalchemy import ColumnElement, Integer, bindparam, literal
from sqlalchemy.orm import Session

from ladder.errors import Stale
from ladder.model import Timestamp


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue of jobs of one kind.

    `part`: its jobs take at most one worker place in this many (one may always run); None: all
    places. `apart`: it has so many places besides, so that its jobs wait for no others, nor others
    for them. `shared`: a party may hold only a share of all places by its jobs.
    """

    name: str
    part: int | None = None
    apart: bool = False
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Party:
    """A participant of a job, such as a bot, which takes part in at most `slots` jobs at once.

    `ready`: it may begin this job now. `holds`: this job takes one of its places.
    """

    id: int
    slots: int
    ready: bool = True
    holds: bool = True


FULL: Final = bindparam("full", expanding=True, type_=Integer)
"""The parties without room for another job, in a condition."""
DAY_AGO: Final = bindparam("day_ago", type_=Timestamp)
_ALWAYS: Final = literal(True)
ALONE_FROM: Final = 2
"""After this many interruptions a job is done with nothing beside it in its process."""


@dataclass(slots=True)
class Lease:
    """The time, by `monotonic`, until which an attempt surely holds its job."""

    until: float = 0.0


class Worst:
    """The longest that the loop has stood still so far, in seconds."""

    def __init__(self) -> None:
        self.seconds = 0.0

    @property
    def milliseconds(self) -> int:
        """The same time in whole milliseconds."""
        return round(1000 * self.seconds)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at a job: the right to do it and to write its outcome.

    `token` is the fencing token: only the newest one can change the job. `alone`: nothing else is
    done beside it. No lease is renewed beyond `latest`. `worker` is the name of the one that does
    the job, `began` the time by the database's clock, unless it is being taken back. `lag` is that
    of the worker's loop during the attempt.
    """

    kind: str
    subject: int
    number: int
    token: str = field(repr=False)
    alone: bool
    latest: datetime
    worker: str | None
    began: datetime | None = None
    lease: Lease = field(default_factory=Lease, repr=False, compare=False)
    lag: Worst = field(default_factory=Worst, repr=False, compare=False)

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}, attempt {self.number}"

    @property
    def next_alone(self) -> bool:
        """True if, after its worker's death, nothing else should be done beside the next one."""
        return self.number >= ALONE_FROM

    def is_last(self, most: int) -> bool:
        """Return True if it was one of `most` attempts, and its worker died of it alone."""
        return self.number >= most and self.alone

    @property
    def stale(self) -> Stale:
        """The error to raise if the attempt is over."""
        return Stale(f"attempt {self.number} no longer holds {self.kind} {self.subject}")


class Claim(Protocol):
    """An attempt with all that is needed to make it."""

    @property
    def held(self) -> Attempt: ...


_C = TypeVar("_C", bound=Claim)
Parties = dict[int, list[Party]]
"""The participants of jobs, by subject."""


@dataclass(frozen=True, slots=True)
class Needs(Generic[_C]):
    """The needs of a job that waits. `longest`: seconds that an attempt may take at most.

    `begin` is called once there is room: it moves the subject's state and makes the claim.
    """

    longest: float
    begin: Callable[[Attempt], _C]
    parties: Sequence[Party] = ()


class Kind(ABC, Generic[_C]):
    """A kind of job, as the database sees it. The worker knows how to do one."""

    name: str
    queues: tuple[Queue, ...]

    def queue(self, name: str) -> Queue:
        """Return the queue of this name."""
        return next(queue for queue in self.queues if queue.name == name)

    def waits(self) -> ColumnElement[bool]:
        """Return the condition that a job (of the table `jobs`) may be done now by any parties."""
        return _ALWAYS

    def fits(self, queue: Queue, full: Collection[int]) -> ColumnElement[bool]:  # noqa: ARG002
        """Return the condition that a job may be done now without the parties in `full`.

        It takes them from the parameter FULL, so that few conditions are built, each once.
        """
        return self.waits()

    def order(self) -> tuple[ColumnElement[Any], ...]:
        """Return by what jobs go before others of their queue; then by subject.

        It may use the parameter DAY_AGO.
        """
        return ()

    def parties(
        self,
        session: Session,  # noqa: ARG002
        queue: Queue,  # noqa: ARG002
        subjects: Sequence[int],  # noqa: ARG002
    ) -> Parties:
        """Return the participants of these jobs of a queue, by subject."""
        return {}

    def slots(self, session: Session, parties: Collection[int]) -> dict[int, int]:  # noqa: ARG002
        """Return the slots of these parties, as far as they take part in jobs of this kind.

        A kind may name further parties, which have no room though they take part in nothing yet.
        """
        return {}

    def taken(self, session: Session) -> int:  # noqa: ARG002
        """Count the places of its part that are taken by more than its running jobs."""
        return 0

    @abstractmethod
    def needs(self, session: Session, subject: int) -> Needs[_C] | None:
        """Lock subject and parties; return what the job needs, None if it may not be done now."""

    @abstractmethod
    def give_back(self, session: Session, claim: _C) -> object:
        """Put the job back, to be done at once, since its worker stops. Raises Stale."""

    @abstractmethod
    def fail(self, session: Session, claim: _C, why: str) -> object:
        """Settle an attempt in which the worker failed, not a party. Raises Stale."""

    @abstractmethod
    def lapse(self, session: Session, attempt: Attempt) -> object:
        """Settle an attempt whose lease has run out, since its worker is dead."""

    @abstractmethod
    def lock(self, session: Session) -> object:
        """Take the locks that go before those of the lapsed jobs."""


class Kinds:
    """All kinds of jobs, and their queues by priority."""

    def __init__(self, kinds: Iterable[Kind[Any]], order: Sequence[str]) -> None:
        self._kinds = tuple(kinds)
        by_name = {queue.name: (kind, queue) for kind in self for queue in kind.queues}
        self.queues = tuple(by_name[name] for name in order)
        """Each queue with its kind. Jobs of the first one go before all others."""
        self.order = tuple(order)

    def __iter__(self) -> Iterator[Kind[Any]]:
        return iter(self._kinds)

    def before(self, queue: Queue) -> tuple[str, ...]:
        """Return the names of the queues up to this one, by priority."""
        return self.order[: self.order.index(queue.name) + 1]
