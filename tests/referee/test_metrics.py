"""What is counted of a match, and the lag of the loop."""

import asyncio
import time

import pytest
from prometheus_client import REGISTRY

from referee import metrics
from tests.referee.games import DrawingBot, FaultyBot, local_game


def sample(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


def test_a_match_is_counted_with_its_decisions() -> None:
    replay = local_game([DrawingBot, DrawingBot])
    decisions = sum(entry.HasField("chosen") for entry in replay.entries)
    matches, by_bots = (
        sample("santiago_matches_total", reason="ships"),
        sample("santiago_decisions_total", by="bot"),
    )
    thoughts = sample("santiago_think_seconds_count")
    metrics.count_match(replay)
    assert sample("santiago_matches_total", reason="ships") == matches + 1
    assert sample("santiago_decisions_total", by="bot") == by_bots + decisions
    assert sample("santiago_think_seconds_count") == thoughts + decisions


def test_faults_are_counted_by_code_and_caretakers_apart() -> None:
    replay = local_game([DrawingBot, FaultyBot, DrawingBot])
    codes = metrics.count_match(replay)["faults"]
    assert isinstance(codes, dict)
    [code] = codes.values()
    faults, by_caretaker = (
        sample("santiago_faults_total", code=code),
        sample("santiago_decisions_total", by="caretaker"),
    )
    metrics.count_match(replay)
    assert sample("santiago_faults_total", code=code) == faults + 1
    assert sample("santiago_decisions_total", by="caretaker") > by_caretaker


def test_the_summary_says_how_a_match_went() -> None:
    summary = metrics.count_match(local_game([DrawingBot, DrawingBot]))
    assert (summary["reason"], summary["faults"]) == ("ships", {})
    assert summary["decisions"]
    assert summary["think_seconds"]


async def test_a_blocked_loop_shows_as_lag(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "_WATCH_EVERY", 0.01)
    late = sample("santiago_loop_lag_seconds_sum")
    watching = asyncio.create_task(metrics.watch_lag(metrics.LAG_SECONDS.observe))
    await asyncio.sleep(0)
    time.sleep(0.1)  # the loop is blocked on purpose
    async with asyncio.timeout(60):
        while sample("santiago_loop_lag_seconds_sum") < late + 0.05:
            await asyncio.sleep(0.01)
    watching.cancel()
