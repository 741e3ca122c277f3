"""Who plays in a local tournament: bots by name, by command or by address."""

import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

from ladder.local.guardian import Guardian
from ladder.local.printed import last_lines
from ladder.local.sockets import socket_folder
from referee.errors import InvalidBot
from referee.processes import BotProcess
from referee.seats.description import describe
from referee.serving import load
from referee.wire import bot_pb2

ENTRY_POINTS: Final = "santiago.bots"
_ADDRESS: Final = re.compile(r"(?:unix|gateway):\S+|[\w.\-]+:\d{1,5}|\[[0-9a-fA-F:]+\]:\d{1,5}")
_ANSWERS_WITHIN: Final = 2.0  # seconds that a bot which should run already has
_LAST_LINES: Final = 15
_MOST_OF_WORD: Final = 40  # characters
_AT_ONCE: Final = {"PYTHONUNBUFFERED": "1"}  # so that no line of a bot that is ended is lost


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot that takes part. It is played in process by `target`, or called at `address`."""

    word: str
    """How the command line names it. Entrants of one word are one bot."""
    name: str
    version: str
    author: str
    target: str | None = None
    """`module:Class` of an installed bot."""
    address: str | None = None


def installed_bots() -> dict[str, str]:
    """The bots that are installed, by name: `module:Class` each."""
    return {point.name: point.value for point in entry_points(group=ENTRY_POINTS)}


def labels(entrants: Sequence[Entrant]) -> list[str]:
    """What to call each in tables: its name; with its version, or at last its word, where other
    bots have the same."""
    found = []
    for entrant in entrants:
        others = [other for other in entrants if other.word != entrant.word]
        if entrant.name not in (other.name for other in others):
            found.append(entrant.name)
        elif entrant.version not in (o.version for o in others if o.name == entrant.name):
            found.append(f"{entrant.name} {entrant.version}")
        else:
            found.append(f"{entrant.name} ({entrant.word})")
    return found


def is_address(word: str) -> bool:
    """Whether a word of the command line has the form of an address (see `referee.ways`)."""
    return _ADDRESS.fullmatch(word) is not None


@contextmanager
def gathered(words: Sequence[str], output: Path | None = None) -> Iterator[list[Entrant]]:
    """The bots that words of the command line mean; their processes live as long as the block.

    A word is the name of an installed bot, an address (see `referee.ways`), or a command that
    starts a bot (it listens where SANTIAGO_ADDRESS says). The same word may come twice, and
    is then two entrants that are one bot. What a started bot prints goes into a file of the
    folder `output`, if there is one. Raises InvalidBot.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(socket_folder()))
        guardian = stack.enter_context(Guardian())
        guardian.guard_folder(folder)
        yield [
            _installed(word)
            or _running(word)
            or _started(word, folder / f"{n}", _log(n, word, output or folder), guardian, stack)
            for n, word in enumerate(words, 1)
        ]


def _installed(word: str) -> Entrant | None:
    target = installed_bots().get(word)
    if target is None:
        return None
    bot = load(target)
    return Entrant(word, bot.name, bot.version, bot.author, target=target)


def _running(word: str) -> Entrant | None:
    if not is_address(word):
        return None
    return _told(word, describe(word, _ANSWERS_WITHIN), word)


def _log(number: int, word: str, folder: Path) -> Path:
    """The file for what a bot prints: `2-python-my_bot.py.log` is that of the second one named."""
    words = re.sub(r"[^\w.]+", "-", word)[-_MOST_OF_WORD:].strip("-.")
    return folder / f"{number}-{words}.log"


def _started(word: str, path: Path, log: Path, guardian: Guardian, stack: ExitStack) -> Entrant:
    """Starts the bot, to listen on the socket at `path`; `stack` ends it."""
    command = command_of(word)
    log.unlink(missing_ok=True)
    process = BotProcess(command, f"unix:{path}", log, _AT_ONCE)
    guardian.guard(process.pid)
    stack.callback(guardian.forget, process.pid)
    stack.enter_context(process)
    try:
        return _told(word, process.wait_until_ready(), process.address)
    except InvalidBot as error:
        raise InvalidBot("\n".join([str(error), *last_lines(log, _LAST_LINES)])) from None


def command_of(word: str) -> list[str]:
    """The command's words. A single one must be a path, so that a slip of the pen is found.

    Raises InvalidBot.
    """
    try:
        command = shlex.split(word)
    except ValueError as error:
        raise InvalidBot(f"{word!r} is no command: {error}.") from None
    if not command or (len(command) == 1 and "/" not in word):
        raise InvalidBot(
            f"{word!r} is no installed bot ({', '.join(sorted(installed_bots()))}), no address "
            '(host:port) and no command: that stands in quotes, such as "python my_bot.py".'
        )
    return command


def _told(word: str, told: bot_pb2.DescribeResponse, address: str) -> Entrant:
    return Entrant(word, told.name, told.version, told.author, address=address)
