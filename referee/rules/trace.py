"""The trace of a game: JSON objects in play order, exactly as docs/notation.md lays down.

A function for each kind of line, for the STATE within a line, and for the changes from one STATE to
another. A trace is for readers and checkers; to go on from a position, use its text.
"""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Final

from referee.rules import cells as at, pieces
from referee.rules.cells import GameState, Layout
from referee.rules.moves import Move, move_text
from referee.rules.position import Position
from referee.rules.scoring import Outcome

Line = dict[str, Any]
Change = dict[str, Any]
"""`what` changed, for whom (`seat`, None for the table), `by` how much or `from` what `to` what."""

ABSENT: Final = "absent"
"""The code of a fault: the seat's bot did not appear."""
_COUNTED: Final = ("pesos", "vp", "markers")
_TABLE: Final = ("car", "value", "ship", "turn", "active")


def setup_line(layout: Layout, players: int, seed: str | None = None) -> Line:
    """Return the first line: the board as laid out, and the seed in hex if it may be known."""
    return {
        "type": "setup",
        "players": players,
        "citizens": [pieces.CITIZENS[c] for c in layout.citizens],
        "buildings": [pieces.BUILDINGS[b] for b in layout.buildings],
        "space_flowers": [pieces.FLOWERS[flower] for flower in pieces.SPACE_FLOWERS],
        "citizen_flowers": {
            name: None if flower == pieces.NO_FLOWER else pieces.FLOWERS[flower]
            for name, flower in zip(pieces.CITIZENS, layout.citizen_flowers, strict=True)
        },
        "seed": seed,
    }


def roll_line(seat: int, dice: tuple[int, ...]) -> Line:
    """Return the line of a roll of five dice by a seat."""
    return {"type": "roll", "seat": seat, "dice": dict(zip(pieces.PLAIN_GOODS, dice, strict=True))}


def decision_line(position: Position, chosen: Move) -> Line:
    """Return the line of the decision that stands in a position, and of the move chosen."""
    return {
        "type": "decision",
        "seat": position.seat,
        "kind": position.kind,
        "legal": position.legal_texts(),
        "chosen": move_text(chosen),
        "state": state_json(position),
    }


def is_asked(position: Position, seat: int) -> bool:
    """Return True if a decision of this seat is open."""
    return position.seat == seat and len(position.legal_moves) > 1


def fault_line(position: Position, seat: int, code: str) -> Line:
    """Return the line of a bot's fault at `seat`; `code` is its word, such as `timeout`."""
    asked = is_asked(position, seat)
    return {
        "type": "fault",
        "seat": seat,
        "code": code,
        "kind": position.kind if asked else None,
        "legal": position.legal_texts() if asked else None,
        "state": state_json(position),
    }


def result_line(position: Position, outcome: Outcome) -> Line:
    """Return the last line of a game that was played to its end."""
    return {
        "type": "result",
        "reason": outcome.reason.value,
        "state": state_json(position),
        "scores": [asdict(score) for score in outcome.scores],
    }


def state_json(state: GameState) -> Line:
    """Return STATE, the whole position as a reader sees it."""
    return cells_json(state.cells)


def cells_json(cells: list[int]) -> Line:
    """Return STATE from the cells of a position alone."""
    return {
        "ship": cells[at.SHIP],
        "value": cells[at.VALUE],
        "demand": {}
        if cells[at.EXCLUDED] == at.NO_DEMAND
        else {
            name: cells[at.DEMAND + good]
            for good, name in enumerate(pieces.PLAIN_GOODS)
            if good != cells[at.EXCLUDED]
        },
        "car": cells[at.CAR],
        "silenced": [name for c, name in enumerate(pieces.CITIZENS) if cells[at.SILENCED] >> c & 1],
        "supply": _by_good(cells, at.SUPPLY),
        "owners": {
            name: cells[at.OWNER + b]
            for b, name in enumerate(pieces.BUILDINGS)
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
        "goods": _by_good(cells, base + at.HELD),
        "pawn": None if pawn == at.OFF_BOARD else pieces.BUILDINGS[pawn],
        "markers": cells[base + at.MARKERS],
    }


def _by_good(cells: list[int], first: int) -> dict[str, int]:
    return dict(zip(pieces.GOODS, cells[first : first + len(pieces.GOODS)], strict=True))


def changes(before: Line, after: Line) -> list[Change]:
    """Return the changes from one STATE of the notation to another of the same game."""
    happened: list[Change] = []  # most parts are equal and need no closer look
    for seat, (old, new) in enumerate(zip(before["players"], after["players"], strict=True)):
        if old != new:
            happened += _of_player(seat, old, new)
    for field in _TABLE:
        if before[field] != after[field]:
            happened += _moved(None, field, before[field], after[field])
    for part, changes_of in _OF_PART.items():
        if before[part] != after[part]:
            happened += changes_of(before[part], after[part])
    return happened


def _of_demand(before: Line, after: Line) -> list[Change]:
    found: list[Change] = []
    for good in {**before, **after}:
        found += _moved(None, f"demand:{good}", before.get(good), after.get(good))
    return found


def _of_silenced(before: list[str], after: list[str]) -> list[Change]:
    found: list[Change] = []
    for citizen in dict.fromkeys((*before, *after)):
        found += _moved(None, f"silenced:{citizen}", citizen in before, citizen in after)
    return found


def _of_owners(before: Line, after: Line) -> list[Change]:
    found: list[Change] = []
    for building, owner in after.items():
        found += _moved(None, f"owner:{building}", before.get(building), owner)
    return found


def _of_player(seat: int, old: Line, new: Line) -> list[Change]:
    counts = [(field, old[field], new[field]) for field in _COUNTED]
    counts += [(good, held, new["goods"][good]) for good, held in old["goods"].items()]
    gained = [
        {"seat": seat, "what": field, "by": now - was} for field, was, now in counts if was != now
    ]
    return gained + _moved(seat, "pawn", old["pawn"], new["pawn"])


def _moved(seat: int | None, field: str, was: object, is_now: object) -> list[Change]:
    return [] if was == is_now else [{"seat": seat, "what": field, "from": was, "to": is_now}]


_OF_PART: Final[dict[str, Callable[[Any, Any], list[Change]]]] = {
    "demand": _of_demand,
    "silenced": _of_silenced,
    "owners": _of_owners,
}
