"""The bot and its tree: UCT for any number of players, with an evaluation in place of playouts.

Kocsis and Szepesvári, "Bandit based Monte-Carlo planning" (2006), in its max^n form: each seat
chooses what is best for itself. At a leaf the tree looks one move further; the value of the seat's
best move there goes back to all nodes on the way, and each node keeps the mean of these values.
"""

import os
from collections.abc import Callable
from math import sqrt
from random import Random
from time import monotonic
from typing import Final

from referee.bot import Bot, Decision
from referee.rules import Move, Position, roll_dice
from referee.rules.cells import DELIVER, DRIVE, FUNCTION, PHASE, ROLL
from referee.rules.moves import BUYS, SELLS, VERB_BITS, VERB_MASK
from referee.rules.pieces import CASINO, STOPS
from sample_bots.planner.worth import utilities

SECONDS: Final = 0.1
SECONDS_VARIABLE: Final = "SANTIAGO_PLANNER_SECONDS"
LARGEST_PART_OF_TIME_LEFT: Final = 0.2
CURIOSITY: Final = 0.03
"""The bonus of a move that was seldom looked at: the larger, the broader the search."""
NO_MOVE: Final = -1
CASINO_DEALS: Final = 3
GOOD_MASK: Final = 7


class PlannerBot(Bot):
    """Searches for a fixed time a decision, and for less when the clock runs low.

    `seconds`: thinking time a decision; by default SANTIAGO_PLANNER_SECONDS, or 0.1.
    `rng`: rolls the dice in the tree. `clock`: returns seconds, as `monotonic` does.
    Raises ValueError if the thinking time is not above 0.
    """

    name = "planner"
    author = "Santiago Arena"

    def __init__(
        self,
        seconds: float | None = None,
        rng: Random | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._seconds = seconds_from_environment() if seconds is None else _checked(seconds)
        self._rng = rng or Random()
        self._clock = clock

    def choose(self, decision: Decision) -> Move:
        seconds = min(self._seconds, decision.time_left * LARGEST_PART_OF_TIME_LEFT)
        end = self._clock() + seconds
        tree = Tree(decision.position, self._rng)
        while not tree.is_settled and self._clock() < end:
            tree.grow()
        return tree.best_move


def seconds_from_environment() -> float:
    """Return the thinking time that the environment asks for. Raises ValueError."""
    text = os.environ.get(SECONDS_VARIABLE, str(SECONDS))
    try:
        return _checked(float(text))
    except ValueError:
        raise ValueError(
            f"{SECONDS_VARIABLE} is {text!r}; set it to the seconds that the planner may think "
            "about a decision, such as 0.1, or unset it."
        ) from None


def _checked(seconds: float) -> float:
    if not 0 < seconds < float("inf"):
        raise ValueError(f"The planner needs a thinking time above 0 seconds, not {seconds}.")
    return seconds


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
    """A position, how good it is for each seat, and the nodes that follow it."""

    __slots__ = ("children", "move", "position", "seat", "value", "visits")

    def __init__(self, position: Position, move: Move = NO_MOVE) -> None:
        self.position = position
        self.move = move
        """The move that led here; NO_MOVE for the root and after dice."""
        self.seat = position.seat
        self.value = utilities(position)
        """The mean value for each seat of all looks at what follows."""
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
        """Return the child that the deciding seat would choose by what is known now."""
        seat = self.seat
        return max(self.children, key=lambda child: child.value[seat])

    def most_promising_child(self) -> "Node":
        """Return the child to look at next: good, or seldom looked at."""
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
    """The tree of positions that may follow one with two or more legal moves."""

    def __init__(self, position: Position, rng: Random) -> None:
        self._root = Node(position)
        self._root.expand()
        self._rng = rng

    @property
    def is_settled(self) -> bool:
        """True if only one move is worth a look."""
        return len(self._root.children) == 1

    @property
    def best_move(self) -> Move:
        """The move most looked at; if several are, the best of them."""
        seat = self._root.seat
        return max(self._root.children, key=lambda child: (child.visits, child.value[seat])).move

    def grow(self) -> None:
        """Follow the most promising moves down to a leaf and look one move further there."""
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
        """Roll anew now and then, else return the earlier roll that was looked at least."""
        if len(node.children) < sqrt(node.visits):
            after = node.position.copy()
            after.roll(roll_dice(self._rng))
            node.children.append(Node(after))
            return node.children[-1]
        return min(node.children, key=lambda child: child.visits)
