"""Speaks gRPC for a program that reads one JSON line a decision and prints a move.

    python -m referee.hosting.lines [--name NAME] [--version VERSION] COMMAND...

Each game starts the program anew. It reads lines of JSON: the game's setup, each decision of its
seat, the result (docs/lines.md). It answers a decision, and nothing else, with one line: a move in
the text of the notation. Its standard error is the bot's log.
"""

import argparse
import os
import shlex
import shutil
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import grpc

from referee.bot import Bot, Decision
from referee.errors import InvalidBot, InvalidSetting
from referee.hosting import line_program
from referee.hosting.line_program import Program
from referee.messages import clock_of
from referee.printing import say
from referee.proof import usable
from referee.rules import InvalidMove, Move, Position, move_text, parse_move
from referee.rules.trace import Line
from referee.serving import SECRET_VARIABLE, HungUp, play_game, serve
from referee.wire import bot_pb2

PREFIX: Final = "lines:"
"""Before a command that starts such a program, where other commands start a bot that serves."""
_MOST_LEGAL: Final = 8  # legal moves in that sentence
_NEARLY: Final = 0.9
"""The part of a decision's time after which the log says that nothing was printed."""


def split_command(command: str) -> list[str]:
    """Split a command into words, as a shell does. Raises InvalidBot."""
    try:
        return shlex.split(command)
    except ValueError as error:
        raise InvalidBot(f"{command!r} is not a command: {error}.") from None


def program_of(command: str) -> list[str]:
    """Return the words of a command that stood after `lines:`. Raises InvalidBot."""
    words = split_command(command)
    if not words:
        raise InvalidBot(f"{PREFIX!r} needs a command, such as '{PREFIX}python3 bot.py'.")
    return words


def command_for(command: str) -> list[str]:
    """Return the command that serves the program which `command` starts. Raises InvalidBot."""
    words = program_of(command)
    _check_starts(words[0])  # here, too: else the command that serves would be said to have ended
    # -P: a module in the bot's folder, such as its queue.py, is not for the kit
    return [sys.executable, "-P", "-m", "referee.hosting.lines", *words]


def _check_starts(program: str) -> None:
    if shutil.which(program) is not None:
        return
    why = ""
    if Path(program).is_file():
        why = " It may not be executed: `chmod +x` allows it, or name what runs it, too."
    elif "/" in program:
        why = " There is no such file."
    raise InvalidBot(f"{program!r} is not a program that can be started here.{why}")


