"""docs/tutorial.md does what it says: every block is run, in order, and greedy is beaten."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import DOCS, blocks, type_into_python, type_into_shell

PAGE = "tutorial.md"
LAST_GAMES = ' greedy "python thinker.py" --games 4 --seed 1 --shared-dice '


@pytest.mark.timeout(1800)
def test_the_tutorial(tmp_path: Path) -> None:
    variables: dict[str, Any] = {}
    said: dict[str, str] = {}
    for block in blocks(PAGE):
        if block.language == "pycon":
            type_into_python(block.text, variables, PAGE)
        elif block.language == "python":
            assert block.name is not None
            (tmp_path / block.name).write_text(block.text)
        else:
            assert block.language == "sh"
            for command in block.text.splitlines():
                said[command] = type_into_shell(command, tmp_path)
    assert not any("faulted" in text for text in said.values())
    (games,) = (text for command, text in said.items() if LAST_GAMES in command)
    scored = re.search(r"thinker beats greedy at (\d+) of 4 tables", games)
    assert scored is not None, games
    won = "all 4" if scored[1] == "4" else f"{scored[1]} of the 4"
    assert f"you see the very games that we saw: `thinker` won {won}." in (DOCS / PAGE).read_text(
        encoding="utf-8"
    ), f"it won {won}: measure again, also with --seed 2"
