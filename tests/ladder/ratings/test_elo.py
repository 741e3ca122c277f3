"""The rating's formula: its properties, and numbers that must be the same on every machine."""

import re
from itertools import product
from math import exp, log
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, strategies as st

from ladder.ratings import elo
from ladder.ratings.elo import ANCHOR, NEWCOMER, Skill

PAGE = (Path(__file__).parents[3] / "docs" / "fairness.md").read_text(encoding="utf-8")
skills = st.builds(Skill, st.integers(-6_000_000, 10_000_000), st.integers(1, NEWCOMER.deviation))
Row = tuple[Skill, int]
"""Skill, rank."""
tables = st.integers(2, 4).flatmap(
    lambda seats: st.lists(
        st.tuples(skills | st.just(ANCHOR), st.integers(1, seats)), min_size=seats, max_size=seats
    )
)


def rated(table: list[Row]) -> list[Skill]:
    found, ranks = zip(*table, strict=True)
    return list(elo.rate(found, ranks))


def known(*points: int, deviation: int = 60) -> list[Skill]:
    return [Skill(1000 * rating, 1000 * deviation) for rating in points]


@pytest.mark.parametrize(
    ("table", "ranks", "after"),
    [
        (
            [NEWCOMER] * 4,
            [1, 2, 3, 4],
            [(2287720, 371100), (2081565, 359656), (1915146, 357964), (1715569, 368406)],
        ),
        (
            [Skill(1874321, 61234), NEWCOMER, Skill(2390001, 40404)],
            [2, 1, 2],
            [(1889200, 60932), (2418752, 278330), (2379591, 40346)],
        ),
        (
            [ANCHOR, Skill(2012345, 75000), Skill(1999999, 33333), Skill(2222222, 44444)],
            [1, 2, 3, 4],
            [(1500000, 0), (2027063, 73244), (2002002, 33279), (2204255, 43803)],
        ),
        (
            [Skill(9_500_000, 420_000), Skill(1_500_000, 420_000)],
            [2, 1],
            [(8586041, 420000), (2413959, 420000)],
        ),
    ],
)
def test_the_formula_gives_the_same_numbers_on_every_machine(
    table: list[Skill], ranks: list[int], after: list[tuple[int, int]]
) -> None:
    assert elo.rate(table, ranks) == tuple(Skill(*one) for one in after)


@given(tables)
def test_pinned_seats_stay_and_deviations_keep_their_bounds(table: list[Row]) -> None:
    for (before, _), after in zip(table, rated(table), strict=True):
        if before == ANCHOR:
            assert after == before
        else:
            assert 0 < after.deviation <= NEWCOMER.deviation
            grown = before.deviation**2 + 3_500**2
            assert after.deviation**2 <= grown + after.deviation
            assert abs(after.rating - before.rating) <= 3 * 0.9 * grown / 173_717 + 2


@given(tables, st.randoms(use_true_random=False), st.integers(-900_000, 900_000))
def test_neither_the_order_of_seats_nor_the_zero_of_the_scale_counts(
    table: list[Row], rng: Random, shift: int
) -> None:
    order = rng.sample(range(len(table)), len(table))
    straight = rated(table)
    turned = [table[seat] for seat in order]
    moved = [(Skill(skill.rating + shift, skill.deviation), *rest) for skill, *rest in turned]
    assert rated(turned) == [straight[seat] for seat in order]
    assert rated(moved) == [  # type: ignore[arg-type]
        Skill(straight[seat].rating + shift, straight[seat].deviation) for seat in order
    ]


@given(tables)
def test_sole_winners_never_lose_points_and_sole_losers_never_win_any(table: list[Row]) -> None:
    ranks = [rank for _, rank in table]
    for (before, rank), after in zip(table, rated(table), strict=True):
        if ranks.count(rank) == 1 and rank == min(ranks):
            assert after.rating >= before.rating
        if ranks.count(rank) == 1 and rank == max(ranks):
            assert after.rating <= before.rating


@given(st.lists(skills, min_size=2, max_size=4), st.data())
def test_a_better_rank_never_gives_fewer_points(table: list[Skill], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(table))))
    place = data.draw(st.integers(0, len(table) - 2))
    better = [0] * len(table)
    for rank, seat in enumerate(order, 1):
        better[seat] = rank
    worse = [place + 3 - rank if rank in (place + 1, place + 2) else rank for rank in better]
    seat = order[place]
    assert elo.rate(table, better)[seat].rating >= elo.rate(table, worse)[seat].rating


