"""The bot that looks one move ahead: it plays its turn to the end on a copy, takes the best move.

`worth` says what it likes: every number there is in VP, so that they can be added up.
"""

from typing import Final

from referee.bot import Bot, Decision
from referee.rules import Move, Position, pieces
from referee.rules.cells import DELIVER, DRIVE
from referee.rules.moves import LOWERS, VERB_MASK

PESO: Final = 0.3
"""Pesos buy distance, and three of them a VP in the casino."""
GOOD_AT_THE_END: Final = 1 / 3
"""E1: three goods of any kinds are 1 VP."""
GOOD_FOR_A_LATER_SHIP: Final = 0.6
"""Added to that: one of the next ships will probably want it."""
WOOD_UNIT: Final = 0.6
"""Wood is 1 VP on any ship, but in place of a better good."""
CHANCE_TO_DELIVER: Final = 0.75
"""The chance that a good which the ship wants is delivered before the ship leaves."""
OWNED_BUILDING_PER_SHIP: Final = 0.35
"""The VP that others' pawns bring to the owner of a building that is visited as often as the mean,
while one ship is in the harbour."""
VISITS: Final[dict[int, float]] = {
    pieces.BANK: 1.2,
    pieces.CHURCH: 1.5,
    pieces.DISTILLERY: 0.65,
    pieces.CIGAR_FACTORY: 0.7,
    pieces.BLACK_MARKET: 1.0,
    pieces.SAWMILL: 0.75,
    pieces.CAFE: 1.1,
    pieces.CUSTOMS: 0.8,
    pieces.CASINO: 0.8,
    pieces.HARBOUR_OFFICE: 0.55,
    pieces.TRADING_OFFICE: 1.45,
    pieces.NEWSPAPER: 1.55,
}
"""How often each building is visited, beside the mean of all; counted in games of the planner."""
LONG_GAME: Final = 120
"""From this turn on it lowers the value no more: two that do could play until turn 300 (H7)."""
MOVE_OF_THE_NEXT: Final = 0.6
"""The part of the next player's best stop that counts against a position."""
GIFTS: Final = {
    pieces.PEDRO: 1.6,
    pieces.MARIA: 2.0,
    pieces.JOSE: 1.6,
    pieces.MARTINEZ: 0.9,
    pieces.CONCHITA: 1.6,
    pieces.MIGUEL: 1.2,
    pieces.EL_ZORRO: 0.8,
    pieces.PABLO: 1.4,
    pieces.ALONSO: 1.0,
}
"""The worth of a visit to each citizen, in VP, whatever the player has."""


class GreedyBot(Bot):
    """Chooses the move after which its lead is largest, as far as it can see."""

    name = "greedy"
    author = "Santiago Arena"

    def choose(self, decision: Decision) -> Move:
        moves = decision.moves
        if decision.position.turn >= LONG_GAME:
            moves = tuple(move for move in moves if move & VERB_MASK != LOWERS)
        return max(moves, key=lambda move: promise(decision.position, move))


def promise(position: Position, move: Move) -> float:
    """Return a seat's lead after a move, if it goes on with its best moves."""
    seat = position.seat
    after = position.copy()
    after.apply(move)
    same_turn = after.turn == position.turn and after.seat == seat and after.legal_moves
    if same_turn and after.phase not in (DRIVE, DELIVER):
        return max(promise(after, further) for further in after.legal_moves)
    return lead(after, seat)


def lead(position: Position, seat: int) -> float:
    """Return how far a seat is ahead of the others' average, in VP."""
    worths = [worth(position, other) for other in range(position.players)]
    if position.phase == DRIVE:
        worths[position.seat] += MOVE_OF_THE_NEXT * best_stop(position)
    others = sum(worths) - worths[seat]
    return worths[seat] - others / (position.players - 1)


def worth(position: Position, seat: int) -> float:
    """Return the worth of all that a seat has, in VP."""
    if position.is_over:
        return position.scores()[seat].vp
    ships_left = pieces.SHIPS - position.ship
    visits = sum(vp for building, vp in VISITS.items() if position.owner(building) == seat)
    *goods, wood = position.goods(seat)
    return (
        position.vp(seat)
        + PESO * position.pesos(seat)
        + WOOD_UNIT * wood
        + sum(_worth_of_good(position, good, held) for good, held in enumerate(goods) if held)
        + OWNED_BUILDING_PER_SHIP * visits * (ships_left + 0.5)
    )


def _worth_of_good(position: Position, good: int, held: int) -> float:
    """Count the ship's value for units that it wants, and a later price for the rest."""
    later = GOOD_AT_THE_END + (GOOD_FOR_A_LATER_SHIP if position.ship < pieces.SHIPS else 0)
    demand = position.demand
    wanted = demand[good] if demand else 0
    if not wanted:
        return held * later
    offered = sum(min(position.goods(other)[good], wanted) for other in range(position.players))
    sold = min(held, wanted) * min(1, wanted / offered)
    now = CHANCE_TO_DELIVER * position.value + (1 - CHANCE_TO_DELIVER) * later
    return sold * max(now, later) + (held - sold) * later


def best_stop(position: Position) -> float:
    """Return the gain at the best stop that the next player can pay for, less the drive's price."""
    seat = position.seat
    return max(
        gain_at(position, (position.car + steps) % pieces.STOPS, seat) - PESO * (steps - 1)
        for steps in range(1, min(position.pesos(seat) + 1, pieces.STOPS) + 1)
    )


def gain_at(position: Position, stop: int, seat: int) -> float:
    """Return a seat's gain at a stop: a citizen's gift, or a delivery to the ship."""
    if stop == pieces.HARBOUR:
        return sum(_delivery_gain(position, seat, good) for good in range(pieces.WOOD))
    citizen = position.layout.citizen_at[stop]
    return 0.0 if position.is_silenced(citizen) else GIFTS[citizen]


def _delivery_gain(position: Position, seat: int, good: int) -> float:
    wanted = position.demand[good] if position.demand else 0
    units = min(position.goods(seat)[good], wanted)
    return units * (position.value - GOOD_AT_THE_END) * (1 - CHANCE_TO_DELIVER)
