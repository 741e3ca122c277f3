"""Games that are really played, in processes of their own."""

import sys
from collections.abc import Sequence
from itertools import islice
from random import Random

import pytest

from ladder.local import tournament
from ladder.local.entrants import Entrant, gathered
from ladder.local.plan import plan
from ladder.local.tournament import PlayedGame, play_all, play_game
from referee import replay
from referee.clock import Clock
from referee.errors import Interrupted, Unreachable
from referee.match import Match, play_table
from referee.seats.player import SeatPlayer
from referee.wire import replay_pb2
from tests.referee.games import PATIENT

BOTS = f"{sys.executable} -m tests.ladder.local.bots"
HASTY = Clock(move_limit=1.0)  # so long is a lost line waited for


def on(_: float) -> None:
    """Goes on at once."""


def play(
    entrants: Sequence[Entrant], seats: int, games: int, jobs: int = 1, clock: Clock = PATIENT
) -> list[PlayedGame]:
    planned = list(islice(plan(len(entrants), seats, Random(1)), games))
    played = list(play_all(planned, entrants, clock, jobs, on))
    assert sorted(game.planned.number for game in played) == list(range(1, games + 1))
    return played


def test_bots_in_process_and_processes_play_together() -> None:
    with gathered(["random", f"{BOTS} quiet", "greedy"]) as entrants:
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
    raising = Entrant(target, "raising", "1", "tests", target=target)
    with gathered(["random"]) as (random,):
        (game,) = play([random, raising], seats=2, games=1)
    assert game.vp == ()
    ((seat, sentence),) = game.faults
    assert game.planned.entrants[seat] == 1
    assert "no more ideas" in sentence


def test_a_bot_that_accepts_no_game_ends_the_tournament() -> None:
    with (
        gathered(["random", f"{BOTS} unwilling"]) as entrants,
        pytest.raises(Unreachable, match=r"The bot at seat \d could not be reached: .*not today"),
    ):
        play(entrants, seats=2, games=1)


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
    crashing = Entrant(target, "crashing", "1", "tests", target=target)
    with gathered(["random"]) as (random,), pytest.raises(Interrupted, match="killed"):
        play([random, crashing], seats=2, games=1)


def test_it_is_stopped_by_its_pause() -> None:
    class Enough(Exception):
        pass

    calls = 0

    def pause(_: float) -> None:
        nonlocal calls
        calls += 1
        if calls > 3:
            raise Enough

    with gathered(["random", "random"]) as entrants, pytest.raises(Enough):
        list(play_all(list(islice(plan(2, 2, Random(1)), 1000)), entrants, PATIENT, 1, pause))