def test_a_newcomer_moves_far_and_hardly_moves_who_is_known() -> None:
    old, new = known(2000)[0], NEWCOMER
    beaten, winner = elo.rate([old, new], [2, 1])
    by_known = elo.rate([old, old], [2, 1])[0]
    assert winner.rating - new.rating > 100_000
    assert 0 < old.rating - beaten.rating < old.rating - by_known.rating


def test_the_new_ratings_are_the_most_probable_ones() -> None:
    """Of a table with a tie: each of the two is chosen from all three."""
    table = known(1900, 2100, 2000, deviation=200)

    def log_density(points: list[float]) -> float:
        lies = [one / 173.717793 for one in points]
        found = 0.0
        for seat in (0, 1):
            found += 0.9 * (lies[seat] - log(sum(map(exp, lies))))
        for one, skill in zip(points, table, strict=True):
            found -= (one - skill.rating / 1000) ** 2 / (200**2 + 3.5**2) / 2
        return found

    mode = [skill.rating / 1000 for skill in elo.rate(table, [1, 1, 3])]
    for steps in product((-1, 0, 1), repeat=3):
        near = [one + step for one, step in zip(mode, steps, strict=True)]
        assert log_density(near) <= log_density(mode)


def test_the_exact_maximum_is_as_near_as_the_page_says(monkeypatch: pytest.MonkeyPatch) -> None:
    rng, tables = Random(1), []
    for _ in range(300):
        seats = rng.choice(elo.TABLE_SIZES)
        deviations = [rng.choice((420, rng.randint(30, 420))) for _ in range(seats)]
        table = [known(rng.randint(1200, 2900), deviation=own)[0] for own in deviations]
        tables.append((table, [rng.randint(1, seats) for _ in range(seats)]))
    found = [elo.rate(*one) for one in tables]
    monkeypatch.setattr(elo, "_CLOSE", 1e-9)
    exact = [elo.rate(*one) for one in tables]
    pairs = [pair for one in zip(found, exact, strict=True) for pair in zip(*one, strict=True)]
    ratings = max(abs(one.rating - other.rating) for one, other in pairs)
    deviations = [abs(one.deviation - other.deviation) for one, other in pairs]
    said = re.search(r"differ by (\S+) points at most, and deviations .* up to (\S+)\.\n", PAGE)
    assert said, "docs/fairness.md"
    assert ratings <= 1000 * float(said[1])
    assert 0 < max(deviations) <= 1000 * float(said[2])


def test_equal_newcomers_that_tie_stay_and_become_better_known() -> None:
    for seats in elo.TABLE_SIZES:
        for skill in elo.rate([NEWCOMER] * seats, [1] * seats):
            assert skill.rating == NEWCOMER.rating
            assert skill.deviation < NEWCOMER.deviation


def test_the_anchor_does_not_move_but_counts_as_in_doubt_at_its_table() -> None:
    known, certain = Skill(2_000_000, 80_000), Skill(ANCHOR.rating, 1)
    anchor, loser = elo.rate([ANCHOR, known], [1, 2])
    assert anchor == ANCHOR
    assert known.rating > loser.rating > elo.rate([certain, known], [1, 2])[1].rating


def test_many_games_place_a_bot_and_never_make_it_certain() -> None:
    one = other = NEWCOMER
    games = 0
    while not elo.is_placed(one):
        (one, other), games = elo.rate([one, other], [1 + games % 2, 2 - games % 2]), games + 1
    assert games < 60
    for game in range(1_000):
        one, other = elo.rate([one, other], [1 + game % 2, 2 - game % 2])
    assert 30_000 < one.deviation < 60_000
    assert abs(one.rating - other.rating) < 30_000


def test_a_new_version_is_in_more_doubt_and_never_in_more_than_a_newcomer() -> None:
    assert elo.new_version(Skill(1_700_000, 50_000)) == Skill(1_700_000, 130_000)
    assert elo.new_version(Skill(1_700_000, 419_000)) == Skill(1_700_000, 420_000)
    assert elo.new_version(ANCHOR) == ANCHOR


