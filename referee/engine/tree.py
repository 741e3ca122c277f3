"""The nodes of the search tree: positions, their values, and the moves that are worth a look.

Compiled together with `search` if a compiler is there (setup.py), and the same as here. Loops are
written out for that: `max` with a key is slow when compiled.
"""

from math import sqrt
from typing import Final

from referee.engine.priors import gain, rows
from referee.engine.shares import Shares, closer, of_seat
from referee.engine.worth import quick_shares
from referee.rules.cells import DELIVER, DRIVE, FUNCTION, PHASE, SEAT
from referee.rules.moves import BUYS, SELLS, VERB_BITS, VERB_MASK, Move
from referee.rules.pieces import CASINO, STOPS
from referee.rules.position import Position

CURIOSITY: Final = 0.015
"""The bonus of a move that was seldom looked at: the larger, the broader the search."""
TRUSTED: Final = 0.25
"""A move is known well enough if it has this part of the looks of the one looked at most."""
NO_MOVE: Final = -1
CASINO_DEALS: Final = 3
GOOD_MASK: Final = 7
FIRST: Final = 1.0
"""The visits of a new node: its quick look counts as one."""
LOWEST: Final = -1.0
"""Below every share of the points."""


def candidates(position: Position) -> tuple[Move, ...]:
    """Return the legal moves that are worth a look: at least one, if there are any."""
    phase = position.cells[PHASE]
    if phase == DRIVE:
        return position.legal_moves[:STOPS]
    if phase == DELIVER:
        return _full_loads(position.legal_moves)
    if phase == FUNCTION and position.building == CASINO:
        return _casino_deals(position.legal_moves)
    return position.legal_moves


def _full_loads(moves: tuple[Move, ...]) -> tuple[Move, ...]:
    """Keep the largest load of each good; the legal moves stand in order of units."""
    largest = {(move & VERB_MASK, move >> VERB_BITS & GOOD_MASK): move for move in moves}
    return tuple(largest.values())


def _casino_deals(moves: tuple[Move, ...]) -> tuple[Move, ...]:
    """Keep the largest purchases, the smallest sales, and no deal."""
    buys = [move for move in moves if move & VERB_MASK == BUYS]
    sells = [move for move in moves if move & VERB_MASK == SELLS]
    return (*buys[-CASINO_DEALS:], *sells[:CASINO_DEALS], moves[-1])


class Node:
    """A position after a move or a roll: its value for each seat, and the nodes that follow it.

    `faulted` has a bit for each seat that ends below all others.
    """

    def __init__(
        self,
        position: Position,
        chooser: int,
        move: Move = NO_MOVE,
        gain: float = 0.0,
        faulted: int = 0,
    ) -> None:
        self.chooser = chooser
        """The seat that chose the move."""
        self.move = move
        """The move that led here; NO_MOVE for the root and after dice."""
        self.position: Position | None = None
        """None until the search has come here twice."""
        self.value = quick_shares(position, chooser, gain, faulted)
        """The mean share of the points of each seat in all looks at what follows."""
        self.value_for_chooser = of_seat(self.value, chooser)
        self.visits = FIRST
        self.children: list[Node] = NO_CHILDREN

    def expand(self, position: Position, moves: tuple[Move, ...], faulted: int) -> None:
        """Add a child for each of the moves."""
        seat = position.cells[SEAT]
        children = self.children[:]
        pairs = rows(position, moves)
        after = position.copy()
        for n in range(len(moves)):
            after.cells = position.cells[:]
            after.apply(moves[n])
            children.append(Node(after, seat, moves[n], gain(pairs[n]), faulted))
        self.children = children

    def widen(self, position: Position, faulted: int) -> None:
        """Add a child for each legal move that has none yet: at the root all have values."""
        known = [child.move for child in self.children]
        others = tuple([move for move in position.legal_moves if move not in known])
        self.expand(position, others, faulted)

    def best_child(self) -> "Node":
        """Return the child with the highest value for the seat that decides."""
        best, highest = self.children[0], LOWEST
        for child in self.children:
            if child.value_for_chooser > highest:
                best, highest = child, child.value_for_chooser
        return best

    def most_promising_child(self) -> "Node":
        """Return the child to look at next: good, or seldom looked at."""
        curiosity = CURIOSITY * sqrt(self.visits)
        best, highest = self.children[0], LOWEST
        for child in self.children:
            promise = child.value_for_chooser + curiosity / child.visits
            if promise > highest:
                best, highest = child, promise
        return best

    def chosen_child(self) -> "Node":
        """Return the best one of the children that were looked at often enough."""
        most = 0.0
        for child in self.children:
            if child.visits > most:
                most = child.visits
        best, highest = self.children[0], LOWEST
        for child in self.children:
            if child.visits >= TRUSTED * most and child.value_for_chooser > highest:
                best, highest = child, child.value_for_chooser
        return best

    def reached_from(self, before: Position) -> Position:
        """Return the position here, which follows from `before` by the move.

        It is kept from the second time on, since the search comes to most nodes only once.
        """
        if self.position is not None:
            return self.position
        position = before.copy()
        position.apply(self.move)
        if self.visits > FIRST:
            self.position = position
        return position

    def learn(self, value: Shares) -> None:
        """Take one more look into the mean."""
        visits = self.visits + 1.0
        mean = closer(self.value, value, 1.0 / visits)
        self.visits = visits
        self.value = mean
        self.value_for_chooser = of_seat(mean, self.chooser)


NO_CHILDREN: Final[list[Node]] = []
"""The children of all nodes that were not expanded: most never are."""
