"""Hands a claimed match to the referee, and its replay back as a result."""

from __future__ import annotations

import logging
import secrets
from random import Random

from ladder.live.frames import newest_frame
from ladder.matches import Claim, Result, SeatResult
from ladder.playing import Watch
from referee import metrics, replay
from referee.faults import FaultCode
from referee.match import Match, Seat, play
from referee.results import REASON_WORDS
from referee.rules import Layout
from referee.wire import replay_pb2

_log = logging.getLogger(__name__)


async def referee(claim: Claim, watch: Watch) -> Result:
    """Play the match with fresh dice. Raises referee.errors.Unreachable and Interrupted."""
    played = await play(_match(claim), lambda game: watch(newest_frame(game)))
    metrics.count_match(played)
    _log.info("match %s was played", played.match_id, extra=metrics.summary(played))
    return result(played)


def result(played: replay_pb2.Replay) -> Result:
    """What the ladder keeps of a replay."""
    faults = {
        entry.fault.seat: FaultCode(entry.fault.code).word
        for entry in played.entries
        if entry.HasField("fault")
    }
    vps: list[int | None] = [score.vp for score in played.result.scores]
    seats = tuple(
        SeatResult(rank, vp, faults.get(seat))
        for seat, (rank, vp) in enumerate(
            zip(played.result.ranks, vps or [None] * len(played.seats), strict=True)
        )
    )
    return Result(seats, REASON_WORDS[played.result.reason], replay.write(played))


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