def test_what_a_match_did_can_be_taken_back() -> None:
    before = known(2000, 2050)
    after = elo.rate(before, [1, 2])
    assert elo.without(after[0], before[0], after[0]) == before[0]
    later = elo.rate([after[0], NEWCOMER], [1, 2])[0]
    undone = elo.without(later, before[0], after[0])
    assert undone.rating < later.rating
    assert undone.deviation > later.deviation
    assert elo.without(ANCHOR, before[0], after[0]) == ANCHOR


def test_expected_scores_are_elos_and_doubt_draws_them_to_a_half() -> None:
    sure = Skill(1_900_000, 0)
    assert elo.chance(sure, ANCHOR) == pytest.approx(10 / 11, abs=1e-12)
    assert elo.chance(ANCHOR, sure) == pytest.approx(1 / 11, abs=1e-12)
    assert 0.5 < elo.chance(Skill(1_900_000, 200_000), ANCHOR) < 10 / 11
    assert elo.pairs([ANCHOR, sure, sure]) == [
        (1, 0, elo.chance(sure, ANCHOR)),
        (2, 0, elo.chance(sure, ANCHOR)),
        (1, 2, 0.5),
    ]


def test_a_missed_match_is_a_last_rank_behind_all_others_in_the_order_of_their_ratings() -> None:
    table = known(1900, 1800, 2100, 1900)
    assert elo.rate_missed(table, 1) == elo.rate(table, [2, 4, 1, 3])[1]
    table[3] = ANCHOR
    assert elo.rate_missed(table, 0) == elo.rate(table, [4, 2, 1, 3])[0]


def test_who_shares_a_table_with_others_in_doubt_stays_in_more_doubt() -> None:
    """Their errors in common don't vanish; those of bots that are known are small."""

    def left(deviation: int) -> float:
        table = known(2000, 2000, deviation=deviation)
        information = 2 * 0.9 / 4 / 173.717793**2  # of a tie
        grown = deviation**2 + 3.5**2
        apart = grown / (1 + 2 * grown * information)
        alone = (grown + apart) / 2  # the variance of a sum stays, that of a difference shrinks
        return (elo.rate(table, [1, 1])[0].deviation / 1000) ** 2 / alone

    assert left(400) > 1.1
    assert 1 <= round(left(40), 3) < 1.001


def test_a_table_needs_a_skill_and_a_rank_for_each_seat() -> None:
    for table, ranks in (([NEWCOMER] * 2, [1]), ([NEWCOMER], [1]), ([NEWCOMER] * 5, [1] * 5)):
        with pytest.raises(ValueError, match="two to four seats"):
            elo.rate(table, ranks)


@pytest.mark.parametrize("seats", elo.TABLE_SIZES)
def test_about_as_many_games_place_a_bot_as_pages_say(seats: int) -> None:
    """Among bots whose strengths have a deviation of 300, of whom 45 is known."""
    random, left = Random(seats), list[tuple[int, float]]()
    for _ in range(60):
        strength, skill, passed = random.gauss(2000, 300), NEWCOMER, list[int]()
        while not elo.is_placed(skill):
            passed.append(skill.deviation)
            others = [random.gauss(2000, 300) for _ in range(seats - 1)]
            drawn = [random.expovariate(10 ** (one / 400)) for one in (strength, *others)]
            ranks = [1 + sum(other < own for other in drawn) for own in drawn]
            skill = elo.rate([skill, *known(*map(round, others), deviation=45)], ranks)[0]
        left += [(deviation, len(passed) - done) for done, deviation in enumerate(passed)]
    for least, most in ((75_000, 100_000), (100_000, 150_000), (150_000, 420_001)):
        some = [(real, elo.games_to_place(seats, one)) for one, real in left if least < one < most]
        shares = sorted(real / told for real, told in some)
        assert 0.65 < shares[len(shares) // 2] < 1.35


def test_who_is_placed_needs_no_more_games() -> None:
    assert elo.games_to_place(2, elo.PLACED) == elo.games_to_place(4, 0) == 0
    assert elo.games_to_place(4, elo.PLACED + 1) == 1
    assert elo.games_to_place(3) == elo.games_to_place(3, NEWCOMER.deviation)
