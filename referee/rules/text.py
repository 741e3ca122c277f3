"""Positions as one line of text, complete enough to go on from: `show` and `parse` are inverses.

    citizens=maria:red,... buildings=bank,... turn=14 active=1 ship=2 value=3 car=4 silenced=none
    demand=sugar:1,citrus:2,rum:0,cigars:3 owners=bank:0,cafe:2 phase=deliver seat=2 round=0,2
    p0=3/2/1,0,2,0,0,1/cafe p1=...

`citizens` stand in the order of the stops, `buildings` in that of the spaces. A player is pesos/
VP/units by good/pawn. `round`, `function`, `dice` and `reason` stand only in the phases that need
them. The supply and the markers are not written: they are what the players do not have.
"""

import re
from collections.abc import Callable, Iterable
from typing import Final

from referee.rules.cells import (
    ACTIVE,
    BUILDING,
    CAR,
    DELIVER,
    DEMAND,
    DEMAND_CHOICE,
    EXCLUDED,
    FUNCTION,
    HELD,
    LAWYER,
    MARKERS,
    NO_DEMAND,
    NOBODY,
    OFF_BOARD,
    OVER,
    OWNER,
    PAWN,
    PESOS,
    PHASE,
    PHASES,
    PLAYERS,
    REASON,
    REASONS,
    ROUND,
    SEAT,
    SHIP,
    SILENCED,
    STRIDE,
    SUPPLY,
    TURN,
    VALUE,
    VP,
)
from referee.rules.errors import InvalidLayout, InvalidPosition
from referee.rules.layout import Layout
from referee.rules.pieces import (
    BUILDINGS,
    CITIZENS,
    FLOWERS,
    GOODS,
    PLAIN_GOODS,
    UNITS_OF_EACH_GOOD,
    WOOD,
)
from referee.rules.state import State

_NONE: Final = "none"
_FLOWER_NAMES: Final = (*FLOWERS, _NONE)
_MARKERS: Final = 3
_LONGEST: Final = 2000
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,8}")
_TOKEN: Final = re.compile(r"([a-z0-9]+)=(\S+)")


def show(state: State) -> str:
    """The position as one line."""
    cells, layout = state.cells, state.layout
    flowers = layout.citizen_flowers
    tokens = [
        "citizens="
        + ",".join(f"{CITIZENS[c]}:{_FLOWER_NAMES[flowers[c]]}" for c in layout.citizens),
        "buildings=" + ",".join(BUILDINGS[b] for b in layout.buildings),
        f"turn={cells[TURN]} active={cells[ACTIVE]} ship={cells[SHIP]} value={cells[VALUE]}",
        f"car={cells[CAR]}",
        "silenced=" + _listed(n for c, n in enumerate(CITIZENS) if cells[SILENCED] >> c & 1),
        "demand=" + _demand(cells),
        "owners="
        + _listed(
            f"{name}:{cells[OWNER + b]}"
            for b, name in enumerate(BUILDINGS)
            if cells[OWNER + b] != NOBODY
        ),
        f"phase={PHASES[cells[PHASE]]} seat={cells[SEAT]}",
        *_details(cells, state.players),
    ]
    tokens += [
        f"p{seat}={_player(cells, PLAYERS + STRIDE * seat)}" for seat in range(state.players)
    ]
    return " ".join(tokens)


def _listed(names: Iterable[str]) -> str:
    return ",".join(names) or _NONE


def _demand(cells: list[int]) -> str:
    if cells[EXCLUDED] == NO_DEMAND:
        return _NONE
    return ",".join(
        f"{name}:{cells[DEMAND + good]}"
        for good, name in enumerate(PLAIN_GOODS)
        if good != cells[EXCLUDED]
    )


