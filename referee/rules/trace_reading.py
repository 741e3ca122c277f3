"""Reads traces, which trace.py writes: plays each game again and finds the first wrong line.

    with open("games.jsonl", encoding="utf-8") as lines:
        for game in read_trace(lines):
            print(game.ranks, len(game.choices))

Every line is compared whole with what the rules say: who is asked what, all legal moves, the
state. Only the dice and the choices are taken from it, where the rules allow them.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from referee.rules.errors import InvalidTrace, RulesError
from referee.rules.moves import Move, move_text
from referee.rules.pieces import DICE, PLAIN_GOODS
from referee.rules.position import Position
from referee.rules.trace import Line, decision_line, result_line, roll_line
from referee.rules.trace_comparison import must_be, same_keys, shown
from referee.rules.trace_setup import start

_LONGEST: Final = 1_000_000  # characters of a line


@dataclass(frozen=True, slots=True)
class TracedGame:
    """A game of a trace, as it was played again."""

    position: Position
    """Where it ended."""
    rolls: tuple[tuple[int, ...], ...]
    """The dice by plain good, in order."""
    choices: tuple[Move, ...]
    """The moves that were not forced, in order."""
    ranks: tuple[int, ...]
    """By seat, from 1, ties shared: those of the result, or of the forfeit."""


def read_trace(lines: Iterable[str]) -> Iterator[TracedGame]:
    """The games that stand in lines of JSON, one after the other.

    Raises InvalidTrace at the first line that is wrong or missing, and where there is no game.
    """
    reader = _Reader(lines)
    try:
        setup: Line | None = reader.due("the setup line of a game")
        while setup is not None:
            yield _game(setup, reader)
            setup = reader.next()
    except RulesError as error:
        raise InvalidTrace(f"Line {reader.number} of the trace is wrong: {error}") from None


class _Reader:
    """The lines one after the other; `number` is that of the last one asked for, from 1."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.number = 0
        self._lines = iter(lines)

    def next(self) -> Line | None:
        """The next line; None at the end of the trace."""
        self.number += 1
        text = next(self._lines, None)
        return None if text is None else _parsed(text)

    def due(self, what: str) -> Line:
        """The next line, where one has to follow."""
        line = self.next()
        if line is None:
            raise InvalidTrace(f"it is missing; due is {what}.")
        return line


def _parsed(text: str) -> Line:
    if len(text) > _LONGEST:
        raise InvalidTrace(f"it has {len(text)} characters; {_LONGEST} are the most.")
    try:
        line = json.loads(text, object_pairs_hook=_each_key_once)
    except InvalidTrace:
        raise
    except (ValueError, RecursionError) as error:
        raise InvalidTrace(f"it is not JSON that can be read ({error}).") from None
    if not isinstance(line, dict):
        raise InvalidTrace(f"it is {shown(line)} and should be an object.")
    return line


def _each_key_once(pairs: list[tuple[str, Any]]) -> Line:
    line = dict(pairs)
    if len(line) != len(pairs):
        raise InvalidTrace("an object has a key twice.")
    return line


def _game(setup: Line, reader: _Reader) -> TracedGame:
    position = start(setup)
    rolls: list[tuple[int, ...]] = []
    choices: list[Move] = []
    ranks: tuple[int, ...] = ()
    while not ranks:
        line = reader.due(_due(position))
        if line.get("type") == "forfeit" and not position.is_over:
            ranks = _forfeit(line, position.players)
        elif (outcome := position.outcome()) is not None:
            _must_be_of_type("result", line, position)
            must_be(result_line(position, outcome), line)
            ranks = tuple([score.rank for score in outcome.scores])
        elif position.legal_moves:
            choices.append(_choice(position, line))
            position.apply(choices[-1])
        else:
            rolls.append(_dice(position, line))
            position.roll(rolls[-1])
    return TracedGame(position, tuple(rolls), tuple(choices), ranks)


def _due(position: Position) -> str:
    if position.is_over:
        return "the result, since the game is over"
    what = f"{position.kind} decision" if position.legal_moves else "roll"
    return f"the {what} of seat {position.seat}"


def _must_be_of_type(kind: str, line: Line, position: Position) -> None:
    if line.get("type") != kind:
        raise InvalidTrace(f"its type is {shown(line.get('type'))}; due is {_due(position)}.")


def _choice(position: Position, line: Line) -> Move:
    _must_be_of_type("decision", line, position)
    due, chosen = decision_line(position, position.legal_moves[0]), line.get("chosen")
    must_be(due | {"chosen": chosen} if isinstance(chosen, str) else due, line)
    for move in position.legal_moves:
        if move_text(move) == chosen:
            return move
    raise InvalidTrace(f"chosen is {shown(chosen)}, which is not a legal move there.")


def _dice(position: Position, line: Line) -> tuple[int, ...]:
    _must_be_of_type("roll", line, position)
    dice = line.get("dice")
    if not isinstance(dice, dict):
        raise InvalidTrace(f"dice is {shown(dice)} and should be an object.")
    same_keys(PLAIN_GOODS, dice, "dice")
    for good, faces in zip(PLAIN_GOODS, DICE, strict=True):
        if type(dice[good]) is not int or dice[good] not in faces:
            raise InvalidTrace(f"dice.{good} is {shown(dice[good])}; the die has no such face.")
    rolled = tuple([dice[good] for good in PLAIN_GOODS])
    must_be(roll_line(position.seat, rolled), line)
    return rolled


def _forfeit(line: Line, players: int) -> tuple[int, ...]:
    """The ranks: whoever alone has not faulted is first alone; they count from 1, ties shared."""
    rows = line.get("ranks")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InvalidTrace("ranks should be a list of objects.")
    ranks = [row.get("rank") for row in rows]
    faults = [row.get("fault") for row in rows]
    if len(rows) != players or not all(type(rank) is int for rank in ranks):
        raise InvalidTrace(f"ranks should have a whole number for each of {players} seats.")
    if not all(fault is None or (isinstance(fault, str) and fault) for fault in faults):
        raise InvalidTrace("a fault is a code such as 'timeout', or null.")
    standing = [rank for rank, fault in zip(ranks, faults, strict=True) if fault is None]
    if len(standing) > 1 or (standing and (standing[0] != 1 or ranks.count(1) > 1)):
        raise InvalidTrace("at most one seat has not faulted in a forfeit, and is first, alone.")
    due = [1 + sum(other < rank for other in ranks) for rank in ranks]
    rows_due = [{"seat": seat, "rank": due[seat], "fault": faults[seat]} for seat in range(players)]
    must_be({"type": "forfeit", "ranks": rows_due}, line)
    return tuple(due)
