"""Pairs that help each other are found, honest ones are not accused."""

from itertools import combinations
from random import Random

import numpy as np
import pytest
from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from benchmarks import collusion as leagues
from benchmarks._worlds import full_world, play
from ladder.model import Favours, Match, MatchState, Strength, now
from ladder.ratings import fairness, tallies
from ladder.ratings.collusion import evaluate_newest, favours, pairs
from ladder.ratings.collusion.favours import (
    GIFTS,
    LED,
    PAID,
    FavourKind,
    add_favours,
    no_favours,
    parse,
)
from ladder.ratings.collusion.records import pair_counts
from ladder.ratings.collusion.signs import UPPER_QUARTILE, Seen, judge
from ladder.ratings.collusion.verdicts import Verdicts
from ladder.ratings.plackett_luce import Floats, Ints
from ladder.ratings.tallies import Ranked
from referee.rules import Layout, Move, Position, move_text, roll_dice
from referee.rules.cells import PAWN, PLAYER, TRIBUTE, VP
from tests.ladder.databases import on_postgresql, on_sqlite
from tests.ladder.league import match_ids, register_bots, start_tournament
from tests.referee.games import moments
from tests.web.arena import play_next, register, tournament

ADA, BELA, CARO, DORA = 1, 2, 3, 4
HELPER, FRIEND = 3, 4
"""The pair of the simulated leagues."""


def of_pair(found: Verdicts, helper: int, friend: int) -> int:
    (place,) = np.flatnonzero((found.helpers == helper) & (found.friends == friend))
    return int(place)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_results_note_who_throws_and_who_helps_but_show_nobody(seats: int) -> None:
    for games, thrown, help_ in ((60, 1.0, 0.0), (150, 0.0, 2.5)):
        found = leagues.guilty_league(1, seats, games, thrown, help_)
        assert found.noted[of_pair(found, HELPER, FRIEND)]
        assert not found.noted[of_pair(found, FRIEND, HELPER)]
        assert not found.shown.any()


def test_at_two_seats_three_games_of_ten_thrown_are_noted_beside_a_circle() -> None:
    """In these leagues the pair would be missed if the chance of any mistake were bounded."""
    for seed in (1006, 1021, 1042):
        found = leagues.guilty_league(seed, 2, 300, 0.3, 0.0)
        pair = of_pair(found, HELPER, FRIEND)
        assert found.results[pair, 0] < 3.34  # 0.1 in 240 pairs
        assert found.noted[pair]
        assert not found.shown.any()


def test_what_a_bot_gives_everybody_is_no_sign_however_few_its_games() -> None:
    helpers, friends = np.array(
        [(one, other) for one in range(3) for other in range(3) if one != other]
    ).T
    variance = np.full(6, 0.1)
    of_helper, of_friend = np.array([2.0, 0.0, -2.0]), np.array([1.0, -1.0, 0.0])
    surplus = variance * (of_helper[helpers] + of_friend[friends])
    seen = Seen(helpers, friends, np.arange(6), np.ones(6), surplus, variance, np.zeros(6), 3)
    assert np.abs(judge(seen).effect).max() < 1e-6


def all_pairs(helpers: Ints, friends: Ints, surplus: Floats, bots: int) -> Seen:
    """Each pair once a deal; `surplus` is [deal][pair]."""
    deals, pairs = surplus.shape
    ones = np.ones(surplus.size)
    return Seen(
        np.tile(helpers, deals),
        np.tile(friends, deals),
        np.repeat(np.arange(deals), pairs),
        ones,
        surplus.ravel(),
        ones,
        np.zeros(surplus.size),
        bots,
    )


def test_if_a_third_of_all_pairs_suit_each_other_the_quartile_sees_more_scatter() -> None:
    """Most pairs are strangers, so the median pair says that little scatters."""
    rng, bots, games = np.random.default_rng(2), 12, 40
    helpers, friends = np.array(
        [(one, other) for one in range(bots) for other in range(bots) if one != other]
    ).T
    suits = np.where(rng.random(len(helpers)) < 0.35, rng.normal(0, 1, len(helpers)), 0)
    seen = all_pairs(helpers, friends, rng.normal(0, 1, (games, len(helpers))) + suits, bots)
    by_median, by_quartile = judge(seen), judge(seen, UPPER_QUARTILE)
    assert by_quartile.scatter > 1.2 * by_median.scatter
    assert by_quartile.deviations.max() < 0.9 * by_median.deviations.max()


