"""A running game: the position, what has happened, the record for the replay, and the result."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from referee.dice import Luck
from referee.faults import Fault
from referee.messages import goods_message, score_message
from referee.rules import Move, Position, Score, move_text
from referee.wire import bot_pb2, game_pb2, replay_pb2

REASON_WORDS: Final = {
    game_pb2.END_REASON_SHIPS: "ships",
    game_pb2.END_REASON_TURNS: "turns",
    game_pb2.END_REASON_FORFEIT: "forfeit",
}
"""How a game ended, as it stands in traces and tables."""
_REASONS: Final = {word: reason for reason, word in REASON_WORDS.items()}

_Made = tuple[int, Move, game_pb2.MadeBy]
"""A move: seat, move, and who made it."""

Happened = game_pb2.Event | _Made

_Recorded = replay_pb2.Entry | tuple[int, Move, game_pb2.MadeBy, float, float]
"""A choice: as _Made, with the seconds that the bot and the referee took."""

Watcher = Callable[["Game"], None]
"""Called after each event, with the game as it then stands."""


@dataclass
class Game:
    """One game on the table. Only the functions here change its position."""

    position: Position
    luck: Luck
    watcher: Watcher | None = None
    faults: list[Fault] = field(default_factory=list)
    _recorded: list[_Recorded] = field(default_factory=list)
    _entries: list[replay_pb2.Entry] = field(default_factory=list)
    """The first of `_recorded` as messages."""
    _happened: list[Happened] = field(default_factory=list)
    _events: list[game_pb2.Event] = field(default_factory=list)
    """The first of `_happened` as messages."""

    @property
    def entries(self) -> list[replay_pb2.Entry]:
        """The entries of the replay: all that does not follow from the rules. Do not change it.

        Choices become messages when somebody asks, which is at the end: no bot waits for them.
        """
        self._entries += [_entry(what) for what in self._recorded[len(self._entries) :]]
        return self._entries

    @property
    def events(self) -> list[game_pb2.Event]:
        """All that happened, in order: what the seats are told. Do not change it.

        Moves become messages when somebody asks: bots in this process need none.
        """
        self._events += [_event(what) for what in self._happened[len(self._events) :]]
        return self._events

    @property
    def newest(self) -> Happened:
        """The last event."""
        return self._happened[-1]

    def encoded_events(self, told: int) -> list[bytes]:
        """The events after the first `told` ones, each as the field `events` of a PlayRequest."""
        return [_encoded(what) for what in self._happened[told:]]

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
        self._recorded.append(replay_pb2.Entry(fault=fault.message()))
        self._note(game_pb2.Event(fault=fault.public_message()))

    @property
    def faulted(self) -> list[int]:
        """The seats that have faulted, in that order."""
        return [fault.seat for fault in self.faults]

    def _choose(
        self, move: Move, by: game_pb2.MadeBy, think: float = 0.0, overhead: float = 0.0
    ) -> None:
        seat = self.position.seat
        self._recorded.append((seat, move, by, think, overhead))
        self._make(seat, move, by)

    def _roll(self) -> None:
        seat, dice = self.position.seat, self.luck.roll()
        roll = game_pb2.Roll(seat=seat, dice=goods_message(dice))
        self.position.roll(dice)
        self._recorded.append(replay_pb2.Entry(roll=roll))
        self._note(game_pb2.Event(roll=roll))

    def _make(self, seat: int, move: Move, by: game_pb2.MadeBy) -> None:
        self.position.step(move)
        self._note((seat, move, by))

    def _note(self, what: Happened) -> None:
        self._happened.append(what)
        if self.watcher is not None:
            self.watcher(self)


def _entry(what: _Recorded) -> replay_pb2.Entry:
    if not isinstance(what, tuple):
        return what
    seat, move, by, think, overhead = what
    entry = replay_pb2.Entry()
    chosen = entry.chosen  # filled in place, which is twice as fast as building and copying it
    chosen.seat = seat
    chosen.action = move
    chosen.by = by
    chosen.think_us = round(think * 1e6)
    chosen.overhead_us = round(overhead * 1e6)
    return entry


def _event(what: Happened) -> game_pb2.Event:
    if not isinstance(what, tuple):
        return what
    seat, move, by = what
    made = game_pb2.MoveMade(seat=seat, action=move, text=move_text(move), by=by)
    return game_pb2.Event(move=made)


def _encoded(what: Happened) -> bytes:
    return _encoded_move(what) if isinstance(what, tuple) else _as_field(what)


@lru_cache(maxsize=4096)
def _encoded_move(made: _Made) -> bytes:
    """Each seat is told of each move, and the same moves are made in every game."""
    return _as_field(_event(made))


def _as_field(event: game_pb2.Event) -> bytes:
    """A PlayRequest that has nothing else; encoded messages are joined field by field."""
    return bot_pb2.PlayRequest(events=[event]).SerializeToString()


def result_message(position: Position, faulted: Sequence[int]) -> game_pb2.Result:
    """Return how a game ended: by the rules if it is over, else by forfeit."""
    outcome = position.outcome()
    if outcome is None:
        return game_pb2.Result(
            reason=game_pb2.END_REASON_FORFEIT,
            ranks=table_ranks(position.players, faulted, None),
        )
    return game_pb2.Result(
        reason=_REASONS[outcome.reason.value],
        ranks=table_ranks(position.players, faulted, outcome.scores),
        scores=[score_message(score) for score in outcome.scores],
    )


def table_ranks(
    seats: int, faulted: Sequence[int], scores: Sequence[Score] | None
) -> tuple[int, ...]:
    """Ranks by seat, from 1, ties shared.

    `faulted`: the seats that have faulted, in that order; they rank below all others, a later
    fault above an earlier one. `scores`: those of the finished game; None after a forfeit.
    """
    standing = [seat for seat in range(seats) if seat not in faulted]
    ranks = [0] * seats
    for seat in standing:
        better = [other for other in standing if scores and scores[other].rank < scores[seat].rank]
        ranks[seat] = 1 + len(better)
    for place, seat in enumerate(reversed(faulted)):
        ranks[seat] = 1 + len(standing) + place
    return tuple(ranks)
