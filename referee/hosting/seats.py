"""The seats of a host: opens them, keeps their sandboxes warm, and ends them.

A sandbox serves one match at a time, and only one version of one bot. After a match it is kept warm
for the next one, until it has idled for too long, is too old, the bot comes in another version, or
room is needed. It ends after each fault. A seat that nobody sits at is given up after a while: its
worker is gone.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from time import monotonic
from typing import Any, Final

from grpc import StatusCode

from referee.hosting.client import HostRefuses
from referee.hosting.processors import PeriodicLooks, Processors
from referee.hosting.sandbox import Sandbox
from referee.hosting.seat import HostedPlayer, Seat, SeatState, launched, listens
from referee.http2.server import Refusal

_SWEEP_EVERY: Final = 1.0
_ALONE_FOR: Final = 30.0
"""Seconds after which a seat is given up at which nobody sits."""
NO_SEAT: Final = "There is no such seat (any more)."
_log = logging.getLogger(__name__)


class Seats:
    """All seats of a host."""

    def __init__(self, processors: Processors, most: int, idle: float, age: float) -> None:
        """At most `most` sandboxes; warm ones end after `idle` seconds, or at `age`."""
        self.processors = processors
        self._watch = PeriodicLooks()
        self._most, self._idle, self._age = most, idle, age
        self._seats: dict[str, Seat] = {}
        self._opening: dict[asyncio.Task[Seat | None], bytes] = {}  # and their bundles
        self._starting = 0  # sandboxes
        self._ends = set[asyncio.Task[None]]()

    def __len__(self) -> int:
        return len(self._seats) + self._starting

    @property
    def warm(self) -> int:
        """How many sandboxes are kept warm."""
        return sum(seat.state is SeatState.WARM for seat in self._seats.values())

    @property
    def bundles(self) -> set[bytes]:
        """The hashes of the bundles that sandboxes read now, or are about to."""
        return {seat.player.bundle for seat in self._seats.values()} | set(self._opening.values())

    def taken(self, name: str) -> Seat | None:
        """Return the seat of a match by its name; None if there is none."""
        seat = self._seats.get(name)
        return seat if seat is not None and seat.state is SeatState.TAKEN else None

    def called(self, name: str) -> Seat:
        """Return the seat of a match by its name. Raises Refusal."""
        if (seat := self.taken(name)) is None:
            raise Refusal(StatusCode.NOT_FOUND, NO_SEAT)
        return seat

    def take_warm(self, player: HostedPlayer) -> Seat | None:
        """Return a warm seat of the same version, ready for a match. Others of the bot end."""
        warm = None
        for seat in self._of(SeatState.WARM):
            if seat.player == player and warm is None and not self._stale(seat):
                warm = seat
            elif seat.player.bot == player.bot and seat.player != player:
                self.end(seat)
        if warm is not None:
            warm.move(SeatState.TAKEN)
            warm.sandbox.begin_match()
            self._begin_match(warm)
        return warm

    def opening(
        self, bundle: bytes, work: Coroutine[Any, Any, Seat | None]
    ) -> asyncio.Task[Seat | None]:
        """Begin some work that opens a seat for a bundle; if that is banned, it is cancelled."""
        opening = asyncio.create_task(work)
        self._opening[opening] = bundle
        opening.add_done_callback(self._opening.pop)
        return opening

    async def open(
        self, player: HostedPlayer, launch: Callable[[], Sandbox], timeout: float
    ) -> Seat:
        """Start a sandbox with a bot, which has `timeout` seconds to listen, once it runs.

        Raises DidNotStart, HostRefuses if there are too many, and what `launch` raises.
        """
        self._make_room()
        self._starting += 1
        try:
            return await self._started(player, launch, timeout)
        finally:
            self._starting -= 1

    def close(self, seat: Seat, *, end: bool) -> None:
        """Let the match of a seat be over: keep its sandbox warm, or `end` it."""
        taken = seat.state is SeatState.TAKEN  # else it was banned while its bot left
        well = seat.over is None and seat.sandbox.exit_code is None and seat.sitting == 0
        if end or not taken or not well or self._stale(seat):
            self.end(seat)
        else:
            seat.move(SeatState.WARM)

    def end(self, seat: Seat) -> None:
        """End a seat and its sandbox."""
        if seat.state is SeatState.ENDED:
            return
        seat.move(SeatState.ENDED)
        self._seats.pop(seat.id, None)
        task = asyncio.create_task(asyncio.to_thread(seat.sandbox.stop))
        self._ends.add(task)
        task.add_done_callback(self._ends.discard)

    def end_bundle(self, bundle: bytes) -> None:
        """End all sandboxes that run a bundle, since it is banned; their games are told why."""
        for opening, needed in self._opening.items():
            if needed == bundle:
                opening.cancel()
        for seat in [seat for seat in self._seats.values() if seat.player.bundle == bundle]:
            if seat.sitting:
                seat.ban()
            else:
                self.end(seat)

    def end_warm(self) -> None:
        """End all sandboxes that have no match."""
        for seat in self._of(SeatState.WARM):
            self.end(seat)

    async def end_all(self) -> None:
        """End all sandboxes, those that are being started as well, and wait until they have."""
        for opening in self._opening:
            opening.cancel()
        for seat in list(self._seats.values()):
            self.end(seat)
        if under_way := self._ends | self._opening.keys():
            await asyncio.wait(under_way)

    async def sweep(self) -> None:
        """End what has idled for too long or is left alone, again and again, until cancelled."""
        while True:
            await asyncio.sleep(_SWEEP_EVERY)
            for seat in list(self._seats.values()):
                alone = monotonic() - seat.since > _ALONE_FOR
                if seat.state is SeatState.TAKEN and seat.sitting == 0 and alone:
                    _log.warning("nobody sits at a seat of %s: it is given up", seat.player.bot)
                    self.end(seat)
                elif seat.state is SeatState.WARM and self._stale(seat):
                    self.end(seat)

    def _of(self, state: SeatState) -> list[Seat]:
        return [seat for seat in self._seats.values() if seat.state is state]

    def _stale(self, seat: Seat) -> bool:
        """Return True if a seat's sandbox begins no other match."""
        now = monotonic()
        idle = seat.state is SeatState.WARM and now - seat.since > self._idle
        return idle or now - seat.born > self._age or seat.sandbox.exit_code is not None

    def _make_room(self) -> None:
        """End the sandbox that is warm for longest if there are too many. Raises HostRefuses."""
        if len(self) < self._most:
            return
        warm = self._of(SeatState.WARM)
        if not warm:
            raise HostRefuses(f"All {self._most} sandboxes of this host are in use.")
        self.end(min(warm, key=lambda seat: seat.since))

    async def _started(
        self, player: HostedPlayer, launch: Callable[[], Sandbox], timeout: float
    ) -> Seat:
        processor = await self.processors.grant()
        try:
            sandbox = await launched(launch)  # the first one copies its runtime, on nobody's clock
            try:
                with self._watch.stopwatch() as ran:
                    sandbox.pin(processor)
                    await listens(sandbox, timeout, ran)
                    took = ran()
                sandbox.freeze()
            except BaseException:
                await asyncio.shield(asyncio.to_thread(sandbox.stop))
                raise
        finally:
            self.processors.give_back(processor)
        seat = Seat(player, sandbox, self.processors, self._watch, took)
        self._seats[seat.id] = seat
        self._begin_match(seat)
        return seat

    def _begin_match(self, seat: Seat) -> None:
        """Count anew; what a sandbox printed while it started belongs to its first match."""
        seat.used_before, seat.waited = seat.sandbox.cpu_seconds(), 0.0
