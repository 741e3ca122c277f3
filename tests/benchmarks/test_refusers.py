"""The benchmark of refusers plays on a real ladder, whose ledger stays sound."""

from pathlib import Path

import pytest

from benchmarks._refusing import FIELD, REFUSERS, TWINS, Invited, league
from benchmarks.refusers import WAYS
from tests.ladder.databases import new_ladder
from tests.ladder.ledgers import check_ledger


def test_stubborn_bots_lose_what_they_refuse(tmp_path: Path) -> None:
    url = new_ladder(tmp_path / "ladder.db")
    made = league(url, 2, lambda called: called.seat == 0, stubborn=True, seed=3)
    for _ in range(8):
        made.play_round()
    assert made.lost() > 0
    assert made.refused >= 3 * made.lost()
    assert made.played(REFUSERS) < made.played(TWINS)
    shares = made.met(TWINS)
    assert set(shares) == set(FIELD)
    assert 0 < sum(shares.values()) <= 1
    with made.sessions() as session:
        check_ledger(session)


@pytest.mark.parametrize(
    ("called", "refusing"),
    [
        (Invited(1, frozenset({"planner"}), False, 5.0), {"by opponent", "stubborn, by opponent"}),
        (Invited(0, frozenset({"ron"}), True, 5.0), {"by seat"}),
        (Invited(1, frozenset({"ron"}), False, -5.0), {"by layout"}),
    ],
)
def test_each_way_dislikes_its_own(called: Invited, refusing: set[str]) -> None:
    assert {way.name for way in WAYS if way.dislikes(called)} == refusing
