"""The bot that an author wants checked: one that runs, or one that is started for it."""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ladder.local.entrants import command_of, installed_bots, is_address
from ladder.local.guardian import Guardian
from ladder.local.printed import last_lines
from ladder.local.sockets import socket_folder
from referee.clock import Clock
from referee.conformance.check import Candidate, Check, Failure, Why
from referee.conformance.games import NOT_MEANT
from referee.conformance.suite import checks
from referee.errors import InvalidBot
from referee.processes import BotProcess

_LAST_LINES: Final = 15
START: Final = "start"
"""The name of the check that a command starts a bot."""


@dataclass(frozen=True, slots=True)
class Started:
    """A bot to be checked, and the checks for it."""

    candidate: Candidate
    suite: tuple[Check, ...]
    log: Path | None = None
    """What it prints, where it was started here."""

    def last_lines(self) -> list[str]:
        """The end of what it has printed, but for the fault that it was told of as a trial."""
        if self.log is None:
            return []
        return last_lines(self.log, _LAST_LINES, leave_out=NOT_MEANT)


@contextmanager
def candidate_of(word: str, clock: Clock, pause: float) -> Iterator[Started]:
    """The bot that a word of the command line means; its process lives as long as the block.

    A word is an address, the name of an installed bot, or a command. Raises InvalidBot.
    """
    if is_address(word):
        yield Started(Candidate(word, clock, pause), checks())
        return
    with ExitStack() as stack:
        folder = Path(stack.enter_context(socket_folder()))
        guardian = stack.enter_context(Guardian())
        guardian.guard_folder(folder)
        log = folder / "bot.log"
        process = stack.enter_context(BotProcess(_command(word), f"unix:{folder}/bot", log))
        guardian.guard(process.pid)
        stack.callback(guardian.forget, process.pid)
        candidate = Candidate(process.address, clock, pause)
        yield Started(candidate, (_start_check(process), *checks()), log)


def _start_check(process: BotProcess) -> Check:
    async def starts(_: Candidate) -> None:
        try:
            await asyncio.to_thread(process.wait_until_ready)
        except InvalidBot as error:
            raise Failure(Why.NO_DESCRIPTION, str(error)) from None

    sentence = "Its command starts it, and it listens where SANTIAGO_ADDRESS says."
    return Check(START, sentence, starts, essential=True)


def _command(word: str) -> list[str]:
    installed = installed_bots()
    if word in installed:
        return [sys.executable, "-m", "referee.serving", installed[word]]
    return command_of(word)
