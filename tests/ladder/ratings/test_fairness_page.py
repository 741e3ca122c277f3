"""What docs/fairness.md tells is true: its commands work, its numbers are those of the code."""

import re
import shlex
from pathlib import Path

import pytest

from ladder.ratings import elo
from referee.replay import write
from tests.ladder.cli.terminal import succeeds
from tests.ladder.databases import new_ladder, session_on
from tests.ladder.league import finished, match_ids, ranked, start_tournament
from tests.referee.games import DrawingBot, local_game

PAGE = (Path(__file__).parents[3] / "docs" / "fairness.md").read_text()
COMMANDS = re.findall(r"^santiago (.*)$", PAGE, re.M)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The folder of a ladder that has some results."""
    url = new_ladder(tmp_path / "ladder.db")
    with session_on(url) as session:
        start_tournament(session, seats=4, count=4)
        for match_id in match_ids(session):
            session.commit()
            finished(session, match_id, ranked(1, 2, 3, 4))
    return tmp_path


def test_the_page_has_commands() -> None:
    assert {command.split()[0] for command in COMMANDS} == {"replay", "ratings"}


@pytest.mark.parametrize("command", COMMANDS)
def test_its_commands_work(command: str, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(data)
    (data / "GAME.santiago").write_bytes(write(local_game([DrawingBot] * 2)))
    words = shlex.split(command)
    where = ["--data", str(data)] if words[0] == "ratings" else []
    assert succeeds(*words, *where)


def test_its_numbers_are_those_of_the_code() -> None:
    words = " ".join(PAGE.split())
    new, most = elo.NEWCOMER.rating // 1000, elo.NEWCOMER.deviation // 1000
    assert f"start at {new} ± {most}" in words
    assert f"`v = deviation^2 + {elo._NOISE / 1000:g}^2`" in words
    assert f"count {elo._BEST} for seats of rank 1" in words
    assert f"and {elo._LATER} for the others" in words
    assert f"in doubt, with `v = {round(elo._PINNED * elo.POINTS / 1000)}^2`" in words
    assert f"`C(i,i) + {elo._SHARED} (v / {most}^2)^2 s`" in words
    assert f"its deviation is above {elo.PLACED // 1000} points" in words
    assert f"`sqrt(deviation^2 + {elo._NEW_VERSION // 1000}^2)`, {most} at most" in words
    assert f"pinned at {elo.ANCHOR.rating // 1000} ± {elo.ANCHOR.deviation}" in words
