"""A seat of a host: one bot's place in a match, with a sandbox for it, from its start to its end.

    (none) --Open, and it listens--> TAKEN --Close--> WARM --Open--> TAKEN
                                       |                |
                                       +----------------+---> ENDED, with its sandbox

`HostedSeat` is the same place as the worker sees it.
"""

import asyncio
import errno
import os
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from time import monotonic
from typing import Final

from referee.hosting.client import DidNotStart, HostRefuses
from referee.hosting.processors import PeriodicLooks, Processors
from referee.hosting.sandbox import Sandbox
from referee.processes import UNSERVED, may_listen

KILLED: Final = "The sandbox of a bot was killed from outside."
_LOOK_EVERY: Final = 0.002
_LEAVES_WITHIN: Final = 2.0
_BANNED: Final = "The operator has banned the files of this bot."
_NOT_RUN: Final = re.compile(rb"bwrap: execvp (.+): (.+)\n")
_NO_FILE: Final = (
    "there is no such file, or what has to run it is missing here. The entry point of a program in "
    "the package is its path, such as ./bot."
)
_NOT_EXECUTABLE: Final = "it may not be executed: `chmod +x` allows it."


class SeatState(Enum):
    """The states of a seat."""

    TAKEN = "taken"
    WARM = "warm"
    ENDED = "ended"


_MOVES: Final = {
    SeatState.TAKEN: (SeatState.WARM, SeatState.ENDED),
    SeatState.WARM: (SeatState.TAKEN, SeatState.ENDED),
    SeatState.ENDED: (),
}


@dataclass(frozen=True, slots=True)
class HostedPlayer:
    """The player at a seat: the hash of its bundle, the bot, and its version."""

    bundle: bytes
    bot: str
    version: str


@dataclass(eq=False)
class Seat:
    """A sandbox, and the bot in it. It runs only while it has a processor."""

    player: HostedPlayer
    sandbox: Sandbox
    processors: Processors
    watch: PeriodicLooks
    took: float
    """Seconds from the start of the sandbox until the bot listened."""
    id: str = field(default_factory=lambda: secrets.token_urlsafe(9))
    state: SeatState = SeatState.TAKEN
    over: str | None = None
    """The limit that the sandbox went over, in a sentence; or that it was banned."""
    banned: bool = False
    sitting: int = 0
    """How many streams there are to the bot."""
    born: float = field(default_factory=monotonic)
    since: float = field(default_factory=monotonic)
    """When it was opened, or its last stream ended, or it became warm."""
    used_before: float = 0.0
    """CPU seconds of the sandbox before this match."""
    waited: float = 0.0
    """Seconds for which the bot waited for processors in this match, until it last got one."""
    _thinkers: int = 0
    _waking: asyncio.Lock = field(default_factory=asyncio.Lock)
    _processor: int | None = None  # the last one
    _waits_since: float | None = None

    def move(self, to: SeatState) -> None:
        """Change the state. Raises ValueError if that can't be."""
        if to not in _MOVES[self.state]:
            raise ValueError(f"A seat that is {self.state.value} does not become {to.value}.")
        self.state, self.since = to, monotonic()

    @property
    def waiting(self) -> float:
        """Seconds for which the bot has waited for processors in this match, up to now."""
        now = 0.0 if self._waits_since is None else monotonic() - self._waits_since
        return self.waited + now

    async def wake(self, ready: Callable[[], None] | None = None) -> None:
        """Wait for a processor, and let the bot run on it alone until `rest`.

        `ready` is called when the processor is there, before the bot runs.
        """
        async with self._waking:
            if self._thinkers == 0:
                self._waits_since = monotonic()
                try:
                    processor = await self.processors.grant(self._processor)
                finally:
                    self.waited, self._waits_since = self.waiting, None
                self._run_on(processor, ready)
            elif ready is not None:
                ready()
            self._thinkers += 1

    def rest(self) -> None:
        """Freeze the bot, and give its processor back, if no other stream of it waits."""
        self._thinkers -= 1
        if self._thinkers == 0:
            self._freeze()

    def wake_now(self, ready: Callable[[], None]) -> bool:
        """Do what `wake` does if nobody needs to wait for it; return False otherwise."""
        if self._waking.locked() or not (self._thinkers or self.processors.is_free):
            return False
        if self._thinkers == 0:
            self._run_on(self.processors.take(self._processor), ready)
        else:
            ready()
        self._thinkers += 1
        return True

    async def left(self) -> None:
        """Wait until nobody sits here any more: the bot has had its last message."""
        until = monotonic() + _LEAVES_WITHIN
        while self.sitting and monotonic() < until:
            await asyncio.sleep(_LOOK_EVERY)

    def ban(self) -> None:
        """End the sandbox in the middle of a match, and say why; the match goes on without it."""
        self.banned = True
        self._stop(_BANNED)

    @contextmanager
    def sat_at(self) -> Iterator[None]:
        """Count a stream to the bot during the block."""
        self.sitting += 1
        try:
            yield
        finally:
            self.sitting -= 1
            self.since = monotonic()

    def address(self) -> str | None:
        """Return the address at which the bot listens now; None if it does not."""
        path = self.sandbox.socket_path()
        return None if path is None else f"unix:{path}"

    def exited(self) -> str:
        """Return how the bot's program has ended, in a sentence; "" if it runs."""
        code = self.sandbox.exit_code
        return "" if code is None else f"The bot's program has ended with exit code {code}."

    @property
    def was_killed(self) -> bool:
        """True if something outside has killed the sandbox, and the seat was not ended before."""
        return self.over is None and self.sandbox.killed_from_outside

    def _run_on(self, processor: int, ready: Callable[[], None] | None) -> None:
        with suppress(OSError):  # it has ended meanwhile: its lines say so
            if processor != self._processor:
                self.sandbox.pin(processor)
        self._processor = processor
        try:
            if ready is not None:
                ready()
        except BaseException:
            self.processors.give_back(processor)
            raise
        with suppress(OSError):
            self.sandbox.thaw()
        self.watch.add(self._look)

    def _freeze(self) -> None:
        assert self._processor is not None
        self.watch.remove(self._look)
        if self.state is not SeatState.ENDED and self.over is None:
            with suppress(OSError):
                self.sandbox.freeze()
        self.processors.give_back(self._processor)

    def _look(self, _: float) -> None:
        """See, while the bot runs, if it is over a limit; then end it."""
        if self.over is None and self.sandbox.noticed is not None:
            self._stop(self.sandbox.noticed)

    def _stop(self, why: str) -> None:
        self.over = why
        asyncio.get_running_loop().run_in_executor(None, self.sandbox.stop)


