"""Play a claimed match by the referee, and publish its events to the site as they happen."""

import logging
import secrets
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from random import Random
from typing import Any, Final

from sqlalchemy.orm import Session

from ladder import seating
from ladder.bots.availability import other_version
from ladder.bots.hosts import Hosts, NoHost
from ladder.jobs.runner import Settle
from ladder.live.game import Reporter, Tributes, Watch
from ladder.live.stream import LiveEvent, Publisher
from ladder.matches import job, misses, results
from ladder.matches.job import MatchClaim
from ladder.matches.misses import MissedCall
from ladder.matches.results import Result, SeatResult, Written
from referee import metrics, replay
from referee.errors import Interrupted, OtherVersion, Unreachable
from referee.fault_reports import readable
from referee.faults import FaultCode
from referee.game import REASON_WORDS
from referee.hosting.client import HostLost, HostRefuses
from referee.match import Match, Seat, play_table
from referee.rules import Layout
from referee.seats.player import SeatPlayer
from referee.wire import game_pb2, replay_pb2

_log = logging.getLogger(__name__)


Play = Callable[[MatchClaim, Watch], Coroutine[Any, Any, Result]]
"""Plays a claimed match and reports its events; raises Unreachable or Interrupted."""

_Fault = game_pb2.Fault
_HOST_LOST: Final = "the host of its bots could not be reached, or broke off"


async def play(claim: MatchClaim, *, by: Play, live: Publisher) -> Settle[MatchClaim]:
    """Play a claimed match, its events in the live stream; return what settles the claim."""
    try:
        result = await by(claim, _publishing(claim, live))
    except seating.NotPlayed as failed:
        return _keeping(failed.written, _unplayed(claim, failed.why))
    except (Unreachable, Interrupted) as error:
        return _unplayed(claim, error)
    return _keeping(result.written, partial(results.finish, result=result))


def _publishing(claim: MatchClaim, live: Publisher) -> Watch:
    """Return a Watch that publishes events; it stops before another attempt can begin."""
    assert claim.held.began is not None
    match_id, attempt, began = claim.match_id, claim.attempt, claim.held.began.timestamp()
    sequence = count(1)
    return lambda frame, cells=None, note=None: live.put(
        LiveEvent(match_id, attempt, next(sequence), frame, cells, note, began),
        claim.held.lease.until,
    )


def _unplayed(claim: MatchClaim, error: Unreachable | Interrupted) -> Settle[MatchClaim]:
    """Return the function that settles a claim of which nothing came."""
    if isinstance(error, Unreachable):
        metrics.INTERRUPTIONS.labels("unreachable").inc()
        if isinstance(error, OtherVersion):
            return partial(other_version, seat=error.seat, why=error.why, said=error.version)
        call = MissedCall(error.why, answered=error.answered, ours=error.ours)
        return partial(misses.not_accepted, seat=error.seat, call=call)
    _log.warning("match %d was interrupted: %s", claim.match_id, error)
    if isinstance(error, (NoHost, HostRefuses)):
        return job.put_off
    metrics.INTERRUPTIONS.labels("platform").inc()
    lost_host = isinstance(error, HostLost)
    why = _HOST_LOST if lost_host else str(error)  # everybody may read it
    return partial(job.interrupt, why=why, lost_host=lost_host)


def _keeping(written: Sequence[Written], settle: Settle[MatchClaim]) -> Settle[MatchClaim]:
    """Return a function that settles a claim, and keeps what hosted bots wrote."""

    def settled(session: Session, claim: MatchClaim) -> None:
        settle(session, claim)
        results.keep_written(session, claim.match_id, written)

    return settled if written else settle


async def referee(claim: MatchClaim, watch: Watch, *, hosts: Hosts) -> Result:
    """Play the match with fresh dice; hosted bots play at one of `hosts`.

    Raises seating.NotPlayed, and referee.errors.Unreachable and Interrupted.
    """
    async with seating.players(claim, hosts) as players:
        try:
            result = await _refereed(claim, watch, players)
        except (Unreachable, Interrupted) as error:
            if written := seating.written(players):
                raise seating.NotPlayed(error, written) from error
            raise
        return replace(result, written=seating.written(players))


async def _refereed(
    claim: MatchClaim, watch: Watch, players: Sequence[SeatPlayer | None]
) -> Result:
    reporter = Reporter(watch)
    played = await play_table(_match(claim), players, reporter)
    _log.info("match %s was played", played.match_id, extra=metrics.count_match(played))
    return result(played, reporter.tributes)


def result(played: replay_pb2.Replay, tributes: Tributes | None = None) -> Result:
    """Make the result of a replay; find the tributes in it if they are not given."""
    vps: list[int | None] = [score.vp for score in played.result.scores]
    times, faults = _by_seat(played)
    standing = zip(
        played.result.ranks, vps or [None] * len(played.seats), times, faults, strict=True
    )
    return Result(
        tuple(_seat_result(*seat) for seat in standing),
        REASON_WORDS[played.result.reason],
        replay.write(played),
        tributes=replay.tributes(played) if tributes is None else tributes,
    )


def _by_seat(played: replay_pb2.Replay) -> tuple[list[list[int]], list[_Fault | None]]:
    """Return the µs that each bot thought for each choice, and the first fault of each seat."""
    times: list[list[int]] = [[] for _ in played.seats]
    faults: list[_Fault | None] = [None] * len(played.seats)
    for entry in played.entries:
        kind = entry.WhichOneof("what")
        if kind == "chosen":
            chosen = entry.chosen
            if chosen.by == game_pb2.MADE_BY_BOT:
                times[chosen.seat].append(chosen.think_us)
        elif kind == "fault":
            faults[entry.fault.seat] = faults[entry.fault.seat] or entry.fault
    return times, faults


def _seat_result(rank: int, vp: int | None, times: list[int], fault: _Fault | None) -> SeatResult:
    if fault and fault.code == FaultCode.ABSENT.value:
        return SeatResult(rank, vp, fault=FaultCode.ABSENT.word)
    return SeatResult(
        rank,
        vp,
        fault=FaultCode(fault.code).word if fault else None,
        fault_sentence=fault.sentence if fault else None,
        received=readable(fault.received) if fault and fault.received else None,
        decisions=len(times),
        think_ms=round(sum(times) / 1000),
        longest_ms=round(max(times, default=0) / 1000),
    )


def _match(claim: MatchClaim) -> Match:
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
