"""The service of a host, `santiago.v1.Host`: its methods, over cache, processors, seats and builds.

It holds no address of a database or a queue: workers bring what it needs, and settle what comes of
it. `listening` says who may call.
"""

import asyncio
import logging
import tempfile
import threading
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Final

from google.protobuf.message import Message
from grpc import StatusCode

from referee.errors import RefereeError
from referee.hosting.archives import BadPackage
from referee.hosting.bubblewrap import Mount
from referee.hosting.build import SCRATCH, build, runtime_of, sandbox_limits
from referee.hosting.bundles import Built
from referee.hosting.cache import BundleCache, UnpackedBundle, WrongHash
from referee.hosting.call_relay import relay
from referee.hosting.client import CHUNK, BuildFailed, DidNotStart, HostRefuses, method_path
from referee.hosting.game_relay import asked, parsed, sit
from referee.hosting.guards import Part, Trouble, guards, is_full
from referee.hosting.packages import Manifest, package_limits, unpack
from referee.hosting.processors import Processors, spare
from referee.hosting.runtime import BOT, installed
from referee.hosting.sandbox import Sandbox
from referee.hosting.seat import HostedPlayer, Seat
from referee.hosting.seats import Seats
from referee.hosting.settings import MB, HostSettings
from referee.http2.server import Handler, Refusal, Stream
from referee.service import DESCRIBE, PLAY
from referee.serving import HOSTED_VARIABLE
from referee.wire import host_pb2

_log = logging.getLogger(__name__)

_BUILDING: Final = ThreadPoolExecutor(64, thread_name_prefix="build")
"""Threads that wait for the steps of builds, as needed: asyncio's few end sandboxes, too."""
_DRAINED: Final = "The host is drained: it takes no more matches and builds."


