"""Is the memory of a referee flat that plays with hostile bots all night?

`python -m tests.hostile_bots.memory 5` plays five rounds in a process of its own, in each a match
of two with every hostile bot at once. After each it prints the most memory that it ever had (KiB).
"""

import asyncio
import gc
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from referee.errors import RefereeError
from tests.hostile_bots.family import FAMILY
from tests.hostile_bots.stable import good_bot, hostile_bot
from tests.referee.games import match_of, play

_STATUS: Final = Path("/proc/self/status")
_MORTAL: Final = ("freezes", "dies_", "is_killed")
KINDS: Final = tuple(kind for kind in FAMILY.values() if not kind.name.startswith(_MORTAL))
"""Those whose process lives on for another match."""
WARM_UP: Final = 2
"""Rounds until everything that is kept once is there."""
MOST_GROWTH: Final = 2 * 1024
"""KiB by which the peak may grow in a few rounds after that. 13 KiB that each match leaves behind,
where a message may have 64, are more after two."""
_ROUND_WITHIN: Final = 60.0


def peaks(rounds: int) -> list[int]:
    """The peak of memory after each round, in KiB, of another process that plays them."""
    command = [sys.executable, "-m", __name__, str(rounds)]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return [int(line) for line in told.stdout.split()]


async def _play_rounds(rounds: int) -> None:
    with tempfile.TemporaryDirectory(prefix="santiago-") as folder, ExitStack() as stack:
        good = f"unix:{folder}/good"
        stack.enter_context(good_bot(good))
        addresses = {kind: f"unix:{folder}/{number}" for number, kind in enumerate(KINDS)}
        for kind, address in addresses.items():
            stack.enter_context(hostile_bot(kind.name, address))
        for _ in range(rounds):
            matches = [
                play(match_of([good, address], kind.clock)) for kind, address in addresses.items()
            ]
            async with asyncio.timeout(_ROUND_WITHIN):
                for ending in await asyncio.gather(*matches, return_exceptions=True):
                    if isinstance(ending, Exception) and not isinstance(ending, RefereeError):
                        raise ending
            del matches
            gc.collect()
            print(_peak(), flush=True)


def _peak() -> int:
    """Linux's own word: getrusage tells of the process that started this one, if that had more."""
    (line,) = (line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1])


if __name__ == "__main__":
    asyncio.run(_play_rounds(int(sys.argv[1])))
