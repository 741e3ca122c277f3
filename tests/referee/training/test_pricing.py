"""Prices are learned from the trees of the search, and the quick look goes by them."""

from collections.abc import Iterator
from random import Random

import numpy as np
import pytest

from referee.engine import prices, priors
from referee.engine.stored import pack
from referee.engine.worth import worths
from referee.rules import Position
from referee.training.pricing import Course, train_prices
from referee.training.quick_facts import quick_facts
from referee.training.searching import Lessons, lessons
from tests.referee.engine.tables import visited

COURSE = Course(seed=3, games=1, rounds=2, looks=10, passes=2)


@pytest.fixture
def table() -> Iterator[None]:
    """Have prices drawn by chance during a test."""
    rng = Random(1)
    count = prices.SIZES * prices.PRICES
    prices.use(pack([rng.randint(-3000, 3000) for _ in range(count)]))
    yield
    prices.forget()


def _seen(positions: list[Position], rows: list[tuple[int, int]]) -> Lessons:
    players, count = positions[0].players, len(positions)
    return Lessons(
        players,
        np.array([position.cells for position in positions], np.int16),
        np.array([position.layout.citizen_at for position in positions], np.int16),
        np.array([position.cells[1] for position in positions], np.int16),
        np.array(rows, np.int16),
        np.zeros((count, players), np.float32),
        np.ones(count, np.float32),
    )


def play_here(patch: pytest.MonkeyPatch) -> None:
    """Play in this process: others take longer to start than such games."""
    patch.setattr("referee.training.pricing.in_processes", lambda play, parts: [*map(play, parts)])


@pytest.mark.parametrize("players", [2, 3, 4])
def test_facts_for_arrays_are_those_of_the_quick_look(table: None, players: int) -> None:
    positions = list(visited(players, games=2))
    facts = quick_facts(_seen(positions, [(0, 0)] * len(positions)))
    every = np.array(prices.table(players) + [0.0] * priors.ROWS)
    found = facts.vp + (every[facts.places.astype(int)] * facts.amounts).sum(2)
    assert found == pytest.approx(np.array([worths(position) for position in positions]), abs=1e-4)


def test_rows_of_priors_count_for_the_seat_that_chose(table: None) -> None:
    positions = list(visited(3))[:40]
    facts = quick_facts(_seen(positions, [(5, 0)] * len(positions)))
    counted = (facts.places == prices.PRICES + 5) & (facts.amounts == 1)
    assert counted.sum((1, 2)).tolist() == [1] * len(positions)
    assert (counted.any(2).argmax(1) == [position.seat for position in positions]).all()
    assert not facts.amounts[facts.places == prices.PRICES].any()


def test_the_same_course_gives_the_same_prices_and_leaves_the_engine_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In whatever process its games are played."""
    position = list(visited(4))[30]
    before = worths(position)
    first, second = train_prices(COURSE)
    play_here(monkeypatch)
    assert [first, second] == list(train_prices(COURSE))
    assert first.prices != second.prices
    assert first.priors != second.priors
    assert worths(position) == before


def test_what_was_learned_tells_better_what_a_tree_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    play_here(monkeypatch)
    course = Course(seed=5, games=1, rounds=2, looks=20, passes=8)
    first, second = train_prices(course)
    assert second.error < 0.9 * first.error


def test_moves_that_end_the_game_are_no_lessons() -> None:
    seen = lessons(2, 2, 60, Random(2))
    assert len(seen.cells) > 50
    assert (seen.cells[:, 0] != 9).all()
    assert seen.shares.sum(1) == pytest.approx(np.ones(len(seen.cells)), abs=1e-4)
    assert (seen.trust > 0).all()
    assert (seen.trust <= 1).all()


def test_weights_of_other_fields_are_refused() -> None:
    with pytest.raises(ValueError, match="train them again"):
        prices.use(pack([0] * 7))
