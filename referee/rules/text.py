"""A position as one line of text, written and read: complete enough to go on from.

    citizens=maria:red,... buildings=bank,... turn=14 active=1 ship=2 value=3 car=4 silenced=none
    demand=sugar:1,citrus:2,rum:0,cigars:3 owners=bank:0,cafe:2 phase=deliver seat=2 round=0,2
    p0=3/2/1,0,2,0,0,1/cafe p1=...

`citizens` stand in the order of the stops, `buildings` in that of the spaces. A player is pesos/
VP/units by good/pawn. `round`, `function`, `dice` and `reason` stand only in the phases that need
them. The supply and the markers are not written: they follow from what the players have.
"""

import re
from collections.abc import Callable, Iterable
from typing import Final

from referee.rules import cells as at, pieces
from referee.rules.cells import GameState, Layout, empty_cells
from referee.rules.errors import InvalidLayout, InvalidPosition
from referee.rules.legal_moves import building_in_use

NONE: Final = "none"
FLOWER_NAMES: Final = (*pieces.FLOWERS, NONE)


def show(state: GameState) -> str:
    """Write a position as one line."""
    cells, layout = state.cells, state.layout
    flowers = layout.citizen_flowers
    tokens = [
        "citizens="
        + ",".join(f"{pieces.CITIZENS[c]}:{FLOWER_NAMES[flowers[c]]}" for c in layout.citizens),
        "buildings=" + ",".join(pieces.BUILDINGS[b] for b in layout.buildings),
        f"turn={cells[at.TURN]} active={cells[at.ACTIVE]} ship={cells[at.SHIP]}",
        f"value={cells[at.VALUE]} car={cells[at.CAR]}",
        "silenced="
        + _listed(n for c, n in enumerate(pieces.CITIZENS) if cells[at.SILENCED] >> c & 1),
        "demand=" + _demand(cells),
        "owners="
        + _listed(
            f"{name}:{cells[at.OWNER + b]}"
            for b, name in enumerate(pieces.BUILDINGS)
            if cells[at.OWNER + b] != at.NOBODY
        ),
        f"phase={at.PHASES[cells[at.PHASE]]} seat={cells[at.SEAT]}",
        *_details(cells, state.players),
    ]
    tokens += [f"p{seat}={_player(cells, at.PLAYER[seat])}" for seat in range(state.players)]
    return " ".join(tokens)


def _listed(names: Iterable[str]) -> str:
    return ",".join(names) or NONE


def _demand(cells: list[int]) -> str:
    if cells[at.EXCLUDED] == at.NO_DEMAND:
        return NONE
    return ",".join(
        f"{name}:{cells[at.DEMAND + good]}"
        for good, name in enumerate(pieces.PLAIN_GOODS)
        if good != cells[at.EXCLUDED]
    )


def _details(cells: list[int], players: int) -> list[str]:
    phase = cells[at.PHASE]
    if phase == at.DELIVER:
        seats = (str(seat) for seat in range(players) if cells[at.ROUND] >> seat & 1)
        return ["round=" + ",".join(seats)]
    if phase == at.FUNCTION:
        by = ":lawyer" if cells[at.LAWYER] else ""
        return [f"function={pieces.BUILDINGS[building_in_use(cells)]}{by}"]
    if phase == at.DEMAND_CHOICE:
        return ["dice=" + ",".join(map(str, cells[at.DEMAND : at.DEMAND + pieces.WOOD]))]
    if phase == at.OVER:
        return [f"reason={at.REASONS[cells[at.REASON]]}"]
    return []


def _player(cells: list[int], base: int) -> str:
    goods = ",".join(map(str, cells[base + at.HELD : base + at.HELD + len(pieces.GOODS)]))
    pawn = cells[base + at.PAWN]
    on = NONE if pawn == at.OFF_BOARD else pieces.BUILDINGS[pawn]
    return f"{cells[base + at.PESOS]}/{cells[base + at.VP]}/{goods}/{on}"


NOT_IN_USE: Final = "function= is not the building where the pawn stands or that the lawyer uses."
_LONGEST: Final = 2000
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,4}")
_TOKEN: Final = re.compile(r"([a-z0-9]+)=(\S+)")


def parse(line: str) -> tuple[Layout, int, list[int]]:
    """Read layout, number of players and cells from a line; the caller checks that they fit.

    Raises InvalidPosition, which names the part that cannot be read.
    """
    parts = _split(line)
    layout = _read_layout(parts)
    players = sum(1 for seat in range(pieces.MAX_PLAYERS) if f"p{seat}" in parts)
    cells = empty_cells(players)
    for key, cell in _NUMBERS.items():
        cells[cell] = _number(key, _part(parts, key))
    cells[at.PHASE] = _index(at.PHASES, "phase", _part(parts, "phase"))
    for name in _names("silenced", _part(parts, "silenced")):
        cells[at.SILENCED] |= 1 << _index(pieces.CITIZENS, "silenced", name)
    _read_demand(cells, _part(parts, "demand"))
    _read_owners(cells, players, _part(parts, "owners"))
    for seat in range(players):
        _read_player(cells, f"p{seat}", at.PLAYER[seat], _part(parts, f"p{seat}"))
        cells[at.OCCUPIED] |= layout.space_bit[cells[at.PLAYER[seat] + at.PAWN]]
        owned = cells[at.OWNER : at.OWNER + len(pieces.BUILDINGS)].count(seat)
        cells[at.PLAYER[seat] + at.MARKERS] = at.OWNERSHIP_MARKERS - owned
    reader = _DETAILS.get(cells[at.PHASE])
    if reader is not None:
        key, read = reader
        read(cells, _part(parts, key))
    if parts:
        raise InvalidPosition(
            f"The position has a part that does not belong: {next(iter(parts))}=."
        )
    return layout, players, cells


