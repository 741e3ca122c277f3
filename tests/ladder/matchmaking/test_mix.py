from collections import Counter
from random import Random

from ladder.matchmaking.mix import LadderRules, in_turn
from referee.clock import Clock


def ladder(seats: int, share: int) -> LadderRules:
    return LadderRules(seats, share, one_owner=False, clock=Clock())


def test_matches_are_mixed_by_shares() -> None:
    rng = Random(1)
    matches: Counter[int] = Counter()
    for _ in range(3000):
        first = in_turn([ladder(2, 1), ladder(3, 1), ladder(4, 2)], rng)[0]
        matches[first.seats] += first.seats
    every = matches.total()
    assert abs(matches[2] / every - 0.25) < 0.03
    assert abs(matches[3] / every - 0.25) < 0.03
    assert abs(matches[4] / every - 0.50) < 0.03


def test_all_others_have_their_turn_where_the_first_has_no_table() -> None:
    order = in_turn([ladder(2, 1), ladder(3, 5), ladder(4, 1)], Random(1))
    assert sorted(one.seats for one in order) == [2, 3, 4]


def test_a_ladder_without_a_share_gets_nothing() -> None:
    assert in_turn([ladder(2, 0)], Random(1)) == []
