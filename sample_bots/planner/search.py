"""The tree: UCT for any number of players, with an evaluation instead of games played to the end.

Kocsis and Szepesvári, "Bandit based Monte-Carlo planning" (2006), in its max^n form: every seat
chooses what is best for itself. A leaf is looked at one move further, and what its seat would
choose there is told to all nodes on the way back; each keeps the mean of what it was told.
"""

from math import sqrt
from random import Random
from typing import Final

from referee.rules import Move, Position, roll_dice
from referee.rules.cells import PHASE, ROLL
from sample_bots.planner.candidates import candidates
from sample_bots.planner.worth import utilities

CURIOSITY: Final = 0.03
"""How much better a move that was seldom looked at is taken to be: the larger, the broader."""
NO_MOVE: Final = -1


class Node:
    """A position, how good it is for each seat, and the nodes that follow it."""

    __slots__ = ("children", "move", "position", "seat", "value", "visits")

    def __init__(self, position: Position, move: Move = NO_MOVE) -> None:
        self.position = position
        self.move = move
        """The move that led here; NO_MOVE for the root and after dice."""
        self.seat = position.seat
        self.value = utilities(position)
        """By seat: the mean of all looks at what follows."""
        self.visits = 1
        self.children: list[Node] = []

    @property
    def awaits_dice(self) -> bool:
        return self.position.cells[PHASE] == ROLL

    def expand(self) -> None:
        for move in candidates(self.position):
            after = self.position.copy()
            after.apply(move)
            self.children.append(Node(after, move))

    def best_child(self) -> "Node":
        """The one that the seat which decides would choose by what is known now."""
        seat = self.seat
        return max(self.children, key=lambda child: child.value[seat])

    def most_promising_child(self) -> "Node":
        """The one to look at next: good, or seldom looked at."""
        seat, curiosity = self.seat, CURIOSITY * sqrt(self.visits)
        best, highest = self.children[0], -float("inf")
        for child in self.children:
            promise = child.value[seat] + curiosity / child.visits
            if promise > highest:
                best, highest = child, promise
        return best

    def learn(self, value: list[float]) -> None:
        self.visits += 1
        part = 1 / self.visits
        self.value = [
            mean + (new - mean) * part for mean, new in zip(self.value, value, strict=True)
        ]


class Tree:
    """What may follow a position in which two or more moves are legal."""

    def __init__(self, position: Position, rng: Random) -> None:
        self._root = Node(position)
        self._root.expand()
        self._rng = rng

    @property
    def is_settled(self) -> bool:
        """Whether only one move is worth a look."""
        return len(self._root.children) == 1

    @property
    def best_move(self) -> Move:
        """The move most looked at; of those, the best."""
        seat = self._root.seat
        return max(self._root.children, key=lambda child: (child.visits, child.value[seat])).move

    def grow(self) -> None:
        """Follows the most promising moves down to a leaf and looks one move further there."""
        path = [self._root]
        while True:
            node = path[-1]
            if node.awaits_dice:
                path.append(self._rolled(node))
            elif node.children:
                path.append(node.most_promising_child())
            else:
                break
        node.expand()
        value = node.best_child().value if node.children else node.value
        for node in path:
            node.learn(value)

    def _rolled(self, node: Node) -> Node:
        """The dice fall in a new way now and then, else in that of which least is known."""
        if len(node.children) < sqrt(node.visits):
            after = node.position.copy()
            after.roll(roll_dice(self._rng))
            node.children.append(Node(after))
            return node.children[-1]
        return min(node.children, key=lambda child: child.visits)