async def launched(launch: Callable[[], Sandbox]) -> Sandbox:
    """Start a sandbox in a thread; if we are cancelled meanwhile, end it once it has started."""
    starting = asyncio.ensure_future(asyncio.to_thread(launch))
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        while not starting.done():  # who ends the host may cancel us once more
            with suppress(asyncio.CancelledError):
                await asyncio.wait({starting})
        if not starting.cancelled() and starting.exception() is None:
            starting.result().stop()
        raise


async def listens(sandbox: Sandbox, timeout: float, took: Callable[[], float]) -> None:
    """Wait until a bot listens on its socket.

    `took` returns for how many seconds it has run. Raises DidNotStart, with all that it printed,
    and HostRefuses if something outside has killed the sandbox.
    """
    while True:
        path = sandbox.socket_path()
        if path is not None and may_listen(f"unix:{path}"):
            return
        late = took() > timeout
        over, ended = sandbox.over, sandbox.exit_code
        if late or over is not None or ended is not None:
            await asyncio.to_thread(sandbox.stop)  # reads its output to the end
            if sandbox.killed_from_outside:
                raise HostRefuses(KILLED)
            printed = sandbox.output()
            if not_run := _NOT_RUN.fullmatch(printed.errors):
                raise DidNotStart(_why_not_run(*not_run.groups()), printed.out)
            raise DidNotStart(_why_not(over, ended, timeout), printed.out, printed.errors)
        await asyncio.sleep(_LOOK_EVERY)


def _why_not(over: str | None, ended: int | None, timeout: float) -> str:
    if over is not None:
        return f"The bot did not start: {over}"
    if ended is not None:
        why = f"The bot did not start: it ended with exit code {ended} before it listened."
        return why if ended else f"{why} {UNSERVED}"
    return f"The bot did not listen on SANTIAGO_ADDRESS within its start-up time of {timeout:g} s."


def _why_not_run(program: bytes, error: bytes) -> str:
    """Return why bubblewrap could not run a program, by what it said of that."""
    why = _NOT_EXECUTABLE if error == os.strerror(errno.EACCES).encode() else _NO_FILE
    return f"The bot did not start: {program.decode(errors='replace')!r} can't be run: {why}"
