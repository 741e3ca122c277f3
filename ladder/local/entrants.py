"""Who plays in a local tournament: bots by name, by command or by address."""

import re
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

from referee.bot import Bot
from referee.errors import InvalidBot
from referee.processes import BotProcess, describe
from referee.serving import load

ENTRY_POINTS: Final = "santiago.bots"
_ADDRESS: Final = re.compile(r"unix:\S+|[\w.\-]+:\d{1,5}|\[[0-9a-fA-F:]+\]:\d{1,5}")


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot that takes part. It is played in process by `target`, or called at `address`."""

    name: str
    version: str
    author: str
    target: str | None = None
    """`module:Class` of an installed bot."""
    address: str | None = None


def installed_bots() -> dict[str, str]:
    """The bots that are installed, by name: `module:Class` each."""
    return {point.name: point.value for point in entry_points(group=ENTRY_POINTS)}


def installed_bot(name: str) -> type[Bot]:
    """The class of an installed bot. Raises InvalidBot."""
    targets = installed_bots()
    if name not in targets:
        raise InvalidBot(f"There is no bot {name!r}; installed are {', '.join(sorted(targets))}.")
    return load(targets[name])


@contextmanager
def gathered(words: Sequence[str]) -> Iterator[list[Entrant]]:
    """The bots that words of the command line mean; their processes live as long as the block.

    A word is the name of an installed bot, an address (`host:port`, `unix:/path`), or a command
    that starts a bot (it listens where SANTIAGO_ADDRESS says). The same bot may come twice, and
    is then two entrants of one name. Raises InvalidBot.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="santiago-")))
        yield [_entrant(word, folder / f"bot{n}", stack) for n, word in enumerate(words)]


def _entrant(word: str, socket: Path, stack: ExitStack) -> Entrant:
    targets = installed_bots()
    if word in targets:
        bot = load(targets[word])
        return Entrant(bot.name, bot.version, bot.author, target=targets[word])
    if _ADDRESS.fullmatch(word):
        told = describe(word)
        return Entrant(told.name, told.version, told.author, address=word)
    command = shlex.split(word)
    if not command or ("/" not in word and len(command) == 1):
        raise InvalidBot(
            f"{word!r} is no installed bot ({', '.join(sorted(targets))}), no address (host:port) "
            "and no command."
        )
    process = stack.enter_context(BotProcess(command, f"unix:{socket}"))
    told = process.wait_until_ready()
    return Entrant(told.name, told.version, told.author, address=process.address)
