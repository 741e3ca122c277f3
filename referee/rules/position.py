"""A position of the game: the face of the rules."""

from __future__ import annotations

from referee.rules import cells as at, text, validity
from referee.rules.cells import GameState, Layout, starting_cells
from referee.rules.city import ask_demand
from referee.rules.errors import IllegalMove, InvalidPosition, InvalidRoll
from referee.rules.legal_moves import building_in_use, legal_moves
from referee.rules.moves import Move, move_text, parse_move
from referee.rules.pieces import MAX_PLAYERS, MIN_PLAYERS
from referee.rules.scoring import Outcome, Reason, Score, scores
from referee.rules.turn import perform


class Position(GameState):
    """One moment of a game: mutable, cheap to copy, equal to another by value.

    `legal_moves` is the tuple of moves among which `seat` chooses. It is empty while dice are
    awaited (`kind` is "roll") and when the game is over. A position has no randomness: the program
    that plays the game passes each roll of the dice to `roll`.

    Seats are numbered from 0, clockwise; goods, citizens and buildings have the numbers of
    `referee.rules.pieces`. `str(position)` is one line of text, which `Position.parse` reads.

    >>> position = Position.start(Layout.shuffled(Random(7)), players=3)
    >>> position.roll((1, 4, 0, 2, 3))
    >>> position.play("exclude tobacco")
    >>> position.kind, position.seat, position.demand
    ('drive', 0, (1, 4, 0, 2, 3))
    """

    __slots__ = ()

    @classmethod
    def start(cls, layout: Layout, players: int) -> Position:
        """Return the first position of a game (S1 to S4): the last seat is to roll.

        Args:
            layout: The board, for example `Layout.shuffled(Random(7))`.
            players: 2, 3 or 4.

        Raises:
            InvalidPosition: Another number of players.

        Example:
            >>> Position.start(Layout.shuffled(Random(7)), players=3).kind
            'roll'
        """
        if not MIN_PLAYERS <= players <= MAX_PLAYERS:
            raise InvalidPosition(f"Two to four players can play, not {players}.")
        return cls(layout, players, starting_cells(players), ())

    def copy(self) -> Position:
        """Return an independent position; only the layout, which never changes, is shared.

        Example:
            >>> after = position.copy()
            >>> after.apply(after.legal_moves[0])
            >>> after.car, position.car
            (1, 0)
        """
        return Position(self.layout, self.players, self.cells[:], self.legal_moves)

    # Playing.

    def apply(self, move: Move) -> None:
        """Play a legal move, and then each move that is the only legal one.

        Afterwards there are two or more legal moves, dice are awaited, or the game is over. The
        move is not checked, for speed: a move that is not legal leaves a broken position.

        Args:
            move: One of `legal_moves`, or what `parse_move` returned.

        Example:
            >>> position.apply(position.legal_moves[0])
        """
        perform(self, move)
        while len(self.legal_moves) == 1:
            perform(self, self.legal_moves[0])

    def step(self, move: Move) -> None:
        """Play a legal move alone: a forced move that follows is left standing in `legal_moves`.

        Args:
            move: One of `legal_moves`; it is not checked.

        Example:
            >>> position.step(position.legal_moves[0])
        """
        perform(self, move)

    def roll(self, dice: tuple[int, ...]) -> None:
        """Let the five dice fall (H5); afterwards the player who rolled excludes a good.

        Args:
            dice: The faces of sugar, citrus, tobacco, rum and cigars, in this order.

        Raises:
            InvalidRoll: Nobody has to roll now, there are not five dice, or a die has no such face.

        Example:
            >>> Position.start(position.layout, players=3).roll((1, 4, 0, 2, 3))
        """
        if self.cells[at.PHASE] != at.ROLL:
            now = "the game is over" if self.is_over else f"the next is a {self.kind} decision"
            raise InvalidRoll(f"Nobody has to roll now: {now}.")
        ask_demand(self, dice)

    def parse_move(self, move: str) -> Move:
        """Return the legal move that a text names.

        Args:
            move: A move of the notation, such as "visit bank".

        Raises:
            InvalidMove: The text is not a move.
            IllegalMove: It is a move, but not legal here; the message lists legal ones.

        Example:
            >>> position.parse_move("drive 2")
            65
        """
        parsed = parse_move(move)
        if parsed not in self.legal_moves:
            without = "none, the game is over" if self.is_over else "none before `roll`"
            legal = ", ".join(self.legal_texts()[:8]) or without
            raise IllegalMove(f"'{move}' is not legal here; legal moves: {legal}.")
        return parsed

    def play(self, move: str) -> None:
        """Check a move of the notation, then `apply` it.

        Args:
            move: A move of the notation, such as "visit bank".

        Raises:
            InvalidMove: The text is not a move.
            IllegalMove: It is a move, but not legal here.

        Example:
            >>> position.play("drive 2")
        """
        self.apply(self.parse_move(move))

    def outcome(self) -> Outcome | None:
        """Return how the game ended, or None if it goes on.

        Example:
            >>> position.outcome() is None
            True
        """
        if self.cells[at.PHASE] != at.OVER:
            return None
        return Outcome(Reason(at.REASONS[self.cells[at.REASON]]), self.scores())

    def scores(self) -> tuple[Score, ...]:
        """Return by seat what each would score if the game ended here (E1, E2).

        Example:
            >>> [score.vp for score in position.scores()]
            [3, 3, 3]
        """
        return scores(self.cells, self.players)

    # Reading.

    def legal_texts(self) -> list[str]:
        """Return the legal moves in the notation, in the order of `legal_moves`.

        Example:
            >>> position.legal_texts()
            ['drive 1', 'drive 2', 'drive 3', 'drive 4']
        """
        return [move_text(move) for move in self.legal_moves]

    @property
    def phase(self) -> int:
        """The phase, that is what is awaited: DRIVE, ROLL, OVER or another of those in cells.py."""
        return self.cells[at.PHASE]

    @property
    def kind(self) -> str:
        """The phase's name: a kind of decision of the notation, `roll` or `over`."""
        return at.PHASES[self.cells[at.PHASE]]

    @property
    def building(self) -> int | None:
        """The building that is used, at a `function` decision; None at any other time."""
        if self.cells[at.PHASE] != at.FUNCTION:
            return None
        return building_in_use(self.cells)

    @property
    def is_over(self) -> bool:
        """True if the game has ended."""
        return self.cells[at.PHASE] == at.OVER

    @property
    def seat(self) -> int:
        """The seat that decides or rolls."""
        return self.cells[at.SEAT]

    @property
    def active(self) -> int:
        """The seat whose turn it is; 0 during the setup."""
        return self.cells[at.ACTIVE]

    @property
    def turn(self) -> int:
        """The number of the turn, from 1, counted over all players; 0 during the setup."""
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
        """The stop of the car, 0 to 9: 0 is the harbour."""
        return self.cells[at.CAR]

    @property
    def demand(self) -> tuple[int, ...] | None:
        """Units wanted by plain good, 0 for the excluded one; None if none has been rolled."""
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
        """The plain good that the ship does not want; None if no demand has been rolled."""
        good = self.cells[at.EXCLUDED]
        return None if good == at.NO_DEMAND else good

    @property
    def supply(self) -> tuple[int, ...]:
        """Units left in the supply by good, wood last."""
        return tuple(self.cells[at.SUPPLY : at.SUPPLY + 6])

    def is_silenced(self, citizen: int) -> bool:
        """Return True if a citizen is silenced."""
        return bool(self.cells[at.SILENCED] >> citizen & 1)

    def owner(self, building: int) -> int | None:
        """Return the seat that owns a building, or None if nobody does."""
        seat = self.cells[at.OWNER + building]
        return None if seat == at.NOBODY else seat

    def in_round(self, seat: int) -> bool:
        """Return True if a delivery round is on and the seat has not passed in it."""
        return self.cells[at.PHASE] == at.DELIVER and bool(self.cells[at.ROUND] >> seat & 1)

    def pawn(self, seat: int) -> int | None:
        """Return the building on which a seat's pawn stands; None if it is off the board."""
        building = self.cells[at.PLAYER[seat] + at.PAWN]
        return None if building == at.OFF_BOARD else building

    def markers(self, seat: int) -> int:
        """Return how many ownership markers a seat has left, 0 to 3."""
        return self.cells[at.PLAYER[seat] + at.MARKERS]

    def pesos(self, seat: int) -> int:
        """Return a seat's pesos."""
        return self.cells[at.PLAYER[seat] + at.PESOS]

    def vp(self, seat: int) -> int:
        """Return a seat's victory points so far, without those for goods at the end (E1)."""
        return self.cells[at.PLAYER[seat] + at.VP]

    def goods(self, seat: int) -> tuple[int, ...]:
        """Return a seat's units by good, wood last."""
        start = at.PLAYER[seat] + at.HELD
        return tuple(self.cells[start : start + 6])

    # Text.

    @classmethod
    def parse(cls, line: str) -> Position:
        """Read a position from the line of text that `str` writes.

        Args:
            line: `key=value` parts, separated by spaces, in any order (docs/notation.md).

        Returns:
            A position from which the game can go on.

        Raises:
            InvalidPosition: The line cannot be read, or the game cannot come to such a position;
                the message names the first part that is wrong.

        Example:
            >>> Position.parse(str(position)) == position
            True
        """
        layout, players, cells = text.parse(line)
        position = cls(layout, players, cells, ())
        validity.check(position)
        position.legal_moves = legal_moves(position)
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
