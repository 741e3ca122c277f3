"""Puzzles: decisions of analysed games in which one move is better by far, and not at first sight.

An analysis proposes decisions; a deeper search with other random numbers has to agree. It hardly
looks at moves that seem bad at first, so it then looks as often again at all moves alike.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from random import Random
from typing import Final

from referee.analysis.game import STANDARD_LOOKS
from referee.analysis.judging import DIGITS, LONGEST_LINE
from referee.analysis.results import Decision, GameAnalysis, Valued
from referee.engine.search import Search
from referee.errors import ReplayError
from referee.replay import StepKind, simulate, start
from referee.rules import PLAIN_GOODS, Move, Position, move_text
from referee.wire import replay_pb2

MARGIN: Final = 0.1
"""The least margin of the best move over all others, in share of the points."""
FEWEST_MOVES: Final = 4
"""The fewest legal moves of a puzzle."""
MOST_IN_A_GAME: Final = 3
LOOKS: Final = 5 * STANDARD_LOOKS
"""The looks of the search that has to agree."""
LEVELS: Final = (1, 2, 3)
"""How hard puzzles are: 1 is easy."""

_APART: Final = 8  # turns between two puzzles of a game, at least
_PESO: Final = 0.4
_GOOD: Final = 0.8
"""The worth of pesos and goods at first sight, in VP."""
_HARD_TO_SEE: Final = 3  # from this rank at first sight on


@dataclass(frozen=True, slots=True)
class Question:
    """A decision of a recorded game that may be a puzzle."""

    moment: int
    """The moment of the move that was played, as in the game's analysis."""
    move: str
    """The best move, by the analysis."""
    missed: bool
    """The seat that had to choose at the table chose something else."""


@dataclass(frozen=True, slots=True)
class Solution:
    """The answer of a deeper search to a puzzle; moves are texts."""

    level: int
    """One of LEVELS."""
    looks: int
    values: tuple[tuple[str, float], ...]
    """All legal moves with the seat's share of the points after them, the best one first."""
    line: tuple[str, ...]
    """The best move, and what may follow it up to the next roll."""

    @property
    def margin(self) -> float:
        """How much better the best move is than the second best."""
        return round(self.values[0][1] - self.values[1][1], DIGITS)


def question_text(question: Question) -> str:
    """Return a question as JSON."""
    return json.dumps(asdict(question))


def read_question(text: str) -> Question:
    """Return the question in a text that `question_text` made."""
    return Question(**json.loads(text))


def solution_text(solution: Solution | None) -> str:
    """Return a solution as JSON; `null` for None."""
    return json.dumps(solution and asdict(solution))


def read_solution(text: str | bytes) -> Solution | None:
    """Return the solution in a text that `solution_text` made."""
    found = json.loads(text)
    if found is None:
        return None
    values = tuple((move, share) for move, share in found["values"])
    return Solution(found["level"], found["looks"], values, tuple(found["line"]))


def proposals(analysis: GameAnalysis, known: Collection[int]) -> tuple[Decision, ...]:
    """Return the decisions of a game that may make puzzles, in their order.

    With those at the moments `known`, which are puzzles already, they are a few, of different
    kinds and apart; those that were missed at the table come first.
    """
    found = [one for one in analysis.decisions if one.moment in known]
    fitting = [one for one in analysis.decisions if _is_clear(one.values)]
    for decision in sorted(fitting, key=_interest):
        if len(found) < MOST_IN_A_GAME and _differs(decision, found):
            found.append(decision)
    fresh = (one for one in found if one.moment not in known)
    return tuple(sorted(fresh, key=lambda decision: decision.moment))


def solve(record: replay_pb2.Replay, question: Question, looks: int = LOOKS) -> Solution | None:
    """Look deeper into a decision; return None if its best move is plain, or no longer best by far.

    Raises ReplayError if the replay is damaged or has no such decision.
    """
    position, faulted = _decision_at(record, question.moment)
    best = position.parse_move(question.move)
    sight = at_first_sight(position).index(best)
    if sight == 0:
        return None
    rng = Random(f"{record.dice_commitment.hex()} puzzle {question.moment}")
    search = Search(position, rng, faulted)
    search.think(looks)
    search.think_of_each(looks // len(position.legal_moves))
    found = search.moves()
    values = [Valued(one.move, round(one.shares[position.seat], DIGITS)) for one in found]
    if not _is_clear(values) or found[0].move != best:
        return None
    return Solution(
        level=LEVELS[0] + (sight + 1 >= _HARD_TO_SEE) + question.missed,
        looks=looks,
        values=tuple((move_text(value.move), value.share) for value in values),
        line=tuple(map(move_text, (best, *found[0].line)[:LONGEST_LINE])),
    )


def position_at(record: replay_pb2.Replay, moment: int) -> Position:
    """Return the position in which the move of a moment was chosen. Raises ReplayError."""
    return _decision_at(record, moment)[0]


def _decision_at(record: replay_pb2.Replay, moment: int) -> tuple[Position, tuple[int, ...]]:
    """Return the position, and the seats whose bots had faulted before. Raises ReplayError."""
    position = start(record)
    faulted: tuple[int, ...] = ()
    for number, step in enumerate(simulate(position, record), 1):
        if number == moment and step.move is not None:
            return position, faulted
        if step.kind is StepKind.FAULT:
            faulted += (step.seat,)
    raise ReplayError(f"The game has no decision at moment {moment}.")


def at_first_sight(position: Position) -> list[Move]:
    """Return the legal moves by what their seat has after them, most first; ties keep the order."""
    seat = position.seat
    gains = {move: _belongings(_after(position, move), seat) for move in position.legal_moves}
    return sorted(gains, key=lambda move: -gains[move])


def _is_clear(values: Sequence[Valued]) -> bool:
    """Return True if the first of enough values is better than the others by far."""
    enough = len(values) >= FEWEST_MOVES
    return enough and round(values[0].share - values[1].share, DIGITS) >= MARGIN


def _interest(decision: Decision) -> tuple[bool, float, int]:
    return decision.cost == 0, -decision.gap, decision.moment


def _differs(decision: Decision, others: Iterable[Decision]) -> bool:
    return all(
        decision.kind != other.kind and abs(decision.turn - other.turn) >= _APART
        for other in others
    )


def _after(position: Position, move: Move) -> Position:
    after = position.copy()
    after.apply(move)
    return after


def _belongings(position: Position, seat: int) -> float:
    goods = sum(position.goods(seat)[: len(PLAIN_GOODS)])
    return position.vp(seat) + _PESO * position.pesos(seat) + _GOOD * goods
