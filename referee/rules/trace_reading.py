"""Reads traces, which trace.py writes: plays each game again and finds the first wrong line.

    with open("games.jsonl", encoding="utf-8") as lines:
        for game in read_trace(lines):
            print(game.ranks, len(game.choices))

Each line is compared as a whole with what the rules say: who is asked what, all legal moves, the
state. Only the dice and the choices are taken from it, if the rules allow them.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from referee.rules import pieces, trace
from referee.rules.cells import Layout
from referee.rules.errors import InvalidTrace, RulesError
from referee.rules.moves import Move, move_text
from referee.rules.position import Position
from referee.rules.scoring import table_ranks

_LONGEST_LINE: Final = 1_000_000  # characters
_LONGEST_SHOWN: Final = 60  # characters of a value in a message
_IN_ANY_ORDER: Final = ("legal", "silenced")
_SEED: Final = re.compile(r"[0-9a-fA-F]+")


@dataclass(frozen=True, slots=True)
class TracedGame:
    """A game of a trace, as it was played again."""

    position: Position
    """The final position."""
    rolls: tuple[tuple[int, ...], ...]
    """The dice by plain good, in order."""
    choices: tuple[Move, ...]
    """The moves that were not forced, in order."""
    ranks: tuple[int, ...]
    """The rank of each seat, from 1, ties shared: those of the result or the forfeit."""
    faults: tuple[tuple[int, str], ...] = ()
    """Seat and code of each fault, in order."""


def read_trace(lines: Iterable[str]) -> Iterator[TracedGame]:
    """Yield the games of a trace, given as lines of JSON, one after the other.

    Raises InvalidTrace at the first line that is wrong or missing, and if there is no game.
    """
    reader = _Reader(lines)
    try:
        setup: trace.Line | None = reader.due("the setup line of a game")
        while setup is not None:
            yield _game(setup, reader)
            setup = reader.next()
    except RulesError as error:
        raise InvalidTrace(f"Line {reader.number} of the trace is wrong: {error}") from None


class _Reader:
    """Reads line after line; `number` is that of the last line asked for, from 1."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.number = 0
        self._lines = iter(lines)

    def next(self) -> trace.Line | None:
        """Return the next line, or None at the end of the trace."""
        self.number += 1
        text = next(self._lines, None)
        return None if text is None else _parsed(text)

    def due(self, what: str) -> trace.Line:
        """Return the next line; raise InvalidTrace if there is none."""
        line = self.next()
        if line is None:
            raise InvalidTrace(f"it is missing; due is {what}.")
        return line


def _parsed(text: str) -> trace.Line:
    if len(text) > _LONGEST_LINE:
        raise InvalidTrace(f"it has more than {_LONGEST_LINE} characters.")
    try:
        line = json.loads(text, object_pairs_hook=_each_key_once)
    except InvalidTrace:
        raise
    except (ValueError, RecursionError) as error:
        raise InvalidTrace(f"it is not JSON that can be read ({error}).") from None
    if not isinstance(line, dict):
        raise InvalidTrace(f"it is {_shown(line)} and should be an object.")
    return line


def _each_key_once(pairs: list[tuple[str, Any]]) -> trace.Line:
    line = dict(pairs)
    if len(line) != len(pairs):
        raise InvalidTrace("an object has a key twice.")
    return line


def _game(setup: trace.Line, reader: _Reader) -> TracedGame:
    position = _start(setup)
    rolls: list[tuple[int, ...]] = []
    choices: list[Move] = []
    ranks: tuple[int, ...] = ()
    faults: dict[int, str] = {}
    while not ranks:
        line = reader.due(_due(position))
        if line.get("type") == "forfeit" and not position.is_over:
            ranks = _forfeit(line, position.players, faults)
        elif line.get("type") == "fault" and not position.is_over:
            _fault(position, line, faults, begun=bool(rolls))
        elif (outcome := position.outcome()) is not None:
            _must_be_of_type("result", line, position)
            _must_be(trace.result_line(position, outcome), line)
            ranks = tuple([score.rank for score in outcome.scores])
        elif position.legal_moves:
            choices.append(_choice(position, line))
            position.apply(choices[-1])
        else:
            rolls.append(_dice(position, line))
            position.roll(rolls[-1])
    return TracedGame(position, tuple(rolls), tuple(choices), ranks, tuple(faults.items()))


