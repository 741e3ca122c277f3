"""A position of the game: the face of the rules."""

from __future__ import annotations

from typing import Final

from referee.rules import cells as at
from referee.rules import parsing, ships, text, turn, validity
from referee.rules.errors import IllegalMove, InvalidPosition, InvalidRoll
from referee.rules.layout import Layout
from referee.rules.moves import Move, move_text, parse_move
from referee.rules.options import building_in_use
from referee.rules.pieces import (
    CITRUS,
    GOODS,
    LOWEST_VALUE,
    MAX_PLAYERS,
    MIN_PLAYERS,
    SUGAR,
    TOBACCO,
    UNITS_OF_EACH_GOOD,
)
from referee.rules.scoring import Outcome, Reason, Score, scores
from referee.rules.state import State
from referee.rules.turn import perform

_STARTING_GOODS: Final = (SUGAR, TOBACCO, CITRUS)


class Position(State):
    """One moment of a game: mutable, cheap to copy, equal to another by value.

    `legal_moves` is the tuple of moves among which `seat` chooses; it is empty while dice are
    awaited (`phase` ROLL) and when the game is over. Chance is not in here: whoever plays the
    game gives each roll to `roll`.
    """

    __slots__ = ()

    @classmethod
    def start(cls, layout: Layout, players: int) -> Position:
        """S1 to S4: the first position; the last seat is to roll. Raises InvalidPosition."""
        if not MIN_PLAYERS <= players <= MAX_PLAYERS:
            raise InvalidPosition(f"Two to four players can play, not {players}.")
        cells = [0] * (at.PLAYERS + at.STRIDE * players)
        cells[at.PHASE] = at.ROLL
        cells[at.SEAT] = players - 1
        cells[at.SHIP] = 1
        cells[at.VALUE] = LOWEST_VALUE
        cells[at.EXCLUDED] = at.NO_DEMAND
        for good in range(len(GOODS)):
            cells[at.SUPPLY + good] = UNITS_OF_EACH_GOOD
        cells[at.OWNER : at.PLAYERS] = [at.NOBODY] * (at.PLAYERS - at.OWNER)
        for seat in range(players):
            base = at.PLAYER[seat]
            cells[base + at.PESOS] = 3
            cells[base + at.VP] = 2
            cells[base + at.PAWN] = at.OFF_BOARD
            cells[base + at.MARKERS] = at.OWNERSHIP_MARKERS
            for good in _STARTING_GOODS:
                cells[base + at.HELD + good] = 1
                cells[at.SUPPLY + good] -= 1
        return cls(layout, players, cells, ())

    def copy(self) -> Position:
        """An independent position; the layout is shared, since it never changes."""
        return Position(self.layout, self.players, self.cells[:], self.legal_moves)

    # Playing.

    def apply(self, move: Move) -> None:
        """Plays a legal move, and then each move that is the only legal one.

        The move is not checked, for speed: take it from `legal_moves`, or use `parse`.
        """
        perform(self, move)
        while len(self.legal_moves) == 1:
            perform(self, self.legal_moves[0])

    def step(self, move: Move) -> None:
        """Plays a legal move alone: a forced one that follows is left standing in `legal_moves`."""
        perform(self, move)

    def roll(self, dice: tuple[int, ...]) -> None:
        """H5: five dice fall (sugar, citrus, tobacco, rum, cigars). Raises InvalidRoll."""
        if self.cells[at.PHASE] != at.ROLL:
            raise InvalidRoll(f"Nobody has to roll now: the next is a {self.kind} decision.")
        ships.ask_demand(self, dice)

    def parse_move(self, move: str) -> Move:
        """The legal move that a text names. Raises InvalidMove, IllegalMove."""
        parsed = parse_move(move)
        if parsed not in self.legal_moves:
            legal = ", ".join(self.legal_texts()[:8]) or "none"
            raise IllegalMove(f"'{move}' is not legal here; legal moves: {legal}.")
        return parsed

    def play(self, move: str) -> None:
        """Checks and applies a move of the notation. Raises InvalidMove, IllegalMove."""
        self.apply(self.parse_move(move))

    def outcome(self) -> Outcome | None:
        """How the game ended; None while it goes on."""
        if self.cells[at.PHASE] != at.OVER:
            return None
        return Outcome(Reason(at.REASONS[self.cells[at.REASON]]), self.scores())

    def scores(self) -> tuple[Score, ...]:
        """What each seat would score if the game ended here (E1, E2)."""
        return scores(self.cells, self.players)

    # Reading.

    def legal_texts(self) -> list[str]:
        """The legal moves in the notation, in the order of `legal_moves`."""
        return [move_text(move) for move in self.legal_moves]

    @property
    def phase(self) -> int:
        """What is awaited: one of the phases of cells.py, such as DRIVE, ROLL or OVER."""
        return self.cells[at.PHASE]

    @property
    def kind(self) -> str:
        """The phase's name: a decision kind of the notation, `roll` or `over`."""
        return at.PHASES[self.cells[at.PHASE]]

    @property
    def building(self) -> int | None:
        """At a `function` decision the building that is used; None at any other time."""
        if self.cells[at.PHASE] != at.FUNCTION:
            return None
        return building_in_use(self.cells)

    @property
    def is_over(self) -> bool:
        return self.cells[at.PHASE] == at.OVER

    @property
    def seat(self) -> int:
        """Who decides or rolls."""
        return self.cells[at.SEAT]

    @property
    def active(self) -> int:
        """Whose turn it is; 0 during the setup."""
        return self.cells[at.ACTIVE]

    @property
    def turn(self) -> int:
        """Turns of all players counted together, from 1; 0 during the setup."""
        return self.cells[at.TURN]

    @property
    def ship(self) -> int:
        """The ship in the harbour, 1 to 7."""
        return self.cells[at.SHIP]

    @property
    def value(self) -> int:
        """VP for each plain good delivered: 2, 3 or 4."""
        return self.cells[at.VALUE]

    @property
    def car(self) -> int:
        """The stop where the car stands: 0 is the harbour."""
        return self.cells[at.CAR]

    @property
    def demand(self) -> tuple[int, ...] | None:
        """Units wanted by plain good, 0 for the excluded one; None while none is rolled."""
        if self.cells[at.EXCLUDED] == at.NO_DEMAND:
            return None
        return tuple(self.cells[at.DEMAND : at.DEMAND + 5])

    @property
    def dice(self) -> tuple[int, ...] | None:
        """The roll from which a good is to be excluded; None at any other time."""
        if self.cells[at.PHASE] != at.DEMAND_CHOICE:
            return None
        return tuple(self.cells[at.DEMAND : at.DEMAND + 5])

    @property
    def excluded(self) -> int | None:
        """The plain good that the ship does not want; None while no demand is rolled."""
        good = self.cells[at.EXCLUDED]
        return None if good == at.NO_DEMAND else good

    @property
    def supply(self) -> tuple[int, ...]:
        """Units left in the supply by good, wood last."""
        return tuple(self.cells[at.SUPPLY : at.SUPPLY + 6])

    def is_silenced(self, citizen: int) -> bool:
        return bool(self.cells[at.SILENCED] >> citizen & 1)

    def owner(self, building: int) -> int | None:
        """The seat that owns a building; None where nobody does."""
        seat = self.cells[at.OWNER + building]
        return None if seat == at.NOBODY else seat

    def in_round(self, seat: int) -> bool:
        """Whether a seat may still deliver: there is a delivery round, and it has not passed."""
        return self.cells[at.PHASE] == at.DELIVER and bool(self.cells[at.ROUND] >> seat & 1)

    def pawn(self, seat: int) -> int | None:
        """The building where a seat's pawn stands; None while it is off the board."""
        building = self.cells[at.PLAYER[seat] + at.PAWN]
        return None if building == at.OFF_BOARD else building

    def markers(self, seat: int) -> int:
        """Ownership markers left, 0 to 3."""
        return self.cells[at.PLAYER[seat] + at.MARKERS]

    def pesos(self, seat: int) -> int:
        return self.cells[at.PLAYER[seat] + at.PESOS]

    def vp(self, seat: int) -> int:
        """Victory points so far, without those for goods at the end (E1)."""
        return self.cells[at.PLAYER[seat] + at.VP]

    def goods(self, seat: int) -> tuple[int, ...]:
        """Units held by good, wood last."""
        start = at.PLAYER[seat] + at.HELD
        return tuple(self.cells[start : start + 6])

    # Text.

    @classmethod
    def parse(cls, line: str) -> Position:
        """The position that a line of text describes. Raises InvalidPosition."""
        layout, players, cells = parsing.parse(line)
        position = cls(layout, players, cells, ())
        validity.check(position)
        position.legal_moves = turn.legal_moves(position)
        validity.check_decision(position)
        return position

    def __str__(self) -> str:
        return text.show(self)

    def __repr__(self) -> str:
        return f"Position.parse({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self.cells == other.cells and self.layout == other.layout

    __hash__ = None  # type: ignore[assignment]  # mutable
