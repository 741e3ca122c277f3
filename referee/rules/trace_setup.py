"""Reads the setup line of a trace: the board and the first position."""

import re
from typing import Any, Final

from referee.rules.errors import InvalidTrace
from referee.rules.layout import Layout
from referee.rules.pieces import (
    BUILDINGS,
    CITIZENS,
    FLOWERS,
    MAX_PLAYERS,
    MIN_PLAYERS,
    SPACE_FLOWERS,
)
from referee.rules.position import Position
from referee.rules.trace import Line, setup_line
from referee.rules.trace_comparison import must_be, shown

_SEED: Final = re.compile(r"[0-9a-fA-F]+")


def start(line: Line) -> Position:
    """The position after the setup line. Raises InvalidTrace, InvalidLayout.

    In which order a line names the spaces of the city is free: only their flowers matter (S2).
    """
    must_be("setup", line.get("type"), "type")
    layout = Layout(_numbers(CITIZENS, line, "citizens", len(CITIZENS)), _buildings(line))
    players = line.get("players")
    if type(players) is not int or not MIN_PLAYERS <= players <= MAX_PLAYERS:
        raise InvalidTrace(f"players is {shown(players)} and should be 2, 3 or 4.")
    as_told = {key: line[key] for key in ("buildings", "space_flowers")}
    must_be(setup_line(layout, players, _seed(line)) | as_told, line)
    return Position.start(layout, players)


def _buildings(line: Line) -> tuple[int, ...]:
    """The buildings, those under the first flower first."""
    buildings = _numbers(BUILDINGS, line, "buildings", len(BUILDINGS))
    flowers = _numbers(FLOWERS, line, "space_flowers", len(SPACE_FLOWERS))
    if tuple(sorted(flowers)) != SPACE_FLOWERS:
        raise InvalidTrace("space_flowers should have each of the four flowers three times.")
    spaces = sorted(range(len(flowers)), key=flowers.__getitem__)
    return tuple([buildings[space] for space in spaces])


def _numbers(names: tuple[str, ...], line: Line, key: str, count: int) -> tuple[int, ...]:
    listed: Any = line.get(key)
    if not isinstance(listed, list) or len(listed) != count:
        raise InvalidTrace(f"{key} is {shown(listed)} and should be a list of {count}.")
    for name in listed:
        if name not in names:
            raise InvalidTrace(f"{key} has {shown(name)}, which is none of {', '.join(names)}.")
    return tuple([names.index(name) for name in listed])


def _seed(line: Line) -> str | None:
    seed = line.get("seed")
    if seed is None or (isinstance(seed, str) and _SEED.fullmatch(seed)):
        return seed
    raise InvalidTrace(f"seed is {shown(seed)} and should be hexadecimal digits or null.")
