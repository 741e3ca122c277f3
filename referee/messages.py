"""The game as messages of the wire: board, dice, scores.

A piece's number on the wire is its number in the rules plus one, since 0 means "not set" there.
"""

from functools import lru_cache

from referee.clock import Clock
from referee.rules import Layout, Score
from referee.rules.pieces import CIGARS, NO_FLOWER, SPACE_FLOWERS
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


def score_message(score: Score) -> game_pb2.Score:
    """A seat's score by the rules."""
    return game_pb2.Score(
        seat=score.seat,
        vp=score.vp,
        leftover=score.leftover,
        pesos=score.pesos,
        rank=score.rank,
    )