class Host:
    """A host with its cache, processors and seats."""

    def __init__(self, settings: HostSettings) -> None:
        self.settings = settings
        self.processors = Processors(spare(settings.thinking))
        self.seats = Seats(self.processors, settings.sandboxes, settings.idle, settings.age)
        self.cache = BundleCache(
            settings.folder, settings.cache_mb * MB, self._unpack, lambda: self.seats.bundles
        )
        self.draining = False
        self._trouble = Trouble(settings.folder, 2 * self.cache.most)
        self._building = 0
        self._release = version("santiago-arena")
        self._runtimes = sorted(installed(settings.runtimes))

    def handlers(self) -> Mapping[str, Handler]:
        """Return the methods of the service, by path."""
        methods: Mapping[str, Handler] = {
            "Status": self._status,
            "Store": self._store,
            "Build": self._build,
            "Open": self._open,
            "Sit": lambda stream: sit(stream, self.seats),
            "Close": self._close,
            "Drain": self._drain,
            "Forget": self._forget,
        }
        own = {method_path(name): handler for name, handler in methods.items()}
        return own | dict.fromkeys((DESCRIBE, PLAY), lambda stream: relay(stream, self.seats))

    async def _status(self, stream: Stream) -> None:
        seat = self.seats.taken((await asked(stream, host_pb2.StatusRequest)).seat)
        held = guards(self.settings.uids)
        await _answer(
            stream,
            host_pb2.StatusResponse(
                release=self._release,
                processors=len(self.processors.numbers),
                most_sandboxes=self.settings.sandboxes,
                sandboxes=len(self.seats),
                warm=self.seats.warm,
                thinking=self.processors.thinking,
                waiting=self.processors.waiting,
                building=self._building,
                cache_bytes=self.cache.size + self.cache.unpacked_size,
                most_cache_bytes=2 * self.cache.most,
                draining=self.draining,
                runtimes=self._runtimes,
                guards=held.lines(),
                missing=held.missing or self._trouble.now,
                waited_us=round(seat.waiting * 1e6) if seat is not None else 0,
            ),
        )

    async def _store(self, stream: Stream) -> None:
        first = await asked(stream, host_pb2.StoreRequest)
        try:
            await self.cache.store(first.sha256, _chunks(stream))
        except WrongHash as error:
            raise Refusal(StatusCode.DATA_LOSS, str(error)) from None
        except OSError as error:
            await self._met(error)
            async for _ in _chunks(stream):
                pass  # a client that still sends would not learn why
            raise Refusal(StatusCode.RESOURCE_EXHAUSTED, self._trouble.of_disk(error)) from None
        self._trouble.over(Part.DISK)
        await _answer(stream, host_pb2.StoreResponse())

    async def _met(self, error: Exception) -> None:
        """Report an error as trouble of this machine, if it is one; make room if its disk is full.

        Else a cache larger than the disk would keep the host from work for ever.
        """
        await asyncio.to_thread(self._trouble.meet, error, self.settings.uids)
        if is_full(error):
            await self.cache.drop_unneeded()

    async def _build(self, stream: Stream) -> None:
        request = await asked(stream, host_pb2.BuildRequest)
        package = self.cache.find(request.sha256)
        if self.draining:
            await _answer(stream, host_pb2.BuildResponse(refused=_DRAINED))
        elif package is None:
            await _answer(stream, host_pb2.BuildResponse(missing=host_pb2.MissingBlob()))
        else:
            self._building += 1
            try:
                await self._built(stream, package, request.within_ms / 1000)
            finally:
                self._building -= 1

    async def _built(self, stream: Stream, package: Path, timeout: float) -> None:
        """Build a package in a thread; send the lines as they come, then the bundle."""
        seconds = min(timeout, self.settings.build_seconds)
        settings = replace(self.settings, build_seconds=seconds)
        try:
            with tempfile.TemporaryDirectory(dir=self.settings.folder, prefix=SCRATCH) as folder:
                async for said in _log_of(package, Path(folder), settings):
                    if isinstance(said, str):
                        await _answer(stream, host_pb2.BuildResponse(line=said))
                    else:
                        await self._send(stream, said)
        except (BadPackage, BuildFailed) as error:
            await _answer(stream, host_pb2.BuildResponse(failed=str(error)))
        except (RefereeError, OSError) as error:
            await self._met(error)
            await _answer(stream, host_pb2.BuildResponse(refused=str(error)))

    async def _send(self, stream: Stream, built: Built) -> None:
        """Send a bundle, and keep it in the cache for the matches to come."""
        announced = host_pb2.Bundle(
            sha256=bytes.fromhex(built.sha256), size=built.size, differences=built.differences
        )
        await _answer(stream, host_pb2.BuildResponse(built=announced))
        async for chunk in pieces(built.path):
            await _answer(stream, host_pb2.BuildResponse(chunk=chunk))
        try:
            await self.cache.store(announced.sha256, pieces(built.path))
        except OSError as error:  # a match brings it again
            _log.warning("bundle %s is not kept: %s", built.sha256, error)

    async def _open(self, stream: Stream) -> None:
        request = await asked(stream, host_pb2.OpenRequest)
        try:
            answer = await self._opened(request)
        except DidNotStart as error:
            answer = host_pb2.OpenResponse(
                failed=error.why, output=error.output, errors=error.errors
            )
        except (RefereeError, OSError) as error:
            await self._met(error)
            answer = host_pb2.OpenResponse(refused=str(error))
        await _answer(stream, answer)

    async def _opened(self, request: host_pb2.OpenRequest) -> host_pb2.OpenResponse:
        if self.draining:
            raise HostRefuses(_DRAINED)
        player = HostedPlayer(request.sha256, request.bot, request.version)
        warm = None if request.fresh else self.seats.take_warm(player)
        if warm is not None:
            return host_pb2.OpenResponse(opened=host_pb2.Opened(seat=warm.id, warm=True))
        begun = self._begun(player, request.start_up_ms / 1000)
        opening = self.seats.opening(player.bundle, begun)
        try:
            await asyncio.wait({opening})
        finally:
            opening.cancel()  # if it is not done: who wanted it is gone
        opened = None if opening.cancelled() else opening.result()  # a ban cancels it
        if opened is None:
            return host_pb2.OpenResponse(missing=host_pb2.MissingBlob())
        said = host_pb2.Opened(seat=opened.id, start_us=round(opened.took * 1e6))
        return host_pb2.OpenResponse(opened=said)

    async def _begun(self, player: HostedPlayer, timeout: float) -> Seat | None:
        """Start a bot; return None if its bundle is not there."""
        bundle = await self.cache.unpacked(player.bundle)
        if bundle is None:
            return None
        opened = await self.seats.open(player, lambda: self._launch(bundle), timeout)
        self._trouble.over(Part.SANDBOXES)
        return opened

    def _unpack(self, file: Path, folder: Path) -> Manifest:
        return unpack(file, folder, package_limits(self.settings))

    def _launch(self, bundle: UnpackedBundle) -> Sandbox:
        """Start the bot of a bundle in a sandbox; it takes a while, so call it from a thread."""
        settings = self.settings
        runtime = runtime_of(bundle.manifest, settings)
        return Sandbox.start(
            runtime.command(bundle.manifest),
            mounts=(*runtime.mounts(settings.folder), Mount(bundle.folder, BOT)),
            limits=sandbox_limits(settings),
            environment={**runtime.environment, HOSTED_VARIABLE: "1"},
            directory=BOT,
            uids=settings.uids,
        )

    async def _close(self, stream: Stream) -> None:
        request = await asked(stream, host_pb2.CloseRequest)
        seat = self.seats.called(request.seat)
        await seat.left()
        answer = self.account(seat)
        self.seats.close(seat, end=request.end or self.draining)
        await _answer(stream, answer)

    def account(self, seat: Seat) -> host_pb2.CloseResponse:
        """Return what a bot printed and used in the match that is over."""
        output = seat.sandbox.output()
        cpu = seat.sandbox.cpu_seconds() - seat.used_before
        return host_pb2.CloseResponse(
            output=output.out,
            errors=output.errors,
            peak_memory=seat.sandbox.peak_memory(),
            cpu_us=max(0, round(cpu * 1e6)),
        )

    async def _drain(self, stream: Stream) -> None:
        self.draining = (await asked(stream, host_pb2.DrainRequest)).draining
        if self.draining:
            self.seats.end_warm()
        await _answer(stream, host_pb2.DrainResponse())

    async def _forget(self, stream: Stream) -> None:
        sha256 = (await asked(stream, host_pb2.ForgetRequest)).sha256
        self.seats.end_bundle(sha256)
        self.cache.forget(sha256)
        await _answer(stream, host_pb2.ForgetResponse())


