from collections import Counter
from random import Random

from ladder.contests.ladders import LadderSettings
from ladder.contests.matchmaking import in_turn
from referee.clock import Clock


def ladder(seats: int, share: int) -> LadderSettings:
    return LadderSettings(seats, open=True, share=share, one_owner=False, clock=Clock())


def test_matches_are_mixed_by_shares() -> None:
    matches: Counter[int] = Counter()
    for number in range(3000):
        ladders = [ladder(2, 1), ladder(3, 1), ladder(4, 2)]
        first = in_turn(ladders, matches, Random(number))[0]
        matches[first.seats] += first.seats
    every = matches.total()
    assert abs(matches[2] / every - 0.25) < 0.01
    assert abs(matches[3] / every - 0.25) < 0.01
    assert abs(matches[4] / every - 0.50) < 0.01


def test_all_others_have_their_turn_where_the_first_has_no_table() -> None:
    lately = {2: 8, 3: 10, 4: 12}
    order = in_turn([ladder(2, 1), ladder(3, 5), ladder(4, 1)], lately, Random(1))
    assert [one.seats for one in order] == [3, 2, 4]


def test_a_ladder_without_a_share_gets_nothing() -> None:
    assert in_turn([ladder(2, 0)], {}, Random(1)) == []
