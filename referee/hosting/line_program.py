"""The process of a program that reads lines of JSON and prints moves, and the form of its lines.

The lines are those of the trace, with what a seat needs in addition. docs/lines.md explains them,
docs/notation.md the trace.
"""

import fcntl
import json
import os
import select
import shlex
import subprocess
import sys
import termios
from collections.abc import Sequence
from contextlib import suppress
from math import inf
from time import monotonic
from typing import Final

from referee.bot import Decision
from referee.errors import InvalidBot
from referee.messages import clock_of, dice_of, layout_of
from referee.printing import say
from referee.rules import Position, pieces
from referee.rules.trace import Line, roll_line, setup_line, state_json
from referee.serving import ADDRESS_VARIABLE, SECRET_VARIABLE
from referee.signals import how_ended
from referee.wire import bot_pb2, game_pb2


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


_LONGEST: Final = 1000  # bytes of a line that the program prints
_GRACE: Final = 1.0  # seconds in which the program may end after its last line
_SHOWN: Final = 80  # characters of a wrong line in a sentence, of which the referee shows 200
_LOOK_EVERY: Final = 10  # milliseconds
_NOT_FOR_PROGRAMS: Final = (ADDRESS_VARIABLE, SECRET_VARIABLE, "GRPC_EXPERIMENTS")


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

    def wait_until_read(self, start_up: float) -> None:
        """Wait until it has read all that it was told, unless it prints something or closes.

        After half of the `start_up` time the log says that it is late: a sandbox is frozen before
        it can say that the time is over. A system that cannot tell does not wait. `kill` ends the
        wait. Raises InvalidBot if it ends.
        """
        late = monotonic() + start_up / 2
        news = select.poll()
        news.register(self._stdin, 0)  # only if nobody can read it any more
        news.register(self._stdout, select.POLLIN)
        while self._unread() and self._process.poll() is None and not news.poll(_LOOK_EVERY):
            if monotonic() > late:
                late = inf
                say(
                    "The program has not read its first line yet: it has to read it within the "
                    f"start-up time of {start_up:g} s."
                )
        if self._unread() and (code := self._exit_code()) is not None and not self.is_closed:
            printed = self.unasked()  # interpreters such as PHP print their errors there
            more = f" It printed {printed}." if printed else ""
            raise InvalidBot(f"The program {how_ended(code)} before it read its first line.{more}")

    def _unread(self) -> int:
        """Return how many bytes of its input it has not read; 0 if the system cannot tell."""
        try:
            count = fcntl.ioctl(self._stdin, termios.FIONREAD, bytes(4))
        except OSError:
            return 0
        return int.from_bytes(count, sys.byteorder)

    def unasked(self) -> str:
        """Return what the program has printed without a decision; empty if nothing."""
        while len(self._read) <= _LONGEST and select.select([self._stdout], [], [], 0)[0]:
            if not self._more():
                break
        return shown(bytes(self._read).strip())

    def is_silent(self, seconds: float) -> bool:
        """Wait for a whole line; return True if none has come after so many `seconds`.

        Its end or `kill` ends the wait. Whoever logs this does so before the decision's time is
        over: then a sandbox is frozen.
        """
        until = monotonic() + seconds
        while b"\n" not in self._read.lstrip() and len(self._read) <= _LONGEST:
            if not select.select([self._stdout], [], [], max(0.0, until - monotonic()))[0]:
                return True
            if not self._more():
                return False
        return False

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
                    f"{shown(bytes(self._read))}."
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
        code = self._exit_code()
        if code is None:
            return "The program closed its output before it printed a move."
        return f"The program {how_ended(code)} before it printed a move; see its log."

    def _exit_code(self) -> int | None:
        """Return the exit code, None if it does not end within its grace time."""
        try:
            return self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            return None

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


def shown(data: bytes) -> str:
    """Return the beginning of what was printed, in quotes; empty if nothing was."""
    if not data:
        return ""
    quoted = repr(data.decode(errors="replace"))
    return quoted if len(quoted) <= _SHOWN else f"{quoted[: _SHOWN - 2]}…{quoted[0]}"
