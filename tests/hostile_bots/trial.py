"""One hostile bot at a table with good ones: what the referee recorded, and what is wrong."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from time import monotonic
from typing import Final, TypeAlias

from referee.errors import Interrupted, ReplayError, Unreachable
from referee.faults import FaultCode
from referee.match import Match
from referee.replay import verify
from referee.ways import Ways
from referee.wire import game_pb2, replay_pb2
from tests.hostile_bots.family import NO_FAULT, NOT_PLAYED, Kind
from tests.hostile_bots.stable import hostile_bot
from tests.referee.games import match_of, play

TABLES: Final = (2, 3, 4)
INTERRUPTED: Final = "interrupted"
_ATTEMPTS: Final = 6  # where the machine was too busy to judge, once more
_MOST_SECONDS: Final = 90.0
_BY_THE_RULES: Final = (game_pb2.END_REASON_SHIPS, game_pb2.END_REASON_TURNS)


@dataclass(frozen=True, slots=True)
class Record:
    """What the referee recorded of a match with a hostile bot."""

    outcome: str
    """The code of the bot's fault; NO_FAULT, or NOT_PLAYED."""
    sentence: str
    received: bytes = b""
    wrong: tuple[str, ...] = ()
    """What is not as it must be, in sentences."""
    seconds: float = 0.0
    kind: str = ""
    seats: int = 0


Lead: TypeAlias = Callable[[Kind, str], AbstractAsyncContextManager[str]]
"""Makes a bot that listens at an address one that can be called at another."""


@asynccontextmanager
async def directly(_: Kind, address: str) -> AsyncIterator[str]:
    """The bot is called where it listens."""
    yield address


async def tried(
    kind: Kind,
    seats: int,
    good: str,
    new_address: Callable[[], str],
    ways: Ways | None = None,
    lead: Lead = directly,
) -> Record:
    """Starts a hostile bot, plays a match in which it sits last, and judges what came of it.

    `good`: where the others listen. `new_address`: where nobody has listened yet. `ways`: as the
    environment says by default.
    """
    for _ in range(_ATTEMPTS):
        address = new_address()
        with ExitStack() as stack:
            await asyncio.to_thread(stack.enter_context, hostile_bot(kind.name, address))
            async with lead(kind, address) as called:
                match = match_of([*[good] * (seats - 1), called], kind.clock)
                record = await played(match, ways)
        if record.outcome != INTERRUPTED:
            break
    wrong = list(record.wrong)
    if record.outcome not in kind.outcomes:
        wrong.append(f"It should be: {' or '.join(kind.outcomes)}.")
    return replace(record, kind=kind.name, seats=seats, wrong=tuple(wrong))


async def played(match: Match, ways: Ways | None) -> Record:
    last, began = len(match.seats) - 1, monotonic()
    try:
        async with asyncio.timeout(_MOST_SECONDS):
            replay = await play(match, ways=ways)
    except Unreachable as error:
        blamed = [seat for seat in (error.seat,) if seat != last]
        wrong = tuple(f"Seat {seat} is blamed." for seat in blamed)
        return Record(NOT_PLAYED, error.why, b"", wrong, monotonic() - began)
    except (Interrupted, TimeoutError) as error:
        return Record(INTERRUPTED, str(error) or f"Not over after {_MOST_SECONDS:g} s.")
    wrong, seconds = tuple(_wrong(replay)), monotonic() - began
    for fault in _faults(replay):
        return Record(FaultCode(fault.code).word, fault.sentence, fault.received, wrong, seconds)
    return Record(NO_FAULT, "", b"", wrong, seconds)


def _wrong(replay: replay_pb2.Replay) -> Iterator[str]:
    """What must not be, whatever the last seat does."""
    last = len(replay.seats) - 1
    faulted = [fault.seat for fault in _faults(replay)]
    if any(seat != last for seat in faulted):
        yield f"Seats {faulted} faulted."
    if faulted and replay.result.ranks[last] != last + 1:
        yield f"It is not ranked last: {list(replay.result.ranks)}."
    won_by_forfeit = faulted == [1] and last == 1
    if replay.result.reason not in _BY_THE_RULES and not won_by_forfeit:
        yield "The others' game was not finished."
    chosen = [entry.chosen for entry in replay.entries if entry.HasField("chosen")]
    if any(move.by != game_pb2.MADE_BY_BOT for move in chosen if move.seat != last):
        yield "A good bot did not make all its moves itself."
    try:
        verify(replay)
    except ReplayError as error:
        yield f"The replay is wrong: {error}"


def _faults(replay: replay_pb2.Replay) -> list[game_pb2.Fault]:
    return [entry.fault for entry in replay.entries if entry.HasField("fault")]
