"""The match runner: plays one match over its seats and returns the replay."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Final

from referee import dice
from referee.clock import Clock
from referee.errors import Interrupted
from referee.game import Game, Watcher
from referee.messages import clock_message, setup_message
from referee.results import result_message
from referee.rules import RULES_VERSION, Layout, Position
from referee.seats import GameOver, Invitation, SeatPlayer
from referee.seats.remote import RemoteSeat
from referee.table import Table
from referee.ways import Ways
from referee.wire import replay_pb2

_GRACE: Final = 10.0  # seconds of the watchdog beyond all clocks


@dataclass(frozen=True, slots=True)
class Seat:
    """A bot at a table: where it listens, and who it is."""

    address: str
    name: str
    version: str
    author: str


@dataclass(frozen=True, slots=True)
class Match:
    """One attempt at a match. `dice_seed`: 32 fresh bytes, which nobody else may know."""

    id: str
    attempt: int
    layout: Layout
    dice_seed: bytes
    clock: Clock
    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class _Acceptance:
    """A seat's nonce, and the seconds until it had accepted the game."""

    nonce: bytes
    start_up: float


async def play(
    match: Match, watcher: Watcher | None = None, ways: Ways | None = None
) -> replay_pb2.Replay:
    """Plays a match against the bots at the seats' addresses.

    `ways`: how addresses are dialled; as the environment says by default. Raises Unreachable before
    the first decision, Interrupted where the platform failed, InvalidSetting.
    """
    ways = ways or Ways.from_environment()
    players = [RemoteSeat(seat.address, ways) for seat in match.seats]
    return await play_table(match, players, watcher)


async def play_table(
    match: Match, players: Sequence[SeatPlayer], watcher: Watcher | None = None
) -> replay_pb2.Replay:
    """Plays a match with whoever sits at the table, by seat. Raises as `play` does."""
    try:
        async with asyncio.timeout(match.clock.longest_match(len(players)) + _GRACE):
            return await _played(match, players, watcher)
    except TimeoutError:
        raise Interrupted("The match went on for longer than its clocks allow.") from None
    finally:
        await asyncio.gather(*(player.leave() for player in players))


async def _played(
    match: Match, players: Sequence[SeatPlayer], watcher: Watcher | None
) -> replay_pb2.Replay:
    acceptances = await _invite(match, players)
    nonces = tuple(acceptance.nonce for acceptance in acceptances)
    luck = dice.Luck(match.dice_seed, match.attempt, nonces)
    game = Game(Position.start(match.layout, len(players)), luck, watcher)
    table = Table(game, players, match.clock)
    await table.play()
    replay = _replay(match, game, acceptances)
    table.end(GameOver(replay.result, match.dice_seed, nonces))
    return replay


async def _invite(match: Match, players: Sequence[SeatPlayer]) -> list[_Acceptance]:
    """What the seats said, when all have accepted the game. Raises Unreachable."""
    committed = dice.commitment(match.dice_seed)
    answers = await asyncio.gather(
        *(
            _accept(
                player,
                Invitation(
                    match_id=match.id,
                    attempt=match.attempt,
                    seat=seat,
                    players=len(players),
                    layout=match.layout,
                    clock=match.clock,
                    dice_commitment=committed,
                ),
            )
            for seat, player in enumerate(players)
        ),
        return_exceptions=True,  # nobody is left in the middle of dialling
    )
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return [answer for answer in answers if isinstance(answer, _Acceptance)]


async def _accept(player: SeatPlayer, invitation: Invitation) -> _Acceptance:
    began = monotonic()
    nonce = await player.accept(invitation)
    return _Acceptance(nonce, monotonic() - began)


def _replay(match: Match, game: Game, acceptances: Sequence[_Acceptance]) -> replay_pb2.Replay:
    return replay_pb2.Replay(
        rules_version=RULES_VERSION,
        match_id=match.id,
        attempt=match.attempt,
        setup=setup_message(match.layout),
        seats=[
            replay_pb2.ReplaySeat(
                name=seat.name,
                version=seat.version,
                author=seat.author,
                nonce=acceptance.nonce,
                start_up_us=round(acceptance.start_up * 1e6),
            )
            for seat, acceptance in zip(match.seats, acceptances, strict=True)
        ],
        clock=clock_message(match.clock),
        dice_commitment=dice.commitment(match.dice_seed),
        dice_seed=match.dice_seed,
        entries=game.entries,
        result=result_message(game.position, game.faulted),
    )
