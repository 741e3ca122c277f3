"""The game as messages of the wire: board, position, moves, dice, scores.

A piece's number on the wire is its number in the rules plus one, since 0 means "not set" there.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from referee.clock import Clock
from referee.rules import Layout, Move, Position, Score, move_text
from referee.rules import moves as verbs
from referee.rules.cells import (
    ACTIVE,
    CAR,
    DEMAND,
    DEMAND_CHOICE,
    EXCLUDED,
    HELD,
    MARKERS,
    NO_DEMAND,
    NOBODY,
    OFF_BOARD,
    OWNER,
    PAWN,
    PESOS,
    PHASE,
    PLAYERS,
    SHIP,
    SILENCED,
    STRIDE,
    SUPPLY,
    TURN,
    VALUE,
    VP,
)
from referee.rules.pieces import (
    BUILDINGS,
    CIGARS,
    CITIZENS,
    NO_FLOWER,
    RUM,
    SPACE_FLOWERS,
)
from referee.wire import game_pb2

_CITIZEN_VERBS: Final = (verbs.SILENCES,)
_BUILDING_VERBS: Final = (verbs.OWNS, verbs.USES, verbs.VISITS)
_GOOD_VERBS: Final = (verbs.TAKES, verbs.CLEARS, verbs.SHIPS_ONE, verbs.EXCLUDES)
_COUNT_VERBS: Final = (verbs.DRIVES, verbs.CONVERTS, verbs.BUYS, verbs.SELLS)


def setup_message(layout: Layout) -> game_pb2.Setup:
    """The board."""
    return game_pb2.Setup(
        citizens=[citizen + 1 for citizen in layout.citizens],  # type: ignore[misc]
        buildings=[building + 1 for building in layout.buildings],  # type: ignore[misc]
        space_flowers=[flower + 1 for flower in SPACE_FLOWERS],  # type: ignore[misc]
        citizen_flowers=[_flower(flower) for flower in layout.citizen_flowers],  # type: ignore[misc]
    )


def _flower(flower: int) -> int:
    return 0 if flower == NO_FLOWER else flower + 1


def layout_of(setup: game_pb2.Setup) -> Layout:
    """The inverse of `setup_message`. Raises InvalidLayout."""
    return Layout(
        tuple(citizen - 1 for citizen in setup.citizens),
        tuple(building - 1 for building in setup.buildings),
        tuple(NO_FLOWER if flower == 0 else flower - 1 for flower in setup.citizen_flowers),
    )


def clock_message(clock: Clock) -> game_pb2.Clock:
    """The clock, in milliseconds."""
    return game_pb2.Clock(
        move_limit_ms=round(clock.move_limit * 1000),
        bank_ms=round(clock.bank * 1000),
        increment_ms=round(clock.increment * 1000),
    )


def goods_message(units: Sequence[int]) -> game_pb2.Goods:
    """Units by good, wood last; wood may be left out."""
    return game_pb2.Goods(
        sugar=units[0],
        citrus=units[1],
        tobacco=units[2],
        rum=units[3],
        cigars=units[4],
        wood=units[5] if len(units) > CIGARS + 1 else 0,
    )


def dice_of(goods: game_pb2.Goods) -> tuple[int, ...]:
    """The five dice of a roll, by plain good."""
    return goods.sugar, goods.citrus, goods.tobacco, goods.rum, goods.cigars


@lru_cache(maxsize=4096)
def move_message(move: Move) -> game_pb2.Move:
    """A move in its three forms. The message is shared: it must not be changed."""
    verb, argument = move & verbs.VERB_MASK, move >> verbs.VERB_BITS
    return game_pb2.Move(
        action=move,
        text=move_text(move),
        verb=verb,  # type: ignore[arg-type]  # the same numbers
        **_arguments(verb, argument),
    )


def _arguments(verb: int, argument: int) -> dict[str, Any]:
    if verb in _COUNT_VERBS:
        return {"count": argument}
    if verb in _GOOD_VERBS:
        return {"good": argument + 1}
    if verb in _BUILDING_VERBS:
        return {"building": argument + 1}
    if verb in _CITIZEN_VERBS:
        return {"citizen": argument + 1}
    if verb == verbs.GIVES:
        return _gift(argument)
    if verb == verbs.SWAPS:
        return {"good": (argument >> 3) + 1, "other_good": (argument & 7) + 1}
    if verb in (verbs.DELIVERS, verbs.DELIVERS_WOOD):
        return {"count": argument >> 3, "good": (argument & 7) + 1}
    if verb == verbs.SERVES:
        return _served(argument)
    return {}


def _gift(argument: int) -> dict[str, Any]:
    if argument == verbs.GIFT_PESO:
        return {"gift": game_pb2.GIFT_PESO}
    if argument == verbs.GIFT_VP:
        return {"gift": game_pb2.GIFT_VP}
    return {"good": argument + 1}


def _served(argument: int) -> dict[str, Any]:
    if argument == verbs.SERVE_RUM | verbs.SERVE_CIGARS:
        return {"good": RUM + 1, "other_good": CIGARS + 1}
    return {"good": RUM + 1 if argument == verbs.SERVE_RUM else CIGARS + 1}


def view_message(position: Position) -> game_pb2.View:
    """What a seat may see (V1): the whole position."""
    cells = position.cells
    view = game_pb2.View(
        ship=cells[SHIP],
        value=cells[VALUE],
        car=cells[CAR],
        supply=goods_message(cells[SUPPLY : SUPPLY + 6]),
        active=cells[ACTIVE],
        turn=cells[TURN],
        players=[
            _player_message(cells, PLAYERS + STRIDE * seat) for seat in range(position.players)
        ],
    )
    if cells[SILENCED]:
        view.silenced.extend(
            citizen + 1  # type: ignore[misc]
            for citizen in range(len(CITIZENS))
            if cells[SILENCED] >> citizen & 1
        )
    for building in range(len(BUILDINGS)):
        if cells[OWNER + building] != NOBODY:
            view.owners.add(building=building + 1, seat=cells[OWNER + building])
    if cells[PHASE] == DEMAND_CHOICE:
        view.dice.CopyFrom(goods_message(cells[DEMAND : DEMAND + 5]))
    elif cells[EXCLUDED] != NO_DEMAND:
        view.demand.wanted.CopyFrom(goods_message(cells[DEMAND : DEMAND + 5]))
        view.demand.excluded = cells[EXCLUDED] + 1  # type: ignore[assignment]
    return view


def _player_message(cells: list[int], base: int) -> game_pb2.Player:
    pawn = cells[base + PAWN]
    return game_pb2.Player(
        pesos=cells[base + PESOS],
        vp=cells[base + VP],
        goods=goods_message(cells[base + HELD : base + HELD + 6]),
        pawn=0 if pawn == OFF_BOARD else pawn + 1,  # type: ignore[arg-type]
        markers=cells[base + MARKERS],
    )


def score_message(score: Score) -> game_pb2.Score:
    """A seat's score by the rules."""
    return game_pb2.Score(
        seat=score.seat,
        vp=score.vp,
        leftover=score.leftover,
        pesos=score.pesos,
        rank=score.rank,
    )
