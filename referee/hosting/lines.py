"""Speaks gRPC for a program that reads one JSON line a decision and prints a move.

    python -m referee.hosting.lines [--name NAME] [--version VERSION] COMMAND...

Each game starts the program anew. It reads lines of JSON: the game's setup, each decision of its
seat, the result (docs/lines.md). It answers a decision, and nothing else, with one line: a move in
the text of the notation. Its standard error is the bot's log.
"""

import argparse
import json
import os
import select
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import grpc

from referee.bot import Bot, Decision
from referee.errors import InvalidBot, InvalidSetting
from referee.messages import clock_of, dice_of, layout_of
from referee.proof import long_enough
from referee.rules import Move, Position, move_text, pieces
from referee.rules.trace import roll_line, setup_line, state_json
from referee.serving import ADDRESS_VARIABLE, SECRET_VARIABLE, play_game, serve
from referee.wire import bot_pb2, game_pb2

PREFIX: Final = "lines:"
"""Before a command that starts such a program, where other commands start a bot that serves."""
_LONGEST: Final = 1000  # bytes of a line that the program prints
_GRACE: Final = 1.0  # seconds in which the program may end after its last line
_SHOWN: Final = 80  # characters of a wrong line in a fault's sentence
_MOST_LEGAL: Final = 8  # legal moves in that sentence
_NOT_FOR_PROGRAMS: Final = (ADDRESS_VARIABLE, SECRET_VARIABLE, "GRPC_EXPERIMENTS")

Line = dict[str, Any]


