"""Bots of the command line: installed ones by name, running ones by address, others by command.

They take part in a local tournament (`gathered`), or are checked (`candidate_of`).
"""

import asyncio
import os
import re
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import entry_points
from itertools import groupby
from pathlib import Path
from typing import Final

from ladder.local.guardian import Guardian, socket_folder
from ladder.local.output import end_of, shortened
from referee.clock import Clock
from referee.conformance.check import Candidate, Check, CheckResult, Failure, Why
from referee.conformance.games import NOT_MEANT
from referee.conformance.suite import checks, proof_check
from referee.errors import InvalidBot, Unreachable
from referee.hosting import lines
from referee.hosting.client import DidNotStart
from referee.printing import escaped
from referee.processes import BotProcess
from referee.proof import usable
from referee.seats.description import describe
from referee.serving import SECRET_VARIABLE, load
from referee.signals import how_ended
from referee.variables import LONGEST_PATH, MAX_PORT, is_host_and_port
from referee.ways import GATEWAY_PREFIX, Ways
from referee.wire import bot_pb2
from referee.wire.host_pb2 import CloseResponse

_ENTRY_POINTS: Final = "santiago.bots"
_ADDRESS: Final = re.compile(r"(?:unix|gateway):\S+|[\w.\-]+:\d{1,5}|\[[0-9a-fA-F:]+\]:\d{1,5}")
_TIMEOUT: Final = 2.0  # seconds for a bot that should be running already
_GRACE: Final = 1.0  # seconds from a line that breaks to the end of the bot's process
_MAX_WORD: Final = 40  # characters
_UNBUFFERED: Final = {"PYTHONUNBUFFERED": "1"}  # or the last lines of a bot that we end are lost


@dataclass(frozen=True, slots=True)
class LocalEntrant:
    """A bot that takes part: played in this process (`target`) or called at its `address`."""

    word: str
    """Its name on the command line. Entrants of one word are one bot."""
    name: str
    version: str
    author: str
    target: str | None = None
    """`module:Class` of an installed bot."""
    address: str | None = None
    log: Path | None = None
    """The file with its output, if it was started here."""
    bundle: bytes | None = None
    """The SHA-256 of the bundle that the host at `address` plays."""


def installed_bots() -> dict[str, str]:
    """Return the targets (`module:Class`) of the installed bots, by name."""
    return {point.name: point.value for point in entry_points(group=_ENTRY_POINTS)}


def labels(entrants: Sequence[LocalEntrant]) -> list[str]:
    """Return a label for each entrant: its name, with version or word if others share it."""
    names = []
    for entrant in entrants:
        others = [other for other in entrants if other.word != entrant.word]
        if entrant.name not in (other.name for other in others):
            names.append(entrant.name)
        elif entrant.version not in (o.version for o in others if o.name == entrant.name):
            names.append(f"{entrant.name} {entrant.version}")
        else:
            names.append(f"{entrant.name} ({entrant.word})")
    return names


def _is_address(word: str) -> bool:
    """Return True if a word of the command line has the form of an address (see `referee.ways`).

    Raises InvalidBot if it is the path of a socket that is too long.
    """
    if _ADDRESS.fullmatch(word) is None:
        return False
    if word.startswith("unix:") and len(os.fsencode(word)) > len("unix:") + LONGEST_PATH:
        raise InvalidBot(f"The path in {word} is too long: it has {LONGEST_PATH} bytes at most.")
    return word.startswith(("unix:", GATEWAY_PREFIX)) or is_host_and_port(word)


@contextmanager
def gathered(
    words: Sequence[str], output: Path | None = None, clock: Clock | None = None
) -> Iterator[list[LocalEntrant]]:
    """Yield the bots that the words mean; their processes live as long as the block.

    A word is the name of an installed bot, an address (see `referee.ways`), a command that starts
    a bot (it listens where SANTIAGO_ADDRESS says), or `lines:` and a command that starts a program
    of `referee.hosting.lines`. The same word may come twice, and is then two entrants that are one
    bot. The output of a started bot goes into a file of the folder `output`, if given; it has as
    long to answer as BotProcess says for the `clock`.

    Raises InvalidBot: if one cannot be reached in the block since its process has ended, too.
    """
    with ExitStack() as stack:
        folder, guardian = stack.enter_context(guarded_folder())
        started: list[_StartedBot] = []
        entrants = []
        for n, word in enumerate(words, 1):
            entrant = _installed(word) or _running(word)
            if entrant is None:
                log = _log(n, word, output or folder)
                process = _started(_command_of(word), folder / f"{n}", log, guardian, stack, clock)
                bot = _StartedBot(word, log, process)
                started.append(bot)
                entrant = bot.entrant()
            entrants.append(entrant)
        try:
            yield entrants
        except Unreachable:
            if told := [line for bot in started for line in bot.last_words()]:
                raise InvalidBot("\n".join(told)) from None
            raise