def _due(position: Position) -> str:
    if position.is_over:
        return "the result, since the game is over"
    kind = f"{position.kind} decision" if position.legal_moves else "roll"
    return f"the {kind} of seat {position.seat}"


def _must_be_of_type(kind: str, line: trace.Line, position: Position) -> None:
    if line.get("type") != kind:
        raise InvalidTrace(f"its type is {_shown(line.get('type'))}; due is {_due(position)}.")


def _choice(position: Position, line: trace.Line) -> Move:
    _must_be_of_type("decision", line, position)
    due, chosen = trace.decision_line(position, position.legal_moves[0]), line.get("chosen")
    _must_be(due | {"chosen": chosen} if isinstance(chosen, str) else due, line)
    for move in position.legal_moves:
        if move_text(move) == chosen:
            return move
    raise InvalidTrace(f"chosen is {_shown(chosen)}, which is not a legal move there.")


def _dice(position: Position, line: trace.Line) -> tuple[int, ...]:
    _must_be_of_type("roll", line, position)
    dice = line.get("dice")
    if not isinstance(dice, dict):
        raise InvalidTrace(f"dice is {_shown(dice)} and should be an object.")
    _same_names(pieces.PLAIN_GOODS, dice, "dice")
    for good, faces in zip(pieces.PLAIN_GOODS, pieces.DICE, strict=True):
        if type(dice[good]) is not int or dice[good] not in faces:
            raise InvalidTrace(f"dice.{good} is {_shown(dice[good])}; the die has no such face.")
    rolled = tuple([dice[good] for good in pieces.PLAIN_GOODS])
    _must_be(trace.roll_line(position.seat, rolled), line)
    return rolled


def _fault(position: Position, line: trace.Line, faults: dict[int, str], *, begun: bool) -> None:
    """Check the line of a fault, and add it to `faults`, the codes by seat.

    A bot can only be absent before the game has begun, and do nothing else wrong.
    """
    seat, code = line.get("seat"), line.get("code")
    if type(seat) is not int or not 0 <= seat < position.players:
        raise InvalidTrace(f"seat is {_shown(seat)} and should be a seat of the table.")
    if seat in faults:
        raise InvalidTrace(f"seat {seat} has faulted before.")
    if not isinstance(code, str) or not code:
        raise InvalidTrace(f"code is {_shown(code)} and should be a code such as 'timeout'.")
    if (code == trace.ABSENT) == begun:
        raise InvalidTrace(f"code is {_shown(code)}; bots are absent before the first roll only.")
    _must_be(trace.fault_line(position, seat, code), line)
    faults[seat] = code


def _forfeit(line: trace.Line, players: int, faults_told: dict[int, str]) -> tuple[int, ...]:
    """Return the ranks, from 1, ties shared: a seat that alone has not faulted is first, alone.

    Its faults must be those that were `faults_told`, by seat, and its ranks follow from them; older
    traces have no lines of faults.
    """
    rows = line.get("ranks")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InvalidTrace("ranks should be a list of objects.")
    ranks = [row.get("rank") for row in rows]
    faults = [row.get("fault") for row in rows]
    if len(rows) != players or not all(type(rank) is int for rank in ranks):
        raise InvalidTrace(f"ranks should have a whole number for each of {players} seats.")
    if not all(fault is None or (isinstance(fault, str) and fault) for fault in faults):
        raise InvalidTrace("a fault is a code such as 'timeout', or null.")
    if faults_told and faults != [faults_told.get(seat) for seat in range(players)]:
        raise InvalidTrace("its faults are not those of the lines before it.")
    standing = [rank for rank, fault in zip(ranks, faults, strict=True) if fault is None]
    if len(standing) > 1 or (standing and (standing[0] != 1 or ranks.count(1) > 1)):
        raise InvalidTrace("at most one seat has not faulted in a forfeit, and is first, alone.")
    if faults_told:
        absent = list(faults_told.values()).count(trace.ABSENT)
        due = table_ranks(players, tuple(faults_told), (), absent=absent)
    else:
        due = tuple(1 + sum(other < rank for other in ranks) for rank in ranks)
    rows_due = [{"seat": seat, "rank": due[seat], "fault": faults[seat]} for seat in range(players)]
    _must_be({"type": "forfeit", "ranks": rows_due}, line)
    return due


