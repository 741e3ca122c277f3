"""What is to be decided, and the legal moves; or the dice that are awaited, or how it ended."""

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from referee.board.style import seat
from referee.rules import Outcome, Position, Reason
from referee.rules.pieces import BUILDINGS, CITIZENS, PLAIN_GOODS, STOPS

_QUESTIONS: Final = {
    "drive": "drives on from stop {car}",
    "visit": "moves the pawn",
    "deliver": "delivers, or passes",
    "pick": "takes a good from Pablo",
    "lawyer": "owns or uses a building through Alonso",
    "tribute": "gives El Zorro one thing",
}
_REASONS: Final = {
    Reason.SHIPS: "The game is over: the seventh ship has left.",
    Reason.TURNS: "The game is over: turn 300 has been played.",
}
_FEW: Final = 12


def decision(position: Position, names: Sequence[str]) -> RenderableType:
    """A sentence that says who does what, and the moves below it."""
    outcome = position.outcome()
    if outcome is not None:
        return _ended(outcome, names)
    sentence = seat(position.seat, names).append(f" {_question(position)}", "not bold default")
    moves = "\n".join(_groups(position))
    return Group(sentence, Padding(Text(moves), (0, 0, 0, 2))) if moves else sentence


def _question(position: Position) -> str:
    if position.kind == "roll":
        return "rolls the dice for the ship."
    if position.dice is not None:
        dice = zip(PLAIN_GOODS, position.dice, strict=True)
        return f"excludes a good. Dice: {', '.join(f'{good} {die}' for good, die in dice)}."
    if position.building is not None:
        return f"uses the {BUILDINGS[position.building]}, or passes:"
    return _QUESTIONS[position.kind].format(car=position.car) + ":"


def _groups(position: Position) -> list[str]:
    """The moves, a line for each verb: `give peso, give vp`; many numbers as `drive 1 to 30`."""
    texts = position.legal_texts()
    if position.kind == "drive" and len(texts) <= _FEW:
        texts = [f"{text} ({_stop(position, steps)})" for steps, text in enumerate(texts, 1)]
    lines = []
    for _, group in groupby(texts, lambda text: text.split()[0]):
        moves = list(group)
        numbered = len(moves) > _FEW and moves[-1].split()[-1].isdigit()
        lines.append(f"{moves[0]} to {moves[-1].split()[-1]}" if numbered else ", ".join(moves))
    return lines


def _stop(position: Position, steps: int) -> str:
    citizen = position.layout.citizen_at[(position.car + steps) % STOPS]
    return "harbour" if citizen < 0 else CITIZENS[citizen]


def _ended(outcome: Outcome, names: Sequence[str]) -> RenderableType:
    table = Table(box=None, pad_edge=False)
    for heading in ("rank", "", "VP", "goods left over", "pesos"):
        table.add_column(heading, justify="left" if not heading else "right")
    for score in sorted(outcome.scores, key=lambda score: score.rank):
        numbers = (score.vp, score.leftover, score.pesos)
        table.add_row(str(score.rank), seat(score.seat, names), *map(str, numbers))
    return Group(Text(_REASONS[outcome.reason], "bold"), table)
