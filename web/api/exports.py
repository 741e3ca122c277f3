"""Results and replays in bulk, as JSON lines: a line that says what follows, then the results.

Replays are the replay files in base64, not traces: a file is all of the game (setup, rolls,
choices, times, the proof of the dice) in little room, and `santiago replay` reads, verifies and
traces it.
"""

import json
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any, Final

from flask import Response, current_app
from pydantic import Field
from sqlalchemy.orm import Session, sessionmaker

from ladder.errors import TooMany
from ladder.operating import exports
from ladder.operating.exports import ExportedReplay, ExportedResult
from web import limits
from web.api.operations import DIGITS, CallGroup, Input, Raw
from web.database import sessions, whole_or_cut
from web.parameters import MOST

group = CallGroup("exports", "All results and replays, to study the games.")

LICENCE: Final = "CC0-1.0"
"""Games are free for all: https://creativecommons.org/publicdomain/zero/1.0/"""
PLACES: Final = 2
"""Exports that one visitor's address gets at the same time, of one process of the site."""
ALL_PLACES: Final = 16
"""Exports that one process makes at the same time: each holds a thread."""
_TAKEN: Final = limits.Places(ALL_PLACES, PLACES)
_PAUSE: Final = 10  # seconds
_LINES: Final = "application/x-ndjson"
_PIECE: Final = 100  # results that are read at a time


class ExportQuery(Input):
    """Which results to return."""

    after: Annotated[int, Field(ge=0, le=MOST), DIGITS] = 0
    """Only results with a higher number than this."""
    limit: Annotated[int, Field(ge=1, le=10_000), DIGITS] = 1_000
    """The maximum number of results."""


_Piece = Sequence[ExportedResult] | Sequence[ExportedReplay]
_Read = Callable[..., _Piece]
"""`exports.results` or `exports.replays`."""


@group.get(
    "/export/results",
    raw=Raw(_LINES, "A line that says what follows, then a line for each result."),
    may_fail=(429,),
)
def results(query: ExportQuery) -> Response:
    """Results in the order of their numbers, as JSON lines.

    If fewer than `limit` came, there are no more; else go on after the last one's number.
    """
    return _answer("santiago.results/1", exports.results, query)


@group.get(
    "/export/replays",
    raw=Raw(_LINES, "A line that says what follows, then a line for each replay."),
    may_fail=(429,),
)
def replays(query: ExportQuery) -> Response:
    """Replay files in the order of the results, as JSON lines with the file in base64.

    `replay` is null if a tournament's match was decided without a game.
    """
    return _answer("santiago.replays/1", exports.replays, query)


def _answer(schema: str, read: _Read, query: ExportQuery) -> Response:
    limits.LARGE_ANSWER.count_visitor()
    head = {"schema": schema, "licence": LICENCE, **query.model_dump()}
    with _place() as taken:
        pieces = whole_or_cut(_pieces(sessions(current_app), read, query.after, query.limit))
        place = taken.pop_all()  # from here on the answer leaves it
    answer = Response(_lines(head, pieces, place), mimetype=_LINES)
    answer.call_on_close(place.close)
    return answer


def _place() -> ExitStack:
    """Take one of a few places for exports, so that slow readers leave threads for pages.

    Raises TooMany if the visitor's address has none left, or nobody has. It is left as the stack is
    closed, once: at the end or when the reader hangs up.
    """
    _, visitor = limits.visitor()
    if not _TAKEN.take(visitor):
        if _TAKEN.all_of_one(visitor):
            raise TooMany("you are already reading exports: wait until they end", _PAUSE)
        raise TooMany("others are reading exports: try again in a moment", _PAUSE)
    place = ExitStack()
    place.callback(_TAKEN.leave, visitor)
    return place


def _lines(head: dict[str, object], pieces: Iterator[_Piece], place: ExitStack) -> Iterator[str]:
    yield _line(head)
    for piece in pieces:
        yield "".join(_line(asdict(row)) for row in piece)
    place.close()


def _pieces(
    sessions: sessionmaker[Session], read: _Read, after: int, limit: int
) -> Iterator[_Piece]:
    """Read piece by piece. Between two pieces no connection is held, however slow the reader is."""
    while limit > 0:
        count = min(limit, _PIECE)
        with sessions() as session:
            piece = read(session, after=after, limit=count)
        yield piece
        if len(piece) < count:
            return
        after = piece[-1].result_number
        limit -= count


def _line(row: dict[str, Any]) -> str:
    return json.dumps(row, default=_spelled, ensure_ascii=False, separators=(",", ":")) + "\n"


def _spelled(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    assert isinstance(value, bytes)
    return b64encode(value).decode()
