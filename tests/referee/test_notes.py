"""Notes beside choices: bounded, for people, and nothing that a game depends on."""

import math
from collections.abc import Callable, Iterator
from itertools import cycle
from random import Random
from typing import Any

import pytest

from referee.bot import Decision, Note
from referee.faults import FaultCode, SeatFault
from referee.game import Game, Luck
from referee.notes import MOST_BYTES, MOST_CHARACTERS, MOST_MOVES, kept, message, note_json
from referee.replay import frames, trace, verify
from referee.rules import Layout, Move, Position, move_text
from referee.seats.protocol import chosen, question
from referee.wire import bot_pb2, game_pb2, replay_pb2
from tests.referee.games import DrawingBot, local_game, match_of, play, served

SAID = "The bank pays."


class Talker(DrawingBot):
    """Says what it is about to do."""

    name = "talker"

    def choose(self, decision: Decision) -> Move:
        move = super().choose(decision)
        decision.note(SAID, chances=[0.75, 0.25], line=[move])
        return move


class Babbler(DrawingBot):
    """Leaves notes of wrong types, and some that no message has room for."""

    def __init__(self) -> None:
        super().__init__()
        wrong = {"text": 17}, {"chances": ["high"]}, {"chances": None}, {"line": None}
        self._wrong: Iterator[Any] = cycle(wrong)

    def choose(self, decision: Decision) -> Move:
        move = super().choose(decision)
        if decision.seat == 0:
            decision.note(**next(self._wrong))
        else:
            decision.note("é" * 50_000, chances=[0.5] * 50_000, line=[move] * 50_000)
        return move


def notes(replay: replay_pb2.Replay, seat: int) -> list[game_pb2.Note]:
    """The notes of a seat on record."""
    choices = [entry.chosen for entry in replay.entries if entry.HasField("chosen")]
    return [one.note for one in choices if one.seat == seat and one.HasField("note")]


def test_a_note_stands_beside_its_choice_and_nowhere_else() -> None:
    told, silent = local_game([Talker, DrawingBot]), local_game([DrawingBot, DrawingBot])
    shown = [frame for frame in frames(told)["frames"] if "note" in frame]
    assert {frame["seat"] for frame in shown} == {0}
    assert len(shown) == len(notes(told, 0)) > 20
    for frame in shown:
        assert frame["note"] == {"text": SAID, "chances": [0.75, 0.25], "line": [frame["move"]]}
    verify(told)
    assert list(trace(told)) == list(trace(silent))


async def test_a_note_comes_over_the_wire(new_address: Callable[[], str]) -> None:
    with served(Talker, new_address()) as talker, served(DrawingBot, new_address()) as silent:
        replay = await play(match_of([talker, silent]))
    assert {note.text for note in notes(replay, 0)} == {SAID}
    assert not notes(replay, 1)


def test_no_message_to_a_bot_has_a_note() -> None:
    game = Game(Position.start(Layout.shuffled(Random(5)), 2), Luck(b"", 1, []))
    game.run_to_decision()
    game.choose(game.position.legal_moves[0], note=game_pb2.Note(text=SAID))
    first = game.note
    game.run_to_decision()
    game.choose(game.position.legal_moves[0])
    assert (first, game.note) == (game_pb2.Note(text=SAID), None)
    told = b"".join(game.encoded_events(0)) + question(game.position, 3)
    assert SAID.encode() not in told


def test_a_text_in_a_line_is_told_to_its_author(caplog: pytest.LogCaptureFixture) -> None:
    texts: Any = ["drive 3"]
    assert message(Note("", (), texts)) is None
    assert "left out: TypeError: 'drive 3' in its line is no move, such as" in caplog.text


async def test_bad_and_long_notes_are_no_faults(new_address: Callable[[], str]) -> None:
    with served(Babbler, new_address()) as first, served(Babbler, new_address()) as second:
        replay = await play(match_of([first, second]))
    assert not [entry for entry in replay.entries if entry.HasField("fault")]
    assert not notes(replay, 0)
    long = notes(replay, 1)
    assert {len(note.line) for note in long} == {MOST_MOVES}
    assert sum(note.ByteSize() for note in long) <= MOST_BYTES


@pytest.mark.parametrize(
    ("given", "left"),
    [
        (game_pb2.Note(text=" two\nlines\u202e \x1b[1m"), game_pb2.Note(text="two lines [1m")),
        (game_pb2.Note(text="x" * 900), game_pb2.Note(text="x" * MOST_CHARACTERS)),
        (game_pb2.Note(text="\x00"), None),
        (game_pb2.Note(chances=[0.5, 0.5]), None),
        (game_pb2.Note(chances=[0.5, math.nan, 0.1]), None),
        (game_pb2.Note(chances=[0.5, -0.1, 0.1]), None),
        (game_pb2.Note(chances=[1, 1, 1]), None),
        (game_pb2.Note(chances=[1, 0, 0]), game_pb2.Note(chances=[1, 0, 0])),
        (game_pb2.Note(line=["drive 3", "fly", "pass"]), game_pb2.Note(line=["drive 3"])),
        (game_pb2.Note(line=["pass"] * 40), game_pb2.Note(line=["pass"] * MOST_MOVES)),
        (game_pb2.Note(), None),
    ],
)
def test_what_is_kept_of_a_note(given: game_pb2.Note, left: game_pb2.Note | None) -> None:
    assert kept(given, players=3) == left


@pytest.mark.parametrize(
    ("note", "json"),
    [
        (game_pb2.Note(text="sure"), {"text": "sure"}),
        (game_pb2.Note(chances=[0.25, 0.75]), {"chances": [0.25, 0.75]}),
        (game_pb2.Note(line=["drive 3"]), {"line": ["drive 3"]}),
    ],
)
def test_a_note_as_json_has_no_more_than_was_said(
    note: game_pb2.Note, json: dict[str, Any]
) -> None:
    assert note_json(note) == json


LEGAL = (11, 22, 33)
NOT_A_NOTE = b"\x1a\x02\x1a\xff"
"""The field `note` of a Choice, whose text ends too soon."""
NOT_UTF8 = b"\x1a\x03\x1a\x01\xff"


def response(choice: bytes) -> bytes:
    """A PlayResponse with the bytes of a choice."""
    return b"\x12" + bytes([len(choice)]) + choice


@pytest.mark.parametrize("note", [NOT_A_NOTE, NOT_UTF8])
def test_a_note_that_cannot_be_read_leaves_the_choice(note: bytes) -> None:
    choice = bot_pb2.Choice(decision_id=5, index=2).SerializeToString()
    assert chosen(response(choice + note), 5, LEGAL) == (33, None)
    assert chosen(response(note + choice), 5, LEGAL) == (33, None)


@pytest.mark.parametrize("data", [b"\x12\x7f", b"\xff\xff", b"\x0a\x01\xff", response(b"\x08\xff")])
def test_other_messages_that_cannot_be_read_are_faults(data: bytes) -> None:
    with pytest.raises(SeatFault) as raised:
        chosen(data, 5, LEGAL)
    assert raised.value.code is FaultCode.PROTOCOL


def test_a_line_is_written_in_the_notation() -> None:
    replay = local_game([Talker, DrawingBot])
    first = next(entry.chosen for entry in replay.entries if entry.chosen.HasField("note"))
    assert list(first.note.line) == [move_text(first.action)]
