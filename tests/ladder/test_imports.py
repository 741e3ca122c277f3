"""What the ladder's parts import when they start: it is paid by every process."""

import subprocess
import sys

SLOW = "import sys, ladder.wiring; print('alembic' in sys.modules)"


def test_alembic_is_imported_only_where_tables_are_made() -> None:
    ended = subprocess.run([sys.executable, "-c", SLOW], capture_output=True, text=True, check=True)
    assert ended.stdout == "False\n"
