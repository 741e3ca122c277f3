"""Bots that misbehave: no bot can spoil the others' game."""

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from referee.bot import Decision
from referee.clock import Clock
from referee.faults import FaultCode
from referee.match import Match
from referee.replay import frames, trace, verify
from referee.rules import Move
from referee.rules.cells import PHASES
from referee.rules.trace_reading import read_trace
from referee.wire import game_pb2, replay_pb2
from tests import hostile_bots as hostile
from tests.hostile_bots import HostileBot, Spoil
from tests.referee.games import PATIENT, DrawingBot, match_of, play, served
from tests.referee.patience import judged_again
from tests.rules.checker.stream import check_stream

NewAddress = Callable[[], str]
HASTY = Clock(move_limit=0.7, bank=60.0, increment=1.0)
"""For bots that let their time run out."""

FAULTS: dict[Spoil, FaultCode] = {
    hostile.index_too_large: FaultCode.ILLEGAL_INDEX,
    hostile.index_far_off: FaultCode.ILLEGAL_INDEX,
    hostile.next_decision: FaultCode.WRONG_DECISION,
    hostile.two_answers: FaultCode.WRONG_DECISION,
    hostile.flood: FaultCode.WRONG_DECISION,
    hostile.silent: FaultCode.TIMEOUT,
    hostile.deaf: FaultCode.TIMEOUT,
    hostile.closes: FaultCode.CLOSED,
    hostile.crashes: FaultCode.CLOSED,
    hostile.complains_at_length: FaultCode.CLOSED,
    hostile.garbage: FaultCode.PROTOCOL,
    hostile.accepts_again: FaultCode.PROTOCOL,
    hostile.unknown_message: FaultCode.PROTOCOL,
    hostile.nothing: FaultCode.PROTOCOL,
    hostile.oversize: FaultCode.PROTOCOL,
    hostile.swells: FaultCode.PROTOCOL,
}
SENTENCES: dict[Spoil, str] = {
    hostile.index_too_large: r"The bot chose index (\d+); there are \1 legal moves, from 0\.",
    hostile.next_decision: r"The bot answered decision \d+, but \d+ was asked\.",
    hostile.two_answers: r"The bot sent a second answer to decision \d+, but \d+ was asked\.",
    hostile.silent: r"No choice came within 0\.7 s\.",
    hostile.closes: r"The bot ended the stream before the game was over\.",
    hostile.crashes: r"The bot ended the stream before the game was over "
    r"\(UNKNOWN: Exception iterating responses: no idea\)\.",
    hostile.garbage: r"The bot sent bytes that are not a PlayResponse\.",
    hostile.oversize: r"The bot sent too much \(RESOURCE_EXHAUSTED: .* larger than max .*\)\.",
    hostile.accepts_again: r"The bot sent accept instead of choice\.",
    hostile.unknown_message: r"The bot sent an empty message instead of choice\.",
}
EACH_FAULT = pytest.mark.parametrize("spoil", FAULTS, ids=lambda spoil: spoil.__name__)


def clock_for(spoil: Spoil) -> Clock:
    return HASTY if FAULTS[spoil] is FaultCode.TIMEOUT else PATIENT


async def judged(match: Match) -> replay_pb2.Replay:
    """Plays, and checks what must be so after any game: nothing runs on, the replay is right."""
    async with asyncio.timeout(300):
        replay = await play(match)
    await nothing_runs_on()
    verify(replay)
    assert check_stream(lines(replay))[0] == 1
    (traced,) = read_trace(line.decode() for line in lines(replay))
    assert list(traced.faults) == [(seat, code.word) for seat, code in fault_codes(replay)]
    return replay


async def nothing_runs_on() -> None:
    """Only the test's own task is left; gRPC's own may take a moment to notice a cancelled call."""
    async with asyncio.timeout(60):
        while len(asyncio.all_tasks()) > 1:
            await asyncio.sleep(0.001)


def lines(replay: replay_pb2.Replay) -> Iterator[bytes]:
    yield from (json.dumps(line).encode() + b"\n" for line in trace(replay))


def faults_of(replay: replay_pb2.Replay) -> list[game_pb2.Fault]:
    return [entry.fault for entry in replay.entries if entry.HasField("fault")]


def fault_codes(replay: replay_pb2.Replay) -> list[tuple[int, FaultCode]]:
    """Seat and code of each fault, in order."""
    return [(fault.seat, FaultCode(fault.code)) for fault in faults_of(replay)]


def choosers(replay: replay_pb2.Replay, seat: int) -> list[int]:
    """Who made the choices of a seat, in order."""
    chosen = [entry.chosen for entry in replay.entries if entry.HasField("chosen")]
    return [move.by for move in chosen if move.seat == seat]


@EACH_FAULT
@judged_again
async def test_the_others_play_on(spoil: Spoil, new_address: NewAddress, good_bot: str) -> None:
    with HostileBot(new_address()) as witness, HostileBot(new_address(), spoil) as bot:
        addresses = [witness.address, bot.address, good_bot]
        replay = await judged(match_of(addresses, clock_for(spoil)))
        assert await asyncio.to_thread(bot.left_alone)
    assert fault_codes(replay) == [(1, FAULTS[spoil])]
    assert replay.result.reason == game_pb2.END_REASON_SHIPS
    assert replay.result.ranks[1] == 3
    by = choosers(replay, 1)
    caretaker = by.index(game_pb2.MADE_BY_CARETAKER)
    assert caretaker in (2, 3)  # a second answer is found out only when a third is asked for
    assert set(by[:caretaker]) == {game_pb2.MADE_BY_BOT}
    assert set(by[caretaker:]) == {game_pb2.MADE_BY_CARETAKER}
    (fault,) = faults_of(replay)
    heard = [event.fault for request in witness.told for event in request.events]
    assert [(f.seat, f.code, f.received) for f in heard if f.code] == [(1, fault.code, b"")]
    assert witness.told[-1].HasField("end")
    assert list(witness.told[-1].end.result.ranks) == list(replay.result.ranks)


