"""The engine as jobs use it: a process of its own, since it thinks for long, and what they share.

A compiled search holds the interpreter, and the loop's lag counts as the platform's interruption of
the games beside it. The process has the lowest priority, and ends with whoever waits for it.

The match of such a job is over, so nothing about it can change any more: no lock is needed beside
the job's own.
"""

import asyncio
import logging
import os
import sys
from abc import abstractmethod
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Final, TypeVar

from sqlalchemy.orm import Session

from ladder.jobs import attempts
from ladder.jobs.kinds import Attempt, Claim, Kind
from ladder.jobs.runner import Settle
from ladder.model import now, write
from referee.analysis.process import DAMAGED, framed
from referee.analysis.puzzles import Question, Solution, question_text, read_solution

_WITHIN: Final = 1740.0  # seconds; the attempt's lease ends later
_LONGEST_REASON: Final = 300  # characters
_NEEDED: Final = ("PATH", "HOME", "LANG", "LC_", "LD_", "PYTHON", "TMPDIR", "VIRTUAL_ENV")
"""How the names of the variables begin that the process gets."""

_log = logging.getLogger(__name__)

ATTEMPTS: Final = 5
"""How often a job of the engine is begun before it counts as failed.

An attempt whose worker died counts in the end only if nothing else was done beside it."""
LONGEST: Final = 1800.0
"""Seconds that an attempt may take on a machine that is always busy."""
PART: Final = 8
"""The jobs of each such queue take one place in this many."""
_PAUSE: Final = timedelta(seconds=30)
_INTERRUPTED: Final = "Its worker was interrupted."

_C = TypeVar("_C", bound=Claim)
_R = TypeVar("_R")


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
    replay: bytes, *, environment: Mapping[str, str] | None = None, looks: int | None = None
) -> Analysed:
    """Analyse a replay file in a process of its own; at standard depth without `looks`.

    Raises NotAnalysed. `environment` is added to the process's, such as that of the compiled core;
    it gets no settings and no secrets of ours. If the call is cancelled the process is killed.
    """
    answer = await _answer(("analyse", *_told(looks)), replay, environment)
    made, _, data = answer.partition(b"\n")
    engine, done = map(int, made.split())
    return Analysed(engine, done, data)


async def run_solver(
    replay: bytes,
    question: Question,
    *,
    environment: Mapping[str, str] | None = None,
    looks: int | None = None,
) -> Solution | None:
    """Look deeper into a puzzle in a process of its own, as `run_engine` analyses a game.

    Returns None if the search does not agree that it is one. Raises NotAnalysed.
    """
    text = question_text(question)
    return read_solution(await _answer(("solve", text, *_told(looks)), replay, environment))


def _told(looks: int | None) -> tuple[str, ...]:
    return () if looks is None else (str(looks),)


class EngineKind(Kind[_C]):
    """A kind of job in which the engine thinks: what follows if it fails is the same for all."""

    @abstractmethod
    def give_up(self, session: Session, attempt: Attempt, why: str, *, for_good: bool) -> None:
        """Write that it failed; `for_good`, it always would. The attempt has ended already."""

    def give_back(self, session: Session, claim: _C) -> None:
        attempts.release(session, claim.held, counts=False)

    def fail(self, session: Session, claim: _C, why: str) -> None:
        """Try again after a while, but not for ever."""
        if claim.held.number < ATTEMPTS:
            self._put_back(session, claim.held)
        else:
            self._end(session, claim.held, why, for_good=False)

    def fail_for_good(self, session: Session, claim: _C, why: str) -> None:
        """Give a job up that would fail again. Raises Stale."""
        self._end(session, claim.held, why, for_good=True)

    def lapse(self, session: Session, attempt: Attempt) -> None:
        """Try again after a while, soon alone: the worker may have died of something else."""
        if attempt.is_last(ATTEMPTS):
            self._end(session, attempt, _INTERRUPTED, for_good=False)
        else:
            self._put_back(session, attempt, alone=attempt.next_alone)

    def lock(self, session: Session) -> None:
        write(session)

    async def do(
        self, claim: _C, think: Awaitable[_R], finish: Callable[[Session, _C, _R], None]
    ) -> Settle[_C]:
        """Do a job; return what settles it.

        `think` may raise NotAnalysed, and ends what it started if it is cancelled; `finish` stores
        what it found.
        """
        try:
            found = await think
        except NotAnalysed as error:
            _log.warning("%s %d: %s", self.name, claim.held.subject, error)
            return partial(self.fail_for_good if error.for_good else self.fail, why=str(error))
        return lambda session, held: finish(session, held, found)

    def _put_back(self, session: Session, attempt: Attempt, *, alone: bool = False) -> None:
        write(session)
        later = now(session) + min(attempt.number, ATTEMPTS) * _PAUSE
        attempts.release(session, attempt, not_before=later, alone=alone)

    def _end(self, session: Session, attempt: Attempt, why: str, *, for_good: bool) -> None:
        write(session)
        attempts.end(session, attempt)
        self.give_up(session, attempt, why, for_good=for_good)


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
    _log.error("the engine failed: exit status %d, %s", status, said)
    kind = said.partition(":")[0]  # of the exception; the rest may name files, and all may read it
    what = kind if kind.isidentifier() else f"exit status {status}"
    return NotAnalysed(f"The engine failed: {what}")
