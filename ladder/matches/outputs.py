"""Keep what hosted bots wrote in a match, and what they used, for their authors alone."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy.orm import Session

from ladder.model import SeatOutput, Upsert


@dataclass(frozen=True, slots=True)
class Written:
    """The output of the bot in a seat, its memory in bytes and CPU time in milliseconds.

    None stands for what is not known, since the bot did not start.
    """

    seat: int
    output: bytes = field(repr=False)
    peak_memory: int | None = None
    cpu_ms: int | None = None


def keep(session: Session, match_id: int, written: Iterable[Written]) -> None:
    """Keep what was written in the newest attempt at a match. The caller commits."""
    rows = [
        {
            "match_id": match_id,
            "seat": one.seat,
            "output": one.output,
            "errors": b"",
            "peak_memory": one.peak_memory,
            "cpu_ms": one.cpu_ms,
        }
        for one in written
    ]
    _KEEP.put(session, rows)


_KEEP: Final = Upsert(SeatOutput, replace=("output", "errors", "peak_memory", "cpu_ms"))