def test_a_helper_in_a_small_field_does_not_hide_behind_the_scatter_that_it_makes() -> None:
    """It moves the main effects of two bots, so nine pairs of thirty seem to scatter."""
    rng, bots, games = np.random.default_rng(3), 6, 100
    helpers, friends = np.array(
        [(one, other) for one in range(bots) for other in range(bots) if one != other]
    ).T
    surplus = rng.normal(0, 1, (games, len(helpers)))
    surplus[:, 0] += 1.2
    seen = all_pairs(helpers, friends, surplus, bots)
    beside_all = judge(seen, UPPER_QUARTILE._replace(apart=False))
    beside_others = judge(seen, UPPER_QUARTILE)
    assert beside_others.deviations[0] > 2 * beside_all.deviations[0] > 0
    assert beside_others.deviations[1:].max() < 3


def test_few_pairs_tell_the_scatter_in_a_field_of_four_so_more_of_it_is_assumed() -> None:
    """Main effects leave four of eleven pairs free. If eleven counted, an honest pair was shown."""
    assert not leagues.honest_league(196, 3, harmful=True, bots=4, unlike=0.3).shown.any()


def test_a_field_of_three_cannot_tell_what_its_pairs_give_each_other_beyond_style() -> None:
    found = leagues.honest_league(1, 3, harmful=True, bots=3, unlike=0.3)
    assert len(found.helpers) == 6
    assert max(np.nanmax(found.gifts), np.nanmax(found.paid)) < 1


@pytest.mark.parametrize("seats", [3, 4])
def test_a_style_circle_is_noted_and_nobody_of_it_is_shown(seats: int) -> None:
    found = leagues.honest_league(1, seats, harmful=True, games=150)
    circle = np.maximum(found.helpers, found.friends) < HELPER
    assert found.noted[circle].any()
    assert not found.noted[~circle].any()
    assert not found.shown.any()


def test_decisions_that_give_and_pay_show_a_pair_whatever_its_results() -> None:
    rng = np.random.default_rng(5)
    world = full_world(rng, 16, 3)
    matches = play(world, rng, leagues._tables(rng, 3, 60))
    given = leagues._lucky_favours(rng, matches.players)
    kind = FavourKind.HARBOUR
    helper, friend = matches.players == HELPER, matches.players == FRIEND
    together = helper[:, :, None] & friend[:, None, :]
    given[:, 0, kind][together] += 2.0  # gifts alone
    found = leagues._judged(matches, given)
    pair = of_pair(found, HELPER, FRIEND)
    assert found.gifts[pair, kind] > 4.5
    assert not found.shown.any()
    given[:, 1, kind][together] += 2.0  # and paid
    found = leagues._judged(matches, given)
    assert np.flatnonzero(found.shown).tolist() == [pair]


def test_a_gift_is_what_a_move_for_oneself_would_not_have_given() -> None:
    """Whoever gives El Zorro's visitor a good of the first ship gives it more than a peso."""
    position, rng = Position.start(Layout.shuffled(Random(3)), 3), Random(3)
    while position.phase != TRIBUTE:
        moves = position.legal_moves
        position.apply(rng.choice(moves)) if moves else position.roll(roll_dice(rng))
    giver, thief = position.seat, position.active
    found = {move_text(move): given_by(position, move) for move in position.legal_moves}
    gifts, paid, _ = found["give citrus"][:, FavourKind.TRIBUTE, giver]
    assert gifts[thief] > 0.2
    assert gifts[giver] < -0.2
    assert 0 < paid[thief] <= gifts[thief]
    gifts, paid, _ = found["give peso"][:, FavourKind.TRIBUTE, giver]
    assert gifts[thief] < 0
    assert not paid.any()


