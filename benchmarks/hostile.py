"""Play every hostile bot against good ones at tables of 2, 3 and 4; print what was recorded.

Each bot lives in a process of its own and sits last. Prints a line a match, then the memory of a
referee that plays with all of them again and again. Ends with exit code 1 where something is not as
it must be: the others' game is to be finished, and ranked rightly, whatever a bot does.
"""

import asyncio
import os
import tempfile
from collections.abc import Iterator
from itertools import count
from time import monotonic
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tests.hostile_bots.family import NOT_PLAYED, batches
from tests.hostile_bots.memory import KINDS, MOST_GROWTH, WARM_UP, peaks
from tests.hostile_bots.stable import good_bot
from tests.hostile_bots.trial import TABLES, Record, tried

_ROUNDS: Final = WARM_UP + 5
_SHOWN: Final = 8  # bytes of what was received
_COLUMNS: Final = ("bot", "seats", "recorded", "sentence", "received", "others finished", "s")


def main() -> None:
    """Print the record. Raises SystemExit."""
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # it has much to say of such bots
    console = Console(width=max(160, Console().width))
    began = monotonic()
    records = asyncio.run(_records())
    console.print(_table(records))
    wrong = [record for record in records if record.wrong]
    bots = len({record.kind for record in records})
    console.print(f"{bots} bots, {len(records)} matches in {monotonic() - began:.0f} s.")
    console.print(
        f"{len(records) - len(wrong)} of {len(records)} are as they must be: the others finished, "
        "the fault is the right one, who faulted ranks last, the replay verifies."
    )
    if _memory_grows(console) or wrong:
        raise SystemExit(1)


async def _records() -> list[Record]:
    numbers = count()
    records: list[Record] = []
    with tempfile.TemporaryDirectory(prefix="santiago-") as folder:

        def new_address() -> str:
            return f"unix:{folder}/{next(numbers)}"

        good = new_address()
        with good_bot(good):
            for kinds in batches(4):
                matches = [
                    tried(kind, seats, good, new_address) for kind in kinds for seats in TABLES
                ]
                records += await asyncio.gather(*matches)
    return records


def _table(records: list[Record]) -> Table:
    table = Table(*_COLUMNS)
    for record in records:
        table.add_row(*(Text(cell) for cell in _cells(record)))
    return table


def _cells(record: Record) -> Iterator[str]:
    received = record.received
    yield record.kind
    yield str(record.seats)
    yield record.outcome
    yield record.sentence
    yield received[:_SHOWN].hex(" ") + (" …" if len(received) > _SHOWN else "")
    yield " ".join(record.wrong) or ("-" if record.outcome == NOT_PLAYED else "yes")
    yield f"{record.seconds:.2f}"


def _memory_grows(console: Console) -> bool:
    """Print the memory of a referee that plays on and on, and how much it grows."""
    found = peaks(_ROUNDS)
    growth = found[-1] - found[WARM_UP - 1]
    played = len(KINDS) * (_ROUNDS - WARM_UP)
    console.print(
        f"Memory of one referee, {len(KINDS)} matches at once: {found[WARM_UP - 1]:,} KiB after "
        f"{WARM_UP} rounds, {found[-1]:,} KiB {played} matches later "
        f"(peaks; {MOST_GROWTH:,} KiB more are allowed)."
    )
    return growth > MOST_GROWTH
