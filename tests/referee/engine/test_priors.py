"""Each move has its rows; what they say moves its first value, and no more than that."""

import zlib
from collections.abc import Iterator
from random import Random

import pytest

from referee.engine import priors
from referee.engine.search import Search
from referee.engine.stored import pack
from referee.engine.tree import Node
from referee.engine.worth import quick_shares
from referee.rules import Position
from referee.rules.cells import PHASE
from referee.rules.moves import DRIVES, make_move
from referee.rules.pieces import CITIZENS
from tests.referee.engine.tables import last_delivery, rich, visited


@pytest.fixture
def weights() -> Iterator[list[int]]:
    """Gains drawn by chance, which the search trusts during a test."""
    rng = Random(1)
    gains = [rng.randint(-2000, 2000) for _ in range(priors.ROWS)]
    gains[0] = 0
    priors.use(pack(gains))
    yield gains
    priors.forget()


def _positions(players: int) -> list[Position]:
    return [position for position in visited(players) if position.legal_moves]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_gains_are_the_sums_of_two_rows(weights: list[int], players: int) -> None:
    phases = set()
    for position in _positions(players):
        phases.add(position.cells[PHASE])
        moves = position.legal_moves
        for pair in priors.rows(position, moves):
            first, second = priors.unpacked(pair)
            assert 0 < first < priors.ROWS > second
            assert priors.gain(pair) == pytest.approx((weights[first] + weights[second]) / 1000)
    assert len(phases) > 5


def test_drives_are_told_apart_by_who_is_met_and_what_they_cost() -> None:
    position = rich()
    moves = tuple(make_move(DRIVES, steps) for steps in range(1, 13))
    pairs = priors.rows(position, moves)
    firsts, seconds = zip(*(priors.unpacked(pair) for pair in pairs), strict=True)
    assert firsts[10:] == firsts[:2]
    assert len(set(firsts)) == len(CITIZENS) + 1
    assert len(set(seconds)) == 10
    assert seconds[9] == seconds[10] == seconds[11]


def test_a_gain_counts_as_vp_of_the_one_who_chooses(weights: list[int]) -> None:
    for position in _positions(3):
        node = Node(position, position.seat)
        node.expand(position, position.legal_moves, 0)
        pairs = priors.rows(position, position.legal_moves)
        for child, pair in zip(node.children, pairs, strict=True):
            gain = priors.gain(pair)
            after = position.copy()
            after.apply(child.move)
            plain = quick_shares(after)
            assert sum(child.value) == pytest.approx(1.5)
            if not after.is_over:
                assert (child.value[node.chooser] >= plain[position.seat]) == (gain >= 0)


def test_an_end_of_the_game_is_exact(weights: list[int]) -> None:
    assert Search(last_delivery(), Random(1)).moves()[0].shares == (1.0, 0.0)


def test_weights_of_other_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="train them again"):
        priors.use(zlib.compress(bytes(2 * priors.ROWS + 2)))
