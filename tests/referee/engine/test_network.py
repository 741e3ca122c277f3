"""Scores are what plain arithmetic makes of the rows; weights of other features are refused."""

import zlib
from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

from referee.engine import network
from referee.engine.features import seat_rows, street_rows
from referee.engine.fields import FIELDS, ROWS, START
from referee.rules import Layout, Position, roll_dice

ONE_OF_EACH = ("turn", "lead", "purse", "marks", "goods", "cargo")


def _positions(players: int) -> Iterator[Position]:
    rng = Random(players)
    position = Position.start(Layout.shuffled(rng), players)
    while not position.is_over:
        yield position
        if position.legal_moves:
            position.apply(rng.choice(position.legal_moves))
        else:
            position.roll(roll_dice(rng))


def _facts(position: Position) -> list[list[int]]:
    common, own, keys = seat_rows(position)
    streets = [street_rows(position.layout, key) for key in keys]
    return [common + rows + street for rows, street in zip(own, streets, strict=True)]


def _field(row: int) -> str:
    return max((name for name in FIELDS if START[name] <= row), key=lambda name: START[name])


@pytest.mark.parametrize("players", [2, 3, 4])
def test_each_seat_has_one_row_of_what_everybody_has(players: int) -> None:
    for position in _positions(players):
        for rows in _facts(position):
            assert 0 <= min(rows) <= max(rows) < ROWS
            found = Counter(_field(row) for row in rows)
            assert [found[name] for name in ONE_OF_EACH] == [1] * len(ONE_OF_EACH)
            assert found["good"] == found["stock"]


@pytest.fixture
def weights() -> Iterator[list[list[int]]]:
    """Weights drawn by chance, by which the engine judges during a test."""
    rng = Random(1)
    rows = [[rng.randint(-500, 500) for _ in range(network.UNITS)] for _ in range(ROWS + 1)]
    network.use(network.pack(rows))
    yield rows
    network.forget()


def test_weights_are_unpacked_as_they_were_packed(weights: list[list[int]]) -> None:
    assert network.unpack(network.pack(weights)) == weights


@pytest.mark.parametrize("players", [2, 3, 4])
def test_scores_are_those_of_plain_arithmetic(weights: list[list[int]], players: int) -> None:
    for position in _positions(players):
        scores = network.scores(position)
        for score, facts in zip(scores, _facts(position), strict=True):
            rows = [weights[ROWS], *(weights[fact] for fact in facts)]
            hidden = [max(0, sum(numbers)) for numbers in zip(*rows, strict=True)]
            assert score * network.SCALE == sum(hidden[::2]) - sum(hidden[1::2])


def test_weights_of_other_features_are_refused() -> None:
    with pytest.raises(ValueError, match="train the network again"):
        network.use(zlib.compress(b"\0" * 40))


def test_facts_are_those_that_the_weights_were_trained_with() -> None:
    # If rows are to mean something else: train the network again, and change this sum.
    facts = [_facts(position) for players in (2, 3, 4) for position in _positions(players)]
    assert zlib.crc32(repr(facts).encode()) == 2_600_083_679
