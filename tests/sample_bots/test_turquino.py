"""Turquino thinks as long as its clock allows, and keeps its tree."""

import gc
from random import Random
from tempfile import TemporaryDirectory

import pytest

from referee.bot import Decision
from referee.engine.search import Search
from referee.engine.tree import Node
from referee.errors import InvalidSetting
from referee.rules import Position
from sample_bots import turquino
from sample_bots.greedy import GreedyBot
from sample_bots.turquino import (
    DECISIONS_A_SHIP,
    MOST_SECONDS,
    RESERVE,
    SECONDS_VARIABLE,
    TurquinoBot,
)
from tests.referee.games import served
from tests.rules.table import player, table
from tests.sample_bots.checking import OF_THE_BOT, passes
from tests.sample_bots.games import StepClock, decision, pairwise_score

STEP = 0.02
"""Seconds between two looks at the clock, while it makes eight looks at the game."""


@pytest.fixture(autouse=True)
def kept_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave all that other tests have imported and made out of where a new bot looks for garbage.

    In a process of the whole suite that takes it two seconds.
    """
    monkeypatch.setattr(gc, "unfreeze", lambda: None)
    gc.freeze()


def position(ship: int = 2) -> Position:
    return table(
        player(pesos=5), player(rum=1), ship=ship, demand="sugar:2,citrus:1,tobacco:1,rum:1"
    )


def thinking_time(
    time_left: float = 10, bank_left: float = 60, ship: int = 2, seconds: float = MOST_SECONDS
) -> float:
    """Seconds that pass on the bot's own clock over its first decision."""
    clock = StepClock(STEP)
    asked = Decision(position(ship), 0, time_left, bank_left)
    TurquinoBot(seconds, Random(1), clock).choose(asked)
    return clock.now


def test_it_shares_its_bank_out_over_the_decisions_to_come() -> None:
    assert 10 * STEP < thinking_time(bank_left=60) < 60 / 20
    assert thinking_time(bank_left=20) < thinking_time(bank_left=60)


def test_it_says_which_moves_it_expects() -> None:
    asked = Decision(position(), 0, 10.0, 60.0)
    move = TurquinoBot(1.0, Random(1), StepClock(STEP)).choose(asked)
    assert asked.noted is not None
    assert asked.noted.line[0] == move


def test_it_thinks_longer_if_few_decisions_are_left() -> None:
    assert thinking_time(bank_left=20, ship=2) < thinking_time(bank_left=20, ship=7)


def test_it_thinks_no_longer_than_a_part_of_the_time_left() -> None:
    assert thinking_time(time_left=0.2) <= 0.1


def test_it_answers_at_once_when_no_time_is_left() -> None:
    assert thinking_time(time_left=0, bank_left=0) <= 3 * STEP


def test_no_bank_is_too_small_for_it() -> None:
    clock = StepClock(STEP)
    bot = TurquinoBot(MOST_SECONDS, Random(1), clock)
    bank = 1.0
    for ship in (6, 6, 7, 7, 7):
        bank += 0.5
        began = clock.now
        bot.choose(Decision(position(ship), 0, bank, bank))
        bank -= clock.now - began
        assert bank > 0.5


@pytest.mark.parametrize("increment", [0.0, 0.5])
def test_it_keeps_a_reserve_even_if_no_decision_ends_early(
    monkeypatch: pytest.MonkeyPatch, increment: float
) -> None:
    monkeypatch.setattr(Search, "is_decided", lambda *_: False)
    clock = StepClock(STEP)
    bot = TurquinoBot(MOST_SECONDS, Random(1), clock)
    bank = 10.0
    for _ in range(20):
        bank += increment
        began = clock.now
        bot.choose(Decision(position(7), 0, bank, bank))
        bank -= clock.now - began
    assert bank > 10 * RESERVE - 20 * 2 * STEP