def command_for(command: str) -> list[str]:
    """Return the command that serves the program which `command` starts. Raises InvalidBot."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InvalidBot(f"{command!r} is not a command: {error}.") from None
    if not words:
        raise InvalidBot(f"{PREFIX!r} needs a command, such as '{PREFIX}python3 bot.py'.")
    return [sys.executable, "-m", "referee.hosting.lines", *words]


class Program:
    """The process of a program that plays one game."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start it. Raises InvalidBot."""
        environment = {k: v for k, v in os.environ.items() if k not in _NOT_FOR_PROGRAMS}
        try:
            self._process = subprocess.Popen(
                command,
                env={**environment, "PYTHONUNBUFFERED": "1"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        except OSError as error:
            raise InvalidBot(f"{shlex.join(command)!r} does not start: {error}.") from None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._read = bytearray()
        self.is_closed = False

    def tell(self, line: Line) -> None:
        """Write a line for the program. If it has ended, its next answer will say so."""
        with suppress(OSError, ValueError):
            self._stdin.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
            self._stdin.flush()

    def unasked(self) -> str:
        """Return what the program has printed without a decision; empty if nothing."""
        while select.select([self._stdout], [], [], 0)[0]:
            if not self._more():
                break
        return _shown(bytes(self._read).strip())

    def answer(self) -> str:
        """Return the next line that is not empty. Raises InvalidBot if there is none."""
        while not (line := self._next_line().strip()):
            pass
        return line.decode(errors="replace")

    def _next_line(self) -> bytes:
        while b"\n" not in self._read:
            if len(self._read) > _LONGEST:
                raise InvalidBot(
                    f"The program printed a line of more than {_LONGEST} bytes: "
                    f"{_shown(bytes(self._read))}."
                )
            if not self._more():
                if not self._read:
                    raise InvalidBot(self._ending())
                self._read += b"\n"
        line, _, rest = bytes(self._read).partition(b"\n")
        self._read = bytearray(rest)
        return line

    def _more(self) -> bytes:
        data = os.read(self._stdout.fileno(), 4 * _LONGEST)
        self._read += data
        return data

    def _ending(self) -> str:
        try:
            code = self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            return "The program closed its output before it printed a move."
        return f"The program ended with exit code {code} before it printed a move; see its log."

    def kill(self) -> None:
        """End it at once; safe from any thread. Whoever waits for its answer gets none."""
        self.is_closed = True
        self._process.kill()

    def close(self) -> None:
        """Tell it by the end of its input that it may end; kill it if it does not."""
        with suppress(OSError):
            self._stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_GRACE)
        self._process.kill()
        self._process.wait()
        self._stdout.close()


class LinesBot(Bot):
    """Plays one game by the answers of a program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._events: list[Line] = []
        self._asked: bot_pb2.Decision | None = None

    def watched(self, requests: Iterator[bot_pb2.PlayRequest]) -> Iterator[bot_pb2.PlayRequest]:
        """Yield the referee's messages; write lines for the start and the end of the game."""
        for request in requests:
            self._events += [line for event in request.events if (line := event_line(event))]
            if request.HasField("start"):
                self._program.tell(start_line(request.start))
            elif request.HasField("end"):
                self._program.tell(end_line(request.end.result, self._events))
            elif request.HasField("fault"):
                fault = {"type": "fault", "seat": request.fault.seat}
                self._program.tell({**fault, "sentence": request.fault.sentence})
            yield request

    def choose(self, decision: Decision) -> Move:
        """Return the move that the program prints. Raises InvalidBot."""
        position = decision.position
        unasked = self._program.unasked()
        if unasked:
            raise InvalidBot(
                f"The program printed {unasked} before it was asked for a move: it has to print "
                "one line for each decision, and all else to standard error."
            )
        self._program.tell(decision_line(decision, self._events))
        self._events = []
        try:
            answer = self._program.answer()
        except InvalidBot as error:
            if self._program.is_closed:
                raise InvalidBot(_silence(position.kind, decision.time_left)) from None
            raise InvalidBot(f"{error} It had been asked for a {position.kind} move.") from None
        return _move(answer, position)


def _move(answer: str, position: Position) -> Move:
    wanted = " ".join(answer.split())
    for move in position.legal_moves:
        if move_text(move) == wanted:
            return move
    legal = position.legal_texts()
    more = "" if len(legal) <= _MOST_LEGAL else f" and {len(legal) - _MOST_LEGAL} more"
    raise InvalidBot(
        f"The program printed {_shown(answer.encode())}, which is not a legal {position.kind} "
        f"move: {', '.join(legal[:_MOST_LEGAL])}{more}."
    )


def _silence(kind: str, seconds: float) -> str:
    return (
        f"The program printed no line until the referee hung up. It had been asked for a {kind} "
        f"move, with {seconds:g} s left. Does it end its line, and flush its output?"
    )


def _shown(data: bytes) -> str:
    """Return the beginning of what was printed, in quotes; empty if nothing was."""
    text = data.decode(errors="replace")
    return repr(text[:_SHOWN] + ("…" if len(text) > _SHOWN else "")) if text else ""


def start_line(start: bot_pb2.GameStart) -> Line:
    """Return the first line: the setup of the trace, the seat, the match and the clock."""
    line = setup_line(layout_of(start.setup), start.players)
    del line["seed"]
    clock = clock_of(start.clock)
    return {
        **line,
        "seat": start.seat,
        "match": start.match_id,
        "clock": {"move": clock.move_limit, "bank": clock.bank, "increment": clock.increment},
        "resumed": start.resumed,
    }


def decision_line(decision: Decision, events: Sequence[Line]) -> Line:
    """Return the line of a decision; `events` are those since the last one."""
    position = decision.position
    return {
        "type": "decision",
        "seat": decision.seat,
        "kind": position.kind,
        "legal": position.legal_texts(),
        **_asked_about(position),
        "time_left": decision.time_left,
        "bank_left": decision.bank_left,
        "state": state_json(position),
        "events": list(events),
    }


def _asked_about(position: Position) -> Line:
    """Return what some decisions add to the state: dice, the building in use, the round."""
    if position.dice is not None:
        return {"dice": dict(zip(pieces.PLAIN_GOODS, position.dice, strict=True))}
    if position.building is not None:
        return {"building": pieces.BUILDINGS[position.building]}
    if position.kind == "deliver":
        return {"round": [seat for seat in range(position.players) if position.in_round(seat)]}
    return {}


def event_line(event: game_pb2.Event) -> Line | None:
    """Return the line of an event, or None if it is of a later protocol."""
    if event.HasField("roll"):
        return roll_line(event.roll.seat, dice_of(event.roll.dice))
    if event.HasField("move"):
        return {"type": "move", "seat": event.move.seat, "move": event.move.text}
    if event.HasField("fault"):
        return {"type": "fault", "seat": event.fault.seat, "sentence": event.fault.sentence}
    return None


def end_line(result: game_pb2.Result, events: Sequence[Line]) -> Line:
    """Return the line of a game that is over: its reason, the ranks and the scores by seat."""
    reason = game_pb2.EndReason.Name(result.reason).removeprefix("END_REASON_").lower()
    scores = [
        {"seat": s.seat, "vp": s.vp, "leftover": s.leftover, "pesos": s.pesos, "rank": s.rank}
        for s in result.scores
    ]
    ranks, events = list(result.ranks), list(events)
    return {"type": "result", "reason": reason, "ranks": ranks, "scores": scores, "events": events}


def play_by_lines(
    command: Sequence[str],
    bot_class: Callable[[Program], LinesBot],
    secret: str,
    requests: Iterator[bot_pb2.PlayRequest],
    context: grpc.ServicerContext,
) -> Iterator[bot_pb2.PlayResponse]:
    """Play one game with a program of its own, which ends with the stream."""
    program = Program(command)
    context.add_callback(program.kill)  # if the referee hangs up while the program thinks
    try:
        bot = bot_class(program)
        yield from play_game(bot, bot.watched(requests), secret)
    finally:
        program.close()


def described(name: str, version: str, command: Sequence[str]) -> type[LinesBot]:
    """Return the bot's class, with the name and version given, of santiago.toml, or guessed."""
    stated = {}
    with suppress(OSError, tomllib.TOMLDecodeError):
        stated = tomllib.loads(Path("santiago.toml").read_text())
    files = [word for word in command if Path(word).suffix]
    attributes = {
        "name": name or str(stated.get("name", "")) or Path((files or command)[-1]).stem,
        "version": version or str(stated.get("version", "")) or Bot.version,
        "author": os.environ.get("USER") or Bot.author,
        "language": str(stated.get("language", "")) or Path(command[0]).name,
    }
    return type("Described", (LinesBot,), attributes)


def main(arguments: Sequence[str] | None = None, address: str | None = None) -> None:
    """Serve games with a program until SIGINT or SIGTERM. Raises InvalidBot, InvalidSetting."""
    parser = argparse.ArgumentParser(prog="python -m referee.hosting.lines")
    parser.add_argument("--name", default="", help="The bot's name.")
    parser.add_argument("--version", default="", help="The bot's version.")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="What starts the program.")
    given = parser.parse_args(arguments)
    command = given.command
    if not command:
        parser.error("a command is missing, such as: python3 bot.py")
    if shutil.which(command[0]) is None:
        raise InvalidBot(f"{command[0]!r} is not a program that can be started here.")
    bot_class = described(given.name, given.version, command)
    secret = long_enough(os.environ.get(SECRET_VARIABLE, ""), SECRET_VARIABLE)
    serve(bot_class, address, player=partial(play_by_lines, command, bot_class, secret))


if __name__ == "__main__":
    try:
        main()
    except (InvalidBot, InvalidSetting) as error:
        sys.exit(str(error))