def _details(cells: list[int], players: int) -> list[str]:
    phase = cells[PHASE]
    if phase == DELIVER:
        seats = (str(seat) for seat in range(players) if cells[ROUND] >> seat & 1)
        return ["round=" + ",".join(seats)]
    if phase == FUNCTION:
        by = ":lawyer" if cells[LAWYER] else ""
        return [f"function={BUILDINGS[cells[BUILDING]]}{by}"]
    if phase == DEMAND_CHOICE:
        return ["dice=" + ",".join(map(str, cells[DEMAND : DEMAND + WOOD]))]
    if phase == OVER:
        return [f"reason={REASONS[cells[REASON]]}"]
    return []


def _player(cells: list[int], base: int) -> str:
    goods = ",".join(map(str, cells[base + HELD : base + HELD + len(GOODS)]))
    pawn = cells[base + PAWN]
    on = _NONE if pawn == OFF_BOARD else BUILDINGS[pawn]
    return f"{cells[base + PESOS]}/{cells[base + VP]}/{goods}/{on}"


def parse(line: str) -> tuple[Layout, int, list[int]]:
    """Layout, players and cells of a line; the caller checks that the game can stand so.

    Raises InvalidPosition, which names the part that cannot be read.
    """
    parts = _split(line)
    layout = _read_layout(parts)
    players = sum(1 for seat in range(4) if f"p{seat}" in parts)
    cells = [0] * (PLAYERS + STRIDE * players)
    for key, cell in _NUMBERS.items():
        cells[cell] = _number(key, _part(parts, key))
    cells[PHASE] = _index(PHASES, "phase", _part(parts, "phase"))
    for name in _names(_part(parts, "silenced")):
        cells[SILENCED] |= 1 << _index(CITIZENS, "silenced", name)
    _read_demand(cells, _part(parts, "demand"))
    _read_owners(cells, players, _part(parts, "owners"))
    reader = _DETAILS.get(cells[PHASE])
    if reader is not None:
        key, read = reader
        read(cells, _part(parts, key))
    cells[SUPPLY : SUPPLY + len(GOODS)] = [UNITS_OF_EACH_GOOD] * len(GOODS)
    for seat in range(players):
        _read_player(cells, f"p{seat}", PLAYERS + STRIDE * seat, _part(parts, f"p{seat}"))
        owned = cells[OWNER : OWNER + len(BUILDINGS)].count(seat)
        cells[PLAYERS + STRIDE * seat + MARKERS] = _MARKERS - owned
    if parts:
        raise InvalidPosition(
            f"The position has a part that does not belong: {next(iter(parts))}=."
        )
    return layout, players, cells


_NUMBERS: Final = {
    "turn": TURN,
    "active": ACTIVE,
    "ship": SHIP,
    "value": VALUE,
    "car": CAR,
    "seat": SEAT,
}


def _split(line: str) -> dict[str, str]:
    if len(line) > _LONGEST:
        raise InvalidPosition(f"A position has at most {_LONGEST} characters, not {len(line)}.")
    parts: dict[str, str] = {}
    for token in line.split():
        match = _TOKEN.fullmatch(token)
        if match is None or match[1] in parts:
            raise InvalidPosition(
                f"A position is made of key=value, each once; not {token[:40]!r}."
            )
        parts[match[1]] = match[2]
    return parts


def _part(parts: dict[str, str], key: str) -> str:
    try:
        return parts.pop(key)
    except KeyError:
        raise InvalidPosition(f"The position lacks {key}=.") from None