def test_the_way_to_it_and_back_eats_up_no_small_bank(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Search, "is_decided", lambda *_: False)
    clock = StepClock(0.001)
    bot = TurquinoBot(MOST_SECONDS, Random(1), clock)
    bank = 1.0
    for ship in range(1, 8):
        for _ in range(int(DECISIONS_A_SHIP[2])):
            began = clock.now
            bot.choose(Decision(position(ship), 0, bank, bank))
            bank -= clock.now - began + 0.004
            assert bank > 0


def test_it_spends_the_increment_once_it_has_seen_it() -> None:
    clock = StepClock(STEP)
    bot = TurquinoBot(MOST_SECONDS, Random(1), clock)
    bot.choose(Decision(position(), 0, 10, 10))
    first = clock.now
    bot.choose(Decision(position(7), 0, 10, 12 - first))  # 2 s were added
    assert clock.now - first > 2 * first


def test_the_garbage_collector_visits_no_tree() -> None:
    visits: list[str] = []
    bot = TurquinoBot(0.1, Random(1), StepClock(STEP))
    gc.callbacks.append(lambda phase, _: visits.append(phase))
    try:
        bot.choose(Decision(position(), 0, 10, 60))
        young = [*gc.get_objects(generation=0), *gc.get_objects(generation=1)]
    finally:
        gc.callbacks.pop()
    assert gc.isenabled()
    assert not visits
    assert not any(isinstance(one, Node) for one in young)


def test_an_endless_clock_makes_nobody_wait() -> None:
    assert thinking_time(time_left=3600, bank_left=36000) <= MOST_SECONDS + 3 * STEP


def test_its_tree_forgets_what_it_seldom_visits(monkeypatch: pytest.MonkeyPatch) -> None:
    def fewest_visits() -> float:
        bot = TurquinoBot(24 * STEP, Random(1), StepClock(STEP))
        bot.choose(Decision(position(), 0, 3600, 36000))
        assert bot._search is not None
        return min(node.visits for node in bot._search.decisions(2))

    monkeypatch.setattr(turquino, "SELDOM", 0.3)
    assert fewest_visits() < 10
    monkeypatch.setattr(turquino, "LOOKS_REMEMBERED", turquino.LOOKS_AT_A_TIME)
    assert fewest_visits() > 20


def test_the_environment_bounds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SANTIAGO_TURQUINO_SECONDS", "0.02")
    clock = StepClock(STEP)
    TurquinoBot(clock=clock).choose(decision(position()))
    assert clock.now <= 0.02 + 3 * STEP


@pytest.mark.parametrize("text", ["soon", "0", "-1", "nan", "inf"])
def test_the_environment_may_not_say_nonsense(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("SANTIAGO_TURQUINO_SECONDS", text)
    with pytest.raises(InvalidSetting, match=r"SANTIAGO_TURQUINO_SECONDS is '.*'; set it"):
        TurquinoBot()


@pytest.mark.parametrize(
    ("text", "seconds"), [(None, MOST_SECONDS), ("", MOST_SECONDS), ("0.5", 0.5)]
)
def test_the_environment_says_for_how_long_it_thinks_at_most(
    monkeypatch: pytest.MonkeyPatch, text: str | None, seconds: float
) -> None:
    monkeypatch.delenv(SECONDS_VARIABLE, raising=False)
    if text is not None:
        monkeypatch.setenv(SECONDS_VARIABLE, text)
    assert TurquinoBot()._most == seconds


def test_it_keeps_to_the_protocol(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process, where it finds little garbage at each game."""
    monkeypatch.setenv(SECONDS_VARIABLE, "0.003")
    with (
        TemporaryDirectory(prefix="santiago-") as folder,
        served(TurquinoBot, f"unix:{folder}/bot"),
    ):
        passes(f"unix:{folder}/bot", *OF_THE_BOT)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_it_beats_greedy(seats: int) -> None:
    """With about 32 looks a decision, far fewer than on a ladder."""
    bot = TurquinoBot(seconds=0.02, rng=Random(1), clock=StepClock(0.005))
    assert pairwise_score(bot, GreedyBot(), seats, games=2) >= 0.9
