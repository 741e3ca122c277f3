"""The view of a position as it goes over the wire.

An encoded message is its fields one after the other. So the parts of a view are encoded once,
looked up from then on and joined: from one decision to the next little of a table changes, and
building a message field by field costs several times as much.
"""

from functools import lru_cache
from typing import Final

from referee.messages import goods_message
from referee.rules import Position
from referee.rules import cells as at
from referee.rules.legal_moves import building_in_use
from referee.rules.pieces import BUILDINGS, CIGARS, CITIZENS
from referee.wire import game_pb2

_DEMAND: Final = slice(at.DEMAND, at.DEMAND + CIGARS + 1)
_SUPPLY: Final = slice(at.SUPPLY, at.SUPPLY + 6)
_OWNERS: Final = slice(at.OWNER, at.OWNER + len(BUILDINGS))
_BLOCKS: Final = tuple(slice(base, base + at.STRIDE) for base in at.PLAYER)


def encoded_view(position: Position) -> bytes:
    """What a seat may see (V1), the whole position, as an encoded View.

    Its fields stand in the order of their numbers.
    """
    cells = position.cells
    asked_for_demand = cells[at.PHASE] == at.DEMAND_CHOICE
    parts = [_ship(cells[at.SHIP], cells[at.VALUE])]
    if not asked_for_demand and cells[at.EXCLUDED] != at.NO_DEMAND:
        parts.append(_demand(tuple(cells[_DEMAND]), cells[at.EXCLUDED]))
    parts.append(_street(cells[at.CAR], cells[at.SILENCED]))
    parts.append(_supply(tuple(cells[_SUPPLY])))
    if cells[at.OWNED]:
        parts.append(_owners(tuple(cells[_OWNERS])))
    parts.append(_turn(cells[at.ACTIVE], cells[at.TURN]))
    parts.extend(_player(tuple(cells[block])) for block in _BLOCKS[: position.players])
    if asked_for_demand:
        parts.append(_dice(tuple(cells[_DEMAND])))
    elif cells[at.PHASE] == at.FUNCTION:
        parts.append(_function(building_in_use(cells), cells[at.LAWYER] != 0))
    elif cells[at.PHASE] == at.DELIVER:
        parts.append(_in_round(cells[at.ROUND]))
    return b"".join(parts)


@lru_cache(maxsize=64)
def _ship(ship: int, value: int) -> bytes:
    return game_pb2.View(ship=ship, value=value).SerializeToString()


@lru_cache(maxsize=4096)
def _demand(wanted: tuple[int, ...], excluded: int) -> bytes:
    """What the ship wants of each plain good, and the good that was excluded."""
    demand = game_pb2.Demand(
        wanted=goods_message(wanted),
        excluded=excluded + 1,  # type: ignore[arg-type]
    )
    return game_pb2.View(demand=demand).SerializeToString()


@lru_cache(maxsize=1024)
def _street(car: int, silenced: int) -> bytes:
    """The car's stop, and the silenced citizens as a bit mask."""
    view = game_pb2.View(car=car)
    view.silenced.extend(
        citizen + 1  # type: ignore[misc]
        for citizen in range(len(CITIZENS))
        if silenced >> citizen & 1
    )
    return view.SerializeToString()


@lru_cache(maxsize=4096)
def _supply(units: tuple[int, ...]) -> bytes:
    return game_pb2.View(supply=goods_message(units)).SerializeToString()


@lru_cache(maxsize=1024)
def _owners(owners: tuple[int, ...]) -> bytes:
    """The owned buildings, by the owner of each building."""
    owned = [
        game_pb2.Ownership(building=building + 1, seat=owner)  # type: ignore[arg-type]
        for building, owner in enumerate(owners)
        if owner != at.NOBODY
    ]
    return game_pb2.View(owners=owned).SerializeToString()


@lru_cache(maxsize=2048)
def _turn(active: int, turn: int) -> bytes:
    return game_pb2.View(active=active, turn=turn).SerializeToString()


@lru_cache(maxsize=4096)
def _player(block: tuple[int, ...]) -> bytes:
    """A player by the cells of its block."""
    pawn = block[at.PAWN]
    player = game_pb2.Player(
        pesos=block[at.PESOS],
        vp=block[at.VP],
        goods=goods_message(block[at.HELD : at.HELD + 6]),
        pawn=0 if pawn == at.OFF_BOARD else pawn + 1,  # type: ignore[arg-type]
        markers=block[at.MARKERS],
    )
    return game_pb2.View(players=[player]).SerializeToString()


@lru_cache(maxsize=4096)
def _dice(faces: tuple[int, ...]) -> bytes:
    """The roll while a good is to be excluded from it."""
    return game_pb2.View(dice=goods_message(faces)).SerializeToString()


@lru_cache(maxsize=64)
def _function(building: int, through_alonso: bool) -> bytes:
    """The building that is used, and whether the pawn's visit comes only after that."""
    view = game_pb2.View(
        function=building + 1,  # type: ignore[arg-type]
        through_alonso=through_alonso,
    )
    return view.SerializeToString()


@lru_cache(maxsize=16)
def _in_round(seats: int) -> bytes:
    """Who has not passed in this delivery round, from a bit mask of seats."""
    view = game_pb2.View(in_round=[seat for seat in range(len(_BLOCKS)) if seats >> seat & 1])
    return view.SerializeToString()
