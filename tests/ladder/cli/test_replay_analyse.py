"""`santiago replay analyse`: why a recorded game was won."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ladder.cli.replay import _MARKED, _best_line
from referee.analysis import GameAnalysis, document
from referee.replay import write
from referee.wire import replay_pb2
from tests.ladder.cli.terminal import fails, succeeds
from tests.referee.analysis.games import TABLES, analysis_of, replay_of


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A game in which a seat faulted."""
    return written(tmp_path, "fault")


def written(folder: Path, table: str) -> str:
    made = folder / "game.santiago"
    made.write_bytes(write(replay_of(table)))
    return str(made)


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command finds at once what is found in the games of these tests."""

    def analyse(record: replay_pb2.Replay, *_: object) -> GameAnalysis:
        return next(analysis_of(table) for table in TABLES if replay_of(table) == record)

    monkeypatch.setattr("ladder.cli.replay.analyse", analyse)


def test_json_has_all_of_it(file: str) -> None:
    found = json.loads(succeeds("replay", "analyse", file, "--looks", "2", "--json"))
    assert found == json.loads(json.dumps(document(analysis_of("fault"))))


@pytest.mark.usefixtures("known")
def test_people_get_what_matters(file: str) -> None:
    told = succeeds("replay", "analyse", file, "--looks", "2")
    for seat, summary in enumerate(document(analysis_of("fault"))["seats"]):
        assert f"{seat} bot-{seat}" in told
        assert f"{summary['loss']:.3f}" in told
    assert "1 bot-1: fault" in told, "a turning point"
    assert f"santiago show {file} --at MOMENT" in told


@pytest.mark.usefixtures("known")
def test_clear_losses_are_listed_if_there_are_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path, "two")
    told = succeeds("replay", "analyse", file, "--looks", "2")
    assert "best line" in told
    marked = [one for one in analysis_of("two").decisions if one.mark in _MARKED]
    assert all(_best_line(one.line) in told for one in marked), "whole, outside of a terminal"
    monkeypatch.setattr("ladder.cli.replay._MARKED", ())
    assert "best line" not in succeeds("replay", "analyse", file, "--looks", "2")


def test_a_game_without_a_turning_point_has_no_table_of_them(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calm = replace(analysis_of("fault"), turning=())
    monkeypatch.setattr("ladder.cli.replay.analyse", lambda *_: calm)
    told = succeeds("replay", "analyse", file, "--looks", "2")
    assert told.startswith("Loss and luck")
    assert "Turning points" not in told


def test_a_damaged_file_is_named(tmp_path: Path, file: str) -> None:
    damaged = tmp_path / "damaged.santiago"
    damaged.write_bytes(Path(file).read_bytes()[:-9])
    assert f"{damaged}: The replay is" in fails("replay", "analyse", str(damaged))


def test_a_game_by_other_rules_is_named(tmp_path: Path) -> None:
    record = type(replay_of("two"))()
    record.CopyFrom(replay_of("two"))
    record.rules_version += 1
    other = tmp_path / "other.santiago"
    other.write_bytes(write(record))
    assert "rules version 2" in fails("replay", "analyse", str(other))
