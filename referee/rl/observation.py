"""The observation: all that the players can see (V1), as one vector of numbers.

It belongs to a seat: in everything that is given by seat, this seat comes first and the others
follow clockwise. There is room for four; the numbers of missing seats are 0. The vector has the
same shape for two, three and four players, so that one network can play them all.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from referee.rules import Position, pieces
from referee.rules.cells import LAWYER, OWNERSHIP_MARKERS, PHASES, ROLL

SEATS: Final = 4
LARGEST_DIE: Final = 4
PESOS_UNIT: Final = 32
VP_UNIT: Final = 64

Numbers: TypeAlias = Sequence[float]


@dataclass(frozen=True, slots=True)
class Feature:
    """A part of the observation: its numbers, what they mean, and how they are read."""

    name: str
    shape: tuple[int, ...]
    meaning: str
    read: Callable[[Position, int], Numbers]
    """Returns the numbers, from a position and the seat that looks."""

    @property
    def size(self) -> int:
        """How many numbers the part has."""
        return int(np.prod(self.shape))


def observe(position: Position, seat: int) -> NDArray[np.float32]:
    """Return what a seat sees: the numbers of all PARTS, one after the other.

    Args:
        position: The game as it stands.
        seat: The seat that looks, from 0.

    Returns:
        An array of shape (SIZE,), float32; no number is negative.

    Example:
        >>> vector = observe(position, position.seat)
    """
    numbers: list[float] = []
    for part in PARTS:
        numbers += part.read(position, seat)
    return np.array(numbers, dtype=np.float32)


def _one_hots(size: int) -> tuple[tuple[float, ...], ...]:
    """Return by index a 1 at the index, else 0; the last one (index -1) has no 1."""
    return tuple(tuple(float(n == index) for n in range(size)) for index in range(size + 1))


_PHASE: Final = _one_hots(ROLL)
_SEAT: Final = _one_hots(SEATS)
_VALUE: Final = _one_hots(3)
_GOOD: Final = _one_hots(pieces.WOOD)
_BUILDING: Final = _one_hots(len(pieces.BUILDINGS))
_AT_STOP: Final = _one_hots(1 + len(pieces.CITIZENS))
_FLOWER: Final = _one_hots(pieces.NO_FLOWER)


def _seen(position: Position, other: int | None, seat: int) -> int:
    """Return how many places clockwise from `seat` the other sits; -1 for nobody."""
    return -1 if other is None else (other - seat) % position.players


def _asked(position: Position, _: int) -> Numbers:
    return _PHASE[-1 if position.is_over else position.phase]


def _decides(position: Position, seat: int) -> Numbers:
    return _SEAT[_seen(position, position.seat, seat)]


def _active(position: Position, seat: int) -> Numbers:
    return _SEAT[_seen(position, position.active if position.turn else None, seat)]


def _clocks(position: Position, _: int) -> Numbers:
    return [position.turn / pieces.LAST_TURN, position.ship / pieces.SHIPS]


def _value(position: Position, _: int) -> Numbers:
    return _VALUE[position.value - pieces.LOWEST_VALUE]


def _demand(position: Position, _: int) -> Numbers:
    return [units / LARGEST_DIE for units in position.demand or (0,) * pieces.WOOD]


def _unwanted(position: Position, _: int) -> Numbers:
    return _GOOD[-1 if position.excluded is None else position.excluded]


def _dice(position: Position, _: int) -> Numbers:
    return [die / LARGEST_DIE for die in position.dice or (0,) * pieces.WOOD]


def _supply(position: Position, _: int) -> Numbers:
    return [units / pieces.UNITS_OF_EACH_GOOD for units in position.supply]


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
    for steps in range(1, pieces.STOPS + 1):
        stop = (position.car + steps) % pieces.STOPS
        citizen = layout.citizen_at[stop]
        numbers += _AT_STOP[1 + citizen]
        numbers += _FLOWER[layout.flower_at[stop]]
        numbers.append(float(citizen >= 0 and position.is_silenced(citizen)))
    return numbers


def _buildings(position: Position, seat: int) -> Numbers:
    flower = dict(zip(position.layout.buildings, pieces.SPACE_FLOWERS, strict=True))
    visitor = {position.pawn(other): other for other in range(position.players)}
    numbers: list[float] = []
    for building in range(len(pieces.BUILDINGS)):
        numbers += _FLOWER[flower[building]]
        numbers += _SEAT[_seen(position, position.owner(building), seat)]
        numbers += _SEAT[_seen(position, visitor.get(building), seat)]
    return numbers


def _players(position: Position, seat: int) -> Numbers:
    numbers: list[float] = []
    for place in range(position.players):
        other = (seat + place) % position.players
        numbers += [1.0, position.pesos(other) / PESOS_UNIT, position.vp(other) / VP_UNIT]
        numbers += [units / pieces.UNITS_OF_EACH_GOOD for units in position.goods(other)]
        numbers.append(position.markers(other) / OWNERSHIP_MARKERS)
    return numbers + [0.0] * (len(numbers) // position.players * (SEATS - position.players))


PARTS: Final = (
    Feature("asked", (ROLL,), f"what is decided: {', '.join(PHASES[:ROLL])}; 0 at the end", _asked),
    Feature("decides", (SEATS,), "by seat: who decides", _decides),
    Feature("active", (SEATS,), "by seat: whose turn it is; 0 during the setup", _active),
    Feature("clocks", (2,), f"the turn / {pieces.LAST_TURN}, the ship / {pieces.SHIPS}", _clocks),
    Feature("value", (3,), "the value marker on 2, 3, 4", _value),
    Feature(
        "demand", (pieces.WOOD,), "by plain good: units wanted / 4; 0 while none is rolled", _demand
    ),
    Feature(
        "unwanted", (pieces.WOOD,), "by plain good: 1 for the one that was excluded", _unwanted
    ),
    Feature("dice", (pieces.WOOD,), "by plain good, at a `demand` decision: the dice / 4", _dice),
    Feature("supply", (len(pieces.GOODS),), "by good: units left / 8", _supply),
    Feature("round", (SEATS,), "by seat: who has not passed in the delivery round", _round),
    Feature(
        "in use",
        (len(pieces.BUILDINGS) + 1,),
        "at a `function` decision, by building: the one in use; then 1 if by the lawyer",
        _in_use,
    ),
    Feature(
        "street",
        (pieces.STOPS, 1 + len(pieces.CITIZENS) + pieces.NO_FLOWER + 1),
        "for the stop after 1 to 10 steps: harbour or which citizen (10), flower (4), silenced",
        _street,
    ),
    Feature(
        "buildings",
        (len(pieces.BUILDINGS), pieces.NO_FLOWER + 2 * SEATS),
        "by building: flower (4), by seat the owner (4), by seat whose pawn stands there (4)",
        _buildings,
    ),
    Feature(
        "players",
        (SEATS, 4 + len(pieces.GOODS)),
        "by seat: 1 if it is taken, pesos / 32, VP / 64, by good units / 8 (6), markers / 3",
        _players,
    ),
)
"""The parts in their order. Numbers are 0 or 1 unless a part says otherwise."""

SIZE: Final = sum(part.size for part in PARTS)
