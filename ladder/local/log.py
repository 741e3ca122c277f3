"""The log of a local tournament: its terms, then one line for each game. A later run resumes it.

The file only grows. Each line is JSON. If the machine stopped while it wrote the last line, that
line is incomplete: it is cut off, and its game is played again.
"""

import fcntl
import json
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from ladder.errors import Refused
from ladder.local.entrants import LocalEntrant
from ladder.local.tournament import Pairing, PlannedGame, PlayedGame
from referee.clock import Clock
from referee.rules import RULES_VERSION

MOST_GAMES: Final = 1_000_000
"""How many games one run plays at most."""
_TYPE: Final = "santiago play"
_BEGINNING: Final = f'{{"type":"{_TYPE}"'.encode()
_SEED_BITS: Final = 63
_MOST_NUMBER: Final = 1e9
"""No number in the line of a game is greater."""
Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a tournament. A log is resumed only under the same terms."""

    bots: Sequence[LocalEntrant]
    seats: int
    pairing: Pairing
    shared_dice: bool
    clock: Clock

    def line(self) -> Line:
        """Return the terms as they stand in a log."""
        return {
            "type": _TYPE,
            "rules": RULES_VERSION,
            "bots": [[bot.word, bot.name, bot.version, bot.author] for bot in self.bots],
            "seats": self.seats,
            "pairing": self.pairing.value,
            "shared_dice": self.shared_dice,
            "clock": asdict(self.clock),
        }


class GameLog:
    """An open log. Without a file it is empty and records nothing."""

    def __init__(self, seed: int, lines: Sequence[Line], file: BinaryIO | None = None) -> None:
        self.seed = seed
        """The seed of layouts and dice."""
        self._lines = lines
        self._file = file

    @property
    def last(self) -> int:
        """The highest number of a game on record; 0 if there is none."""
        return max((line["game"] for line in self._lines), default=0)

    def played(self, planned: Sequence[PlannedGame]) -> list[PlayedGame]:
        """Return the games on record, which must be among the planned ones. Raises Refused."""
        return [_restored(line, planned) for line in self._lines]

    def add(self, game: PlayedGame) -> None:
        """Put a game on record."""
        if self._file is not None:
            _append(self._file, _line(game))


@contextmanager
def opened(path: Path | None, terms: Terms, seed: int | None) -> Iterator[GameLog]:
    """Open the log in a file, or make it. Raises Refused.

    `seed` is the seed of a new log, or must be that of an existing one; None draws one, or takes
    what the log has.
    """
    fresh = secrets.randbits(_SEED_BITS) if seed is None else seed
    if path is None:
        yield GameLog(fresh, [])
        return
    with path.open("a+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refused(f"The log {path} is in use by another santiago play.") from None
        lines = _read(path, file)
        if not lines:
            lines = [terms.line() | {"seed": fresh}]
            _append(file, lines[0])
        _check(path, lines[0], terms, seed)
        _check_numbers(path, lines[1:])
        yield GameLog(lines[0]["seed"], lines[1:], file)


def _read(path: Path, file: BinaryIO) -> list[Line]:
    """Return the lines of the file; cut off the last one if it is incomplete."""
    file.seek(0)
    lines: list[Line] = []
    length = 0
    for number, data in enumerate(file, 1):
        line = _parsed(data)
        if line is None:
            if file.read(1) or (number == 1 and not _begins_a_log(data)):
                raise Refused(f"Line {number} of {path} is damaged, or the file is not a log.")
            file.truncate(length)
            break
        lines.append(line)
        length += len(data)
    return lines


def _parsed(data: bytes) -> Line | None:
    """Return a line of a log, or None if it is incomplete."""
    try:
        line = json.loads(data) if data.endswith(b"\n") else None
    except (ValueError, RecursionError):
        return None
    return line if isinstance(line, dict) else None


def _begins_a_log(start: bytes) -> bool:
    """Return True if an incomplete first line is that of a log, and may be cut off."""
    return start.startswith(_BEGINNING) or _BEGINNING.startswith(start)


def _check(path: Path, line: Line, terms: Terms, seed: int | None) -> None:
    if line.get("type") != _TYPE or not isinstance(line.get("seed"), int):
        raise Refused(f"The file {path} is not a log of santiago play: name another file.")
    expected = terms.line() | ({} if seed is None else {"seed": seed})
    differences = [
        f"{key} {json.dumps(line.get(key))}, not {json.dumps(value)}"
        for key, value in expected.items()
        if line.get(key) != value
    ]
    if differences:
        told = "; ".join(differences)
        raise Refused(
            f"The log {path} is of another tournament: {told}. Name a new file, "
            "or the bots and options with which it began."
        )


def _check_numbers(path: Path, lines: Sequence[Line]) -> None:
    numbers = [line.get("game") for line in lines]
    if not all(isinstance(number, int) and 0 < number <= MOST_GAMES for number in numbers):
        raise Refused(f"The log {path} has a line that is not a game: name a new file.")
    if len(set(numbers)) < len(numbers):
        raise Refused(f"The log {path} holds a game twice: name a new file.")


def _append(file: BinaryIO, line: Line) -> None:
    file.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
    file.flush()


def _line(game: PlayedGame) -> Line:
    return {
        "game": game.planned.number,
        "deal": game.planned.deal,
        "entrants": game.planned.entrants,
        "ranks": game.ranks,
        "vp": game.vp,
        "faults": game.faults,
        "think": game.think,
        "decisions": game.decisions,
    }


def _restored(line: Line, planned: Sequence[PlannedGame]) -> PlayedGame:
    try:
        game = planned[line["game"] - 1]
        played = PlayedGame(
            planned=game,
            ranks=tuple(line["ranks"]),
            vp=tuple(line["vp"]),
            faults=tuple((seat, sentence) for seat, sentence in line["faults"]),
            think=tuple(line["think"]),
            decisions=tuple(line["decisions"]),
        )
        if not _is_played(played):
            raise ValueError
    except (LookupError, TypeError, ValueError):
        raise Refused(f"The log is damaged: {json.dumps(line)[:200]}") from None
    if (game.deal, list(game.entrants)) != (line["deal"], line["entrants"]):
        raise Refused(f"Game {game.number} of the log is not the one that was planned.")
    return played


def _is_played(game: PlayedGame) -> bool:
    """Return True if a game that was read has a winner and numbers for each of its seats."""
    seats = range(len(game.planned.entrants))
    parts = (game.ranks, game.think, game.decisions, *([game.vp] if game.vp else []))
    return (
        1 in game.ranks
        and all(len(part) == len(seats) for part in parts)
        and all(abs(number) <= _MOST_NUMBER for part in parts for number in part)  # NaN is not
        and all(isinstance(seat, int) and seat in seats for seat, _ in game.faults)
        and all(isinstance(said, str) for _, said in game.faults)
    )
