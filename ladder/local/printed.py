"""What a bot that was started here has printed, and what that may mean."""

from pathlib import Path
from typing import Final

_NO_KIT: Final = "No module named 'referee'"
_ACTIVATE: Final = (
    "The Python that ran lacks the kit: activate the environment that has it first "
    "(`source .venv/bin/activate`), or name its Python in the command."
)


def last_lines(log: Path, most: int, leave_out: str | None = None) -> list[str]:
    """The last lines in a log, without those that have `leave_out`; then what to do, if known."""
    lines = log.read_text(errors="replace").splitlines()
    if leave_out is not None:
        lines = [line for line in lines if leave_out not in line]
    last = lines[-most:]
    return [*last, _ACTIVATE] if any(_NO_KIT in line for line in last) else last
