"""docs/learning.md: its programs run. Its tables are checked in tests/rl."""

import re
from typing import Any

import pytest

from referee.bot import Decision
from tests.docs.pages import blocks
from tests.rules.table import player, table


def test_the_programs(capsys: pytest.CaptureFixture[str]) -> None:
    games, many_games, network = (block.text for block in blocks("learning.md"))
    exec(games, {})
    printed = capsys.readouterr().out.splitlines()
    assert sorted(line.split()[0] for line in printed) == ["player_0", "player_1", "player_2"]
    exec(many_games.replace("1000", "20"), {})
    assert sum(map(int, re.findall(r"(\d+)\.", capsys.readouterr().out))) > 0
    names: dict[str, Any] = {}
    exec(network, names)
    position = table(player(), player())
    assert names["Learned"]().choose(Decision(position, 0, 1.0, 1.0)) in position.legal_moves
