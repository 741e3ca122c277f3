"""Many games at once are, decision for decision, the games of the single environment."""

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields
from importlib import import_module
from random import Random
from typing import Any

import numpy as np
import pytest

from referee.rl import BatchedEnvironment, SantiagoEnv
from referee.rules import IllegalMove, InvalidPosition

SIZES = pytest.mark.parametrize("players", [2, 3, 4])


@SIZES
def test_each_game_is_that_of_the_single_environment(players: int) -> None:
    """A random policy on both; each of the games goes on into a second one."""
    batched = BatchedEnvironment(games=5, players=players, seed=players)
    singles = [SantiagoEnv(players) for _ in range(5)]
    for single, seed in zip(singles, batched.seeds, strict=True):
        single.reset(seed=seed)
    luck, batch, games_over = Random(1), batched.batch, np.zeros(5, dtype=int)
    while games_over.min() < 1 or games_over.sum() < 7:
        actions = []
        for game, single in enumerate(singles):
            seen = single.observe(single.agent_selection)
            assert single.agent_selection == f"player_{batch.seats[game]}"
            assert (seen["observation"] == batch.observations[game]).all()
            assert (seen["action_mask"] == batch.action_mask[game]).all()
            actions.append(luck.choice(seen["action_mask"].nonzero()[0]))
            single.step(actions[-1])
        batch = batched.step(np.array(actions))
        games_over += batch.dones
        for game, single in enumerate(singles):
            over = single.position.is_over
            assert batch.dones[game] == over
            expected = list(single.rewards.values()), list(single.infos.values())
            assert batch.rewards[game].tolist() == pytest.approx(expected[0])
            assert batch.vp[game].tolist() == [info.get("vp", 0) for info in expected[1]]
            if over:
                single.reset()


@pytest.fixture
def three() -> BatchedEnvironment:
    return BatchedEnvironment(games=3, players=2, seed=4)


def first(games: BatchedEnvironment) -> Any:
    """The first action of each mask."""
    return games.batch.action_mask.argmax(axis=1)


def test_the_same_seed_gives_the_same_games() -> None:
    one, same, other, fresh = (
        BatchedEnvironment(games=3, players=3, seed=seed) for seed in (4, 4, 5, None)
    )
    assert one.seeds == same.seeds
    assert not {*one.seeds} & {*other.seeds} | {*one.seeds} & {*fresh.seeds}
    assert (one.batch.observations == same.batch.observations).all()
    assert (one.step(first(one)).observations == same.step(first(same)).observations).all()


def test_a_step_leaves_the_arrays_of_the_one_before(three: BatchedEnvironment) -> None:
    before = three.batch
    kept = before.observations.copy()
    assert three.step(first(three)) is three.batch is not before
    assert (before.observations == kept).all()
    assert (three.batch.observations != kept).any(axis=1).all()
    assert all(getattr(before, part.name).flags.writeable for part in fields(before))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda games: pickle.loads(pickle.dumps(games))])
def test_a_copy_goes_on_with_the_same_games(
    three: BatchedEnvironment, copied: Callable[[BatchedEnvironment], BatchedEnvironment]
) -> None:
    """Until each of them has gone on into a second game, on a layout that the copy has drawn."""
    other, games_over = copied(three), np.zeros(3, dtype=int)
    while not games_over.all():
        one, two = three.step(first(three)), other.step(first(other))
        assert all(
            (getattr(one, part.name) == getattr(two, part.name)).all() for part in fields(one)
        )
        games_over += one.dones


def test_an_illegal_action_names_its_game_and_changes_none(three: BatchedEnvironment) -> None:
    before, texts = three.batch, [str(position) for position in three.positions]
    actions = first(three)
    for wrong, named in ((0, r"0 \(pass\)"), (331, "331"), (-1, "-1")):
        actions[1] = wrong
        with pytest.raises(
            IllegalMove, match=f"^Action {named} is not in the action mask of game 1"
        ):
            three.step(actions)
    assert three.batch is before
    assert [str(position) for position in three.positions] == texts


def test_what_is_written_into_a_mask_does_not_make_an_action_legal(
    three: BatchedEnvironment,
) -> None:
    """The arrays of a step belong to the program, which may rule out or add what it likes."""
    actions = first(three)
    three.batch.action_mask[:] = 1
    with pytest.raises(
        IllegalMove, match=r"^Action 0 \(pass\) is not in the action mask of game 0"
    ):
        three.step(np.zeros(3, dtype=int))
    three.batch.action_mask[:] = 0
    three.step(actions)


def test_actions_of_another_shape_or_type_are_refused(three: BatchedEnvironment) -> None:
    actions = first(three)
    for wrong in (actions[:2], actions[:, None], actions[0]):
        with pytest.raises(ValueError, match=r"^3 games need 3 actions: .* shape \(3,\), not"):
            three.step(wrong)
    for kind in (float, bool, object):
        with pytest.raises(TypeError, match=r"^Actions are whole numbers, .*, not"):
            three.step(actions.astype(kind))
    assert three.step(actions.astype(np.uint16)).seats.shape == (3,)
    three.step(first(three).tolist())


def test_there_is_a_game_and_two_to_four_players() -> None:
    with pytest.raises(ValueError, match=r"^A batch needs one game or more, not 0"):
        BatchedEnvironment(games=0)
    for players in (-1, 0, 1, 5):
        with pytest.raises(InvalidPosition, match=r"^Two to four players can play"):
            BatchedEnvironment(games=1, players=players)


def test_more_games_than_memory_has_room_for_are_refused_before_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr("referee.rl.batch.Random")  # no seed is made either
    with pytest.raises(MemoryError, match=r"^Unable to allocate 1\.40 PiB"):
        BatchedEnvironment(games=10**12)  # beyond all addresses


def test_without_numpy_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    monkeypatch.delitem(sys.modules, "referee.rl")
    with pytest.raises(ImportError, match=r"needs NumPy: install santiago-arena\[rl\]"):
        import_module("referee.rl")


def test_it_is_there_without_pettingzoo() -> None:
    """As in the sandbox of a host: what needs PettingZoo says so."""
    without = """
import sys
sys.modules["pettingzoo"] = sys.modules["gymnasium"] = None
import referee.rl
print(referee.rl.BatchedEnvironment(games=2).batch.seats, hasattr(referee.rl, "nothing"))
referee.rl.env
"""
    done = subprocess.run([sys.executable, "-c", without], capture_output=True, text=True)
    assert done.stdout == "[3 3] False\n"
    assert "ImportError: referee.rl.env needs PettingZoo and Gymnasium: install" in done.stderr
