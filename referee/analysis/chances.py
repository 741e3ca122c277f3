"""The chance of each rank for each seat at a moment of a game, and how certain chances are in it.

The network tells them. While the last ship is loaded, a search sees the end of the game, which the
network does not: then what the search finds counts, too, so that chances and the values of moves
agree (docs/engine.md). A forced move is nobody's doing: it changes no chances.

A lead means more among players who hardly err, and less among those who err nearly as much as
chance would. How much a seat errs shows in what its decisions cost, beside what moves drawn by
chance would have cost. Two judges say that, so that nobody is called good only for thinking as the
judge does: the network one move ahead, and a glance of the search. Neither depends on the depth of
the analysis. The best player counts: who is ahead of bad players stays so. A seat whose bot faulted
counts only if nobody else has decided anything.
"""

from math import exp
from random import Random
from statistics import fmean
from typing import Final

from referee.engine.evaluation import rank_chances, shares
from referee.engine.search import Search
from referee.rules import Move, Position
from referee.rules.pieces import SHIPS

_LOOKS: Final = 100
"""The looks at each moment of the last ship, whatever the depth of the analysis."""
_GLANCE: Final = 20
"""The looks at each decision, by which it is judged."""
_KNOWN: Final = 0.5
_USUAL: Final = 0.35
"""Each seat begins with a cost of this part of chance's, known as well as after some ten decisions,
in which chance would cost a share of _KNOWN."""
_BEST: Final = 0.15
_GOOD: Final = 0.24
"""Chances are more certain below this waste; below _BEST no more than at it."""
_FORGIVEN: Final = 0.4
"""Above this waste they are less certain."""
_SLOPE: Final = 4.0
"""How fast they become so (docs/engine.md)."""


class _Judge:
    """A way to value moves: it sums up the cost of a seat's decisions, and of chance's."""

    def __init__(self) -> None:
        self._cost = _USUAL * _KNOWN
        self._by_chance = _KNOWN

    @property
    def wasted(self) -> float:
        return self._cost / self._by_chance

    def add(self, values: dict[Move, float], played: Move) -> None:
        best = max(values.values())
        self._cost += best - values[played]
        self._by_chance += best - sum(values.values()) / len(values)


class Level:
    """How well a game is played, by its decisions so far."""

    def __init__(self, players: int) -> None:
        self._judges = [(_Judge(), _Judge()) for _ in range(players)]
        self._decided: set[int] = set()
        self._faulted: tuple[int, ...] = ()

    def fault(self, seat: int) -> None:
        """Take in that the bot of a seat has faulted."""
        self._faulted += (seat,)

    def add(self, position: Position, played: Move) -> None:
        """Take in a decision: the position, with two or more legal moves, and the move played."""
        seat = position.seat
        self._decided.add(seat)
        network, glance = self._judges[seat]
        values = {move: self._share(position, move) for move in position.legal_moves}
        network.add(values, played)
        search = Search(position, Random(0), self._faulted)
        search.think(_GLANCE)
        glance.add({value.move: value.shares[seat] for value in search.moves()}, played)

    @property
    def wasted(self) -> tuple[float, ...]:
        """Return the waste of each seat: 0 for perfect play, about 1 for play by chance."""
        return tuple(fmean(judge.wasted for judge in judges) for judges in self._judges)

    @property
    def certainty(self) -> float:
        """The factor of the network's scores that chances in this game take, from 0 to 1.43."""
        counted = self._decided.difference(self._faulted) or self._decided
        wasted = self.wasted
        waste = min((wasted[seat] for seat in counted), default=_USUAL)
        saved = max(0.0, _GOOD - max(waste, _BEST))
        return exp(_SLOPE * (saved - max(0.0, waste - _FORGIVEN)))

    def _share(self, position: Position, move: Move) -> float:
        after = position.copy()
        after.apply(move)
        return shares(after, faulted=self._faulted)[position.seat]


def chances_at(
    position: Position, certainty: float, faulted: tuple[int, ...] = (), *, absent: int = 0
) -> list[list[float]]:
    """Return the chances in a position, in a game in which they are so certain.

    `faulted` are the seats whose bots have faulted, in this order: they end below all others, the
    last of them above the one before. The first `absent` of them were empty from the start, and
    share the last ranks.
    """
    if len(position.legal_moves) == 1:
        position = position.copy()
        position.apply(position.legal_moves[0])
    found = rank_chances(position, certainty, faulted, _foreseen(position, faulted))
    for seat in faulted[:absent]:
        found[seat][-absent:] = [1 / absent] * absent
    return found


def _foreseen(position: Position, faulted: tuple[int, ...]) -> tuple[float, ...]:
    """Return the shares that a search finds at the last ship; nothing before it."""
    if position.ship < SHIPS or position.is_over:
        return ()
    search = Search(position, Random(0), faulted)
    search.think(_LOOKS)
    return search.shares
