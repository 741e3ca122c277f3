"""Rebuild a casual game from what is stored of it, and store it again.

Chance needs no record: the dice, and the caretaker's moves, follow from the seed and the nonces.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Final

from ladder.matches.queue import clock_of
from ladder.matches.reading import renamed
from ladder.model import CasualGame, CasualSeat, User
from referee.clock import Clock
from referee.faults import Fault, FaultCode
from referee.game import Game, Luck, Watcher
from referee.match import Acceptance, Match, Seat, replay_of
from referee.replay import write
from referee.rules import Layout, Position
from referee.wire import game_pb2, replay_pb2

ATTEMPT: Final = 1
"""The number of a casual game's only attempt."""


@dataclass(frozen=True, slots=True)
class Stored:
    """All that a game is rebuilt from. `nonces` are by seat; None before a seat has accepted."""

    id: int
    layout_seed: int
    dice_seed: bytes = field(repr=False)
    clock: Clock
    nonces: tuple[bytes | None, ...]
    entries: bytes

    @property
    def match_id(self) -> str:
        """The name of the game for bots, and in its replay."""
        return f"casual-{self.id}"

    @property
    def layout(self) -> Layout:
        """The layout."""
        return Layout.shuffled(Random(self.layout_seed))


def stored(row: CasualGame) -> Stored:
    """Return what is stored of a game."""
    return Stored(
        row.id,
        row.layout_seed,
        row.dice_seed,
        clock_of(row),
        tuple(seat.nonce for seat in row.table),
        row.entries,
    )


def begun(game: Stored, watcher: Watcher | None = None) -> Game:
    """Return a game whose seats have all accepted it, before anything has happened in it."""
    nonces = [nonce or b"" for nonce in game.nonces]
    luck = Luck(game.dice_seed, ATTEMPT, nonces)
    return Game(Position.start(game.layout, len(nonces)), luck, watcher)


def rebuilt(game: Stored) -> Game:
    """Play a game again up to its newest entry; nothing more has happened in it."""
    again = begun(game)
    extend(again, game.entries)
    return again


def extend(game: Game, entries: bytes, since: int = 0) -> int:
    """Play stored entries in a game that holds the first `since` of them; return their number."""
    stored = replay_pb2.Replay.FromString(entries).entries
    for entry in stored[since:]:
        if not (entry.HasField("fault") and entry.fault.code == FaultCode.ABSENT.value):
            game.run_to_decision()
        if entry.HasField("fault"):
            game.fault(Fault.of(entry.fault))
        elif entry.chosen.by == game_pb2.MADE_BY_CARETAKER:
            game.choose_for_absent()
        else:
            chosen = entry.chosen
            game.choose(chosen.action, chosen.think_us / 1e6, 0.0, chosen.cpu_us / 1e6)
    return max(since, len(stored))


def entries_of(game: Game) -> bytes:
    """Return a game's entries as they are stored: without rolls."""
    entries = [entry for entry in game.entries if not entry.HasField("roll")]
    return replay_pb2.Replay(entries=entries).SerializeToString()


def decisions_of(game: Game) -> int:
    """Count the choices that were made in a game."""
    return sum(entry.HasField("chosen") for entry in game.entries)


def replay_file(row: CasualGame, game: Game) -> bytes:
    """Return the replay of a game that is over, as a file."""
    record = stored(row)
    seats = tuple(_seat(seat) for seat in row.table)
    match = Match(record.match_id, ATTEMPT, record.layout, row.dice_seed, record.clock, seats)
    accepted = [Acceptance(nonce or b"", 0.0) for nonce in record.nonces]
    replay = replay_of(match, game, accepted)
    replay.plays_on = any(row.table[seat].is_bot for seat in game.faulted)
    return write(replay)


def shown_replay(row: CasualGame) -> bytes:
    """Return the replay of a game that is over, without names of people who left."""
    assert row.replay is not None
    bots = {seat.seat: seat.version.bot.user for seat in row.table if seat.version is not None}
    people = {seat.seat: seat.user for seat in row.table if seat.user is not None}
    authors, names = _gone(bots), _gone(people)
    return renamed(row.replay, authors, names) if authors or names else row.replay


def _gone(users: Mapping[int, User]) -> dict[int, str]:
    """Return the seats whose user has left, with the name that replaces the user's."""
    return {seat: user.name for seat, user in users.items() if user.deleted_at is not None}


def shown_name(seat: CasualSeat) -> str:
    """Return the name of who plays a seat; a guest's is the same in all languages."""
    if seat.version is not None:
        return seat.version.bot.name
    return seat.user.name if seat.user is not None else f"Guest {guest_number(seat)}"


def guest_number(seat: CasualSeat) -> int:
    """Return the number of a guest, the same in rematches; older releases stored none."""
    return seat.guest or seat.seat + 1


def _seat(seat: CasualSeat) -> Seat:
    version = seat.version
    if version is None:
        return Seat("", shown_name(seat), "", "")
    return Seat(version.address, version.bot.name, version.name, version.bot.user.name)
