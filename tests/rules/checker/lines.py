"""Checking each kind of line of a trace against what is due."""

import string
from collections.abc import Callable
from typing import Any

from .comparison import differ, same, same_keys, same_set, shown
from .names import (
    BUILDINGS,
    CITIZEN_FLOWERS,
    FACES,
    FLOWERS,
    PLAIN_GOODS,
    Decision,
    Due,
    Roll,
    Setup,
    Table,
)
from .reader import Divergence, Line
from .scoring import scores

SPACES_UNDER_A_FLOWER = 3


def check_setup(line: Line) -> None:
    """The setup line: every tile once, three spaces a flower, the citizens' own flowers."""
    same("type", "setup", line.get("type"))
    same_keys("the setup line", list(Setup.__annotations__), line)
    if type(line["players"]) is not int or not 2 <= line["players"] <= 4:
        differ("players", "2, 3 or 4", line["players"])
    same_set("citizens", list(CITIZEN_FLOWERS), line["citizens"])
    same_set("buildings", list(BUILDINGS), line["buildings"])
    flowers = line["space_flowers"]
    if not isinstance(flowers, list) or sorted(flowers, key=str) != sorted(
        FLOWERS * SPACES_UNDER_A_FLOWER
    ):
        differ("space_flowers", "a list of each of the four flowers three times", flowers)
    same("citizen_flowers", CITIZEN_FLOWERS, line["citizen_flowers"])
    if line["seed"] is not None and not is_hex(line["seed"]):
        differ("seed", "a hexadecimal string or null", line["seed"])


def is_hex(value: Any) -> bool:
    """Whether a value is a string of hexadecimal digits."""
    return isinstance(value, str) and bool(value) and set(value) <= set(string.hexdigits)


def check_due(line: Line | None, due: Due, table: Table) -> Any:
    """The line must be the roll or decision that is due; return its answer for the rules."""
    if line is None:
        raise Divergence(f"the trace should go on with {described(due)} but ends.")
    if isinstance(due, Roll):
        return checked_roll(line, due)
    return checked_decision(line, due, table)


def described(due: Due) -> str:
    """What is due, in words."""
    if isinstance(due, Roll):
        return f"a roll of seat {due.seat}"
    return f"a {due.kind!r} decision of seat {due.seat} with {len(due.legal)} legal moves"


def must_be(line: Line, kind: str, due: Due) -> None:
    """The line's type, with a sentence that says what is due."""
    if line.get("type") != kind:
        found = shown({key: line[key] for key in ("type", "seat", "kind") if key in line})
        raise Divergence(f"the line should be {described(due)} but is {found}.")


def checked_roll(line: Line, due: Roll) -> dict[str, int]:
    """The right seat rolls, and every die shows a face that it has."""
    must_be(line, "roll", due)
    same_keys("the roll line", ["type", "seat", "dice"], line)
    same("seat", due.seat, line["seat"])
    dice = line["dice"]
    if not isinstance(dice, dict):
        differ("dice", "an object", dice)
    same_keys("dice", list(PLAIN_GOODS), dice)
    for good, face in dice.items():
        if type(face) is not int or face not in FACES[good]:
            differ(f"dice.{good}", f"one of {sorted(set(FACES[good]))}", face)
    return dict(dice)


def checked_decision(line: Line, due: Decision, table: Table) -> str:
    """Seat, kind, the whole state, the set of legal moves, and a choice among them."""
    legal = line.get("legal")
    if line.get("type") == "decision" and isinstance(legal, list) and len(legal) < 2:
        raise Divergence(
            f"a decision with {len(legal)} legal moves should not be in a trace; "
            f"due is {described(due)}."
        )
    must_be(line, "decision", due)
    same_keys("the decision line", ["type", "seat", "kind", "legal", "chosen", "state"], line)
    same("kind", due.kind, line["kind"])
    same("seat", due.seat, line["seat"])
    check_state(table, line["state"])
    same_set("legal", list(due.legal), line["legal"])
    chosen: str = line["chosen"]
    if chosen not in due.legal:
        differ("chosen", "one of the legal moves", chosen)
    return chosen


def check_state(table: Table, found: Any) -> None:
    """Every field of the state; only the order of the silenced citizens is free."""
    if not isinstance(found, dict):
        differ("state", "an object", found)
    same_keys("state", list(table), found)
    for field, expected in table.items():
        compare: Callable[[str, Any, Any], None] = same_set if field == "silenced" else same
        compare(f"state.{field}", expected, found[field])


def check_result(line: Line | None, reason: str, table: Table) -> None:
    """The result line, when the game is over by the rules."""
    if line is None:
        raise Divergence(f"the game is over ({reason}) and a result line should follow.")
    if line.get("type") != "result":
        raise Divergence(
            f"the game is over ({reason}) and the line should be its result "
            f"but its type is {shown(line.get('type'))}."
        )
    same_keys("the result line", ["type", "reason", "state", "scores"], line)
    same("reason", reason, line["reason"])
    check_state(table, line["state"])
    same("scores", scores(table), line["scores"])
