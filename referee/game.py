"""A running game: its position and luck, its events, the record for the replay, and the result."""

import hashlib
import hmac
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from typing import Final

from referee import messages
from referee.faults import Fault, FaultCode
from referee.notes import Notebook
from referee.rules import Move, Position
from referee.rules.pieces import DICE
from referee.rules.scoring import table_ranks
from referee.wire import game_pb2, replay_pb2

SEED_BYTES: Final = 32
MAX_NONCE_BYTES: Final = 32
_FACES: Final = 6
_FAIR_BYTES: Final = 252  # the largest multiple of six that a byte can hold

REASON_WORDS: Final = {
    game_pb2.END_REASON_SHIPS: "ships",
    game_pb2.END_REASON_TURNS: "turns",
    game_pb2.END_REASON_FORFEIT: "forfeit",
}
"""How a game ended, as it stands in traces and tables."""
_REASONS: Final = {word: reason for reason, word in REASON_WORDS.items()}

Happened = game_pb2.Event | messages.Made

_Choice = tuple[int, Move, game_pb2.MadeBy, float, float, float, game_pb2.Note | None]
"""A choice: as Made, with seconds (the bot's, the referee's, and of CPU time), and its note."""
_Recorded = replay_pb2.Entry | _Choice

Watcher = Callable[["Game"], None]
"""Called after each event, with the game as it then stands."""


def fresh_seed() -> bytes:
    """Return a seed of 32 bytes from the operating system."""
    return secrets.token_bytes(SEED_BYTES)


def commitment(seed: bytes) -> bytes:
    """Return the SHA-256 of the seed, which is published before the game."""
    return hashlib.sha256(seed).digest()


class Luck:
    """All that chance decides in one attempt, in order.

    It comes from a seed whose hash is published before the game, and from a nonce of each seat. So
    no bot can choose it, nor can an operator without a bot at the table; one who tells a bot the
    seed lets that bot choose by its nonce. Roll r (from 0) takes the bytes of

        HMAC-SHA256(key=seed, salt || r || block)      block = 0, 1, 2, ...
        salt = attempt || for each seat: length of its nonce || nonce

    in which attempt, r and block have 4 bytes, big-endian, and a length has one. Bytes of 252 and
    above are skipped; the next five, each modulo 6, are the faces (from 0) of the sugar, citrus,
    tobacco, rum and cigars dice in the order of S5. Move k (from 0) of the caretaker is number

        HMAC-SHA256(key=seed, salt || "caretaker" || k)      the first 8 bytes, modulo their count

    of the legal moves in the order of their action numbers. See docs/dice.md.
    """

    def __init__(self, seed: bytes, attempt: int, nonces: Sequence[bytes]) -> None:
        self._seed = seed
        self._salt = _four(attempt) + b"".join(bytes([len(nonce)]) + nonce for nonce in nonces)
        self._rolls = count()
        self._choices = count()

    def roll(self) -> tuple[int, ...]:
        """Return the next five dice, by plain good."""
        indices = islice(self._fair_bytes(next(self._rolls)), len(DICE))
        return tuple(faces[i % _FACES] for faces, i in zip(DICE, indices, strict=True))

    def choose(self, moves: Sequence[Move]) -> Move:
        """Return the caretaker's next move, one of `moves`."""
        digest = self._digest(b"caretaker" + _four(next(self._choices)))
        return sorted(moves)[int.from_bytes(digest[:8], "big") % len(moves)]

    def _fair_bytes(self, roll: int) -> Iterator[int]:
        for block in count():
            digest = self._digest(_four(roll) + _four(block))
            yield from (byte for byte in digest if byte < _FAIR_BYTES)

    def _digest(self, text: bytes) -> bytes:
        return hmac.digest(self._seed, self._salt + text, "sha256")


def _four(number: int) -> bytes:
    return number.to_bytes(4, "big")


