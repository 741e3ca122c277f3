"""The game as messages of the wire: board, position, dice, scores.

A piece's number on the wire is its number in the rules plus one, since 0 means "not set" there.
"""

from collections.abc import Sequence

from referee.clock import Clock
from referee.rules import Layout, Position, Score
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
    SPACE_FLOWERS,
)
from referee.wire import game_pb2


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
        start_up_ms=round(clock.start_up * 1000),
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
    _show_dice(view, cells)
    return view


def _show_dice(view: game_pb2.View, cells: list[int]) -> None:
    """The roll while a good is to be excluded from it, then the demand."""
    if cells[PHASE] == DEMAND_CHOICE:
        view.dice.CopyFrom(goods_message(cells[DEMAND : DEMAND + 5]))
    elif cells[EXCLUDED] != NO_DEMAND:
        view.demand.wanted.CopyFrom(goods_message(cells[DEMAND : DEMAND + 5]))
        view.demand.excluded = cells[EXCLUDED] + 1  # type: ignore[assignment]


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
