"""What the ladder's parts import when they start: it is paid by every process."""

import subprocess
import sys

import pytest

SLOW = "import sys, ladder.model, ladder.matches; print('alembic' in sys.modules)"


def test_alembic_is_imported_only_where_tables_are_made() -> None:
    ended = subprocess.run([sys.executable, "-c", SLOW], capture_output=True, text=True, check=True)
    assert ended.stdout == "False\n"


@pytest.mark.parametrize("first", ["ladder.matches", "ladder.contests.tournaments"])
def test_matches_and_tournaments_need_each_other_and_either_comes_first(first: str) -> None:
    subprocess.run([sys.executable, "-c", f"import {first}"], check=True)