@dataclass
class Game:
    """One game at a table. Only its methods change the position."""

    position: Position
    luck: Luck
    watcher: Watcher | None = None
    faults: list[Fault] = field(default_factory=list)
    _recorded: list[_Recorded] = field(default_factory=list)
    """Everything that does not follow from the rules."""
    _entries: list[replay_pb2.Entry] = field(default_factory=list)
    """The first of `_recorded` as messages."""
    _happened: list[Happened] = field(default_factory=list)
    _events: list[game_pb2.Event] = field(default_factory=list)
    """The first of `_happened` as messages."""
    _notebook: Notebook = field(default_factory=Notebook)

    @property
    def entries(self) -> list[replay_pb2.Entry]:
        """The replay's entries, read only. Choices become messages here: no bot waits for them."""
        self._entries += [_entry(record) for record in self._recorded[len(self._entries) :]]
        return self._entries

    @property
    def events(self) -> list[game_pb2.Event]:
        """All that happened, read only. Moves become messages here: local bots need none."""
        self._events += [_event(happened) for happened in self._happened[len(self._events) :]]
        return self._events

    @property
    def newest(self) -> Happened:
        """The last event."""
        return self._happened[-1]

    @property
    def note(self) -> game_pb2.Note | None:
        """The note that came with the last event; None if there was none."""
        newest, recorded = self.newest, self._recorded[-1]
        chosen = isinstance(newest, tuple) and newest[2] == game_pb2.MADE_BY_BOT
        return recorded[6] if chosen and isinstance(recorded, tuple) else None

    def encoded_events(self, sent: int) -> list[bytes]:
        """Return all events but the first `sent`, each as the field `events` of a PlayRequest."""
        return [_encoded(happened) for happened in self._happened[sent:]]

    def run_to_decision(self) -> bool:
        """Roll dice and make forced moves until a seat has to choose. Return False at the end."""
        position = self.position
        while not position.is_over:
            moves = position.legal_moves
            if len(moves) > 1:
                return True
            if moves:
                self._make((position.seat, moves[0], game_pb2.MADE_BY_REFEREE))
            else:
                self._roll()
        return False

    def choose(
        self,
        move: Move,
        think: float = 0.0,
        overhead: float = 0.0,
        cpu: float = 0.0,
        note: game_pb2.Note | None = None,
    ) -> None:
        """Make the legal move that the deciding seat's bot chose; times in seconds."""
        seat = self.position.seat
        note = note and self._notebook.keep(note, seat, self.position.players)
        self._choose((seat, move, game_pb2.MADE_BY_BOT, think, overhead, cpu, note))

    def choose_for_absent(self) -> None:
        """Make a move that the caretaker draws for the deciding seat."""
        seat, move = self.position.seat, self.luck.choose(self.position.legal_moves)
        self._choose((seat, move, game_pb2.MADE_BY_CARETAKER, 0.0, 0.0, 0.0, None))

    def fault(self, fault: Fault) -> None:
        """Record that a seat has faulted."""
        self.faults.append(fault)
        self._recorded.append(replay_pb2.Entry(fault=fault.message()))
        self._note(game_pb2.Event(fault=fault.public_message()))

    @property
    def faulted(self) -> list[int]:
        """The seats that have faulted, in that order."""
        return [fault.seat for fault in self.faults]

    @property
    def absent(self) -> int:
        """How many seats were empty from the start."""
        return sum(fault.code is FaultCode.ABSENT for fault in self.faults)

    def result(self) -> game_pb2.Result:
        """Return how the game ended."""
        return result_message(self.position, self.faulted, absent=self.absent)

    def _choose(self, choice: _Choice) -> None:
        self._recorded.append(choice)
        self._make(choice[:3])

    def _roll(self) -> None:
        seat, dice = self.position.seat, self.luck.roll()
        roll = game_pb2.Roll(seat=seat, dice=messages.goods_message(dice))
        self.position.roll(dice)
        self._recorded.append(replay_pb2.Entry(roll=roll))
        self._note(game_pb2.Event(roll=roll))

    def _make(self, made: messages.Made) -> None:
        self.position.step(made[1])
        self._note(made)

    def _note(self, happened: Happened) -> None:
        self._happened.append(happened)
        if self.watcher is not None:
            self.watcher(self)


def _entry(record: _Recorded) -> replay_pb2.Entry:
    if not isinstance(record, tuple):
        return record
    seat, move, by, think, overhead, cpu, note = record
    entry = replay_pb2.Entry()
    chosen = entry.chosen  # filled in place, which is twice as fast as building and copying it
    chosen.seat = seat
    chosen.action = move
    chosen.by = by
    chosen.think_us = round(think * 1e6)
    chosen.overhead_us = round(overhead * 1e6)
    chosen.cpu_us = round(cpu * 1e6)
    if note is not None:
        chosen.note.CopyFrom(note)
    return entry


def _event(happened: Happened) -> game_pb2.Event:
    return messages.made_event(happened) if isinstance(happened, tuple) else happened


def _encoded(happened: Happened) -> bytes:
    return (
        messages.encoded_made(happened)
        if isinstance(happened, tuple)
        else messages.encoded_event(happened)
    )


def result_message(position: Position, faulted: Sequence[int], *, absent: int) -> game_pb2.Result:
    """Return how a game ended: by the rules if it is over, else by forfeit.

    The first `absent` of the `faulted` seats were empty from the start.
    """
    outcome = position.outcome()
    scores = outcome.scores if outcome else ()
    return game_pb2.Result(
        reason=_REASONS[outcome.reason.value] if outcome else game_pb2.END_REASON_FORFEIT,
        ranks=table_ranks(position.players, faulted, scores, absent=absent),
        scores=[messages.score_message(score) for score in scores],
    )
