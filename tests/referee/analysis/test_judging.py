"""The marks of decisions, and how far the engine looks for them."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from referee.analysis import judging
from referee.analysis.judging import GLANCE, Judgement, judge
from referee.engine.search import MoveValue
from referee.rules import Layout, Position
from tests.referee.engine.tables import hard_to_see

LOOKS = 300


class Told:
    """In place of a search: the shares are told, from some number of looks on."""

    shares: tuple[tuple[int, Sequence[float]], ...] = ()

    def __init__(self, position: Position, _rng: Random, _faulted: tuple[int, ...]) -> None:
        self._moves = position.legal_moves
        self.looks = 0
        self._looks_at_each = 0

    def think(self, looks: int) -> None:
        self.looks += looks

    def think_of_each(self, looks: int) -> None:
        self._looks_at_each = looks

    def moves(self) -> list[MoveValue]:
        looks = self.looks + len(self._moves) * self._looks_at_each
        shares = next(told for since, told in reversed(self.shares) if looks >= since)
        found = zip(self._moves, shares, strict=True)
        values = [
            MoveValue(move, (share, 1 - share), self._looks_at_each, (move,))
            for move, share in found
        ]
        values[0] = replace(values[0], looks=values[0].looks + self.looks)
        return sorted(values, key=lambda value: -value.shares[0])


@pytest.fixture
def position(monkeypatch: pytest.MonkeyPatch) -> Position:
    """One with four legal moves, in which seat 0 decides."""
    monkeypatch.setattr(judging, "Search", Told)
    found = Position.start(Layout.shuffled(Random(7)), 2)
    found.roll((1, 4, 0, 2, 3))
    found.play("exclude tobacco")
    assert (found.seat, len(found.legal_moves)) == (0, 4)
    return found


def judged(position: Position, *shares: tuple[int, Sequence[float]], played: int = 0) -> Judgement:
    Told.shares = shares
    return judge(position, position.legal_moves[played], LOOKS, Random(1))


@pytest.mark.parametrize(
    ("share", "mark"),
    [
        (0.60, None),
        (0.53, None),
        (0.52, "small"),
        (0.45, "small"),
        (0.44, "clear"),
        (0.31, "clear"),
        (0.30, "big"),
        (0.0, "big"),
    ],
)
def test_a_loss_is_marked_by_its_cost(position: Position, share: float, mark: str | None) -> None:
    assert judged(position, (0, (share, 0.6, 0.1, 0.1))).mark == mark


@pytest.mark.parametrize(("second", "mark"), [(0.4, "only"), (0.41, None)])
def test_an_only_move_is_better_by_far(position: Position, second: float, mark: str | None) -> None:
    assert judged(position, (0, (0.6, second, 0.1, 0.1))).mark == mark


@pytest.mark.parametrize(
    ("glance", "second", "mark"),
    [(0.64, 0.52, "find"), (0.63, 0.52, None), (0.64, 0.53, None), (0.9, 0.4, "only")],
)
def test_a_find_is_not_seen_at_a_glance(
    position: Position, glance: float, second: float, mark: str | None
) -> None:
    at_first, then = (0.6, glance, 0.1, 0.1), (0.6, second, 0.1, 0.1)
    assert judged(position, (0, at_first), (GLANCE + 1, then)).mark == mark


@pytest.mark.parametrize(
    ("share", "looks"),
    [(0.68, 123), (0.6, 123), (0.56, 123), (0.52, 2187), (0.44, 2187), (0.3, 2187), (0.0, 123)],
)
def test_the_engine_looks_further_as_long_as_a_mark_is_in_doubt(
    position: Position, share: float, looks: int
) -> None:
    assert judged(position, (0, (share, 0.6, 0.1, 0.1))).looks == looks


def test_a_doubt_that_is_settled_ends_the_search(position: Position) -> None:
    before, after = (0.52, 0.6, 0.1, 0.1), (0.58, 0.6, 0.1, 0.1)
    found = judged(position, (0, before), (480, after))
    assert (found.looks, found.mark) == (480, None)


def test_no_move_is_worth_more_than_the_one_that_the_engine_prefers(position: Position) -> None:
    found = judged(position, (0, (0.6, 0.6, 0.1, 0.1)), played=1)
    assert list(found.shares.values()) == [0.6, 0.6, 0.1, 0.1]
    assert found.mark is None
    assert found.line == (position.legal_moves[0],) * 2


def test_a_good_move_that_seems_bad_at_first_is_not_charged() -> None:
    position = hard_to_see()
    good = position.parse_move("own trading-office")
    assert judge(position, good, LOOKS, Random(1)).mark is None