class LinesBot(Bot):
    """Plays one game by the answers of a program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._events: list[Line] = []
        self._asked: bot_pb2.Decision | None = None

    def watched(self, requests: Iterator[bot_pb2.PlayRequest]) -> Iterator[bot_pb2.PlayRequest]:
        """Yield the referee's messages; write lines for the start and the end of the game.

        Raises InvalidBot if the referee hangs up before the program has read the first line.
        """
        for request in requests:
            lines = map(line_program.event_line, request.events)
            self._events += [line for line in lines if line]
            if request.HasField("start"):
                self._program.tell(line_program.start_line(request.start))
                self._get_ready(clock_of(request.start.clock).start_up)
            elif request.HasField("end"):
                self._program.tell(line_program.end_line(request.end.result, self._events))
            elif request.HasField("fault"):
                fault = {"type": "fault", "seat": request.fault.seat}
                self._program.tell({**fault, "sentence": request.fault.sentence})
            yield request

    def _get_ready(self, start_up: float) -> None:
        """Wait for the program: it accepts the game, which ends its start-up time, by reading."""
        self._program.wait_until_read(start_up)
        if self._program.is_closed:
            raise InvalidBot(
                "The referee hung up before the program had read its first line: it has to read it "
                f"within the start-up time of {start_up:g} s."
            )

    def choose(self, decision: Decision) -> Move:
        """Return the move that the program prints. Raises InvalidBot, HungUp after a hang-up."""
        position = decision.position
        unasked = self._program.unasked()
        if unasked:
            raise InvalidBot(
                f"The program printed {unasked} before it was asked for a move: print one line "
                "for each decision, and all else to standard error."
            )
        self._program.tell(line_program.decision_line(decision, self._events))
        self._events = []
        patience = _NEARLY * decision.time_left
        if self._program.is_silent(patience):
            say(_silence(position.kind, patience, decision.time_left))
        try:
            answer = self._program.answer()
        except InvalidBot as error:
            if self._program.is_closed:
                raise HungUp from None
            raise InvalidBot(f"{error} It had been asked for a {position.kind} move.") from None
        return _move(answer, position)


def _move(answer: str, position: Position) -> Move:
    text = " ".join(answer.split())
    for move in position.legal_moves:
        if move_text(move) == text:
            return move
    legal = position.legal_texts()
    printed = f"The program printed {line_program.shown(answer.encode())}, which is not"
    try:
        parse_move(text)
    except InvalidMove:
        raise InvalidBot(
            f"{printed} a {position.kind} move such as {legal[0]!r}: "
            "all else belongs on standard error."
        ) from None
    more = "" if len(legal) <= _MOST_LEGAL else f" and {len(legal) - _MOST_LEGAL} more"
    raise InvalidBot(
        f"{printed} a legal {position.kind} move: {', '.join(legal[:_MOST_LEGAL])}{more}."
    )


def _silence(kind: str, seconds: float, left: float) -> str:
    return (
        f"The program has printed no line for {seconds:.3g} s. It was asked for a {kind} move, "
        f"with {left:.3g} s left. Does it end its line, and flush its output?"
    )


def play_by_lines(
    command: Sequence[str],
    bot_class: Callable[[Program], LinesBot],
    secret: str,
    requests: Iterator[bot_pb2.PlayRequest],
    context: grpc.ServicerContext,
) -> Iterator[bot_pb2.PlayResponse]:
    """Play one game with a program of its own, which ends with the stream."""
    program = Program(command)
    if not context.add_callback(program.kill):  # if the referee hangs up while the program thinks
        program.kill()  # it has hung up already
    try:
        bot = bot_class(program)
        yield from play_game(bot, bot.watched(requests), secret)
    finally:
        program.close()


def described(name: str, version: str, command: Sequence[str]) -> type[LinesBot]:
    """Return the bot's class, with the name and version given, of santiago.toml, or guessed."""
    stated = _stated()
    files = [word for word in command[1:] if Path(word).is_file()]
    attributes = {
        "name": name or str(stated.get("name", "")) or Path((files or command)[0]).stem,
        "version": version or str(stated.get("version", "")) or Bot.version,
        "author": os.environ.get("USER") or Bot.author,
        "language": str(stated.get("language", "")) or Path(command[0]).name,
    }
    return type("Described", (LinesBot,), attributes)


def _stated() -> dict[str, Any]:
    """Return what the current folder's santiago.toml states; nothing if it cannot be read."""
    try:
        return tomllib.loads(Path("santiago.toml").read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        pass
    except OSError as error:
        say(f"santiago.toml cannot be read: {error}.")
    except (ValueError, RecursionError) as error:
        say(f"santiago.toml is not TOML in UTF-8, so it is not used: {error}.")
    return {}


def main(arguments: Sequence[str] | None = None, address: str | None = None) -> None:
    """Serve games with a program until SIGINT or SIGTERM. Raises InvalidBot, InvalidSetting."""
    parser = argparse.ArgumentParser(prog="python -m referee.hosting.lines")
    parser.add_argument("--name", default="", help="The bot's name.")
    parser.add_argument("--version", default="", help="The bot's version.")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="What starts the program.")
    options = parser.parse_args(arguments)
    command = options.command
    if not command:
        parser.error("a command is missing, such as: python3 bot.py")
    _check_starts(command[0])
    bot_class = described(options.name, options.version, command)
    secret = usable(os.environ.get(SECRET_VARIABLE, ""), SECRET_VARIABLE)
    serve(bot_class, address, player=partial(play_by_lines, command, bot_class, secret))


if __name__ == "__main__":
    try:
        main()
    except (InvalidBot, InvalidSetting) as error:
        sys.exit(str(error))
