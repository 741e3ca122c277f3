"""Notes that bots leave beside their choices, for people: read, bound and shown.

A note changes nothing in a game, proves nothing in a replay, and is never a fault: what is too long
is cut, what is wrong is left out.
"""

import logging
from collections import Counter
from itertools import islice
from typing import Any, Final

from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet

from referee.bot import Note
from referee.rules import InvalidMove, Move, move_text, parse_move
from referee.rules.pieces import MAX_PLAYERS
from referee.wire import bot_pb2, game_pb2

MOST_CHARACTERS: Final = 200
MOST_MOVES: Final = 12
MOST_BYTES: Final = 16 * 1024
"""Bytes of all notes of a seat in one game; later notes are left out."""

_CHOICE: Final = bot_pb2.PlayResponse.CHOICE_FIELD_NUMBER
_DECISION: Final = bot_pb2.Choice.DECISION_ID_FIELD_NUMBER
_INDEX: Final = bot_pb2.Choice.INDEX_FIELD_NUMBER
_NOTE: Final = bot_pb2.Choice.NOTE_FIELD_NUMBER
_MOST_CHANCES: Final = MAX_PLAYERS + 1  # one too many: these are left out
_SUM: Final = 1.01  # of the chances: they are rounded
_LOG: Final = logging.getLogger(__name__)


def message(note: Note | None) -> game_pb2.Note | None:
    """Return a bot's note as a message, cut; None without one, or if its types are wrong."""
    if note is None:
        return None
    try:
        line = [_move_text(move) for move in islice(note.line, MOST_MOVES)]
        chances = islice(note.chances, _MOST_CHANCES)
        return game_pb2.Note(chances=chances, line=line, text=_text(note.text))
    except Exception as error:
        _LOG.warning("A note was left out: %s: %s", type(error).__name__, error)
        return None


def _move_text(move: Move) -> str:
    try:
        return move_text(move)
    except TypeError:
        raise TypeError(f"{move!r} in its line is no move, such as decision.moves[0]") from None


def kept(note: game_pb2.Note, players: int) -> game_pb2.Note | None:
    """Return what of a note is kept; None if nothing is."""
    shorter = game_pb2.Note(
        chances=_chances(list(note.chances), players), line=_line(note), text=_text(note.text)
    )
    return shorter if shorter.ByteSize() else None


class Notebook:
    """The notes of one game, as far as they have room."""

    def __init__(self) -> None:
        self._bytes: Counter[int] = Counter()

    def keep(self, note: game_pb2.Note, seat: int, players: int) -> game_pb2.Note | None:
        """Return what is kept of a note; None if its seat has said too much before."""
        fitting = kept(note, players)
        if fitting is None or self._bytes[seat] + fitting.ByteSize() > MOST_BYTES:
            return None
        self._bytes[seat] += fitting.ByteSize()
        return fitting


def without_note(data: bytes) -> bot_pb2.PlayResponse | None:
    """Return a Choice that cannot be read because of its note; None if it is not one.

    A message without fields keeps all fields unread: only the two numbers are looked at.
    """
    try:
        choices = [value for number, value in _fields(data) if number == _CHOICE]
        numbers = dict(field for value in choices for field in _fields(value))
        choice = bot_pb2.Choice(decision_id=numbers.get(_DECISION), index=numbers.get(_INDEX))
    except (DecodeError, TypeError, ValueError):
        return None
    return bot_pb2.PlayResponse(choice=choice) if _NOTE in numbers else None


def note_json(note: game_pb2.Note) -> dict[str, Any]:
    """Return a note as JSON, with what there is of `text`, `chances` by seat and `line`."""
    fields: dict[str, Any] = {}
    if note.text:
        fields["text"] = note.text
    if note.chances:
        fields["chances"] = [round(chance, 3) for chance in note.chances]
    if note.line:
        fields["line"] = list(note.line)
    return fields


def _fields(data: bytes) -> list[tuple[int, Any]]:
    unread: Any = UnknownFieldSet(bot_pb2.DescribeRequest.FromString(data))
    return [(field.field_number, field.data) for field in unread]


def _chances(chances: list[float], players: int) -> list[float]:
    """Return the chances if there is one for each seat; a comparison with NaN is False."""
    fits = len(chances) == players and all(0 <= chance <= 1 for chance in chances)
    return [round(chance, 3) for chance in chances] if fits and sum(chances) <= _SUM else []


def _line(note: game_pb2.Note) -> list[str]:
    """Return the moves up to the first text that is not a move."""
    line = []
    for text in islice(note.line, MOST_MOVES):
        try:
            move: Move = parse_move(text)
        except InvalidMove:
            break
        line.append(move_text(move))
    return line


def _text(text: str) -> str:
    """Return a text in one line, without what cannot be printed."""
    words = " ".join(text.split())
    return "".join(c for c in words if c.isprintable())[:MOST_CHARACTERS].rstrip()
