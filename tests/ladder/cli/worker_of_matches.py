"""A worker's process for a test: plays some matches at once, and says how they ended."""

import asyncio
import sys

from referee.replay import verify
from tests.referee.games import match_of, play


async def work(first: int, matches: int, bots: int) -> None:
    """Match n seats four bots, one after the other from number 2n."""
    tables = [
        match_of([f"gateway:bot-{(2 * n + seat) % bots}" for seat in range(4)], seed=n)
        for n in range(first, first + matches)
    ]
    for replay in await asyncio.gather(*map(play, tables)):
        verify(replay)
        faults = [entry.fault.sentence for entry in replay.entries if entry.HasField("fault")]
        print(replay.match_id, list(replay.result.ranks), *faults)


if __name__ == "__main__":
    asyncio.run(work(*map(int, sys.argv[1:])))