@dataclass(frozen=True, slots=True)
class _StartedBot:
    """A bot that a command has started."""

    word: str
    log: Path
    process: BotProcess

    def entrant(self) -> LocalEntrant:
        """Wait until it is ready. Raises InvalidBot, with its last words."""
        try:
            description = self.process.wait_until_ready()
        except InvalidBot as error:
            raise InvalidBot("\n".join([str(error), *last_lines_in(self.log)])) from None
        return _entrant(self.word, description, self.process.address, self.log)

    def last_words(self) -> list[str]:
        """Return its exit code and last lines, in sentences, if it has ended; else nothing."""
        if (code := self.process.exit_code) is None:
            return []
        ended = f"The bot {self.word!r} {how_ended(code)}. Its last words:"
        return [ended, *last_lines_in(self.log)]


@contextmanager
def guarded_folder() -> Iterator[tuple[Path, Guardian]]:
    """Yield a folder for sockets and logs, and the guardian that removes it if we are killed."""
    with socket_folder() as name, Guardian() as guardian:
        folder = Path(name)
        guardian.guard_folder(folder)
        yield folder, guardian


def _installed(word: str) -> LocalEntrant | None:
    target = installed_bots().get(word)
    if target is None:
        return None
    bot = load(target)
    return LocalEntrant(word, bot.name, bot.version, bot.author, target=target)


def _running(word: str) -> LocalEntrant | None:
    if not _is_address(word):
        return None
    return _entrant(word, describe(word, _TIMEOUT), word)


def _log(number: int, word: str, folder: Path) -> Path:
    """Return the file for a bot's output, such as `2-python-my_bot.py.log` for the second bot."""
    words = re.sub(r"[^\w.]+", "-", word)[-_MAX_WORD:].strip("-.")
    return folder / f"{number}-{words}.log"


def _started(
    command: Sequence[str],
    path: Path,
    log: Path,
    guardian: Guardian,
    stack: ExitStack,
    clock: Clock | None,
) -> BotProcess:
    """Start a bot, which listens on the socket at `path`; `stack` ends it. Its log stays short."""
    log.unlink(missing_ok=True)
    stack.enter_context(shortened(log))
    process = BotProcess(command, f"unix:{path}", log, _UNBUFFERED, clock=clock)
    return stack.enter_context(guarded(process, guardian))


@contextmanager
def guarded(process: BotProcess, guardian: Guardian) -> Iterator[BotProcess]:
    """Let a bot's process live as long as the block, also if this program is killed."""
    guardian.guard(process.pid)
    try:
        with process:
            yield process
    finally:
        guardian.forget(process.pid)


def _command_of(word: str) -> list[str]:
    """Split a command into words; a single word must be a path, so that typing errors are found.

    `lines:COMMAND` starts a program that reads lines. Raises InvalidBot.
    """
    if word.startswith(lines.PREFIX):
        return lines.command_for(word.removeprefix(lines.PREFIX))
    command = lines.split_command(word)
    if not command or (len(command) == 1 and "/" not in word):
        raise InvalidBot(
            f"{word!r} is not an installed bot ({', '.join(sorted(installed_bots()))}), not an "
            f"address (host:port, with a port of 1 to {MAX_PORT}) and not a command in quotes, "
            'such as "python my_bot.py", "lines:python my_bot.py" or "./my_bot".'
        )
    return command


def _entrant(
    word: str, description: bot_pb2.DescribeResponse, address: str, log: Path | None = None
) -> LocalEntrant:
    name, version = description.name, description.version
    return LocalEntrant(word, name, version, description.author, address=address, log=log)


START: Final = "start"
"""The name of the check that the command starts the bot."""


@dataclass(frozen=True, slots=True)
class Started:
    """A bot to be checked, and the checks for it."""

    candidate: Candidate
    suite: tuple[Check, ...]
    log: Path | None = None
    """The file with its output, if it was started here."""

    process: BotProcess | None = None
    """Its process, if it was started here."""

    def is_gone(self, result: CheckResult) -> bool:
        """Return True if it has ended, after a check that failed; see `examine`."""
        return self.process is not None and ended_by(result, self.process)

    def ended(self) -> str:
        """Return how it has ended, in a sentence; "" if it runs on, or was not started here."""
        code = None if self.process is None else self.process.wait(_GRACE)
        return "" if code is None else f"The bot {how_ended(code)}."

    def last_lines(self) -> list[str]:
        """Return the last lines of its output, if it was started here."""
        return [] if self.log is None else last_lines_in(self.log)


def ended_by(result: CheckResult, process: BotProcess) -> bool:
    """Return True if a bot's process has ended, after a check that failed.

    Its lines break a moment before it has ended.
    """
    return process.wait(_GRACE if result.why is Why.LINE_LOST else 0.0) is not None