async def _answer(stream: Stream, answer: Message) -> None:
    await stream.write(answer.SerializeToString())


async def _chunks(stream: Stream) -> AsyncIterator[bytes]:
    while (data := await stream.read()) is not None:
        yield parsed(data, host_pb2.StoreRequest).chunk


async def _log_of(package: Path, to: Path, settings: HostSettings) -> AsyncIterator[str | Built]:
    """Build a package in a thread: yield the lines of its log, then what came of it.

    If nobody wants them any more, the build ends. Raises what `build` raises.
    """
    loop, lines = asyncio.get_running_loop(), asyncio.Queue[str | None]()
    ended = threading.Event()

    def say(line: str | None) -> None:
        loop.call_soon_threadsafe(lines.put_nowait, line)

    def run() -> Built:
        try:
            return build(package, to, settings=settings, say=say, cancelled=ended.is_set)
        finally:
            say(None)

    building = loop.run_in_executor(_BUILDING, run)
    try:
        while (line := await lines.get()) is not None:
            yield line
        yield await building
    finally:
        ended.set()
        await asyncio.wait({building})
        building.exception()  # else asyncio reports the one of a build that nobody wanted any more


async def pieces(file: Path) -> AsyncIterator[bytes]:
    """Yield the bytes of a file in chunks, as messages hold them."""
    with file.open("rb") as opened:
        while piece := opened.read(CHUNK):
            yield piece
