"""Whole matches between real processes, over gRPC."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from time import monotonic

import pytest

from referee import replay as replays
from referee.rules.pieces import BUILDINGS, CITIZENS
from referee.seats.description import describe
from referee.wire import game_pb2
from tests.referee.games import PATIENT, bot_process, match_of, play
from tests.referee.test_faults import judged

BOTS = ["random_bot:RandomBot", "greedy:GreedyBot", "random_bot:RandomBot", "random_bot:RandomBot"]


@pytest.fixture(scope="module")
def addresses(new_address: Callable[[], str]) -> Iterator[list[str]]:
    """Four sample bots, a process each."""
    with ExitStack() as stack:
        found = [new_address() for _ in BOTS]
        for bot, address in zip(BOTS, found, strict=True):
            stack.enter_context(bot_process(f"sample_bots.{bot}", address))
        for address in found:
            describe(address, PATIENT.start_up)
        yield found


@pytest.mark.parametrize("seats", [2, 3, 4])
async def test_a_match(seats: int, addresses: list[str], tmp_path: Path) -> None:
    match = match_of(addresses[:seats], seed=seats)
    replay = await judged(match)  # verified, and its trace checked
    assert not any(entry.HasField("fault") for entry in replay.entries)
    assert replay.result.reason == game_pb2.END_REASON_SHIPS
    assert sorted(replay.result.ranks)[0] == 1
    assert [score.rank for score in replay.result.scores] == list(replay.result.ranks)
    assert (replay.match_id, replay.attempt) == (match.id, match.attempt)
    assert replay.dice_seed == match.dice_seed
    assert [seat.name for seat in replay.seats] == [seat.name for seat in match.seats]
    shown = replays.frames(replay)
    assert [shown["frames"][0]["type"], shown["frames"][-1]["type"]] == ["start", "end"]
    assert shown["frames"][-1]["state"] == shown["result"]["state"]
    file = tmp_path / "match.santiago"
    file.write_bytes(replays.write(replay))
    assert replays.read(file.read_bytes()) == replay


async def test_many_matches_at_once(addresses: list[str]) -> None:
    """One loop plays them all, and a bot's process as many games as there are."""
    matches = [match_of(addresses[:3], seed=seed) for seed in range(8)]
    for replay in await asyncio.gather(*map(play, matches)):
        replays.verify(replay)
        assert replay.result.reason == game_pb2.END_REASON_SHIPS


async def test_times_are_kept(addresses: list[str]) -> None:
    began = monotonic()
    replay = await play(match_of(addresses[:2]))
    lasted_us = (monotonic() - began) * 1e6
    chosen = [entry.chosen for entry in replay.entries if entry.HasField("chosen")]
    assert all(move.think_us > 0 and move.overhead_us > 0 for move in chosen)
    assert sum(move.think_us + move.overhead_us for move in chosen) < lasted_us


async def test_a_bot_may_sit_at_every_seat(addresses: list[str]) -> None:
    replay = await judged(match_of([addresses[0]] * 4))
    assert sorted(replay.result.ranks)[0] == 1


def test_the_dice_to_come_are_not_shown() -> None:
    match = match_of(["one", "two"])
    assert repr(match.dice_seed) not in repr(match)


async def test_the_layout_is_the_matchs(addresses: list[str]) -> None:
    match = match_of(addresses[:2], seed=77)
    setup = replays.frames(await play(match))["setup"]
    assert setup["citizens"] == [CITIZENS[citizen] for citizen in match.layout.citizens]
    assert setup["buildings"] == [BUILDINGS[building] for building in match.layout.buildings]