_NUMBERS: Final = {
    "turn": at.TURN,
    "active": at.ACTIVE,
    "ship": at.SHIP,
    "value": at.VALUE,
    "car": at.CAR,
    "seat": at.SEAT,
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
            f"In {key}= a number of at most five digits is needed, not {text[:20]!r}."
        )
    return int(text)


def _index(names: tuple[str, ...], key: str, text: str) -> int:
    if text not in names:
        raise InvalidPosition(
            f"In {key}= stands {text[:20]!r}; it must be one of {', '.join(names)}."
        )
    return names.index(text)


def _names(key: str, text: str) -> list[str]:
    names = [] if text == NONE else text.split(",")
    if len(set(names)) != len(names):
        raise InvalidPosition(f"In {key}= a name stands twice.")
    return names


def _pairs(key: str, text: str) -> list[tuple[str, str]]:
    pairs = [name.partition(":") for name in _names(key, text)]
    if len({name for name, _, _ in pairs}) != len(pairs):
        raise InvalidPosition(f"In {key}= a name stands twice.")
    return [(name, value) for name, _, value in pairs]


def _read_layout(parts: dict[str, str]) -> Layout:
    tiles = _pairs("citizens", _part(parts, "citizens"))
    citizens = tuple(_index(pieces.CITIZENS, "citizens", name) for name, _ in tiles)
    flower = {name: _index(FLOWER_NAMES, "citizens", colour) for name, colour in tiles}
    buildings = _names("buildings", _part(parts, "buildings"))
    spaces = tuple(_index(pieces.BUILDINGS, "buildings", name) for name in buildings)
    try:
        return Layout(
            citizens, spaces, tuple(flower[name] for name in pieces.CITIZENS if name in flower)
        )
    except InvalidLayout as error:
        raise InvalidPosition(str(error)) from None


def _read_demand(cells: list[int], text: str) -> None:
    if text == NONE:
        return
    pairs = _pairs("demand", text)
    goods = [_index(pieces.PLAIN_GOODS, "demand", name) for name, _ in pairs]
    if len(goods) != pieces.WOOD - 1:
        raise InvalidPosition("In demand= four goods are needed, or none.")
    for good, (_, units) in zip(goods, pairs, strict=True):
        cells[at.DEMAND + good] = _number("demand", units)
    cells[at.EXCLUDED] = sum(range(pieces.WOOD)) - sum(goods)


def _read_owners(cells: list[int], players: int, text: str) -> None:
    for name, seat in _pairs("owners", text):
        owner = _number("owners", seat)
        if owner >= players:
            raise InvalidPosition(f"In owners= {name} belongs to seat {owner}, which nobody has.")
        building = _index(pieces.BUILDINGS, "owners", name)
        cells[at.OWNER + building] = owner
        cells[at.OWNED] |= at.BIT[building]


def _read_round(cells: list[int], text: str) -> None:
    for seat in _names("round", text):
        cells[at.ROUND] |= 1 << min(_number("round", seat), pieces.MAX_PLAYERS)


def _read_function(cells: list[int], text: str) -> None:
    name, _, by = text.partition(":")
    building = _index(pieces.BUILDINGS, "function", name)
    pawns = cells[at.PLAYERS + at.PAWN :: at.STRIDE]
    if _index(("", "lawyer"), "function", by):
        cells[at.LAWYER] = building + 1
    elif cells[at.ACTIVE] >= len(pawns) or pawns[cells[at.ACTIVE]] != building:
        raise InvalidPosition(NOT_IN_USE)


def _read_dice(cells: list[int], text: str) -> None:
    dice = text.split(",")
    if len(dice) != pieces.WOOD:
        raise InvalidPosition("In dice= five numbers are needed.")
    cells[at.DEMAND : at.DEMAND + pieces.WOOD] = [_number("dice", die) for die in dice]


def _read_reason(cells: list[int], text: str) -> None:
    cells[at.REASON] = _index(at.REASONS[1:], "reason", text) + 1


_DETAILS: Final[dict[int, tuple[str, Callable[[list[int], str], None]]]] = {
    at.DELIVER: ("round", _read_round),
    at.FUNCTION: ("function", _read_function),
    at.DEMAND_CHOICE: ("dice", _read_dice),
    at.OVER: ("reason", _read_reason),
}


def _read_player(cells: list[int], key: str, base: int, text: str) -> None:
    fields = text.split("/")
    goods = fields[2].split(",") if len(fields) == 4 else []
    if len(goods) != len(pieces.GOODS):
        raise InvalidPosition(f"In {key}= pesos/VP/six goods/pawn are needed, not {text[:40]!r}.")
    cells[base + at.PESOS] = _number(key, fields[0])
    cells[base + at.VP] = _number(key, fields[1])
    for good, units in enumerate(goods):
        cells[base + at.HELD + good] = _number(key, units)
        cells[at.SUPPLY + good] -= cells[base + at.HELD + good]
    pawn = fields[3]
    cells[base + at.PAWN] = at.OFF_BOARD if pawn == NONE else _index(pieces.BUILDINGS, key, pawn)
