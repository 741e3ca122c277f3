from collections import Counter
from itertools import pairwise, permutations

from hypothesis import given, strategies as st

from ladder.contests.tournament_points import ORDERS, Placed, Tally, TieBreak, scores, standing

A, B, C, D, E = range(5)
ALL_MEET = ORDERS["round_robin"]
SWISS = ORDERS["swiss"]


def tally(*tables: dict[int, int]) -> Tally:
    """Of matches, each the ranks by bot."""
    games, half_points = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
    for ranks in tables:
        for one, other in permutations(ranks, 2):
            games[one, other] += 1
            half_points[one, other] += 2 * (ranks[one] < ranks[other]) + (
                ranks[one] == ranks[other]
            )
    return Tally(
        games=games,
        half_points=half_points,
        matches=Counter(bot for ranks in tables for bot in ranks),
        firsts=Counter(bot for ranks in tables for bot in ranks if ranks[bot] == 1),
    )


def beats(*pairs: tuple[int, int]) -> Tally:
    """Of matches for two, each the winner and the loser."""
    return tally(*({winner: 1, loser: 2} for winner, loser in pairs))


def placed(bots: list[int], played: Tally, tie_breaks: tuple[TieBreak, ...]) -> list[Placed]:
    return standing(bots, played, scores(bots, played), tie_breaks)


def test_first_the_share_of_the_points() -> None:
    played = beats((A, B), (A, C), (B, C))
    assert placed([C, B, A], played, ALL_MEET) == [
        Placed(A, 1, None),
        Placed(B, 2, None),
        Placed(C, 3, None),
    ]


def test_then_who_won_against_whom() -> None:
    found = placed([B, C, D, A], beats((A, B), (B, C), (D, A), (D, C)), ALL_MEET)
    assert found == [
        Placed(D, 1, None),
        Placed(A, 2, None),
        Placed(B, 3, TieBreak.DIRECT),
        Placed(C, 4, None),
    ]


def test_those_who_have_not_all_met_are_not_parted_by_whom_they_beat() -> None:
    played = beats((A, C), (B, D), (C, D), (D, C))
    first, second, *_ = placed([A, B, C, D], played, ALL_MEET)
    assert (first.rank, second.rank) == (1, 1)


def test_a_circle_is_parted_by_the_strength_of_the_beaten() -> None:
    circle = ((A, B), (B, C), (C, A))
    others = ((A, D), (D, B), (D, C), (E, A), (B, E), (C, E))
    assert placed([C, B, A, D, E], beats(*circle, *others), ALL_MEET) == [
        Placed(D, 1, None),
        Placed(A, 2, None),
        Placed(C, 3, TieBreak.BEATEN),
        Placed(B, 3, None),
        Placed(E, 5, None),
    ]


def test_each_tie_break_is_named_for_the_bot_that_it_puts_lower() -> None:
    among_the_tied = ((A, B), (A, C), (B, C), (C, B))
    with_others = ((B, E), (C, D), (D, A), (D, A))
    assert placed([A, B, C, D, E], beats(*among_the_tied, *with_others), ALL_MEET) == [
        Placed(D, 1, None),
        Placed(A, 2, None),
        Placed(C, 3, TieBreak.DIRECT),
        Placed(B, 4, TieBreak.BEATEN),
        Placed(E, 5, None),
    ]


def test_in_a_swiss_tournament_the_stronger_opponents_come_first() -> None:
    played = beats((A, C), (B, D), (C, D))
    found = placed([B, A, C, D], played, SWISS)
    assert [(one.bot_id, one.rank, one.decided_by) for one in found] == [
        (A, 1, None),
        (B, 2, TieBreak.OPPONENTS),
        (C, 3, None),
        (D, 4, None),
    ]


def test_at_last_first_places_where_points_and_opponents_are_equal() -> None:
    ranks = [{A: 1, B: 2, C: 3}, {C: 1, B: 2, A: 3}]
    found = placed([B, A, C], tally(*ranks), ALL_MEET)
    assert [(one.bot_id, one.rank) for one in found] == [(A, 1), (C, 1), (B, 3)]
    assert found[2].decided_by is TieBreak.FIRSTS


def test_who_is_equal_in_all_shares_the_rank_in_the_order_of_the_entry_list() -> None:
    found = placed([C, A, B], beats((A, B), (B, C), (C, A)), ALL_MEET)
    assert found == [Placed(C, 1, None), Placed(A, 1, None), Placed(B, 1, None)]


def test_before_the_first_result_all_share_the_first_rank() -> None:
    assert [one.rank for one in placed([A, B, C], beats(), SWISS)] == [1, 1, 1]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda p: p[0] != p[1])))
def test_ranks_never_go_against_the_share(pairs: list[tuple[int, int]]) -> None:
    played, bots = beats(*pairs), list(range(6))
    share = scores(bots, played).share
    for tie_breaks in ORDERS.values():
        found = placed(bots, played, tie_breaks)
        assert sorted(one.bot_id for one in found) == bots
        assert [one.rank for one in found] == sorted(one.rank for one in found)
        assert all(share[one.bot_id] >= share[after.bot_id] for one, after in pairwise(found))
