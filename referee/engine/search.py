"""The tree of what may follow a position, and the value of each legal move.

Kocsis and Szepesvári, "Bandit based Monte-Carlo planning" (2006), in its max^n form: each seat
chooses what is best for itself. At a leaf the tree looks one move further; the value of the seat's
best move there goes back to all nodes on the way, and each node keeps the mean of these values.
docs/engine.md says what else was tried.
"""

from dataclasses import dataclass
from math import sqrt
from random import Random

from referee.engine.collector import garbage_collector_rests
from referee.engine.tree import NO_CHILDREN, NO_MOVE, Node, candidates
from referee.rules.cells import PHASE, ROLL, SEAT, TURN
from referee.rules.moves import Move
from referee.rules.playouts import roll_dice
from referee.rules.position import Position


@dataclass(frozen=True)
class MoveValue:
    """The value of a legal move, and what it leads to."""

    move: Move
    shares: tuple[float, ...]
    """The share of the points that each seat may expect after it."""
    looks: int
    """How often the search looked at what follows."""
    line: tuple[Move, ...]
    """The best moves that follow, up to the next roll."""


class Search:
    """A search of one position: one with legal moves, or before a roll.

    The same position, generator and number of looks give the same values, compiled or not. The
    seats of bots that `faulted` end below all others.
    """

    def __init__(self, position: Position, rng: Random, faulted: tuple[int, ...] = ()) -> None:
        self._faulted = 0
        for seat in faulted:
            self._faulted |= 1 << seat
        self._position = position.copy()
        self._rng = rng
        self._dice: list[tuple[int, ...]] = []
        """The rolls of every roll in the tree, in order: moves are compared with the same luck."""
        self._root = Node(self._position, self._position.seat, faulted=self._faulted)
        self._root.position = self._position
        self._root.widen(self._position, self._faulted)

    @property
    def looks(self) -> int:
        """How often `think` looked further, with what is kept of an earlier position."""
        return int(self._root.visits) - 1

    @property
    def best_move(self) -> Move:
        """The move with the best value among those that it looked at often enough."""
        return self._root.chosen_child().move

    @property
    def shares(self) -> tuple[float, ...]:
        """The share of the points of each seat: after the best move, or on average over rolls."""
        root, position = self._root, self._position
        rolls = position.cells[PHASE] == ROLL
        return _shares(root if rolls else root.chosen_child(), position.players)

    def decisions(self, looks: int) -> list[Node]:
        """Return the nodes with a decision that it has visited `looks` times, and come to twice."""
        found: list[Node] = []
        waiting = [self._root]
        while waiting:
            node = waiting.pop()
            if node.children and node.visits >= looks:
                if node.children[0].move != NO_MOVE and node.position is not None:
                    found.append(node)
                waiting.extend(node.children)
        return found

    def think(self, looks: int) -> None:
        """Look `looks` times further; may be called again."""
        with garbage_collector_rests():
            for _ in range(looks):
                self._look()

    def think_of_each(self, looks: int) -> None:
        """Look on below each move until it has `looks` visits, however little it promises."""
        root, position = self._root, self._position
        with garbage_collector_rests():
            for child in root.children:
                self._root, self._position = child, child.reached_from(position)
                while child.visits < looks:
                    self._look()
        self._root, self._position = root, position

    def forget(self, visits: float) -> None:
        """Drop what follows nodes with fewer visits; it grows anew where the search comes back."""
        waiting = [self._root]
        while waiting:
            for child in waiting.pop().children:
                if child.visits >= visits:
                    waiting.append(child)
                else:
                    child.children = NO_CHILDREN
                    child.position = None

    def is_decided(self, looks: int) -> bool:
        """Return True if `looks` more can give no other move more visits than the best one has."""
        best = self._root.chosen_child()
        most, second = best.visits, 0.0
        for child in self._root.children:
            if child is not best and child.visits > second:
                second = child.visits
        return most > second + looks

    def follow(self, position: Position) -> bool:
        """Go on from a position that has come meanwhile. Return False if the tree lacks it."""
        node = self._find(position)
        if node is None:
            return False
        assert node.position is not None
        self._root = node
        self._position = node.position
        node.widen(self._position, self._faulted)
        return True

    def moves(self) -> list[MoveValue]:
        """Return the values of all legal moves, the best one first.

        A move that was looked at too seldom to be trusted counts as no better than the best one.
        """
        root = self._root
        best = root.chosen_child()
        others = [child for child in root.children if child is not best]
        others.sort(key=_value_for_chooser, reverse=True)
        limit = best.value_for_chooser
        players = self._position.players
        return [
            MoveValue(
                child.move,
                _shares(best if child.value_for_chooser > limit else child, players),
                int(child.visits),
                self._line(child),
            )
            for child in [best, *others]
        ]

    def _line(self, node: Node) -> tuple[Move, ...]:
        line: list[Move] = []
        while node.children and node.children[0].move != NO_MOVE:
            node = node.chosen_child()
            line.append(node.move)
        return tuple(line)

    def _find(self, position: Position) -> Node | None:
        turn = position.cells[TURN]
        waiting = self._root.children[:]
        while waiting:
            node = waiting.pop()
            here = node.position
            if here is None or here.cells[TURN] > turn:
                continue
            if here.cells == position.cells and here.layout == position.layout:
                return node
            waiting.extend(node.children)
        return None

    def _look(self) -> None:
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
        node.expand(position, candidates(position), self._faulted)
        leaf = node.best_child() if node.children else node
        value = leaf.value
        for node in path:
            node.learn(value)

    def _rolled(self, node: Node, position: Position) -> Node:
        """Roll anew now and then, else return the earlier roll with the fewest visits."""
        rolls = len(node.children)
        if rolls < sqrt(node.visits):
            if rolls == len(self._dice):
                self._dice.append(roll_dice(self._rng))
            after = position.copy()
            after.roll(self._dice[rolls])
            child = Node(after, after.cells[SEAT], faulted=self._faulted)
            child.position = after
            node.children = [*node.children, child]
            return child
        least = node.children[0]
        for child in node.children:
            if child.visits < least.visits:
                least = child
        return least


def _shares(node: Node, players: int) -> tuple[float, ...]:
    return tuple(list(node.value)[:players])


def _value_for_chooser(node: Node) -> float:
    return node.value_for_chooser