def test_a_forced_move_is_no_favour() -> None:
    found = (one for one in moments(2) if one.players == 3)
    forced = next(one for one in found if len(one.legal_moves) == 1)
    assert not given_by(forced, forced.legal_moves[0]).any()


def test_a_visit_to_el_zorro_takes_from_those_who_have_something() -> None:
    position, rng = Position.start(Layout.shuffled(Random(3)), 3), Random(3)
    while not (visits := visits_to_el_zorro(position)):
        moves = position.legal_moves
        position.apply(rng.choice(moves)) if moves else position.roll(roll_dice(rng))
    thief = position.seat
    rich, poor = (thief + 1) % 3, (thief + 2) % 3
    position.cells[PLAYER[poor] : PLAYER[poor] + PAWN] = [0] * PAWN
    gifts = given_by(position, visits[0])[GIFTS, FavourKind.of(position), thief]
    assert gifts[rich] < gifts[poor] - 0.2


def visits_to_el_zorro(position: Position) -> list[Move]:
    return [
        move for move in position.legal_moves if favours._played(position, move).phase == TRIBUTE
    ]


def given_by(position: Position, move: Move) -> Floats:
    found = no_favours(position.players)
    add_favours(found, position, move)
    return found


def test_who_leads_the_others_is_given_less_if_a_move_hurts_it_alone() -> None:
    """A decision counts for the seat that leads then, by how it differs from those for the rest."""
    position, rng, ahead = Position.start(Layout.shuffled(Random(3)), 4), Random(3), 2
    position.cells[PLAYER[ahead] + VP] += 40
    for _ in range(60):
        moves = position.legal_moves
        if not moves:
            position.roll(roll_dice(rng))
            continue
        move, seat = rng.choice(moves), position.seat
        gifts, paid, led = given_by(position, move)[:, FavourKind.LEADER, seat]
        if len(moves) > 1:
            (leader,) = np.flatnonzero(led)
            assert seat == ahead or leader == ahead
            others = given_by(position, move)[GIFTS, FavourKind.of(position), seat]
            rest = [other for other in range(4) if other not in (seat, leader)]
            assert gifts[leader] == pytest.approx(others[leader] - others[rest].mean())
            assert paid[leader] in (0, gifts[leader])
        else:
            assert not led.any()
        position.apply(move)


def test_who_hurts_the_leaders_of_one_bot_is_shown_not_who_hurts_any_leader() -> None:
    rng = np.random.default_rng(6)
    matches = play(full_world(rng, 16, 4), rng, leagues._tables(rng, 4, 120))
    given = leagues._lucky_favours(rng, matches.players)
    kind, led = FavourKind.LEADER, given[:, LED, FavourKind.LEADER]
    for style in (HELPER, HELPER + 2):
        hurts = (matches.players == style)[:, :, None] * led
        given[:, :LED, kind] -= 0.1 * hurts[:, None]
    assert not leagues._judged(matches, given).shown.any()
    helper, friend = matches.players == HELPER, matches.players == FRIEND
    others_lead = helper[:, :, None] & friend.any(axis=1)[:, None, None] & ~friend[:, None, :]
    given[:, :LED, kind] -= (0.1 * others_lead * led)[:, None]
    found = leagues._judged(matches, given)
    pair = of_pair(found, HELPER, FRIEND)
    assert np.nanargmax(found.gifts[pair]) == kind
    assert np.flatnonzero(found.shown).tolist() == [pair]


