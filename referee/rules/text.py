"""A position as one line of text, complete enough to go on from. parsing.py reads it.

    citizens=maria:red,... buildings=bank,... turn=14 active=1 ship=2 value=3 car=4 silenced=none
    demand=sugar:1,citrus:2,rum:0,cigars:3 owners=bank:0,cafe:2 phase=deliver seat=2 round=0,2
    p0=3/2/1,0,2,0,0,1/cafe p1=...

`citizens` stand in the order of the stops, `buildings` in that of the spaces. A player is pesos/
VP/units by good/pawn. `round`, `function`, `dice` and `reason` stand only in the phases that need
them. The supply and the markers are not written: they are what the players do not have.
"""

from collections.abc import Iterable
from typing import Final

from referee.rules import cells as at
from referee.rules.options import building_in_use
from referee.rules.pieces import (
    BUILDINGS,
    CITIZENS,
    FLOWERS,
    GOODS,
    PLAIN_GOODS,
    WOOD,
)
from referee.rules.state import State

NONE: Final = "none"
FLOWER_NAMES: Final = (*FLOWERS, NONE)


def show(state: State) -> str:
    """The position as one line."""
    cells, layout = state.cells, state.layout
    flowers = layout.citizen_flowers
    tokens = [
        "citizens="
        + ",".join(f"{CITIZENS[c]}:{FLOWER_NAMES[flowers[c]]}" for c in layout.citizens),
        "buildings=" + ",".join(BUILDINGS[b] for b in layout.buildings),
        f"turn={cells[at.TURN]} active={cells[at.ACTIVE]} ship={cells[at.SHIP]}",
        f"value={cells[at.VALUE]} car={cells[at.CAR]}",
        "silenced=" + _listed(n for c, n in enumerate(CITIZENS) if cells[at.SILENCED] >> c & 1),
        "demand=" + _demand(cells),
        "owners="
        + _listed(
            f"{name}:{cells[at.OWNER + b]}"
            for b, name in enumerate(BUILDINGS)
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
        for good, name in enumerate(PLAIN_GOODS)
        if good != cells[at.EXCLUDED]
    )


def _details(cells: list[int], players: int) -> list[str]:
    phase = cells[at.PHASE]
    if phase == at.DELIVER:
        seats = (str(seat) for seat in range(players) if cells[at.ROUND] >> seat & 1)
        return ["round=" + ",".join(seats)]
    if phase == at.FUNCTION:
        by = ":lawyer" if cells[at.LAWYER] else ""
        return [f"function={BUILDINGS[building_in_use(cells)]}{by}"]
    if phase == at.DEMAND_CHOICE:
        return ["dice=" + ",".join(map(str, cells[at.DEMAND : at.DEMAND + WOOD]))]
    if phase == at.OVER:
        return [f"reason={at.REASONS[cells[at.REASON]]}"]
    return []


def _player(cells: list[int], base: int) -> str:
    goods = ",".join(map(str, cells[base + at.HELD : base + at.HELD + len(GOODS)]))
    pawn = cells[base + at.PAWN]
    on = NONE if pawn == at.OFF_BOARD else BUILDINGS[pawn]
    return f"{cells[base + at.PESOS]}/{cells[base + at.VP]}/{goods}/{on}"
