"""The trace of a game: JSON objects, in play order, exactly as the notation page lays down.

Each function returns one line as a dict. A trace is for readers and checkers; to go on from a
position there is its own text.
"""

from typing import Any

from referee.rules import cells as at
from referee.rules.layout import Layout
from referee.rules.moves import Move, move_text
from referee.rules.pieces import (
    BUILDINGS,
    CITIZENS,
    FLOWERS,
    GOODS,
    NO_FLOWER,
    PLAIN_GOODS,
    SPACE_FLOWERS,
)
from referee.rules.position import Position
from referee.rules.scoring import Outcome
from referee.rules.state import State

Line = dict[str, Any]


def setup_line(layout: Layout, players: int, seed: str | None = None) -> Line:
    """The first line: the board as it was laid out; `seed` in hex where it may be known."""
    return {
        "type": "setup",
        "players": players,
        "citizens": [CITIZENS[c] for c in layout.citizens],
        "buildings": [BUILDINGS[b] for b in layout.buildings],
        "space_flowers": [FLOWERS[flower] for flower in SPACE_FLOWERS],
        "citizen_flowers": {
            name: None if flower == NO_FLOWER else FLOWERS[flower]
            for name, flower in zip(CITIZENS, layout.citizen_flowers, strict=True)
        },
        "seed": seed,
    }


def roll_line(seat: int, dice: tuple[int, ...]) -> Line:
    """A roll of five dice by a seat."""
    return {"type": "roll", "seat": seat, "dice": dict(zip(PLAIN_GOODS, dice, strict=True))}


def decision_line(position: Position, chosen: Move) -> Line:
    """The decision that stands in a position, and what was chosen."""
    return {
        "type": "decision",
        "seat": position.seat,
        "kind": position.kind,
        "legal": position.legal_texts(),
        "chosen": move_text(chosen),
        "state": state_json(position),
    }


def result_line(position: Position, outcome: Outcome) -> Line:
    """The last line of a game that was played to its end."""
    return {
        "type": "result",
        "reason": outcome.reason.value,
        "state": state_json(position),
        "scores": [
            {
                "seat": score.seat,
                "vp": score.vp,
                "leftover": score.leftover,
                "pesos": score.pesos,
                "rank": score.rank,
            }
            for score in outcome.scores
        ],
    }


def state_json(state: State) -> Line:
    """STATE: the whole position as a reader sees it."""
    return cells_json(state.cells)


def cells_json(cells: list[int]) -> Line:
    """The same from the cells alone."""
    return {
        "ship": cells[at.SHIP],
        "value": cells[at.VALUE],
        "demand": {}
        if cells[at.EXCLUDED] == at.NO_DEMAND
        else {
            name: cells[at.DEMAND + good]
            for good, name in enumerate(PLAIN_GOODS)
            if good != cells[at.EXCLUDED]
        },
        "car": cells[at.CAR],
        "silenced": [name for c, name in enumerate(CITIZENS) if cells[at.SILENCED] >> c & 1],
        "supply": dict(zip(GOODS, cells[at.SUPPLY : at.SUPPLY + len(GOODS)], strict=True)),
        "owners": {
            name: cells[at.OWNER + b]
            for b, name in enumerate(BUILDINGS)
            if cells[at.OWNER + b] != at.NOBODY
        },
        "active": cells[at.ACTIVE],
        "turn": cells[at.TURN],
        "players": [_player_json(cells, base) for base in range(at.PLAYERS, len(cells), at.STRIDE)],
    }


def _player_json(cells: list[int], base: int) -> Line:
    pawn = cells[base + at.PAWN]
    return {
        "pesos": cells[base + at.PESOS],
        "vp": cells[base + at.VP],
        "goods": dict(zip(GOODS, cells[base + at.HELD : base + at.HELD + len(GOODS)], strict=True)),
        "pawn": None if pawn == at.OFF_BOARD else BUILDINGS[pawn],
        "markers": cells[base + at.MARKERS],
    }
