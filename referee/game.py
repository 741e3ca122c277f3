"""A running game: the position, what has happened, and the record that becomes the replay."""

from collections.abc import Callable
from dataclasses import dataclass, field

from referee.dice import Luck
from referee.faults import Fault
from referee.messages import goods_message
from referee.rules import Move, Position, move_text
from referee.wire import game_pb2, replay_pb2

Watcher = Callable[["Game"], None]
"""Called after each event, with the game as it then stands."""


@dataclass
class Game:
    """One game on the table. Only the functions here change its position."""

    position: Position
    luck: Luck
    watcher: Watcher | None = None
    events: list[game_pb2.Event] = field(default_factory=list)
    """All that happened, in order: what the seats are told."""
    entries: list[replay_pb2.Entry] = field(default_factory=list)
    """What the rules alone do not tell: what the replay keeps."""
    faults: list[Fault] = field(default_factory=list)

    def run_to_decision(self) -> bool:
        """Rolls dice and makes forced moves until a seat has to choose; False when it is over."""
        position = self.position
        while not position.is_over:
            moves = position.legal_moves
            if len(moves) > 1:
                return True
            if moves:
                self._make(position.seat, moves[0], game_pb2.MADE_BY_REFEREE)
            else:
                self._roll()
        return False

    def choose(self, move: Move, think: float = 0.0, overhead: float = 0.0) -> None:
        """The bot whose decision stands makes a legal move; times in seconds."""
        self._choose(move, game_pb2.MADE_BY_BOT, think, overhead)

    def choose_for_absent(self) -> None:
        """The caretaker makes a move for the seat whose decision stands."""
        self._choose(self.luck.choose(self.position.legal_moves), game_pb2.MADE_BY_CARETAKER)

    def fault(self, fault: Fault) -> None:
        """A seat has faulted."""
        self.faults.append(fault)
        self.entries.append(replay_pb2.Entry(fault=fault.message()))
        self._happened(game_pb2.Event(fault=fault.public_message()))

    @property
    def faulted(self) -> list[int]:
        """The seats that have faulted, in that order."""
        return [fault.seat for fault in self.faults]

    def _choose(
        self, move: Move, by: game_pb2.MadeBy, think: float = 0.0, overhead: float = 0.0
    ) -> None:
        seat = self.position.seat
        chosen = replay_pb2.Chosen(
            seat=seat,
            action=move,
            by=by,
            think_us=round(think * 1e6),
            overhead_us=round(overhead * 1e6),
        )
        self.entries.append(replay_pb2.Entry(chosen=chosen))
        self._make(seat, move, by)

    def _roll(self) -> None:
        seat, dice = self.position.seat, self.luck.roll()
        roll = game_pb2.Roll(seat=seat, dice=goods_message(dice))
        self.position.roll(dice)
        self.entries.append(replay_pb2.Entry(roll=roll))
        self._happened(game_pb2.Event(roll=roll))

    def _make(self, seat: int, move: Move, by: game_pb2.MadeBy) -> None:
        self.position.step(move)
        made = game_pb2.MoveMade(seat=seat, action=move, text=move_text(move), by=by)
        self._happened(game_pb2.Event(move=made))

    def _happened(self, event: game_pb2.Event) -> None:
        self.events.append(event)
        if self.watcher is not None:
            self.watcher(self)
