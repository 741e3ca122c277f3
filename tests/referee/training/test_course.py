"""A training learns, comes to the same weights again, and leaves the engine as it was."""

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from referee.engine import network, prices, priors
from referee.engine.evaluation import shares
from referee.engine.search import Search
from referee.engine.stored import own
from referee.rules import Layout, Position
from referee.training import kinds
from referee.training.__main__ import main
from referee.training.course import Plan, Progress, learn, train
from referee.training.kinds import KindsPlan, drawn, play_kinds
from referee.training.learning import Games, Learner
from referee.training.playing import SIZES, guess, one_move_ahead, play
from referee.training.pricing import Lesson

PLAN = Plan(seed=3, generations=2, games=2, passes=2)


@pytest.fixture(scope="module")
def games() -> Games:
    return play(3, 20, 5, one_move_ahead(guess))


def test_the_loss_falls(games: Games) -> None:
    learner = Learner(seed=1)
    losses = learn(learner, [games], passes=30, seed=1)
    assert losses[-1] < 0.9 * losses[0]


def test_games_are_told_from_each_seat(games: Games) -> None:
    assert games.facts.shape[:2] == games.ahead.shape[:2]
    assert (games.ahead + games.ahead.transpose(0, 2, 1) == 1).all()
    assert len(set(games.game.tolist())) == 20


def test_the_same_plan_gives_the_same_weights() -> None:
    layout = Layout(tuple(range(9)), tuple(range(12)))
    before = shares(Position.start(layout, 3))
    first = [progress.weights for progress in train(PLAN)]
    assert first == [progress.weights for progress in train(PLAN)]
    assert first[0] != first[1]
    assert shares(Position.start(layout, 3)) == before


