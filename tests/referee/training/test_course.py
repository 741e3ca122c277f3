"""A training learns, comes to the same weights again, and leaves the engine as it was."""

import pytest

from referee.engine.evaluation import shares
from referee.rules import Layout, Position
from referee.training.__main__ import main
from referee.training.course import Plan, learn, train
from referee.training.learning import Games, Learner
from referee.training.playing import guess, play

PLAN = Plan(seed=3, generations=2, games=2, passes=2)


@pytest.fixture(scope="module")
def games() -> Games:
    return play(3, 20, seed=5, judge=guess)


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


def test_a_plan_without_games_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--games", "1"])
    assert "a generation needs two games" in capsys.readouterr().err
