"""The layout: which citizen lives at which stop, which building stands on which space."""

from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from random import Random
from typing import Final

from referee.rules.errors import InvalidLayout
from referee.rules.moves import VISITS, Move, make_move
from referee.rules.pieces import (
    BUILDINGS,
    CITIZEN_FLOWERS,
    CITIZENS,
    NO_FLOWER,
)

_NOBODY_AT_THE_HARBOUR: Final = -1


@dataclass(frozen=True, slots=True)
class Layout:
    """Tiles and buildings as they were shuffled (S2), and the flowers on the tiles (S3).

    `citizens`: the citizens at stops 1 to 9. `buildings`: the buildings on spaces 0 to 11, three
    under each flower of SPACE_FLOWERS. `citizen_flowers`: a flower or NO_FLOWER by citizen.
    The other fields are derived: look-ups that the rules use. Raises InvalidLayout.
    """

    citizens: tuple[int, ...]
    buildings: tuple[int, ...]
    citizen_flowers: tuple[int, ...] = CITIZEN_FLOWERS
    citizen_at: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """By stop, with -1 for the harbour."""
    flower_at: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """The flower of the citizen at a stop; NO_FLOWER for the harbour."""
    before: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """By stop from 0 to 10: bit mask of the citizens at earlier stops."""
    space_bit: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """By building: the bit of its space; 0 for OFF_BOARD."""
    visits: tuple[tuple[tuple[Move, ...], ...], ...] = field(init=False, repr=False, compare=False)
    """[flower][mask]: the visits to those of the flower's three spaces that the mask leaves free.

    NO_FLOWER has no spaces, and no visits."""

    def __post_init__(self) -> None:
        if sorted(self.citizens) != list(range(len(CITIZENS))):
            raise InvalidLayout("A layout needs each of the nine citizens once.")
        if sorted(self.buildings) != list(range(len(BUILDINGS))):
            raise InvalidLayout("A layout needs each of the twelve buildings once.")
        if len(self.citizen_flowers) != len(CITIZENS) or not all(
            0 <= flower <= NO_FLOWER for flower in self.citizen_flowers
        ):
            raise InvalidLayout("A layout needs a flower, or none, for each of the nine citizens.")
        spaces = range(len(BUILDINGS))
        derived = {
            "citizen_at": (_NOBODY_AT_THE_HARBOUR, *self.citizens),
            "flower_at": (NO_FLOWER, *(self.citizen_flowers[c] for c in self.citizens)),
            "before": (0, 0, *accumulate(1 << citizen for citizen in self.citizens)),
            "space_bit": (*(1 << self.buildings.index(b) for b in spaces), 0),
            "visits": (*(_visits(self.buildings[s : s + 3]) for s in spaces[::3]), ((),) * 8),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    @classmethod
    def shuffled(cls, rng: Random) -> "Layout":
        """A random layout. The rules own no randomness: the generator is the caller's."""
        citizens, buildings = list(range(len(CITIZENS))), list(range(len(BUILDINGS)))
        rng.shuffle(citizens)
        rng.shuffle(buildings)
        return cls(tuple(citizens), tuple(buildings))


@cache
def _visits(three: tuple[int, ...]) -> tuple[tuple[Move, ...], ...]:
    """By the mask of those that are occupied among three buildings: the moves to the others."""
    return tuple(
        tuple(make_move(VISITS, b) for n, b in enumerate(three) if not occupied >> n & 1)
        for occupied in range(1 << len(three))
    )
