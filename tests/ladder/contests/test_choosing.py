"""Who is chosen for a table: by turn, by what it tells, and never against the rules."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import inf
from random import Random

import pytest
from hypothesis import given, strategies as st

from ladder.contests.choosing import ReadyBot, information, may_meet, table
from ladder.ratings.elo import ANCHOR, NEWCOMER, Skill

NOBODY_MET: dict[tuple[int, int], int] = {}


def bot(
    number: int,
    *,
    owner: int | None = None,
    house: bool = False,
    rating: int = 1500,
    deviation: int = 30,
    waited: float = 0.0,
) -> ReadyBot:
    skill = Skill(1000 * rating, 1000 * deviation)
    return ReadyBot(number, number if owner is None else owner, house, skill, waited)


candidates = st.builds(
    ReadyBot,
    bot_id=st.integers(1, 10**6),
    owner=st.integers(1, 5),
    house=st.booleans(),
    skill=st.builds(Skill, st.integers(-5_000_000, 8_000_000), st.integers(0, 350_000)),
    waited=st.floats(0, 10**7),
)
fields = st.lists(candidates, max_size=12, unique_by=lambda candidate: candidate.bot_id)


def often(
    field: Sequence[ReadyBot], seats: int = 2, times: int = 300, **rules: object
) -> list[tuple[int, ...]]:
    rng = Random(7)
    found = [table(field, seats, met=NOBODY_MET, one_owner=False, rng=rng) for _ in range(times)]
    return [one for one in found if one is not None]


@given(fields, st.integers(2, 4), st.booleans(), st.integers(0, 9))
def test_a_table_has_different_bots_that_may_meet(
    field: list[ReadyBot], seats: int, one_owner: bool, luck: int
) -> None:
    chosen = table(field, seats, met=NOBODY_MET, one_owner=one_owner, rng=Random(luck))
    if chosen is None:
        return
    known = {candidate.bot_id: candidate for candidate in field}
    assert len(set(chosen)) == seats
    for one, other in combinations(chosen, 2):
        assert may_meet(known[one], known[other], one_owner=one_owner)


@given(fields, st.integers(0, 9))
def test_a_table_of_two_is_found_wherever_two_may_meet(field: list[ReadyBot], luck: int) -> None:
    chosen = table(field, 2, met=NOBODY_MET, one_owner=False, rng=Random(luck))
    possible = any(may_meet(*two, one_owner=False) for two in combinations(field, 2))
    assert (chosen is not None) == possible


def test_bots_of_one_owner_do_not_meet_unless_the_ladder_allows_it_or_the_house_owns_them() -> None:
    mine, other = bot(1, owner=1), bot(2, owner=1)
    assert not may_meet(mine, other, one_owner=False)
    assert may_meet(mine, other, one_owner=True)
    assert may_meet(bot(1, owner=1, house=True), bot(2, owner=1, house=True), one_owner=False)
    assert not may_meet(bot(1), bot(1), one_owner=True)


def test_half_of_the_tables_go_to_who_waited_longest_and_half_to_who_is_least_known() -> None:
    field = [bot(number) for number in range(20)]
    field += [bot(20, waited=60), bot(21, deviation=300)]
    seen = Counter(number for one in often(field) for number in one)
    assert seen[20] > 100
    assert seen[21] > 100


def test_who_has_not_played_yet_is_at_the_next_table() -> None:
    field = [bot(number, waited=9000, deviation=350) for number in range(20)]
    field += [bot(20, waited=inf, rating=0)]
    assert all(20 in one for one in often(field))


def test_near_bots_are_preferred_but_far_ones_come_too() -> None:
    field = [bot(0, waited=9), *(bot(number) for number in (1, 2, 3))]
    field += [bot(number, rating=2300) for number in (4, 5, 6)]
    met = Counter(other for one in often(field) if 0 in one for other in one if other)
    near, far = sum(met[number] for number in (1, 2, 3)), sum(met[number] for number in (4, 5, 6))
    assert near > 3 * far > 0


def test_a_newcomer_meets_all() -> None:
    field = [bot(0, deviation=350, waited=9)]
    field += [bot(number, rating=1200 + 100 * number) for number in range(1, 8)]
    met = Counter(other for one in often(field, times=700) for other in one if other)
    assert min(met[number] for number in range(1, 8)) > 40


def test_who_has_met_lately_meets_less() -> None:
    field = [bot(0, waited=9), bot(1), bot(2)]
    rng = Random(7)
    tables = [table(field, 2, met={(0, 1): 9}, one_owner=False, rng=rng) for _ in range(300)]
    met = Counter(other for one in tables if one and 0 in one for other in one if other)
    assert met[2] > 4 * met[1] > 0


def test_a_game_tells_most_at_even_chances_of_who_is_in_doubt_against_who_is_not() -> None:
    known, new = Skill(1_500_000, 30_000), Skill(1_500_000, NEWCOMER.deviation)
    strong = Skill(2_000_000, 30_000)
    assert information(known, known) > 3 * information(known, strong) > 0
    assert information(strong, known) == pytest.approx(information(known, strong))
    assert information(new, known) > information(new, new) > information(known, known)
    assert information(known, new) == information(new, known)
    assert information(ANCHOR, ANCHOR) == 0


def test_an_uncertain_bot_plays_more_until_it_is_known() -> None:
    field = [bot(number) for number in range(12)] + [bot(12, deviation=200)]
    seen = Counter(number for one in often(field, 4, times=600) for number in one)
    mean = sum(seen[number] for number in range(12)) / 12
    assert seen[12] > 2 * mean


def test_everybody_gets_tables_however_the_luck_falls() -> None:
    """A league of virtual time: who was dealt in waits anew."""
    rng = Random(3)
    ratings = [1000, 1100, 1500, 1500, 1510, 1900, 2400, 2500]
    last = [0] * len(ratings)
    games: Counter[int] = Counter()
    for now in range(1, 400):
        field = [
            bot(
                number,
                rating=rating,
                deviation=round(350 / (1 + games[number] / 4) ** 0.5),
                waited=now - last[number],
            )
            for number, rating in enumerate(ratings)
        ]
        chosen = table(field, 4, met=NOBODY_MET, one_owner=False, rng=rng)
        assert chosen is not None
        games.update(chosen)
        for number in chosen:
            last[number] = now
    assert min(games.values()) > 0.6 * max(games.values())
