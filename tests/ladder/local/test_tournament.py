"""Which games a local tournament plays."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from math import factorial
from pathlib import Path
from random import Random

import pytest

from ladder.errors import Invalid
from ladder.local import tournament
from ladder.local.entrants import LocalEntrant, gathered
from ladder.local.tournament import (
    Pairing,
    PlannedGame,
    PlayedGame,
    games_of,
    plan,
    play_all,
    play_game,
)
from referee import replay
from referee.clock import Clock
from referee.errors import Interrupted, Unreachable
from referee.match import Match, play_table
from referee.seats.player import SeatPlayer
from referee.wire import replay_pb2
from tests.referee.games import PATIENT


def planned(
    entrants: int,
    seats: int,
    games: int,
    seed: int = 1,
    pairing: Pairing = Pairing.ROUND_ROBIN,
    *,
    shared_dice: bool = False,
) -> list[PlannedGame]:
    drawn = plan(entrants, seats, Random(seed), pairing, shared_dice=shared_dice)
    return list(islice(drawn, games))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_games_are_numbered_and_as_many_as_wanted(seats: int) -> None:
    for games in (1, 7, 25):
        assert [game.number for game in planned(4, seats, games)] == list(range(1, games + 1))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_in_a_deal_everybody_sits_everywhere_on_one_layout(seats: int) -> None:
    games = planned(4, seats, 6 * seats)
    for start in range(0, len(games), seats):
        deal = games[start : start + seats]
        assert len({game.deal for game in deal}) == 1
        assert len({game.layout for game in deal}) == 1
        for seat in range(seats):
            assert {game.entrants[seat] for game in deal} == set(deal[0].entrants)


def test_deals_differ_in_layout_and_games_in_dice() -> None:
    games = planned(3, 3, 60)
    assert len({game.layout for game in games}) == len({game.deal for game in games}) == 20
    assert len({game.dice_seed for game in games}) == 60
    assert {len(game.dice_seed) for game in games} == {32}


def test_every_combination_plays_equally_often() -> None:
    tables = Counter(frozenset(game.entrants) for game in planned(4, 2, 6 * 2 * 5))
    assert len(tables) == 6
    assert set(tables.values()) == {10}


def test_every_order_around_the_table_comes_equally_often() -> None:
    def turned(order: tuple[int, ...]) -> tuple[int, ...]:
        start = order.index(0)
        return order[start:] + order[:start]

    orders = Counter(turned(game.entrants) for game in planned(4, 4, 4 * 3 * factorial(3)))
    assert len(orders) == factorial(3)
    assert set(orders.values()) == {12}


def test_the_same_seed_gives_the_same_plan() -> None:
    assert planned(3, 2, 20) == planned(3, 2, 20)
    assert planned(3, 2, 20) != planned(3, 2, 20, seed=2)


def test_a_longer_tournament_begins_like_a_shorter_one() -> None:
    assert planned(4, 3, 100)[:30] == planned(4, 3, 30)


def test_deals_may_share_their_dice() -> None:
    games = planned(3, 3, 60, shared_dice=True)
    assert len({game.dice_seed for game in games}) == len({game.deal for game in games}) == 20
    assert all(game.shared_dice for game in games)


def test_in_a_gauntlet_the_first_one_sits_at_every_table() -> None:
    games = planned(4, 3, games_of(4, 3, Pairing.GAUNTLET, 5), pairing=Pairing.GAUNTLET)
    assert len(games) == 3 * 3 * 5
    assert all(0 in game.entrants for game in games)
    assert set(Counter(frozenset(game.entrants) for game in games).values()) == {15}


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_in_a_duel_both_sit_equally_often_at_every_seat_of_a_deal(seats: int) -> None:
    size = games_of(2, seats, Pairing.DUEL, 1)
    games = planned(2, seats, 10 * size, pairing=Pairing.DUEL)
    for start in range(0, len(games), size):
        deal = games[start : start + size]
        assert len({game.layout for game in deal}) == len({game.deal for game in deal}) == 1
        for seat in range(seats):
            sitting = Counter(game.entrants[seat] for game in deal)
            assert sitting[0] == sitting[1] == size / 2


def test_four_seats_of_a_duel_come_in_both_orders_around_the_table() -> None:
    games = planned(2, 4, 400, pairing=Pairing.DUEL)
    assert {game.entrants for game in games} >= {(0, 0, 1, 1), (0, 1, 0, 1)}


@pytest.mark.parametrize(("entrants", "seats", "games"), [(2, 2, 6), (4, 2, 36), (4, 3, 36)])
def test_how_many_games_some_deals_have(entrants: int, seats: int, games: int) -> None:
    assert games_of(entrants, seats, Pairing.ROUND_ROBIN, 3) == games


def test_too_few_entrants() -> None:
    with pytest.raises(Invalid, match="at least 4 bots, not 3"):
        planned(3, 4, 10)


pytestmark = pytest.mark.usefixtures("forked_python")
BOTS = "python -m tests.ladder.local.bots"
HASTY = Clock(move_limit=1.0)  # so long is a lost line waited for


def on(_: float) -> None:
    """Goes on at once."""


def play(
    entrants: Sequence[LocalEntrant], seats: int, games: int, jobs: int = 1, clock: Clock = PATIENT
) -> list[PlayedGame]:
    planned = list(islice(plan(len(entrants), seats, Random(1)), games))
    played = list(play_all(planned, entrants, clock, jobs, on))
    assert sorted(game.planned.number for game in played) == list(range(1, games + 1))
    return played


def test_bots_in_process_and_processes_play_together() -> None:
    target = "tests.ladder.local.bots:Last"
    last = LocalEntrant(target, "last", "1", "tests", target=target)
    with gathered(["random", f"{BOTS} quiet"]) as started:
        entrants = [*started, last]
        for game in play(entrants, seats=3, games=3, jobs=2):
            record = replay.read(game.replay)
            replay.verify(record)
            assert [seat.name for seat in record.seats] == [
                entrants[entrant].name for entrant in game.planned.entrants
            ]
            assert game.ranks == tuple(record.result.ranks)
            assert game.vp == tuple(score.vp for score in record.result.scores)
            assert not game.faults
            chosen = [entry.chosen for entry in record.entries if entry.HasField("chosen")]
            assert sum(game.decisions) == len(chosen)
            assert sum(game.think) == pytest.approx(sum(move.think_us for move in chosen) / 1e6)


def test_games_of_a_deal_may_share_their_dice_whatever_nonces_bots_send() -> None:
    with gathered([f"{BOTS} quiet", "random"]) as entrants:
        planned = list(islice(plan(2, 2, Random(1), shared_dice=True), 2))
        played = list(play_all(planned, entrants, PATIENT, 1, on))
    one, other = (replay.read(game.replay) for game in played)
    replay.verify(one)
    together = list(zip(rolls(one), rolls(other), strict=False))  # one of them may have had more
    assert len(together) > 3
    assert all(here == there for here, there in together)


def rolls(record: replay_pb2.Replay) -> list[str]:
    return [str(entry.roll.dice) for entry in record.entries if entry.HasField("roll")]


def test_a_bot_that_crashes_faults_and_the_others_play_on() -> None:
    with gathered(["random", "random", f"{BOTS} crashing"]) as entrants:
        (game,) = play(entrants, seats=3, games=1, clock=HASTY)
    ((seat, sentence),) = game.faults
    assert game.planned.entrants[seat] == 2
    assert game.ranks[seat] == 3
    assert sentence


def test_a_bot_that_fails_in_process_forfeits() -> None:
    target = "tests.ladder.local.bots:Raising"
    raising = LocalEntrant(target, "raising", "1", "tests", target=target)
    with gathered(["random"]) as (random,):
        (game,) = play([random, raising], seats=2, games=1)
    assert game.vp == ()
    ((seat, sentence),) = game.faults
    assert game.planned.entrants[seat] == 1
    assert "no more ideas" in sentence


def test_a_bot_that_accepts_no_game_ends_the_tournament() -> None:
    word = f"{BOTS} unwilling"
    with gathered(["random", word]) as entrants, pytest.raises(Unreachable) as raised:
        play(entrants, seats=2, games=1)
    told, *printed = str(raised.value).splitlines()
    assert re.match(r"The bot at seat \d could not be reached: .*not today", told)
    assert told.endswith(f"It is {word!r}, and printed last:")
    assert "RuntimeError: not today" in printed


@pytest.mark.parametrize("interruptions", [1, 2, 3])
def test_a_game_that_a_busy_machine_interrupts_is_played_again(
    interruptions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = [Interrupted("The referee lagged.")] * interruptions

    async def play_if_it_can(match: Match, players: Sequence[SeatPlayer]) -> replay_pb2.Replay:
        if left:
            raise left.pop()
        return await play_table(match, players)

    monkeypatch.setattr(tournament, "play_table", play_if_it_can)
    (planned,) = islice(plan(2, 2, Random(1)), 1)
    with gathered(["random", "random"]) as entrants:
        if interruptions < 3:
            assert play_game(planned, entrants, PATIENT).ranks
        else:
            with pytest.raises(Interrupted, match="lagged"):
                play_game(planned, entrants, PATIENT)


def test_a_process_that_plays_is_killed() -> None:
    target = "tests.ladder.local.bots:Crashing"
    crashing = LocalEntrant(target, "crashing", "1", "tests", target=target)
    with gathered(["random"]) as (random,), pytest.raises(Interrupted, match="killed"):
        play([random, crashing], seats=2, games=1)


class Enough(Exception):
    pass


def test_it_is_stopped_by_its_pause() -> None:
    calls = 0

    def pause(_: float) -> None:
        nonlocal calls
        calls += 1
        if calls > 3:
            raise Enough

    with gathered(["random", "random"]) as entrants, pytest.raises(Enough):
        list(play_all(list(islice(plan(2, 2, Random(1)), 1000)), entrants, PATIENT, 1, pause))


@pytest.mark.timeout(60)
def test_games_that_are_being_played_end_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = tmp_path / "begun"
    monkeypatch.setenv("BEGUN", str(begun))
    target = "tests.ladder.local.bots:Pondering"
    pondering = LocalEntrant(target, "pondering", "1", "tests", target=target)

    def pause(_: float) -> None:
        if begun.exists():
            raise Enough

    with gathered(["random"]) as (random,), pytest.raises(Enough):
        list(play_all(planned(2, 2, 1), [random, pondering], PATIENT, 1, pause))
