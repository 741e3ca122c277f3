"""The game as messages of the wire: board, position, dice, scores.

A piece's number on the wire is its number in the rules plus one, since 0 means "not set" there.
"""

from functools import lru_cache

from referee.clock import Clock
from referee.rules import Layout, Position, Score
from referee.rules import cells as at
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


@lru_cache(maxsize=4096)
def goods_message(units: tuple[int, ...]) -> game_pb2.Goods:
    """Units by good, wood last; wood may be left out. Shared: not to be changed."""
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
    """What a seat may see (V1): the whole position.

    Its parts are looked up where they were built before: from one decision to the next little of
    a table changes, and building a message costs more than copying it.
    """
    cells = position.cells
    players = (at.PLAYER[seat] for seat in range(position.players))
    view = game_pb2.View(
        ship=cells[at.SHIP],
        value=cells[at.VALUE],
        car=cells[at.CAR],
        supply=goods_message(tuple(cells[at.SUPPLY : at.SUPPLY + 6])),
        active=cells[at.ACTIVE],
        turn=cells[at.TURN],
        players=[_player_message(tuple(cells[base : base + at.STRIDE])) for base in players],
    )
    if cells[at.SILENCED]:
        view.silenced.extend(
            citizen + 1  # type: ignore[misc]
            for citizen in range(len(CITIZENS))
            if cells[at.SILENCED] >> citizen & 1
        )
    if cells[at.OWNED]:
        view.owners.extend(_ownership_messages(tuple(cells[at.OWNER : at.OWNER + len(BUILDINGS)])))
    _show_dice(view, cells)
    return view


def _show_dice(view: game_pb2.View, cells: list[int]) -> None:
    """The roll while a good is to be excluded from it, then the demand."""
    dice = tuple(cells[at.DEMAND : at.DEMAND + CIGARS + 1])
    if cells[at.PHASE] == at.DEMAND_CHOICE:
        view.dice.CopyFrom(goods_message(dice))
    elif cells[at.EXCLUDED] != at.NO_DEMAND:
        view.demand.wanted.CopyFrom(goods_message(dice))
        view.demand.excluded = cells[at.EXCLUDED] + 1  # type: ignore[assignment]


@lru_cache(maxsize=4096)
def _player_message(block: tuple[int, ...]) -> game_pb2.Player:
    """A player by the cells of its block."""
    pawn = block[at.PAWN]
    return game_pb2.Player(
        pesos=block[at.PESOS],
        vp=block[at.VP],
        goods=goods_message(block[at.HELD : at.HELD + 6]),
        pawn=0 if pawn == at.OFF_BOARD else pawn + 1,  # type: ignore[arg-type]
        markers=block[at.MARKERS],
    )


@lru_cache(maxsize=1024)
def _ownership_messages(owners: tuple[int, ...]) -> tuple[game_pb2.Ownership, ...]:
    """The owned buildings, by the owner of each building."""
    return tuple(
        game_pb2.Ownership(building=building + 1, seat=owner)  # type: ignore[arg-type]
        for building, owner in enumerate(owners)
        if owner != at.NOBODY
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
