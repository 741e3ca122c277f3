"""The observation: all that the players can see (V1), as one vector of numbers.

It is seen by a seat: wherever something is told by seat, the seat itself comes first and the others
follow clockwise. There is room for four; what belongs to seats that nobody has is 0. The vector is
the same for two, three and four players, so that one network can play them all.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from referee.rules import Position
from referee.rules.cells import LAWYER, OWNERSHIP_MARKERS, PHASES, ROLL
from referee.rules.pieces import (
    BUILDINGS,
    CITIZENS,
    GOODS,
    LAST_TURN,
    LOWEST_VALUE,
    NO_FLOWER,
    SHIPS,
    SPACE_FLOWERS,
    STOPS,
    UNITS_OF_EACH_GOOD,
    WOOD,
)

SEATS: Final = 4
LARGEST_DIE: Final = 4
PESOS_UNIT: Final = 32
VP_UNIT: Final = 64


Numbers: TypeAlias = Sequence[float]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the observation: its numbers, what they mean, and how they are read."""

    name: str
    shape: tuple[int, ...]
    meaning: str
    read: Callable[[Position, int], Numbers]
    """From a position and the seat that looks."""

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))


def observe(position: Position, seat: int) -> NDArray[np.float32]:
    """What a seat sees: the numbers of all PARTS, one after the other."""
    numbers: list[float] = []
    for part in PARTS:
        numbers += part.read(position, seat)
    return np.array(numbers, dtype=np.float32)


def _one_hots(size: int) -> tuple[tuple[float, ...], ...]:
    """By index: 1 at the index, else 0. The last, which is that of index -1, has no 1."""
    return tuple(tuple(float(n == index) for n in range(size)) for index in range(size + 1))


_PHASE: Final = _one_hots(ROLL)
_SEAT: Final = _one_hots(SEATS)
_VALUE: Final = _one_hots(3)
_GOOD: Final = _one_hots(WOOD)
_BUILDING: Final = _one_hots(len(BUILDINGS))
_AT_STOP: Final = _one_hots(1 + len(CITIZENS))
_FLOWER: Final = _one_hots(NO_FLOWER)


def _seen(position: Position, other: int | None, seat: int) -> int:
    """How many places clockwise from the one who looks another sits; -1 for nobody."""
    return -1 if other is None else (other - seat) % position.players


def _asked(position: Position, _: int) -> Numbers:
    return _PHASE[-1 if position.is_over else position.phase]


def _decides(position: Position, seat: int) -> Numbers:
    return _SEAT[_seen(position, position.seat, seat)]


def _active(position: Position, seat: int) -> Numbers:
    return _SEAT[_seen(position, position.active if position.turn else None, seat)]


def _clocks(position: Position, _: int) -> Numbers:
    return [position.turn / LAST_TURN, position.ship / SHIPS]


def _value(position: Position, _: int) -> Numbers:
    return _VALUE[position.value - LOWEST_VALUE]


def _demand(position: Position, _: int) -> Numbers:
    return [units / LARGEST_DIE for units in position.demand or (0,) * WOOD]


def _unwanted(position: Position, _: int) -> Numbers:
    return _GOOD[-1 if position.excluded is None else position.excluded]


def _dice(position: Position, _: int) -> Numbers:
    return [die / LARGEST_DIE for die in position.dice or (0,) * WOOD]


def _supply(position: Position, _: int) -> Numbers:
    return [units / UNITS_OF_EACH_GOOD for units in position.supply]


def _round(position: Position, seat: int) -> Numbers:
    numbers = [0.0] * SEATS
    for other in range(position.players):
        numbers[_seen(position, other, seat)] = float(position.in_round(other))
    return numbers


def _in_use(position: Position, _: int) -> Numbers:
    building = position.building
    if building is None:
        return (*_BUILDING[-1], 0.0)
    return (*_BUILDING[building], float(position.cells[LAWYER] > 0))


def _street(position: Position, _: int) -> Numbers:
    layout = position.layout
    numbers: list[float] = []
    for steps in range(1, STOPS + 1):
        stop = (position.car + steps) % STOPS
        citizen = layout.citizen_at[stop]
        numbers += _AT_STOP[1 + citizen]
        numbers += _FLOWER[layout.flower_at[stop]]
        numbers.append(float(citizen >= 0 and position.is_silenced(citizen)))
    return numbers


def _buildings(position: Position, seat: int) -> Numbers:
    flower = dict(zip(position.layout.buildings, SPACE_FLOWERS, strict=True))
    visitor = {position.pawn(other): other for other in range(position.players)}
    numbers: list[float] = []
    for building in range(len(BUILDINGS)):
        numbers += _FLOWER[flower[building]]
        numbers += _SEAT[_seen(position, position.owner(building), seat)]
        numbers += _SEAT[_seen(position, visitor.get(building), seat)]
    return numbers


def _players(position: Position, seat: int) -> Numbers:
    numbers: list[float] = []
    for place in range(position.players):
        other = (seat + place) % position.players
        numbers += [1.0, position.pesos(other) / PESOS_UNIT, position.vp(other) / VP_UNIT]
        numbers += [units / UNITS_OF_EACH_GOOD for units in position.goods(other)]
        numbers.append(position.markers(other) / OWNERSHIP_MARKERS)
    return numbers + [0.0] * (len(numbers) // position.players * (SEATS - position.players))


PARTS: Final = (
    Part("asked", (ROLL,), f"what is decided: {', '.join(PHASES[:ROLL])}; 0 at the end", _asked),
    Part("decides", (SEATS,), "by seat: who decides", _decides),
    Part("active", (SEATS,), "by seat: whose turn it is; 0 during the setup", _active),
    Part("clocks", (2,), f"the turn / {LAST_TURN}, the ship / {SHIPS}", _clocks),
    Part("value", (3,), "the value marker on 2, 3, 4", _value),
    Part("demand", (WOOD,), "by plain good: units wanted / 4; 0 while none is rolled", _demand),
    Part("unwanted", (WOOD,), "by plain good: 1 for the one that was excluded", _unwanted),
    Part("dice", (WOOD,), "by plain good, at a `demand` decision: the dice / 4", _dice),
    Part("supply", (len(GOODS),), "by good: units left / 8", _supply),
    Part("round", (SEATS,), "by seat: who has not passed in the delivery round", _round),
    Part(
        "in use",
        (len(BUILDINGS) + 1,),
        "at a `function` decision, by building: the one in use; then 1 if by the lawyer",
        _in_use,
    ),
    Part(
        "street",
        (STOPS, 1 + len(CITIZENS) + NO_FLOWER + 1),
        "for the stop after 1 to 10 steps: harbour or which citizen (10), flower (4), silenced",
        _street,
    ),
    Part(
        "buildings",
        (len(BUILDINGS), NO_FLOWER + 2 * SEATS),
        "by building: flower (4), by seat the owner (4), by seat whose pawn stands there (4)",
        _buildings,
    ),
    Part(
        "players",
        (SEATS, 4 + len(GOODS)),
        "by seat: 1 if it is taken, pesos / 32, VP / 64, by good units / 8 (6), markers / 3",
        _players,
    ),
)
"""The parts in their order. Numbers are 0 or 1 where nothing else is said."""

SIZE: Final = sum(part.size for part in PARTS)
