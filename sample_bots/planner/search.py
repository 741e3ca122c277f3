"""The tree: UCT for any number of players, with an evaluation in place of playouts.

Kocsis and Szepesvári, "Bandit based Monte-Carlo planning" (2006), in its max^n form: each seat
chooses what is best for itself. At a leaf the tree looks one move further; the value of the seat's
best move there goes back to all nodes on the way, and each node keeps the mean of these values.

What seats have is worth what the engine's prices say (`referee.engine.worth`): they were learned
from games of the planner against itself, as docs/sample-bots.md describes, and then rounded.

This module is compiled together with the rules if a compiler is there (setup.py), and finds the
same moves as here. Loops are written out for that: `max` with a key is slow when compiled.
"""

from math import exp, sqrt
from random import Random
from typing import Final

from referee.engine.tree import candidates
from referee.engine.worth import worths
from referee.rules.cells import OVER, PHASE, ROLL, SEAT, SHIP
from referee.rules.moves import Move
from referee.rules.playouts import roll_dice
from referee.rules.position import Position

CURIOSITY: Final = 0.03
"""The bonus of a move that was seldom looked at: the larger, the broader the search."""
NO_MOVE: Final = -1
LOWEST: Final = -2.0
"""Below every value of a node."""
LEAD: Final = (4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 1.5)
"""VP ahead that are enough to feel safe, by the ship in the harbour."""
LEAD_AT_THE_END: Final = 0.5
"""VP ahead that are enough to feel safe when the game is over."""
SURE: Final = 20.0
"""The hyperbolic tangent of more is 1 as precisely as a float can be."""


class Node:
    """A position after a move or a roll: its value for each seat, and the nodes that follow it."""

    __slots__ = ("children", "chooser", "move", "position", "value", "value_for_chooser", "visits")

    def __init__(self, position: Position, chooser: int, move: Move = NO_MOVE) -> None:
        self.chooser = chooser
        """The seat that chose the move."""
        self.move = move
        """The move that led here; NO_MOVE for the root and after dice."""
        self.position: Position | None = None
        """None until the tree comes here: most moves are looked at only once."""
        self.value = utilities(position)
        """The mean value for each seat of all looks at what follows."""
        self.value_for_chooser = self.value[chooser]
        self.visits = 1
        self.children = NO_CHILDREN

    def expand(self, position: Position) -> None:
        seat = position.cells[SEAT]
        self.children = []
        for move in candidates(position):
            after = position.copy()
            after.apply(move)
            self.children.append(Node(after, seat, move))

    def best_child(self) -> "Node":
        """Return the child that the deciding seat would choose by what is known now."""
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
            promise = child.value_for_chooser + curiosity / float(child.visits)
            if promise > highest:
                best, highest = child, promise
        return best

    def reached_from(self, before: Position) -> Position:
        """Return the position here, which follows from `before` by the move."""
        if self.position is None:
            self.position = before.copy()
            self.position.apply(self.move)
        return self.position

    def learn(self, value: list[float]) -> None:
        self.visits += 1
        part = 1.0 / float(self.visits)
        mean = self.value
        for seat in range(len(mean)):
            mean[seat] += (value[seat] - mean[seat]) * part
        self.value_for_chooser = mean[self.chooser]


NO_CHILDREN: Final[list[Node]] = []
"""The children of all nodes that were not expanded: most never are."""


class Tree:
    """The tree of positions that may follow one with two or more legal moves."""

    def __init__(self, position: Position, rng: Random) -> None:
        self._position = position
        self._root = Node(position, position.seat)
        self._root.expand(position)
        self._rng = rng

    @property
    def is_settled(self) -> bool:
        """True if only one move is worth a look."""
        return len(self._root.children) == 1

    @property
    def best_move(self) -> Move:
        """The move most looked at; if several are, the best of them."""
        children = self._root.children
        return max(children, key=lambda child: (child.visits, child.value_for_chooser)).move

    def grow(self) -> None:
        """Follow the most promising moves down to a leaf and look one move further there."""
        node, position = self._root, self._position
        path = [node]
        while True:
            if position.cells[PHASE] == ROLL:
                node = self._rolled(node, position)
            elif node.children:
                node = node.most_promising_child()
            else:
                break
            position = node.reached_from(position)
            path.append(node)
        node.expand(position)
        leaf = node.best_child() if node.children else node
        value = leaf.value[:]
        for node in path:
            node.learn(value)

    def _rolled(self, node: Node, position: Position) -> Node:
        """Roll anew now and then, else return the earlier roll that was looked at least."""
        if len(node.children) < sqrt(node.visits):
            after = position.copy()
            after.roll(roll_dice(self._rng))
            child = Node(after, after.cells[SEAT])
            child.position = after
            node.children = [*node.children, child]
            return child
        least = node.children[0]
        for child in node.children:
            if child.visits < least.visits:
                least = child
        return least


def utilities(position: Position) -> list[float]:
    """Return, from -1 to 1, how surely each seat ends ahead of another seat, in the mean."""
    board = position.cells
    if board[PHASE] == OVER:
        ends = [
            score.vp + 0.2 * score.leftover + 0.001 * score.pesos for score in position.scores()
        ]
        return _compared(ends, LEAD_AT_THE_END)
    return _compared(worths(position), LEAD[board[SHIP]])


def _compared(worth: list[float], lead: float) -> list[float]:
    players = len(worth)
    if players == 2:
        ahead = _tanh((worth[0] - worth[1]) / lead)
        return [ahead, -ahead]
    totals = [0.0] * players
    others = float(players - 1)
    for seat in range(players):
        for other in range(seat):
            ahead = _tanh((worth[seat] - worth[other]) / lead) / others
            totals[seat] += ahead
            totals[other] -= ahead
    return totals


def _tanh(x: float) -> float:
    """Return the hyperbolic tangent; compiled code calls `exp` directly, but not `tanh`."""
    if x > SURE:
        return 1.0
    if x < -SURE:
        return -1.0
    return 1.0 - 2.0 / (exp(2.0 * x) + 1.0)
