"""A running game: the position, what has happened, and the record that becomes the replay."""

from collections.abc import Callable
from dataclasses import dataclass, field

from referee.dice import Luck
from referee.faults import Fault
from referee.messages import goods_message
from referee.rules import Move, Position, move_text
from referee.wire import game_pb2, replay_pb2

_Made = tuple[int, Move, game_pb2.MadeBy]
"""A move: seat, move, and who made it."""

Watcher = Callable[["Game"], None]
"""Called after each event, with the game as it then stands."""


@dataclass
class Game:
    """One game on the table. Only the functions here change its position."""

    position: Position
    luck: Luck
    watcher: Watcher | None = None
    entries: list[replay_pb2.Entry] = field(default_factory=list)
    """What the rules alone do not tell: what the replay keeps."""
    faults: list[Fault] = field(default_factory=list)
    _events: list[game_pb2.Event] = field(default_factory=list)
    _news: list[game_pb2.Event | _Made] = field(default_factory=list)
    """What is newer than the last of `_events`."""

    @property
    def events(self) -> list[game_pb2.Event]:
        """All that happened, in order: what the seats are told. Do not change it.

        Moves become messages when somebody asks: bots in this process need none.
        """
        self._events += [_event(*new) if isinstance(new, tuple) else new for new in self._news]
        self._news.clear()
        return self._events

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
        entry = replay_pb2.Entry()
        chosen = entry.chosen  # filled in place, which is twice as fast as building and copying it
        chosen.seat = seat
        chosen.action = move
        chosen.by = by
        chosen.think_us = round(think * 1e6)
        chosen.overhead_us = round(overhead * 1e6)
        self.entries.append(entry)
        self._make(seat, move, by)

    def _roll(self) -> None:
        seat, dice = self.position.seat, self.luck.roll()
        roll = game_pb2.Roll(seat=seat, dice=goods_message(dice))
        self.position.roll(dice)
        self.entries.append(replay_pb2.Entry(roll=roll))
        self._happened(game_pb2.Event(roll=roll))

    def _make(self, seat: int, move: Move, by: game_pb2.MadeBy) -> None:
        self.position.step(move)
        self._happened((seat, move, by))

    def _happened(self, new: game_pb2.Event | _Made) -> None:
        self._news.append(new)
        if self.watcher is not None:
            self.watcher(self)


def _event(seat: int, move: Move, by: game_pb2.MadeBy) -> game_pb2.Event:
    made = game_pb2.MoveMade(seat=seat, action=move, text=move_text(move), by=by)
    return game_pb2.Event(move=made)
