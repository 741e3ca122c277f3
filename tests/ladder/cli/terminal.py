"""The command as tests call it: in this process, or as one of its own."""

import os
import subprocess
import sys
from io import BytesIO
from pathlib import Path

from click.testing import CliRunner, Result

from ladder.cli.commands import santiago

ROOT = Path(__file__).parents[3]
TIMEOUT = 120.0
"""Seconds for all that a process may have to do; a busy machine takes a minute for some."""


class Typed(BytesIO):
    """A standard input of the command: at a terminal, or piped."""

    def __init__(self, text: bytes, *, at_a_terminal: bool) -> None:
        super().__init__(text)
        self._at_a_terminal = at_a_terminal

    def isatty(self) -> bool:
        return self._at_a_terminal


def run(*arguments: str, typed: str | None = None, **environ: str) -> Result:
    """Calls the command in this process, with no settings but those that are given.

    `typed` is its standard input.
    """
    unset: dict[str, str | None] = dict.fromkeys(("DATABASE_URL", "REDIS_URL", "SANTIAGO_DATA"))
    return CliRunner(env=unset | environ).invoke(
        santiago, arguments, input=typed, prog_name="santiago"
    )


def succeeds(*arguments: str) -> str:
    """What the command prints on stdout; it must end with exit code 0."""
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def fails(*arguments: str, code: int = 1) -> str:
    """What the command prints on stderr; it must end with this exit code and no traceback."""
    result = run(*arguments)
    assert result.exit_code == code, result.output
    assert isinstance(result.exception, SystemExit)
    return result.stderr


def shell(script: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Runs a line of bash in which `santiago` is the command."""
    function = f'santiago() {{ "{sys.executable}" -m ladder.cli.main "$@"; }}'
    return subprocess.run(
        ["bash", "-c", f"{function}; {script}"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | environ,
        timeout=TIMEOUT,
    )
