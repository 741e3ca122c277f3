"""The page about programs that print moves: its programs play, its tables have all fields."""

import re
import shutil
from pathlib import Path
from random import Random

import pytest

from referee.bot import Decision
from referee.hosting.line_program import decision_line, end_line, start_line
from referee.messages import clock_message, setup_message
from referee.rules import Layout
from referee.wire import bot_pb2, game_pb2
from tests.conftest import missing
from tests.docs.pages import DOCS, blocks, type_into_shell
from tests.referee.games import PATIENT, moments

PAGE = "lines.md"


def rows(heading: str) -> set[str]:
    """What the table below a sentence has in its first column."""
    text = (DOCS / PAGE).read_text().partition(heading)[2]
    table = text[text.index("| field |") :].partition("\n\n")[0]
    return set(re.findall(r"^\| `(\w+)` \|", table, re.M))


def test_commands_and_the_python_program(tmp_path: Path) -> None:
    program, commands, *_ = blocks(PAGE)
    (tmp_path / "bot.py").write_text(program.text)
    play, check = commands.text.splitlines()
    assert "bot" in type_into_shell(play, tmp_path)
    said = type_into_shell(f"{check} --pause 0.05", tmp_path)
    assert "All 35 checks passed." in said


@pytest.mark.parametrize(("fence", "file"), [("js", "bot.js"), ("", "bot.sed")])
def test_programs_in_other_languages(fence: str, file: str, tmp_path: Path) -> None:
    page = (DOCS / PAGE).read_text()
    (command,) = re.findall(rf"`(lines:\w[^`]* {file})`", page)
    program = command.removeprefix("lines:").split()[0]
    if shutil.which(program) is None:
        missing(program)
    (tmp_path / file).write_text(
        dict(re.findall(r"^```(\w*)\n(.*?)^```$", page, re.M | re.S))[fence]
    )
    said = type_into_shell(f'santiago play random "{command}" --games 2', tmp_path)
    assert "faulted" not in said


def test_tables_have_all_fields() -> None:
    layout = Layout.shuffled(Random(7))
    start = bot_pb2.GameStart(
        players=2, setup=setup_message(layout), clock=clock_message(PATIENT), match_id="m"
    )
    assert rows("has the board:") | {"type"} == start_line(start).keys()
    fields: set[str] = set()
    asked = (position for position in moments(3) if len(position.legal_moves) > 1)
    for position in asked:
        fields |= decision_line(Decision(position, position.seat, 1.0, 2.0), []).keys()
    assert rows("A decision,") | {"type"} == fields
    assert rows("The last line,") | {"type"} == end_line(game_pb2.Result(), []).keys()