@contextmanager
def candidate_of(word: str, clock: Clock, pause: float, secret: str = "") -> Iterator[Started]:
    """Yield the bot that the word means; its process lives as long as the block.

    A word is an address, the name of an installed bot, or a command. `secret` is what it shares
    with the ladder; empty if it is not to prove any. Raises InvalidBot and InvalidSetting.
    """
    if _is_address(word):
        candidate = Candidate(word, clock, pause, _ways(word, secret))
        yield Started(candidate, (*_proofs(candidate), *checks()))
        return
    with ExitStack() as stack:
        folder, guardian = stack.enter_context(guarded_folder())
        log = folder / "bot.log"
        process = _started(_command(word), folder / "bot", log, guardian, stack, clock)
        candidate = Candidate(process.address, clock, pause, _ways(process.address, secret))
        yield Started(candidate, _checks_of(process, _proofs(candidate)), log, process)


def _ways(address: str, secret: str) -> Ways:
    ways = Ways.from_environment()
    if not secret:
        return ways
    secrets = {**ways.secrets, address: usable(secret, SECRET_VARIABLE)}
    return replace(ways, secrets=secrets)


def _proofs(candidate: Candidate) -> tuple[Check, ...]:
    """Return the check of the shared secret, if there is one: all others need it, too."""
    return (proof_check(),) if candidate.secret else ()


def _checks_of(process: BotProcess, proofs: Sequence[Check]) -> tuple[Check, ...]:
    """Return the whole suite, which says of a process if it has ended."""
    sentence = "Its command starts it, and it listens where SANTIAGO_ADDRESS says."
    start = Check(START, sentence, _within(process, process.wait_until_listening), essential=True)
    describe, *others = checks()
    described = replace(describe, run=_within(process, process.wait_until_ready))
    return (start, *proofs, described, *others)


def _within(
    process: BotProcess, wait: Callable[[], object]
) -> Callable[[Candidate], Awaitable[None]]:
    """Return a check that passes if `wait` does not raise InvalidBot."""

    async def run(_: Candidate) -> None:
        try:
            await asyncio.to_thread(wait)
        except asyncio.CancelledError:  # by Ctrl-C: the thread waits as long as the bot runs
            process.ask_to_end()
            raise
        except InvalidBot as error:
            raise Failure(Why.NO_DESCRIPTION, str(error)) from None

    return run


def _command(word: str) -> list[str]:
    installed = installed_bots()
    if word in installed:
        # -P: a module in the current folder, such as its queue.py, is not for the kit
        return [sys.executable, "-P", "-m", "referee.serving", installed[word]]
    return _command_of(word)


_LAST_LINES: Final = 15
"""How many lines of a bot's output a command shows."""
_OF_A_LIBRARY: Final = re.compile(
    r"\s+at (?:.*(?:\bnode:|\bnode_modules/)|io\.(?:grpc|netty)\.|(?:java\.base|jdk\.compiler)/)"
    r"|  File \"<frozen runpy>\""
    r"|(?:created by |\s+/.*/)?google\.golang\.org/"
)
"""A line of a stack of Node.js, Java, Go or `python -m` that is not of the bot.

Ten of them hide what was thrown.
"""
_NO_KIT: Final = "No module named 'referee'"
_ACTIVATE: Final = (
    "The Python that ran lacks the kit: activate the environment that has it first "
    "(`source .venv/bin/activate`), or name its Python in the command."
)


def last_lines(printed: bytes, most: int = _LAST_LINES) -> list[str]:
    """Return the last lines that a bot printed, and some advice.

    A line that it printed several times in a row stands once, with their number. What it said of
    the fault that the suite pretends is left out, and so are the calls of libraries and launchers
    in the stacks of Node.js, Java, Go and Python.
    """
    lines = printed.decode(errors="replace").splitlines()
    told = [line for line in lines if NOT_MEANT not in line and not _OF_A_LIBRARY.match(line)]
    counted = [(line, sum(1 for _ in same)) for line, same in groupby(told)]
    last = [_counted(escaped(line.expandtabs()), times) for line, times in counted[-most:]]
    return [*last, _ACTIVATE] if any(_NO_KIT in line for line in last) else last


def _counted(line: str, times: int) -> str:
    return f"{line} ({times} times)" if line and times > 1 else line


def last_lines_in(log: Path, start: int = 0, most: int = _LAST_LINES) -> list[str]:
    """Return the last lines of a log, which may be of any size, from the byte `start` on."""
    return last_lines(end_of(log, start), most)


def last_lines_of(wrote: CloseResponse | DidNotStart) -> list[str]:
    """Return the last lines that a hosted bot wrote to stdout, then those to stderr."""
    return [*last_lines(wrote.output), *last_lines(wrote.errors)]
