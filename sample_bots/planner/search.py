"""The tree: UCT with a static evaluation at its leaves, for any number of players."""

from __future__ import annotations

from math import sqrt
from typing import Final

from referee.rules import Move, Position
from sample_bots.planner.candidates import candidates
from sample_bots.planner.worth import utilities

CURIOSITY: Final = 0.05


class Node:
    """A position, how good it is for each seat, and the nodes that one move leads to."""

    __slots__ = ("children", "move", "position", "seat", "value", "visits")

    def __init__(self, move: Move, position: Position) -> None:
        self.move = move
        self.position = position
        self.seat = position.seat
        self.value = utilities(position)
        self.visits = 1
        self.children: list[Node] = []

    def expand(self) -> None:
        for move in candidates(self.position):
            after = self.position.copy()
            after.apply(move)
            self.children.append(Node(move, after))

    def most_promising_child(self) -> Node:
        seat, curiosity = self.seat, CURIOSITY * sqrt(self.visits)
        return max(self.children, key=lambda child: child.value[seat] + curiosity / child.visits)


class Tree:
    """What may follow a position, in which two or more moves are legal."""

    def __init__(self, position: Position) -> None:
        self._root = Node(0, position)
        self._root.expand()

    @property
    def is_settled(self) -> bool:
        """Whether there is nothing to choose from."""
        return len(self._root.children) == 1

    @property
    def best_move(self) -> Move:
        seat = self._root.seat
        best = max(self._root.children, key=lambda child: (child.visits, child.value[seat]))
        return best.move

    def grow(self) -> None:
        """Follows the most promising moves to a leaf, and looks one move further from there."""
        path = [self._root]
        while path[-1].children:
            path.append(path[-1].most_promising_child())
        leaf = path[-1]
        leaf.expand()
        value = leaf.value
        if leaf.children:
            value = max(leaf.children, key=lambda child: child.value[leaf.seat]).value
        for node in path:
            node.visits += 1
            node.value = [
                mean + (new - mean) / node.visits
                for mean, new in zip(node.value, value, strict=True)
            ]
