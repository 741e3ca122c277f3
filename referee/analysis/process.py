"""The engine as a process of its own: `python -m referee.analysis.process TASK ...`.

It reads a replay file from its standard input, before it the number of its bytes (4, big-endian).
`analyse [LOOKS]` writes the engine's version and the looks, a line feed, and the packed analysis;
`solve QUESTION [LOOKS]` writes the solution of a puzzle as JSON. Without LOOKS it looks as often as
is usual for this process's core: whoever starts it may have another one. The process has the lowest
priority, and ends if its standard input is closed: whoever waited for it is gone.
"""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from threading import Thread
from typing import BinaryIO, Final

from referee.analysis import STANDARD_LOOKS, analyse, pack, puzzles
from referee.errors import ReplayError
from referee.replay import read
from referee.wire import replay_pb2

DAMAGED: Final = 3
"""The exit status if the replay can't be analysed; the reason is on the standard error."""
LENGTH_BYTES: Final = 4
_LOWEST_PRIORITY: Final = 19
_MOST_CPU: Final = 900  # seconds


def framed(replay: bytes) -> bytes:
    """Return what the process reads for a replay file."""
    return len(replay).to_bytes(LENGTH_BYTES, "big") + replay


def main(arguments: Sequence[str], source: BinaryIO, target: BinaryIO) -> int:
    """Do a task with the replay that comes from `source`; return the exit status."""
    task, *words = arguments
    replay = source.read(int.from_bytes(source.read(LENGTH_BYTES), "big"))
    Thread(target=_end_with, args=(source,), daemon=True).start()
    try:
        answer = _TASKS[task](read(replay), *words)
    except ReplayError as error:
        sys.stderr.write(f"{error}\n")
        return DAMAGED
    target.write(answer)
    return 0


def _analysis(record: replay_pb2.Replay, looks: str = str(STANDARD_LOOKS)) -> bytes:
    analysis = analyse(record, int(looks))
    return b"%d %d\n" % (analysis.engine, analysis.looks) + pack(analysis)


def _solution(record: replay_pb2.Replay, question: str, looks: str = str(puzzles.LOOKS)) -> bytes:
    solved = puzzles.solve(record, puzzles.read_question(question), int(looks))
    return puzzles.solution_text(solved).encode()


def _end_with(source: BinaryIO) -> None:
    """End the process as soon as nobody holds the other end of `source` any more."""
    source.read(1)
    os._exit(1)


def _step_back() -> None:
    """Take the lowest priority, and no more than some CPU time."""
    import resource

    os.setpriority(os.PRIO_PROCESS, 0, _LOWEST_PRIORITY)
    resource.setrlimit(resource.RLIMIT_CPU, (_MOST_CPU, _MOST_CPU))


_TASKS: Final[Mapping[str, Callable[..., bytes]]] = {"analyse": _analysis, "solve": _solution}


if __name__ == "__main__":
    _step_back()
    status = main(sys.argv[1:], sys.stdin.buffer, sys.stdout.buffer)
    sys.stdout.flush()
    os._exit(status)  # the thread may hold the standard input
