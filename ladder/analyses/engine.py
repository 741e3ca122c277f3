"""The engine in a process of its own: it thinks for long, and a worker's loop may not wait for it.

A compiled search holds the interpreter, and the loop's lag counts as the platform's interruption of
the games beside it. The process has the lowest priority, and ends with whoever waits for it.
"""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from referee.analysis import STANDARD_LOOKS
from referee.analysis.process import DAMAGED, framed
from referee.analysis.puzzles import LOOKS, Question, Solution, question_text, read_solution

_WITHIN: Final = 1740.0  # seconds; the attempt's lease ends later
_LONGEST_REASON: Final = 300  # characters
_NEEDED: Final = ("PATH", "HOME", "LANG", "LC_", "LD_", "PYTHON", "TMPDIR", "VIRTUAL_ENV")
"""How the names of the variables begin that the process gets."""


class NotAnalysed(Exception):
    """A replay could not be analysed; `for_good`: it would fail again."""

    def __init__(self, why: str, *, for_good: bool = False) -> None:
        super().__init__(why)
        self.for_good = for_good


@dataclass(frozen=True, slots=True)
class Analysed:
    """An analysis as it is stored, and what made it."""

    engine: int
    looks: int
    data: bytes = field(repr=False)


async def run_engine(
    replay: bytes, *, environment: Mapping[str, str] | None = None, looks: int = STANDARD_LOOKS
) -> Analysed:
    """Analyse a replay file in a process of its own. Raises NotAnalysed.

    `environment` is added to the process's, such as that of the compiled core; it gets no settings
    and no secrets of ours. If the call is cancelled the process is killed.
    """
    answer = await _answer(("analyse", str(looks)), replay, environment)
    engine, _, data = answer.partition(b"\n")
    return Analysed(int(engine), looks, data)


async def run_solver(
    replay: bytes,
    question: Question,
    *,
    environment: Mapping[str, str] | None = None,
    looks: int = LOOKS,
) -> Solution | None:
    """Look deeper into a puzzle in a process of its own, as `run_engine` analyses a game.

    Returns None if the search does not agree that it is one. Raises NotAnalysed.
    """
    asked = question_text(question)
    return read_solution(await _answer(("solve", str(looks), asked), replay, environment))


async def _answer(
    task: Sequence[str], replay: bytes, environment: Mapping[str, str] | None
) -> bytes:
    """Return what the engine's process answers to a task. Raises NotAnalysed."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "referee.analysis.process", *task),
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        env={**_needed(), **(environment or {})},
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(_WITHIN):
            answer, complaint = await _spoken(process, replay)
    except TimeoutError:
        raise NotAnalysed("It took too long.") from None
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
    if process.returncode:
        raise _failure(process.returncode, complaint)
    return answer


def _needed() -> dict[str, str]:
    """Return the variables that the interpreter needs to start."""
    return {name: text for name, text in os.environ.items() if name.startswith(_NEEDED)}


async def _spoken(process: Process, replay: bytes) -> tuple[bytes, bytes]:
    """Hand the replay over; return what the process wrote to its standard output and error."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdin.write(framed(replay))  # and stay: the process ends if its input is closed
    answer, complaint = await asyncio.gather(process.stdout.read(), process.stderr.read())
    await process.wait()
    return answer, complaint


def _failure(status: int, complaint: bytes) -> NotAnalysed:
    said = complaint.decode(errors="replace").strip().rpartition("\n")[2][:_LONGEST_REASON]
    if status == DAMAGED:
        return NotAnalysed(said, for_good=True)
    if status < 0:
        return NotAnalysed(f"The engine was ended by signal {-status}.")
    return NotAnalysed(f"The engine failed: {said or f'exit status {status}'}")
