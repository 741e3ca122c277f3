"""A game in plain lines: each turn's position, what is asked, what is chosen, what changes.

    turn=1 active=0 ship=1 value=2 car=0 silenced=none demand=rum:2,...
    p0=3/2/1,1,1,0,0,0/none p1=3/2/1,1,1,0,0,0/none
      seat 0, drive: drive 1 to 4
        drive 2: seat 0 pesos -1, vp +2; car 0>2 maria

The two lines of a turn, put behind those of the layout, are a position's text.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from random import Random
from textwrap import wrap

from referee.rules import Position, move_text, roll_dice
from referee.rules.pieces import CITIZENS, PLAIN_GOODS
from referee.rules.trace import Change, changes, state_json

WIDTH = 100


def playthrough(position: Position, choices: Iterable[str]) -> Iterator[str]:
    """Plays in place, to the end of the game or of the choices, and tells what happens.

    A choice is a move (`drive 2`) or the five faces of a roll (`roll 1 4 0 2 3`). Forced moves are
    played and told without standing among the choices.
    """
    yield from layout_lines(position)
    turn = -1
    for choice in _with_forced(position, iter(choices)):
        if position.turn != turn:
            turn = position.turn
            yield ""
            yield from position_lines(position)
        yield from _event(position, choice)
    yield ""
    yield from position_lines(position)
    yield from _scores(position)


def at_random(position: Position, luck: Random) -> Iterator[str]:
    """Choices by chance, each for what the position then asks, to the end of the game."""
    while not position.is_over:
        if position.legal_moves:
            yield move_text(luck.choice(position.legal_moves))
        else:
            yield "roll " + " ".join(map(str, roll_dice(luck)))


def layout_lines(position: Position) -> list[str]:
    """What stays the same through the whole game."""
    return str(position).split(" ")[:2]


def position_lines(position: Position) -> list[str]:
    """The table, and the players."""
    _, _, rest = str(position).split(" ", 2)
    on_table, players = rest.split(" p0=")
    return [on_table, f"p0={players}"]


def _with_forced(position: Position, choices: Iterator[str]) -> Iterator[str]:
    while not position.is_over:
        if len(position.legal_moves) == 1:
            yield move_text(position.legal_moves[0])
        elif (choice := next(choices, None)) is not None:
            yield choice
        else:
            return


def _event(position: Position, choice: str) -> Iterator[str]:
    """What is asked, then what comes of the answer."""
    before = state_json(position)
    if position.legal_moves:
        yield from _wrapped(f"  seat {position.seat}, {position.kind}: {_legal(position)}")
        told = choice
        position.step(position.parse_move(choice))
    else:
        faces = tuple(map(int, choice.removeprefix("roll ").split()))
        rolled = [f"{good} {face}" for good, face in zip(PLAIN_GOODS, faces, strict=True)]
        told = f"seat {position.seat} rolls {', '.join(rolled)}"
        position.roll(faces)
    changed = _told(changes(before, state_json(position)), _stops(position))
    yield from _wrapped(f"    {told}: {changed}" if changed else f"    {told}")


def _legal(position: Position) -> str:
    """All legal moves, each verb once: `deliver sugar 1 | sugar 2; pass`."""
    texts = position.legal_texts()
    return "; ".join(
        f"{verb} {_arguments([text.partition(' ')[2] for text in group])}".strip()
        for verb, group in groupby(texts, key=lambda text: text.partition(" ")[0])
    )


def _arguments(arguments: list[str]) -> str:
    count = [str(number) for number in range(1, len(arguments) + 1)]
    return f"1 to {len(count)}" if arguments == count != ["1"] else " | ".join(arguments)


def _stops(position: Position) -> list[str]:
    return ["harbour", *(CITIZENS[citizen] for citizen in position.layout.citizens)]


def _told(found: list[Change], stops: list[str]) -> str:
    """The changes, those of the table together and those of each seat."""
    told = []
    shown = [change for change in found if not _is_plain(change)]
    for seat, group in groupby(shown, key=lambda change: change["seat"]):
        whose = "" if seat is None else f"seat {seat} "
        told.append(whose + ", ".join(_change(change, stops) for change in group))
    return "; ".join(told)


def _is_plain(change: Change) -> bool:
    """What the lines around say: whose turn it is, a demand that comes or goes with its ship."""
    of_ship = change["what"].startswith("demand:")
    return change["what"] in ("turn", "active") or (
        of_ship and None in (change["from"], change["to"])
    )


def _change(change: Change, stops: list[str]) -> str:
    what = change["what"].replace(":", " ")
    if "by" in change:
        return f"{what} {change['by']:+}"
    was, is_now = (_value(change[key]) for key in ("from", "to"))
    return f"{what} {was}>{is_now}" + (f" {stops[change['to']]}" if what == "car" else "")


def _value(value: object) -> str:
    """Seats and stops are numbers; a building where nobody is or nobody owns is `none`."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def _scores(position: Position) -> Iterator[str]:
    outcome = position.outcome()
    if outcome is not None:
        for score in outcome.scores:
            yield (
                f"  seat {score.seat}: VP {score.vp}, goods left over {score.leftover}, "
                f"pesos {score.pesos}: rank {score.rank}"
            )


def _wrapped(line: str) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    return wrap(line, WIDTH, subsequent_indent=indent, break_on_hyphens=False)
