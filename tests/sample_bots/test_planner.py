from random import Random

import pytest

from referee.errors import InvalidSetting
from referee.rules import Position
from sample_bots.greedy import GreedyBot
from sample_bots.planner import PlannerBot
from sample_bots.planner.bot import SECONDS
from tests.rules.table import player, table
from tests.sample_bots.games import StepClock, decision, pairwise_score

STEP = 0.001


def early_position() -> Position:
    return table(player(pesos=5), player(rum=1), demand="sugar:2,citrus:1,tobacco:1,rum:1")


def thinking_time(seconds: float, time_left: float) -> float:
    """Seconds that pass on the planner's own clock over one decision."""
    clock = StepClock(STEP)
    PlannerBot(seconds, Random(1), clock).choose(decision(early_position(), time_left))
    return clock.now


def test_it_thinks_as_long_as_it_may() -> None:
    assert thinking_time(seconds=0.05, time_left=10) == pytest.approx(0.05, abs=3 * STEP)


def test_it_thinks_no_longer_than_a_part_of_the_time_left() -> None:
    assert thinking_time(seconds=5, time_left=0.1) <= 0.05


def test_it_answers_at_once_when_no_time_is_left() -> None:
    assert thinking_time(seconds=5, time_left=0) <= 3 * STEP


@pytest.mark.parametrize(("text", "seconds"), [("0.02", 0.02), ("", SECONDS)])
def test_the_environment_says_how_long_it_thinks(
    monkeypatch: pytest.MonkeyPatch, text: str, seconds: float
) -> None:
    monkeypatch.setenv("SANTIAGO_PLANNER_SECONDS", text)
    clock = StepClock(STEP)
    PlannerBot(clock=clock).choose(decision(early_position()))
    assert clock.now == pytest.approx(seconds, abs=3 * STEP)


@pytest.mark.parametrize("text", ["soon", "0", "-1", "nan", "inf"])
def test_the_environment_may_not_say_nonsense(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("SANTIAGO_PLANNER_SECONDS", text)
    with pytest.raises(InvalidSetting, match=r"SANTIAGO_PLANNER_SECONDS is '.*'; set it"):
        PlannerBot()


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_it_beats_greedy(seats: int) -> None:
    """With 25 looks a decision, a fraction of what it takes in its usual 0.1 s."""
    planner = PlannerBot(seconds=0.025, rng=Random(1), clock=StepClock(STEP))
    assert pairwise_score(planner, GreedyBot(), seats, games=2) >= 0.9