def test_each_game_is_evaluated_once(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    cup = tournament(session, register(session, ["ana", "luz", "rey"]), seats=3)
    for _ in range(2):
        play_next(session, cup)
    assert fairness.refresh(session, 3)
    session.commit()
    assert evaluate_newest(session, 3, limit=1) == 1
    session.commit()
    fairness.evaluate(session, 3)
    session.commit()
    assert fairness.refresh(session, 3)  # the report is made anew
    session.commit()
    assert evaluate_newest(session, 3) == evaluate_newest(session, 2) == 0
    for row in session.scalars(select(Favours)):
        given = parse(row.milli, 3)
        assert given.shape == (3, 4, 3, 3)
        assert given[GIFTS : PAID + 1].any(axis=(2, 3)).all()  # of each measure and kind
    session.commit()
    monkeypatch.setattr(favours, "VERSION", favours.VERSION + 1)
    session.execute(update(Favours).values(milli=""))
    session.commit()
    assert evaluate_newest(session, 3) == 2
    session.commit()


def test_a_game_that_cannot_be_played_again_counts_nothing() -> None:
    assert favours.evaluated(b"replay") is None


@on_postgresql
def test_the_judged_pairs_of_a_ladder(session: Session) -> None:
    """Bela loses to ada each time, and delivers for her; all are equals otherwise."""
    meet(session, deals=10)
    first, *others = pairs(session, 2)
    assert (first.name, first.opponent, first.expected_points) == ("ada", "bela", first.games / 2)
    assert (first.shown, first.kind, first.beside) == (True, "harbour", None)
    assert first.suspicion == first.against == max(one.against for one in [first, *others]) > 1.5
    assert not any(one.shown for one in others)
    assert len(others) == 29
    session.execute(delete(Favours))
    unseen = pairs(session, 2)[0]
    assert (unseen.name, unseen.gifts, unseen.paid, unseen.kind) == ("ada", None, None, None)
    session.execute(update(Match).values(annulled_at=now(session)))
    assert pairs(session, 2) == []


def meet(session: Session, deals: int) -> None:
    """Six equals have met, with evaluated games."""
    start_tournament(session, count=6, deals=deals)
    rng = Random(2)
    for bot in range(1, 7):
        row = {"strength_milli": 0, "low_milli": 0, "high_milli": 0, "last_result": 1}
        session.add(Strength(seats=2, version_id=bot, computed_at=now(session), **row))
    session.execute(
        update(Match).values(
            state=MatchState.FINISHED,
            result_number=Match.id,
            reason="ships",
            finished_at=now(session),
        )
    )
    for match_id in match_ids(session):
        table = session.get_one(Match, match_id).table
        bots = [seat.bot_id for seat in table]
        ranks = [1, 2] if rng.random() < 0.5 else [2, 1]
        if {ADA, BELA} == set(bots):
            ranks = [1 + (bot == BELA) for bot in bots]
        for seat, rank in zip(table, ranks, strict=True):
            seat.rank = rank
        given = no_favours(2)
        for measure in (GIFTS, PAID):
            for kind in (FavourKind.TRIBUTE, FavourKind.HARBOUR, FavourKind.STREET):
                given[measure, kind] = [[rng.gauss(0, 1000) for _ in range(2)] for _ in range(2)]
            for giver, getter in ((0, 1), (1, 0)):
                if (bots[giver], bots[getter]) == (BELA, ADA):
                    given[measure, FavourKind.HARBOUR, giver, getter] += 3000
        milli = " ".join(str(round(one)) for one in given.ravel())
        session.add(Favours(match_id=match_id, version=favours.VERSION, milli=milli))
    for two in combinations(range(1, 7), 2):
        tallies.count(session, [Ranked(bot, bot, 1, False) for bot in two], [(0, 1, 0.5)])
    session.flush()


@on_sqlite
def test_tributes_and_faults_are_compared_with_those_of_others(session: Session) -> None:
    register_bots(session, 4)
    even = [(one, other, 0.5) for one, other in combinations(range(3), 2)]
    for other, taken, faulted in ((BELA, 0, True), (CARO, 3, False)):
        table = [
            Ranked(ADA, ADA, 1, False, (0, taken, 1)),
            Ranked(other, other, 1, faulted),
            Ranked(DORA, DORA, 1, False),
        ]
        for _ in range(30):
            tallies.count(session, table, even)
    caro, bela = pair_counts(session, 3, [(ADA, CARO), (BELA, ADA)])
    assert (caro.tributes, caro.points, caro.expected_points) == (90, 15, 15)
    assert caro.expected_tributes == pytest.approx(20)  # from dora 60 in 60 games, bela 0 in 30
    assert (bela.faults, bela.expected_faults) == (30, 30)