@EACH_FAULT
@judged_again
async def test_at_two_seats_the_other_wins_at_once(
    spoil: Spoil, new_address: NewAddress, good_bot: str
) -> None:
    with HostileBot(new_address(), spoil) as bot:
        replay = await judged(match_of([bot.address, good_bot], clock_for(spoil)))
        assert await asyncio.to_thread(bot.left_alone)
    assert fault_codes(replay) == [(0, FAULTS[spoil])]
    assert re.fullmatch(SENTENCES.get(spoil, ".*"), replay.entries[-1].fault.sentence)
    assert replay.result.reason == game_pb2.END_REASON_FORFEIT
    assert list(replay.result.ranks) == [2, 1]
    assert not replay.result.scores
    *_, fault, last = trace(replay)
    assert list(fault) == ["type", "seat", "code", "kind", "legal", "state"]
    assert (fault["type"], fault["seat"], fault["code"]) == ("fault", 0, FAULTS[spoil].word)
    assert fault["kind"] in PHASES
    assert len(fault["legal"]) > 1
    assert last["type"] == "forfeit"
    assert last["ranks"][0] == {"seat": 0, "rank": 2, "fault": FAULTS[spoil].word}
    assert frames(replay)["result"] == last


async def test_what_was_received_is_kept_and_cut(new_address: NewAddress, good_bot: str) -> None:
    with HostileBot(new_address(), hostile.garbage) as bot:
        replay = await judged(match_of([bot.address, good_bot]))
    assert faults_of(replay)[0].received == (b"\xff\xfe\xfd" * 100)[:200]
    with HostileBot(new_address(), hostile.complains_at_length) as bot:
        replay = await judged(match_of([bot.address, good_bot]))
    fault = faults_of(replay)[0]
    assert fault.received == b"\x1b[2J" + b"x" * 196
    assert len(fault.sentence) < 300
    assert fault.sentence.isprintable()  # it is shown in terminals


@pytest.mark.parametrize(
    "spoil", [hostile.silent, hostile.index_too_large], ids=lambda spoil: spoil.__name__
)
@judged_again
async def test_a_bot_that_listens_hears_of_its_fault(
    spoil: Spoil, new_address: NewAddress, good_bot: str
) -> None:
    with HostileBot(new_address(), spoil) as bot:
        replay = await judged(match_of([bot.address, good_bot], HASTY))
        assert await asyncio.to_thread(bot.left_alone)
    assert bot.told[-1].fault == faults_of(replay)[0]
    assert bot.told[-1].events[-1].fault.seat == 0


async def test_a_later_fault_ranks_higher(new_address: NewAddress, good_bot: str) -> None:
    spoils = [hostile.closes, hostile.garbage, hostile.index_too_large]
    with ExitStack() as stack:
        bots = [
            stack.enter_context(HostileBot(new_address(), spoil, when.__eq__))
            for spoil, when in zip(spoils, (9, 3, 6), strict=True)
        ]
        replay = await judged(match_of([*(bot.address for bot in bots), good_bot]))
    assert [fault.seat for fault in faults_of(replay)] == [1, 2, 0]
    assert list(replay.result.ranks) == [2, 4, 3, 1]
    assert replay.result.reason == game_pb2.END_REASON_FORFEIT
    assert replay.entries[-1].fault.seat == 0


async def test_who_faulted_ranks_below_who_lost(new_address: NewAddress, good_bot: str) -> None:
    """By the rules alone the faulted seat may win, since its caretaker plays on."""
    won = 0
    for seed in range(6):
        with HostileBot(new_address(), hostile.closes) as bot:
            replay = await judged(match_of([good_bot, bot.address, good_bot], seed=seed))
        assert replay.result.ranks[1] == 3
        won += replay.result.scores[1].rank == 1
    assert won


async def test_the_watcher_sees_all_that_happens(new_address: NewAddress, good_bot: str) -> None:
    seen: list[game_pb2.Event] = []
    with HostileBot(new_address(), hostile.closes) as bot:
        match = match_of([good_bot, bot.address, good_bot])
        replay = await play(match, lambda game: seen.append(game.events[-1]))
    assert [event.fault.seat for event in seen if event.HasField("fault")] == [1]
    assert sum(event.HasField("roll") for event in seen) == sum(
        entry.HasField("roll") for entry in replay.entries
    )
    assert sum(event.move.by == game_pb2.MADE_BY_CARETAKER for event in seen) == sum(
        entry.chosen.by == game_pb2.MADE_BY_CARETAKER for entry in replay.entries
    )


class _WordyBot(DrawingBot):
    """Fails with all that it knows."""

    def choose(self, decision: Decision) -> Move:  # noqa: ARG002
        raise KeyError("\udc80" + 9_999 * "😀")


async def test_a_bot_that_fails_with_a_long_text_has_not_broken_the_protocol(
    new_address: NewAddress, good_bot: str
) -> None:
    with served(_WordyBot, new_address()) as bot:
        replay = await play(match_of([good_bot, bot]))
    assert fault_codes(replay) == [(1, FaultCode.CLOSED)]
    assert "KeyError" in faults_of(replay)[0].sentence
