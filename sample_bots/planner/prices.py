"""What things are worth to the planner: VP that they bring by the end of the game.

Nobody thought these numbers out. They were learned from games of the planner against itself, as
docs/sample-bots.md tells, and then rounded.
"""

from typing import Final, NamedTuple

from referee.rules.cells import (
    DELIVER,
    DEMAND_CHOICE,
    DRIVE,
    FUNCTION,
    LAWYER_CHOICE,
    PHASES,
    PICK,
    TRIBUTE,
    VISIT,
)
from referee.rules.pieces import (
    ALONSO,
    CITIZENS,
    CONCHITA,
    EL_ZORRO,
    HIGHEST_VALUE,
    JOSE,
    MARIA,
    MARTINEZ,
    MIGUEL,
    PABLO,
    PEDRO,
    SHIPS,
)


class Prices(NamedTuple):
    """Prices while a certain ship is in the harbour."""

    pesos: tuple[float, ...]
    """Of all pesos of a seat, by how many it has."""
    good: float
    """Of a plain good that this ship does not want."""
    wanted: tuple[float, ...]
    """Of one that it wants, on top of `good`, by the ship's value."""
    loading: tuple[float, ...]
    """The same in a delivery round."""
    wood: float
    first_rum: float
    """Of the first unit of rum, on top of the others: one can be served in the café."""
    first_cigars: float
    building: float
    """Of owning one."""


def _prices(ships_to_come: int) -> Prices:
    if not ships_to_come:
        return Prices(
            pesos=_sums((1.2, 0.2, 0.1, 0.1), further=0.03),
            good=0.3,
            wanted=_by_value(base=1.09, per_value=-0.19),
            loading=_by_value(base=0.08, per_value=0.42),
            wood=0.35,
            first_rum=0.45,
            first_cigars=0.45,
            building=0.25,
        )
    good = 0.35 + 0.14 * ships_to_come
    return Prices(
        pesos=_sums((2.2, 0.9, 0.65, 0.55, 0.45, 0.4, 0.4, 0.3, 0.25), further=0.1),
        good=good,
        wanted=_by_value(base=0.91 - good, per_value=0.21),
        loading=_by_value(base=-0.1 - good, per_value=0.82),
        wood=0.88,
        first_rum=0.45,
        first_cigars=0.5,
        building=0.07 + 0.42 * ships_to_come,
    )


def _sums(of_each: tuple[float, ...], further: float) -> tuple[float, ...]:
    sums = [0.0]
    for peso in range(MOST_PESOS):
        sums.append(sums[-1] + (of_each[peso] if peso < len(of_each) else further))
    return tuple(sums)


def _by_value(base: float, per_value: float) -> tuple[float, ...]:
    return tuple(base + per_value * value for value in range(HIGHEST_VALUE + 1))


MOST_PESOS: Final = 60
"""More than these are worth no more."""
PRICES: Final = tuple(_prices(SHIPS - ship) for ship in range(SHIPS + 1))
"""By the ship in the harbour."""

WAITING: Final = (0.85, 0.8, 0.35, 0.0)
"""When somebody is to drive: what the turn is worth by how many seats drive before."""
_STOPS: Final = {
    PEDRO: 0.95,
    MARIA: 1.35,
    JOSE: 0.85,
    MARTINEZ: 0.75,
    CONCHITA: 0.65,
    MIGUEL: 1.05,
    EL_ZORRO: 0.8,
    PABLO: 0.85,
    ALONSO: 0.85,
}
STOP_BEFORE: Final = tuple(_STOPS[citizen] for citizen in range(len(CITIZENS)))
"""By citizen: what it adds when its stop is the next one, which costs nothing to reach."""
HARBOUR_BEFORE: Final = 0.65
_DUE: Final = {
    DRIVE: 0.0,  # told by WAITING
    VISIT: 0.0,
    FUNCTION: -0.15,
    DELIVER: 1.3,
    PICK: 1.3,
    LAWYER_CHOICE: 1.5,
    TRIBUTE: -0.8,
    DEMAND_CHOICE: -0.8,
}
DUE: Final = tuple(_DUE.get(phase, 0.0) for phase in range(len(PHASES)))
"""By phase: what the seat that decides is about to gain or to lose."""
