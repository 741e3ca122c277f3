"""The hosts as a worker sees them: which one takes work, and what it has to bring there.

A worker asks its hosts how they are at each heartbeat, and writes that down for the operator and
for `ladder.matches.lanes`. All seats of one match are at one host.
"""

import asyncio
import json
import logging
import socket
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from operator import itemgetter
from time import monotonic
from typing import Any, Final, Self, TypeVar

from sqlalchemy import select, update
from sqlalchemy.orm import Session, sessionmaker

from ladder import model
from ladder.bots import packages
from ladder.config import HostingSettings
from ladder.errors import NotFound, Refused
from ladder.model import HostRow, Upsert
from referee.errors import Interrupted
from referee.hosting.client import HostLost, HostRefuses, Keys, RemoteHost
from referee.wire.host_pb2 import StatusResponse

_log = logging.getLogger(__name__)

_FRESH: Final = 1.0  # seconds for which an answer counts
_WITHIN: Final = 4.0
"""Seconds within which a host answers: less than a heartbeat waits for all of them."""
_PASSED_OVER: Final = 45.0
"""Seconds for which a host that refused work gets none, as long as others take it."""
_JOBS_A_PROCESSOR: Final = 2  # while the referee works for one match, a bot of another one thinks
_MOST_SEATS: Final = 4  # sandboxes that a match takes at most
_SILENT: Final = timedelta(seconds=10)
_NOTED: Final = (
    *("address", "processors", "lanes", "sandboxes", "builds", "guards", "runtimes"),
    *("cache_bytes", "release", "trouble", "seen_at"),
)
_NOTE: Final = Upsert(HostRow, replace=_NOTED)
_Answer = TypeVar("_Answer")


class NoHost(Interrupted):
    """No host of this worker can do the job now. That is nobody's fault."""


class Hosts:
    """The hosts that a worker knows, for its event loop. `keys`: None if all are unix sockets."""

    def __init__(
        self, sessions: sessionmaker[Session], addresses: Sequence[str], keys: Keys | None = None
    ) -> None:
        self._sessions = sessions
        self._addresses = addresses
        self._keys = keys
        self._hosts: dict[str, RemoteHost] = {}  # made on the loop
        self._answers: dict[str, tuple[float, StatusResponse]] = {}
        self._jobs: Counter[str] = Counter()
        self._refused: dict[str, float] = {}  # when a host last did
        self._told: dict[str, set[str]] = {}
        self._drained: set[str] = set()

    @classmethod
    def from_environment(cls, sessions: sessionmaker[Session]) -> Self:
        """Read which hosts there are, and how to prove oneself to them. Raises InvalidSetting."""
        addresses = HostingSettings.from_environment().hosts
        return cls(sessions, addresses, Keys.from_environment())

    @property
    def known(self) -> bool:
        """True if there is any host at all."""
        return bool(self._addresses)

    @asynccontextmanager
    async def least_busy(self, runtimes: Collection[str]) -> AsyncIterator[RemoteHost]:
        """Yield the host with the least to do of those that have all `runtimes`, for the block.

        One that has just refused work comes last: it has the least to do since it does nothing.
        Raises NoHost.
        """
        loads = await self._loads(runtimes)
        if not loads:
            named = ", ".join(sorted(runtimes))
            raise NoHost(f"no host takes hosted bots of the runtime {named} now")
        late = monotonic() - _PASSED_OVER
        address = min(loads, key=lambda one: (self._refused.get(one, late) > late, loads[one]))
        self._jobs[address] += 1
        try:
            yield self._host(address)
        except Exception as error:  # a table that came to nothing names it as the cause
            if isinstance(error, HostRefuses) or isinstance(error.__cause__, HostRefuses):
                self._refused[address] = monotonic()
            raise
        finally:
            self._jobs[address] -= 1

    async def bring(self, host: RemoteHost, sha256: str) -> None:
        """Put a package or bundle into a host's cache.

        Raises HostLost, HostRefuses, and Refused or NotFound if it may not be used, or is gone.
        """
        with self._sessions() as session:
            chunks = packages.chunks(session, sha256)
            first = await asyncio.to_thread(_next, session, chunks)
            await host.store(bytes.fromhex(sha256), _chunks(session, first, chunks))

    async def bring_bundle(self, host: RemoteHost, bundle: str) -> None:
        """Put the bundle of a bot that plays into a host's cache.

        Raises HostLost, HostRefuses and NoHost.
        """
        try:
            await self.bring(host, bundle)
        except (NotFound, Refused) as error:
            raise NoHost(str(error)) from None

    async def statuses(self) -> dict[str, StatusResponse | None]:
        """Ask all hosts how they are, by address; None for one that does not answer."""
        statuses = await asyncio.gather(*(self._ask(address) for address in self._addresses))
        return dict(zip(self._addresses, statuses, strict=True))

    async def drain(self, draining: Mapping[str, bool]) -> None:
        """Have hosts take no more work, or take it again.

        A host that starts again does not know that it drains, so its jobs are kept away here, too.
        """
        self._drained = {address for address, drains in draining.items() if drains}
        late = [
            (address, drains)
            for address, drains in draining.items()
            if address in self._answers and self._answers[address][1].draining != drains
        ]
        await asyncio.gather(*(self._said(one, self._host(one).drain(to)) for one, to in late))

    async def forget(self, banned: Collection[str]) -> None:
        """Have the hosts that answer drop what is banned, once each."""
        hosts = tuple(self._answers)
        await asyncio.gather(*(self._said(one, self._forget(one, set(banned))) for one in hosts))

    async def close(self) -> None:
        """Hang up."""
        await asyncio.gather(*(host.close() for host in self._hosts.values()))

    async def _loads(self, runtimes: Collection[str]) -> dict[str, float]:
        """Return how busy each host is that takes such work: jobs for each of its processors."""
        late = monotonic() - _FRESH
        old = [one for one in self._addresses if self._answers.get(one, (0.0,))[0] < late]
        await asyncio.gather(*(self._ask(address) for address in old))
        return {
            address: self._load(address, status)
            for address, (_, status) in self._answers.items()
            if address not in self._drained
            and takes_work(status)
            and set(runtimes) <= set(status.runtimes)
        }

    def _load(self, address: str, status: StatusResponse) -> float:
        busy = status.thinking + status.waiting + status.building + self._jobs[address]
        return busy / max(1, status.processors)

    async def _ask(self, address: str) -> StatusResponse | None:
        status = await self._said(address, self._host(address).status())
        if status is None:
            self._answers.pop(address, None)
            self._told.pop(address, None)
        else:
            self._answers[address] = monotonic(), status
        return status

    async def _forget(self, address: str, banned: set[str]) -> None:
        told = self._told.setdefault(address, set())
        told &= banned
        for sha256 in banned - told:
            await self._host(address).forget(bytes.fromhex(sha256))
            told.add(sha256)

    async def _said(self, address: str, answer: Awaitable[_Answer]) -> _Answer | None:
        """Return a host's answer; None, after a warning, if none comes in time."""
        try:
            async with asyncio.timeout(_WITHIN):
                return await answer
        except (HostLost, TimeoutError) as error:
            _log.warning("%s", str(error) or f"The host {address} did not answer in time.")
            return None

    def _host(self, address: str) -> RemoteHost:
        if address not in self._hosts:
            self._hosts[address] = RemoteHost(address, self._keys)
        return self._hosts[address]