def _number(key: str, text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise InvalidPosition(
            f"In {key}= a number of at most nine digits is needed, not {text[:20]!r}."
        )
    return int(text)


def _index(names: tuple[str, ...], key: str, text: str) -> int:
    if text not in names:
        raise InvalidPosition(
            f"In {key}= stands {text[:20]!r}; it must be one of {', '.join(names)}."
        )
    return names.index(text)


def _names(text: str) -> list[str]:
    return [] if text == _NONE else text.split(",")


def _pairs(key: str, text: str) -> list[tuple[str, str]]:
    pairs = [name.partition(":") for name in _names(text)]
    if len({name for name, _, _ in pairs}) != len(pairs):
        raise InvalidPosition(f"In {key}= a name stands twice.")
    return [(name, value) for name, _, value in pairs]


def _read_layout(parts: dict[str, str]) -> Layout:
    tiles = _pairs("citizens", _part(parts, "citizens"))
    citizens = tuple(_index(CITIZENS, "citizens", name) for name, _ in tiles)
    flower = {name: _index(_FLOWER_NAMES, "citizens", colour) for name, colour in tiles}
    buildings = _names(_part(parts, "buildings"))
    spaces = tuple(_index(BUILDINGS, "buildings", name) for name in buildings)
    try:
        return Layout(citizens, spaces, tuple(flower[name] for name in CITIZENS if name in flower))
    except InvalidLayout as error:
        raise InvalidPosition(str(error)) from None


def _read_demand(cells: list[int], text: str) -> None:
    cells[EXCLUDED] = NO_DEMAND
    if text == _NONE:
        return
    wanted = _pairs("demand", text)
    goods = [_index(PLAIN_GOODS, "demand", name) for name, _ in wanted]
    if len(goods) != WOOD - 1:
        raise InvalidPosition("In demand= four goods are needed, or none.")
    for good, (_, units) in zip(goods, wanted, strict=True):
        cells[DEMAND + good] = _number("demand", units)
    cells[EXCLUDED] = sum(range(WOOD)) - sum(goods)


def _read_owners(cells: list[int], players: int, text: str) -> None:
    cells[OWNER : OWNER + len(BUILDINGS)] = [NOBODY] * len(BUILDINGS)
    for name, seat in _pairs("owners", text):
        owner = _number("owners", seat)
        if owner >= players:
            raise InvalidPosition(f"In owners= {name} belongs to seat {owner}, which nobody has.")
        cells[OWNER + _index(BUILDINGS, "owners", name)] = owner


def _read_round(cells: list[int], text: str) -> None:
    for seat in text.split(","):
        cells[ROUND] |= 1 << min(_number("round", seat), _MOST_SEATS)


def _read_function(cells: list[int], text: str) -> None:
    name, _, by = text.partition(":")
    cells[BUILDING] = _index(BUILDINGS, "function", name)
    cells[LAWYER] = _index(("", "lawyer"), "function", by)


def _read_dice(cells: list[int], text: str) -> None:
    dice = text.split(",")
    if len(dice) != WOOD:
        raise InvalidPosition("In dice= five numbers are needed.")
    cells[DEMAND : DEMAND + WOOD] = [_number("dice", die) for die in dice]


def _read_reason(cells: list[int], text: str) -> None:
    cells[REASON] = _index(REASONS[1:], "reason", text) + 1


_MOST_SEATS: Final = 4
_DETAILS: Final[dict[int, tuple[str, Callable[[list[int], str], None]]]] = {
    DELIVER: ("round", _read_round),
    FUNCTION: ("function", _read_function),
    DEMAND_CHOICE: ("dice", _read_dice),
    OVER: ("reason", _read_reason),
}


def _read_player(cells: list[int], key: str, base: int, text: str) -> None:
    fields = text.split("/")
    goods = fields[2].split(",") if len(fields) == 4 else []
    if len(goods) != len(GOODS):
        raise InvalidPosition(f"In {key}= pesos/VP/six goods/pawn are needed, not {text[:40]!r}.")
    cells[base + PESOS] = _number(key, fields[0])
    cells[base + VP] = _number(key, fields[1])
    for good, units in enumerate(goods):
        cells[base + HELD + good] = _number(key, units)
        cells[SUPPLY + good] -= cells[base + HELD + good]
    pawn = fields[3]
    cells[base + PAWN] = OFF_BOARD if pawn == _NONE else _index(BUILDINGS, key, pawn)