def _must_be(due: Any, actual: Any, path: str = "") -> None:
    """Raise InvalidTrace at the first difference between a value and the one that is due.

    `path` names the value, such as `state.players[1]`. The keys of an object, the legal moves and
    the silenced citizens may stand in any order.
    """
    if type(actual) is not type(due):
        raise InvalidTrace(f"{path or 'it'} is {_shown(actual)} and should be {_shown(due)}.")
    if isinstance(due, dict):
        _same_names(due, actual, path)
        for key, value in due.items():
            _must_be(value, actual[key], f"{path}.{key}" if path else key)
    elif isinstance(due, list):
        _same_list(due, actual, path)
    elif due != actual:
        raise InvalidTrace(f"{path} is {_shown(actual)} and should be {_shown(due)}.")


def _same_names(due: Collection[str], actual: Collection[str], path: str) -> None:
    """Raise InvalidTrace if a name is missing, or does not belong: one of a list, or a key."""
    where = path or "the line"
    for name in due:
        if name not in actual:
            raise InvalidTrace(f"{where} lacks {_shown(name)}.")
    for name in actual:
        if name not in due:
            raise InvalidTrace(f"{where} has {_shown(name)}, which does not belong there.")


def _shown(value: Any) -> str:
    """Return a JSON value as a message shows it: short, whatever it is."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"


def _same_list(due: list[Any], actual: list[Any], path: str) -> None:
    if path.endswith(_IN_ANY_ORDER) and all(isinstance(name, str) for name in actual):
        _same_names(due, dict.fromkeys(actual), path)
        if len(due) != len(actual):
            raise InvalidTrace(f"{path} has a name twice.")
        return
    if len(due) != len(actual):
        raise InvalidTrace(f"{path} is {_shown(actual)} and should be {_shown(due)}.")
    for place, value in enumerate(due):
        _must_be(value, actual[place], f"{path}[{place}]")


def _start(line: trace.Line) -> Position:
    """Return the position after the setup line. Raises InvalidTrace, InvalidLayout.

    A line may name the spaces of the city in any order: only their flowers matter (S2).
    """
    _must_be("setup", line.get("type"), "type")
    layout = Layout(
        _numbers(pieces.CITIZENS, line, "citizens", len(pieces.CITIZENS)), _buildings(line)
    )
    players = line.get("players")
    if type(players) is not int or not pieces.MIN_PLAYERS <= players <= pieces.MAX_PLAYERS:
        raise InvalidTrace(f"players is {_shown(players)} and should be 2, 3 or 4.")
    as_listed = {key: line[key] for key in ("buildings", "space_flowers")}
    _must_be(trace.setup_line(layout, players, _seed(line)) | as_listed, line)
    return Position.start(layout, players)


def _buildings(line: trace.Line) -> tuple[int, ...]:
    """Return the buildings, those under the first flower first."""
    buildings = _numbers(pieces.BUILDINGS, line, "buildings", len(pieces.BUILDINGS))
    flowers = _numbers(pieces.FLOWERS, line, "space_flowers", len(pieces.SPACE_FLOWERS))
    if tuple(sorted(flowers)) != pieces.SPACE_FLOWERS:
        raise InvalidTrace("space_flowers should have each of the four flowers three times.")
    spaces = sorted(range(len(flowers)), key=flowers.__getitem__)
    return tuple([buildings[space] for space in spaces])


def _numbers(names: tuple[str, ...], line: trace.Line, key: str, count: int) -> tuple[int, ...]:
    listed: Any = line.get(key)
    if not isinstance(listed, list) or len(listed) != count:
        raise InvalidTrace(f"{key} is {_shown(listed)} and should be a list of {count}.")
    for name in listed:
        if name not in names:
            raise InvalidTrace(f"{key} has {_shown(name)}, which is none of {', '.join(names)}.")
    return tuple([names.index(name) for name in listed])


def _seed(line: trace.Line) -> str | None:
    seed = line.get("seed")
    if seed is None or (isinstance(seed, str) and _SEED.fullmatch(seed)):
        return seed
    raise InvalidTrace(f"seed is {_shown(seed)} and should be hexadecimal digits or null.")
