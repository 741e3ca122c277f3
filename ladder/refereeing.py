"""Hands a claimed match to the referee, and its replay back as a result."""

from __future__ import annotations

import asyncio
import logging
import secrets
from random import Random

from ladder.addresses import OutOfBounds
from ladder.dialling import ways_to
from ladder.live.frames import newest_frame
from ladder.matches import Claim, Player, Result, SeatResult
from ladder.playing import Watch
from referee import metrics, replay
from referee.errors import Unreachable
from referee.faults import FaultCode
from referee.match import Match, Seat, play_table
from referee.results import REASON_WORDS
from referee.rules import Layout
from referee.seats.remote import RemoteSeat
from referee.ways import Ways
from referee.wire import game_pb2, replay_pb2

_log = logging.getLogger(__name__)


async def referee(claim: Claim, watch: Watch) -> Result:
    """Play the match with fresh dice. Raises referee.errors.Unreachable and Interrupted."""
    players = await _players(claim)
    played = await play_table(_match(claim), players, lambda game: watch(newest_frame(game)))
    metrics.count_match(played)
    _log.info("match %s was played", played.match_id, extra=metrics.summary(played))
    return result(played)


def result(played: replay_pb2.Replay) -> Result:
    """What the ladder keeps of a replay."""
    vps: list[int | None] = [score.vp for score in played.result.scores]
    seats = tuple(
        _seat_result(played, seat, rank, vp)
        for seat, (rank, vp) in enumerate(
            zip(played.result.ranks, vps or [None] * len(played.seats), strict=True)
        )
    )
    return Result(
        seats,
        REASON_WORDS[played.result.reason],
        replay.write(played),
        tributes=replay.tributes(played),
    )


def _seat_result(played: replay_pb2.Replay, seat: int, rank: int, vp: int | None) -> SeatResult:
    faults = [
        entry.fault
        for entry in played.entries
        if entry.HasField("fault") and entry.fault.seat == seat
    ]
    fault = faults[0] if faults else None
    times = [
        entry.chosen.think_us
        for entry in played.entries
        if entry.HasField("chosen")
        and entry.chosen.seat == seat
        and entry.chosen.by == game_pb2.MADE_BY_BOT
    ]
    return SeatResult(
        rank,
        vp,
        fault=FaultCode(fault.code).word if fault else None,
        fault_sentence=fault.sentence if fault else None,
        received=_readable(fault.received) if fault and fault.received else None,
        decisions=len(times),
        think_ms=round(sum(times) / 1000),
        longest_ms=round(max(times, default=0) / 1000),
    )


def _readable(received: bytes) -> str:
    """Bytes of a stranger's as text; what cannot be read as \\x and its number."""
    text = received.decode(errors="backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


async def _players(claim: Claim) -> list[RemoteSeat]:
    """Each bot at the address that was found good for this match. Raises Unreachable."""
    ways = Ways.from_environment()
    found = await asyncio.gather(
        *(_player(seat, player, ways) for seat, player in enumerate(claim.players))
    )
    return list(found)


async def _player(seat: int, player: Player, ways: Ways) -> RemoteSeat:
    if player.house:  # the operator's own, wherever he started it
        return RemoteSeat(player.address, ways, player.version)
    try:
        own = await ways_to(player.address, player.secret, ways, house=player.house)
    except OutOfBounds as error:
        raise Unreachable(seat, f"{error}.") from None
    return RemoteSeat(player.address, own, player.version)


def _match(claim: Claim) -> Match:
    return Match(
        id=str(claim.match_id),
        attempt=claim.attempt,
        layout=Layout.shuffled(Random(claim.layout_seed)),
        dice_seed=secrets.token_bytes(32),  # lives here until the replay reveals it
        clock=claim.clock,
        seats=tuple(
            Seat(player.address, player.name, player.version, player.author)
            for player in claim.players
        ),
    )
