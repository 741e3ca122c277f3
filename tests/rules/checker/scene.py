"""Scenes set by hand, for tests of the checker's own rules ruling by ruling."""

from typing import Any, cast

from .names import (
    BUILDINGS,
    CITIZEN_FLOWERS,
    PLAIN_GOODS,
    Decision,
    Due,
    Player,
    Rule,
    Setup,
    Table,
)
from .start import table_of

# The street: 1 pedro, 2 maria, 3 jose, 4 martinez, 5 conchita, 6 el-zorro, 7 miguel, 8 pablo,
# 9 alonso. The buildings in the order of names.py: three under yellow, blue, red and white each.
STREET = list(CITIZEN_FLOWERS)
FLOWERS_IN_ORDER = [flower for flower in ("yellow", "blue", "red", "white") for _ in range(3)]


def setup_of(players: int) -> Setup:
    return {
        "type": "setup",
        "players": players,
        "citizens": STREET,
        "buildings": list(BUILDINGS),
        "space_flowers": FLOWERS_IN_ORDER,
        "citizen_flowers": CITIZEN_FLOWERS,
        "seed": None,
    }


def scene(players: int = 3) -> Table:
    """The first turn of seat 0, the ship demanding 2 sugar and 1 each of the next three goods."""
    table = table_of(setup_of(players))
    table["turn"] = 1
    table["demand"] = {"sugar": 2, "citrus": 1, "tobacco": 1, "rum": 1}
    return table


def goods(**held: int) -> dict[str, int]:
    return dict.fromkeys((*PLAIN_GOODS, "wood"), 0) | held


def run(rule: Rule[Any], *answers: Any) -> list[Due]:
    """Drive a rule to its end, or to the game's, with these answers; return what it asked."""
    asked: list[Due] = []
    replies = list(answers)
    try:
        due = next(rule)
        while True:
            asked.append(due)
            assert replies, f"no answer was given to {due}"
            assert not isinstance(due, Decision) or replies[0] in due.legal
            due = rule.send(replies.pop(0))
    except StopIteration:
        assert not replies, "an answer was not asked for"
    return asked


def kinds(asked: list[Due]) -> list[str]:
    return [f"{due.seat} {getattr(due, 'kind', 'roll')}" for due in asked]


def legal(due: Due) -> set[str]:
    assert isinstance(due, Decision)
    assert len(due.legal) == len(set(due.legal)) > 1
    return set(due.legal)


def dice(**faces: int) -> dict[str, int]:
    return dict.fromkeys(PLAIN_GOODS, 0) | faces


def change(thing: Table | Player, **fields: Any) -> None:
    """Set some fields of the table or of a player."""
    cast(dict[str, Any], thing).update(fields)
