"""The bot that looks one move ahead: it plays its turn to the end in its head and takes the best.

What it likes is told by `worth`. All numbers are VP that a thing brings by the end of the game, so
that they can be added up.
"""

from typing import Final

from referee.bot import Bot, Decision
from referee.rules import Move, Position
from referee.rules.cells import (
    DELIVER,
    DRIVE,
    FUNCTION,
    LAWYER_CHOICE,
    OWNER,
    PICK,
    SILENCED,
    VISIT,
)
from referee.rules.pieces import (
    ALONSO,
    BUILDINGS,
    CONCHITA,
    EL_ZORRO,
    HARBOUR,
    JOSE,
    MARIA,
    MARTINEZ,
    MIGUEL,
    PABLO,
    PEDRO,
    SHIPS,
    STOPS,
    WOOD,
)

PESOS: Final = (2.5, 1.0, 0.7, 0.5, 0.5, 0.4, 0.4, 0.3, 0.3)
"""The first peso spares you a poor stop; each further one is worth less."""
FURTHER_PESO: Final = 0.15
PESOS_WITH_THE_LAST_SHIP: Final = 0.4
"""The part of their worth that pesos keep when there is little left to buy with them."""
STEP: Final = 0.5
"""What a player gives up by paying for one stop."""

GOOD_AT_THE_END: Final = 0.3
"""E1: three goods of any kinds are 1 VP."""
LATER_SHIP: Final = 0.13
"""A good that waits gains this with each ship that may want it."""
WANTED: Final = 0.9
WANTED_PER_VALUE: Final = 0.2
"""A good that this ship wants: somebody may be first, or the ship may leave without it."""
LOADING: Final = 0.8
"""In a delivery round, the part of the value that a good still to be delivered is worth."""
WOOD_UNIT: Final = 0.7
BUILDING: Final = 0.25
BUILDING_PER_SHIP: Final = 0.38
"""What the others' pawns pay to an owner for each ship that is still to come."""

GIFTS: Final = {
    PEDRO: 0.9,
    MARIA: 1.3,
    JOSE: 0.8,
    MARTINEZ: 0.8,
    CONCHITA: 0.6,
    MIGUEL: 0.8,
    EL_ZORRO: 0.8,
    PABLO: 0.9,
    ALONSO: 1.0,
}
"""What it is worth to the next player to find a citizen near the car."""

REST_OF_THE_TURN: Final = (VISIT, FUNCTION, PICK, LAWYER_CHOICE)


class GreedyBot(Bot):
    """Chooses the move after which it stands best, as far as it can see."""

    name = "greedy"
    author = "Santiago Arena"

    def choose(self, decision: Decision) -> Move:
        return max(
            worth_a_look(decision.position), key=lambda move: promise(decision.position, move)
        )


def worth_a_look(position: Position) -> tuple[Move, ...]:
    """The legal moves, without drives of more than a lap."""
    return position.legal_moves[:STOPS] if position.phase == DRIVE else position.legal_moves


def promise(position: Position, move: Move) -> float:
    """How far ahead a move puts the seat that makes it, if it ends its turn as well as it can."""
    seat = position.seat
    after = position.copy()
    after.apply(move)
    if after.phase in REST_OF_THE_TURN and after.seat == seat:
        return max(promise(after, further) for further in after.legal_moves)
    return lead(after, seat)


def lead(position: Position, seat: int) -> float:
    """How far a seat is ahead of the mean of the others, in VP."""
    worths = [worth(position, other) for other in range(position.players)]
    if position.phase == DRIVE:
        worths[position.seat] += best_stop(position)
    others = sum(worths) - worths[seat]
    return worths[seat] - others / (position.players - 1)


def worth(position: Position, seat: int) -> float:
    """All that a seat has, in VP."""
    if position.is_over:
        return position.scores()[seat].vp
    owned = position.cells[OWNER : OWNER + len(BUILDINGS)].count(seat)
    return (
        position.vp(seat)
        + worth_of_pesos(position, position.pesos(seat))
        + WOOD_UNIT * position.goods(seat)[WOOD]
        + sum(worth_of_good(position, seat, good) for good in range(WOOD))
        + owned * (BUILDING + BUILDING_PER_SHIP * (SHIPS - position.ship))
    )


def worth_of_pesos(position: Position, pesos: int) -> float:
    total = sum(PESOS[:pesos]) + FURTHER_PESO * max(0, pesos - len(PESOS))
    return total * PESOS_WITH_THE_LAST_SHIP if position.ship == SHIPS else total


def worth_of_good(position: Position, seat: int, good: int) -> float:
    """Units that the ship at hand will take count more than those that have to wait for another.

    Where the players hold more than the ship wants, each will sell only a part.
    """
    held = position.goods(seat)[good]
    waiting = GOOD_AT_THE_END + LATER_SHIP * (SHIPS - position.ship)
    wanted = position.demand[good] if position.demand else 0
    if not held or not wanted:
        return held * waiting
    offered = sum(min(position.goods(other)[good], wanted) for other in range(position.players))
    sold = min(held, wanted) * min(1, wanted / offered)
    return sold * price_on_this_ship(position) + (held - sold) * waiting


def price_on_this_ship(position: Position) -> float:
    """What a unit that the ship will take is worth before it is delivered."""
    if position.phase == DELIVER:
        return LOADING * position.value
    return WANTED + WANTED_PER_VALUE * position.value


def best_stop(position: Position) -> float:
    """What the best stop that the player who is to drive can pay for brings, less the way there."""
    distances = range(1, min(position.pesos(position.seat) + 1, STOPS) + 1)
    return max(gain_at(position, distance) - STEP * (distance - 1) for distance in distances)


def gain_at(position: Position, distance: int) -> float:
    """What the player who is to drive gains at a stop: what a citizen gives, or a delivery."""
    stop = (position.car + distance) % STOPS
    if stop == HARBOUR:
        return sum(delivered(position, good) for good in range(WOOD))
    citizen = position.layout.citizen_at[stop]
    return 0.0 if position.cells[SILENCED] >> citizen & 1 else GIFTS[citizen]


def delivered(position: Position, good: int) -> float:
    """What delivering a good now would bring beyond what it counts anyway."""
    wanted = position.demand[good] if position.demand else 0
    units = min(position.goods(position.seat)[good], wanted)
    return units * (position.value - price_on_this_ship(position))
