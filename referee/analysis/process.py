"""The engine as a process of its own: `python -m referee.analysis.process LOOKS`.

It reads a replay file from its standard input, the number of its bytes before it (four, big-endian)
and writes the engine's version, a line feed, and the packed analysis. It has the lowest priority,
and ends if its standard input is closed: whoever waited for it is gone.
"""

import os
import sys
from threading import Thread
from typing import BinaryIO, Final

from referee.analysis import analyse, pack
from referee.errors import ReplayError
from referee.replay import read

DAMAGED: Final = 3
"""The exit status if the replay can't be analysed; the reason is on the standard error."""
LENGTH_BYTES: Final = 4
_LOWEST_PRIORITY: Final = 19
_MOST_CPU: Final = 900  # seconds


def framed(replay: bytes) -> bytes:
    """Return what the process reads for a replay file."""
    return len(replay).to_bytes(LENGTH_BYTES, "big") + replay


def main(looks: int, source: BinaryIO, target: BinaryIO) -> int:
    """Analyse the replay that comes from `source`; return the exit status."""
    replay = source.read(int.from_bytes(source.read(LENGTH_BYTES), "big"))
    Thread(target=_end_with, args=(source,), daemon=True).start()
    try:
        analysis = analyse(read(replay), looks)
    except ReplayError as error:
        sys.stderr.write(f"{error}\n")
        return DAMAGED
    target.write(b"%d\n" % analysis.engine + pack(analysis))
    return 0


def _end_with(source: BinaryIO) -> None:
    """End the process as soon as nobody holds the other end of `source` any more."""
    source.read(1)
    os._exit(1)


def _step_back() -> None:
    """Take the lowest priority, and no more than some CPU time."""
    import resource

    os.nice(_LOWEST_PRIORITY)
    resource.setrlimit(resource.RLIMIT_CPU, (_MOST_CPU, _MOST_CPU))


if __name__ == "__main__":
    _step_back()
    status = main(int(sys.argv[1]), sys.stdin.buffer, sys.stdout.buffer)
    sys.stdout.flush()
    os._exit(status)  # the thread may hold the standard input
