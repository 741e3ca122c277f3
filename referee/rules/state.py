"""The bare state that the rules work on; `Position` is its public face."""

from referee.rules.cells import LAWYER, OVER, PHASE, REASON, SEAT
from referee.rules.layout import Layout
from referee.rules.moves import Move


class State:
    """A layout, the number of players, the cells (see cells.py) and the moves that are legal."""

    __slots__ = ("cells", "layout", "legal_moves", "players")

    layout: Layout
    players: int
    cells: list[int]
    legal_moves: tuple[Move, ...]

    def __init__(
        self, layout: Layout, players: int, cells: list[int], legal_moves: tuple[Move, ...]
    ) -> None:
        self.layout = layout
        self.players = players
        self.cells = cells
        self.legal_moves = legal_moves

    def ask(self, phase: int, seat: int, moves: tuple[Move, ...]) -> None:
        """A decision stands: nothing happens until that seat has chosen one of the moves."""
        cells = self.cells
        cells[PHASE] = phase
        cells[SEAT] = seat
        self.legal_moves = moves

    def end(self, reason: int) -> None:
        """The game is over."""
        self.cells[PHASE] = OVER
        self.cells[REASON] = reason
        self.cells[LAWYER] = 0
        self.legal_moves = ()
