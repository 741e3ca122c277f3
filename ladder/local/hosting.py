"""A host of this process, for one bundle: its author's bot is started, stopped and asked as hosted.

Only `santiago bot try` has it. Bots are called by a worker's own classes, over a socket.
"""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from threading import Thread

from ladder.local.entrants import LocalEntrant, guarded_folder, last_lines_of
from referee.clock import Clock
from referee.conformance.check import Candidate, CheckResult
from referee.conformance.suite import checks, examine
from referee.errors import InvalidBot, InvalidSetting
from referee.hosting.bundles import Built
from referee.hosting.client import MAX_MESSAGE, DidNotStart, RemoteHost
from referee.hosting.host import Host, pieces
from referee.hosting.packages import Manifest
from referee.hosting.seat import Seat, SeatState
from referee.hosting.settings import MB, HostSettings
from referee.http2.server import serve
from referee.ways import HOSTED_PREFIX, Ways
from referee.wire.host_pb2 import CloseResponse


@contextmanager
def hosted(built: Built, manifest: Manifest, settings: HostSettings) -> Iterator["HostedBot"]:
    """Yield the bot of a bundle at a host, which ends with the block. Raises InvalidSetting."""
    with guarded_folder() as (sockets, _):
        host, address = _TryingHost(settings), f"unix:{sockets / 'host'}"
        with _serving(host, address, built):
            yield HostedBot(host, address, bytes.fromhex(built.sha256), manifest)


class HostedBot:
    """A bot at a host of this process."""

    def __init__(
        self, host: "_TryingHost", address: str, bundle: bytes, manifest: Manifest
    ) -> None:
        self.entrant = LocalEntrant(
            "package", manifest.name, manifest.version, "", address=address, bundle=bundle
        )
        self._host, self._address = host, address

    def examine(
        self, clock: Clock, pause: float, show: Callable[[CheckResult], None]
    ) -> list[CheckResult]:
        """Run the checks in a sandbox of its own, as a worker does. Raises InvalidBot."""
        return asyncio.run(self._examine(clock, pause, show))

    async def _examine(
        self, clock: Clock, pause: float, show: Callable[[CheckResult], None]
    ) -> list[CheckResult]:
        host, bot = RemoteHost(self._address), self.entrant
        try:
            opened = await host.open(
                bot.bundle or b"", bot.name, bot.version, start_up=clock.start_up, fresh=True
            )
            ways = host.ways(Ways.from_environment())
            candidate = Candidate(f"{HOSTED_PREFIX}{opened.seat}", clock, pause, ways)
            seat = self._host.seats.called(opened.seat)
            try:
                return await examine(candidate, checks(), show, lambda _: bool(seat.exited()))
            finally:
                await host.close_seat(opened.seat, end=True)
        except DidNotStart as error:
            raise InvalidBot("\n".join((error.why, *last_lines_of(error)))) from None
        finally:
            await host.close()

    def last_words(self) -> list[str]:
        """Return the last lines of the last sandbox that was ended: by a fault, or the checks."""
        ended = [told for seat, told in self._host.told if seat.state is SeatState.ENDED]
        return last_lines_of(ended[-1]) if ended else []

    def used(self) -> str:
        """Return the most memory that it used, and its CPU time, in a sentence."""
        told = [told for _, told in self._host.told]
        memory = max((one.peak_memory for one in told), default=0) / MB
        cpu, most = sum(one.cpu_us for one in told) / 1e6, self._host.settings.memory_mb
        return f"It used {memory:.0f} MB of memory, of {most}, and {cpu:.1f} s of CPU time."


class _TryingHost(Host):
    """A host; keeps all accounts of matches."""

    def __init__(self, settings: HostSettings) -> None:
        super().__init__(settings)
        self.told: list[tuple[Seat, CloseResponse]] = []

    def account(self, seat: Seat) -> CloseResponse:
        self.told.append((seat, super().account(seat)))
        return self.told[-1][1]


@contextmanager
def _serving(host: Host, address: str, built: Built) -> Iterator[None]:
    """Let a host serve in a thread until the block ends. Raises InvalidSetting."""
    ready: Future[Callable[[], object]] = Future()
    thread = Thread(target=asyncio.run, args=(_serve(host, address, built, ready),), name="host")
    thread.start()
    try:
        end = ready.result()
        try:
            yield
        finally:
            end()
    finally:
        thread.join()


async def _serve(
    host: Host, address: str, built: Built, ready: "Future[Callable[[], object]]"
) -> None:
    """Take the bundle and serve; the result of `ready` ends it, and all sandboxes."""
    try:
        await host.cache.store(bytes.fromhex(built.sha256), pieces(built.path))
        server = await serve(address, host.handlers(), MAX_MESSAGE)
    except OSError as error:
        ready.set_exception(InvalidSetting(f"The bot can't be hosted here: {error}."))
        return
    over = asyncio.Event()
    ready.set_result(partial(asyncio.get_running_loop().call_soon_threadsafe, over.set))
    await over.wait()
    server.close()
    await host.seats.end_all()
