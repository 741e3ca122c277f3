"""Kinds of jobs: what each one brings, and what the machine hands to it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from sqlalchemy import ColumnElement, literal
from sqlalchemy.orm import Session

from ladder.errors import Stale


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue of jobs of one kind.

    `part`: they take one worker place in so many at most (one may always run); None: all places.
    `shared`: a party may hold but a share of all places by them.
    """

    name: str
    part: int | None = None
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Party:
    """Who takes part in a job, such as a bot: in at most `slots` jobs at the same time.

    `ready`: it may begin this job now. `holds`: this job takes one of its places.
    """

    id: int
    slots: int
    ready: bool = True
    holds: bool = True


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at a job: the right to do it, and to say how it went.

    `token` is the fencing token: only who knows the newest one changes the job. `alone`: nothing
    else is done beside it. No lease is renewed beyond `latest`.
    """

    kind: str
    subject: int
    number: int
    token: str = field(repr=False)
    alone: bool
    latest: datetime

    @property
    def stale(self) -> Stale:
        """The error for an attempt that is over."""
        return Stale(f"attempt {self.number} no longer holds {self.kind} {self.subject}")


class Claim(Protocol):
    """An attempt with all that is needed to make it."""

    @property
    def held(self) -> Attempt: ...


_C = TypeVar("_C", bound=Claim)
Parties = dict[int, list[Party]]
"""Who takes part, by subject."""


@dataclass(frozen=True, slots=True)
class Wanted(Generic[_C]):
    """What a job needs to begin. `longest`: seconds that an attempt may take, at most.

    `begin` is called when there is room for it: it moves the subject's state and makes the claim.
    """

    longest: float
    begin: Callable[[Attempt, str, datetime], _C]
    """Given the attempt, the name of its worker, and the time by the database's clock."""
    parties: Sequence[Party] = ()
    alone: bool = False


class Kind(ABC, Generic[_C]):
    """What the machine has to know of a kind of job. How a job is done is the worker's: `Do`."""

    name: ClassVar[str]
    queues: ClassVar[tuple[Queue, ...]]

    def queue(self, name: str) -> Queue:
        """The queue of this name."""
        return next(queue for queue in self.queues if queue.name == name)

    def waits(self, queue: Queue) -> ColumnElement[bool]:  # noqa: ARG002
        """Whether the job (of the table `jobs`) may be done now, whoever takes part in it."""
        return literal(True)

    def fits(self, queue: Queue, full: Collection[int]) -> ColumnElement[bool]:  # noqa: ARG002
        """Whether it may be done now, if no more may be begun with the parties in `full`."""
        return self.waits(queue)

    def parties(
        self,
        session: Session,  # noqa: ARG002
        queue: Queue,  # noqa: ARG002
        subjects: Sequence[int],  # noqa: ARG002
    ) -> Parties:
        """Who takes part in the jobs of a queue, by subject."""
        return {}

    def slots(self, session: Session, parties: Collection[int]) -> dict[int, int]:  # noqa: ARG002
        """The slots of those parties which take part in jobs of this kind."""
        return {}

    def taken(self, session: Session) -> int:  # noqa: ARG002
        """How many places of its part are taken by other than running jobs."""
        return 0

    @abstractmethod
    def wanted(self, session: Session, subject: int) -> Wanted[_C] | None:
        """What a job needs, with subject and parties locked; None if it is not to be done now."""

    @abstractmethod
    def give_back(self, session: Session, claim: _C) -> object:
        """Put the job back, to be done at once: its worker stops in good order. Raises Stale."""

    @abstractmethod
    def fail(self, session: Session, claim: _C, why: str) -> object:
        """The worker failed during the attempt, on nobody's account. Raises Stale."""

    def note_lag(self, session: Session, claim: _C, lag_ms: int) -> None:
        """Keep how long the worker's loop stood still at worst during the attempt, if wanted."""

    @abstractmethod
    def lapse(self, session: Session, attempt: Attempt, worker: str | None) -> object:
        """The lease has passed: the worker is dead."""

    @abstractmethod
    def lock(self, session: Session) -> object:
        """Take what is locked before the jobs that have lapsed."""


class Kinds:
    """The kinds that there are, and all their queues, in the order of their priority."""

    def __init__(self, kinds: Iterable[Kind[Any]], order: Sequence[str]) -> None:
        self._kinds = {kind.name: kind for kind in kinds}
        found = {queue.name: (kind, queue) for kind in self for queue in kind.queues}
        self.queues = tuple(found[name] for name in order)
        """Each with its kind. Jobs of the first one go before all others."""
        self.order = tuple(order)

    def __iter__(self) -> Iterator[Kind[Any]]:
        return iter(self._kinds.values())

    def __getitem__(self, name: str) -> Kind[Any]:
        return self._kinds[name]

    def before(self, queue: Queue) -> tuple[str, ...]:
        """The names of this queue, and of those that go before it."""
        return self.order[: self.order.index(queue.name) + 1]
