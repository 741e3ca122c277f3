from random import Random

import pytest

from referee.rules import Position
from sample_bots.greedy import GreedyBot
from sample_bots.planner import PlannerBot
from tests.rules.table import player, table
from tests.sample_bots.games import StepClock, choice, decision, pairwise_score

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


def test_the_environment_says_how_long_it_thinks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SANTIAGO_PLANNER_SECONDS", "0.02")
    clock = StepClock(STEP)
    PlannerBot(clock=clock).choose(decision(early_position()))
    assert clock.now == pytest.approx(0.02, abs=3 * STEP)


@pytest.mark.parametrize("text", ["soon", "", "0", "-1", "nan", "inf"])
def test_the_environment_may_not_say_nonsense(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("SANTIAGO_PLANNER_SECONDS", text)
    with pytest.raises(ValueError, match=r"SANTIAGO_PLANNER_SECONDS is '.*'; set it to the sec"):
        PlannerBot()


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_it_beats_greedy_even_on_a_slow_machine(seats: int) -> None:
    fifty_looks = PlannerBot(seconds=50 * STEP, rng=Random(1), clock=StepClock(STEP))
    assert pairwise_score(fifty_looks, GreedyBot(), seats, games=8) >= 0.7


def test_it_finds_the_win_that_greedy_misses() -> None:
    """From a game between two greedy bots. All that can follow was searched: `drive 1` wins
    whatever the other does, and after `drive 2` the other can win.
    """
    position = Position.parse(
        "citizens=martinez:blue,jose:yellow,maria:red,conchita:yellow,pedro:white,miguel:blue,"
        "pablo:red,alonso:white,el-zorro:none "
        "buildings=trading-office,cigar-factory,church,black-market,customs,cafe,"
        "casino,newspaper,distillery,harbour-office,bank,sawmill "
        "turn=93 active=0 ship=7 value=3 car=7 silenced=none "
        "demand=sugar:1,citrus:3,tobacco:0,cigars:1 "
        "owners=bank:0,church:0,distillery:1,cigar-factory:1,black-market:0,sawmill:1 "
        "phase=drive seat=0 p0=1/50/3,4,7,0,1,8/black-market p1=1/48/4,4,1,0,1,0/casino"
    )
    assert choice(GreedyBot(), position) == "drive 2"
    many_looks = PlannerBot(seconds=500 * STEP, rng=Random(1), clock=StepClock(STEP))
    assert choice(many_looks, position) == "drive 1"