def test_a_training_goes_further_by_the_players_of_its_own_weights(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    anew = Plan(seed=3, generations=1, games=2, passes=1)
    further = replace(anew, further=True)
    by_guess, by_network = ([one.weights for one in train(plan)] for plan in (anew, further))
    assert by_guess != by_network
    monkeypatch.setattr("referee.training.course.own", lambda _name: by_guess[0])
    assert [one.weights for one in train(anew)] == by_guess
    assert [one.weights for one in train(further)] not in (by_guess, by_network)


def test_players_of_many_kinds_play_the_same_games_again() -> None:
    before = list(prices.table(2))
    first, again, others = (play(2, 4, seed, drawn) for seed in ("1", "1", "2"))
    assert first.facts.tobytes() == again.facts.tobytes() != others.facts.tobytes()
    assert prices.table(2) == before


@pytest.mark.parametrize(("careless", "last"), [(0.0, 5), (1.0, None)])
def test_players_choose_by_chance_if_they_are_careless_or_the_game_is_long(
    monkeypatch: pytest.MonkeyPatch, careless: float, last: int | None
) -> None:
    thought: list[int] = []

    def noted(position: Position, rng: Random) -> Search:
        thought.append(position.turn)
        return Search(position, rng)

    monkeypatch.setattr(kinds, "Search", noted)
    monkeypatch.setattr(kinds, "_CARELESS", (careless,))
    monkeypatch.setattr(kinds, "_LONGEST", 5)
    play(2, 1, "1", drawn)
    assert max(thought, default=None) == last


def test_several_processes_play_all_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.training.playing._GAMES_OF_A_PART", 3)
    plan = KindsPlan(1, 8, own(prices.WEIGHTS), own(priors.WEIGHTS))
    found = play_kinds(plan)
    assert [set(games.game.tolist()) for games in found] == [
        set(range(plan.games_of(size))) for size in SIZES
    ]
    alone = play(3, 2, "1 6", drawn)
    last = found[1].game >= 6
    assert found[1].facts[last].tobytes() == alone.facts.tobytes()
    assert found[1].ahead[last].tobytes() == alone.ahead.tobytes()


def test_a_generation_plays_half_of_the_next_one() -> None:
    plan = Plan(seed=1, generations=4, games=20, passes=1)
    assert [plan.games_of(generation) for generation in range(4)] == [2, 5, 10, 20]


def test_a_network_learns_further_from_other_kinds_of_players(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    learned: set[int] = set()

    def noted(learner: Learner, games: list[Games], *rest: Any) -> list[float]:
        learned.update(*(part.game.tolist() for part in games))
        return learn(learner, games, *rest)

    monkeypatch.setattr("referee.training.course.learn", noted)
    file = tmp_path / "weights.bin"
    least = ["--generations", "0", "--rounds", "0", "--searched", "1", "--passes", "1"]
    main([*least, "--kinds", "0", "--to", str(file)])
    assert not file.exists()  # nothing was learned
    main([*least, "--kinds", "2", "--to", str(file)])
    assert "other kinds of players: loss 0." in capsys.readouterr().out
    assert learned == {1}, "the loss is that of game 0, which was held out"
    rows = (network.unpack(data) for data in (own(network.WEIGHTS), file.read_bytes()))
    before, after = (np.array(each) for each in rows)
    apart = abs(after - before)
    assert 0 < apart.max() < 0.1 * network.SCALE


def test_each_part_of_a_training_begins_with_what_was_learned_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And all of it is written down. Other tests see what each part learns."""
    parts = "referee.training.__main__."
    plans: list[tuple[bytes, KindsPlan]] = []

    def further(weights: bytes, plan: KindsPlan) -> Progress:
        plans.append((weights, plan))
        return Progress("other kinds of players", b"kinds", {3: 0.25})

    monkeypatch.setattr(
        parts + "train", lambda _: (Progress(f"generation {n}", b"%d" % n, {}) for n in range(2))
    )
    monkeypatch.setattr(
        parts + "train_prices", lambda _: (Lesson(b"p%d" % n, b"q%d" % n, 0.5) for n in range(2))
    )
    monkeypatch.setattr(parts + "train_further", further)
    main(["--to", str(tmp_path / network.WEIGHTS), "--seed", "5"])
    said = capsys.readouterr().out.splitlines()
    titles = ["generation 0", "generation 1", "round 0", "round 1", "other kinds of players"]
    assert [line.partition(":")[0] for line in said] == titles
    assert plans == [(b"1", KindsPlan(5, 20_000, b"p1", b"q1"))]
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert written == {network.WEIGHTS: b"kinds", prices.WEIGHTS: b"p1", priors.WEIGHTS: b"q1"}


def test_a_full_disk_leaves_the_weights_that_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: Path, data: bytes) -> int:
        file.open("wb").close()
        raise OSError(28, "No space left on device")

    (file := tmp_path / network.WEIGHTS).write_bytes(b"before")
    monkeypatch.setattr(
        "referee.training.__main__.train", lambda _: [Progress("generation 0", b"after", {})]
    )
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space left"):
        main(["--to", str(file)])
    assert file.read_bytes() == b"before"


def test_a_training_has_to_know_where_its_weights_go(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["--to", str(tmp_path / "none" / "weights.bin")])
    assert f"there is no folder {tmp_path}/none: run it in a clone" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "number", "sentence"),
    [
        ("--seed", "-1", "--seed has to be 0 or more"),
        ("--generations", "-1", "--generations has to be 0 or more"),
        ("--games", "1", "--games has to be 2 or more"),
        ("--passes", "0", "--passes has to be 1 or more"),
        ("--rounds", "-1", "--rounds has to be 0 or more"),
        ("--searched", "0", "--searched has to be 1 or more"),
        ("--kinds", "-1", "--kinds has to be 0 or more"),
        ("--kinds", "1", "--kinds has to be 0, or 2 or more"),
    ],
)
def test_a_number_that_makes_no_training_is_refused_by_its_option(
    option: str, number: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([option, number])
    assert sentence in capsys.readouterr().err