async def _chunks(
    session: Session, first: bytes | None, others: Iterator[bytes]
) -> AsyncIterator[bytes]:
    """Yield the chunks, each read when the one before was sent, in a transaction of its own."""
    chunk = first
    while chunk is not None:
        yield chunk
        chunk = await asyncio.to_thread(_next, session, others)


def _next(session: Session, chunks: Iterator[bytes]) -> bytes | None:
    chunk = next(chunks, None)
    session.rollback()
    return chunk


def takes_work(status: StatusResponse) -> bool:
    """Return True if a host starts sandboxes now."""
    return not status.draining and not status.missing


def note(session: Session, statuses: Mapping[str, StatusResponse | None]) -> dict[str, bool]:
    """Write down how hosts are, by address; return which of those known are to drain.

    A host that answers nobody for a while is in trouble. The caller commits.
    """
    model.write(session)
    at = model.now(session)
    known = select(HostRow.name).where(HostRow.name.in_(map(name_of, statuses)))
    session.execute(known.order_by(HostRow.name).with_for_update(key_share=True))  # as claims do
    there = {address: status for address, status in statuses.items() if status is not None}
    rows = [_row(address, status) | {"seen_at": at} for address, status in there.items()]
    _NOTE.put(session, sorted(rows, key=itemgetter("name")))
    gone = [name_of(address) for address in statuses if address not in there]
    unseen = update(HostRow).where(HostRow.name.in_(gone), HostRow.seen_at < at - _SILENT)
    model.execute(session, unseen.values(trouble=HostRow.NO_ANSWER))
    draining = dict(session.execute(select(HostRow.name, HostRow.draining)).all())
    named = {address: name_of(address) for address in statuses}
    return {address: draining[name] for address, name in named.items() if name in draining}


def name_of(address: str) -> str:
    """Return the name of a host: its address, with the machine's name before a unix socket."""
    path = address.removeprefix("unix:")
    return address if path == address else f"{socket.gethostname()}:{path}"


def _row(address: str, status: StatusResponse) -> dict[str, Any]:
    lanes = min(_JOBS_A_PROCESSOR * status.processors, status.most_sandboxes // _MOST_SEATS)
    return {
        "name": name_of(address),
        "address": address,
        "processors": status.processors,
        "lanes": max(1, lanes),
        "sandboxes": status.sandboxes,
        "builds": status.building,
        "guards": json.dumps(list(status.guards)),
        "runtimes": json.dumps(list(status.runtimes)),
        "cache_bytes": status.cache_bytes,
        "release": status.release,
        "trouble": status.missing or None,
    }
