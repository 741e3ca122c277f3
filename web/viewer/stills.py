"""A moment of a game as the server shows it: board, sentence, players, and the ways on by links.

It is what the viewer shows before its script has the game, and all that it shows without scripts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Final, cast

from markupsafe import Markup

from referee import replay
from referee.analysis.puzzles import position_at
from referee.rules import Position
from web import frames
from web.drawing.board import Moment, drawing
from web.drawing.geometry import FORMS
from web.viewer.narration import text
from web.viewer.scripted import following
from web.words import Words, words_of

_GAMES: Final = 16  # games as frames, up to 1 MB each
_STILLS: Final = 128  # of up to 80 kB


@dataclass(frozen=True)
class Still:
    """A moment: `at` is the number of its frame, `last` of the newest; with its turn and seat."""

    game: frames.Head
    labels: tuple[str, ...]
    frame: frames.Frame
    turn: int
    active: int
    at: int
    last: int
    sentence: str
    steps: Mapping[str, int]
    words: Words

    def as_newest(self) -> "Still":
        """Return the moment as if no later one were known: it is the turn of who comes next."""
        if self.frame["type"] == "end":
            return self
        now = self.frame["state"]
        return replace(self, turn=now["turn"], active=now["active"])

    @cached_property
    def board(self) -> Markup:
        """Return the board in all forms, of which the page's style shows one."""
        moment = Moment(self.game["setup"], self.labels, self.frame)
        return Markup("".join(drawing(moment, form, self.words) for form in FORMS))

    @cached_property
    def description(self) -> str:
        """Return the board in words."""
        return describe(self.frame["state"], self.game, self.labels, self.words)

    @property
    def where(self) -> str:
        """Return where in the game this is: the turn and the ship, and who did not choose."""
        labels, by = self.words.labels, self.frame.get("by", "bot")
        turn = f"{labels['turn']} {self.turn}" if self.turn else labels["setup"]
        forced = () if by == "bot" else (labels[by],)
        return " · ".join((turn, f"{labels['ship']} {self.frame['state']['ship']}", *forced))

    @property
    def players(self) -> list[frames.Player]:
        """Return what each seat has; after the end with the VP of the result."""
        held = self.frame["state"]["players"]
        result: frames.Result = self.game["result"]
        if self.frame["type"] != "end" or "scores" not in result:
            return held
        points = {score["seat"]: score["vp"] for score in result["scores"]}
        return [{**player, "vp": points[seat]} for seat, player in enumerate(held)]

    @property
    def ranks(self) -> list[int]:
        """Return the seats' ranks at the end; none before."""
        return self.game["ranks"] if self.frame["type"] == "end" else []


@lru_cache(_STILLS)
def still(data: bytes, at: int | None, code: str, you: frames.You | None = None) -> Still:
    """Return a moment of a replay file in the language of a code; the last one if `at` is None.

    Raises ReplayError.
    """
    played = game(data)
    shown = of_game(played, at, code, you)
    if "line" not in shown.frame.get("note", {}):
        return shown
    position = position_at(replay.read(data), shown.at)
    return replace(shown, frame=noted(played, shown.at, position, shown.words))


def noted(played: frames.Document, moment: int, position: Position, words: Words) -> frames.Frame:
    """Return the frame of a moment; its note has the moves that it expects also in words.

    `position` is the one before that moment. The words end before a move that is not legal.
    """
    frame = played["frames"][moment]
    note = frame.get("note", {})
    if "line" not in note:
        return frame
    might = [*played["frames"][:moment], *following(position.copy(), note["line"])]
    expecting: frames.Document = {**played, "frames": might}
    sentences = [text(scene, expecting) for scene in frames.scenes(expecting, words, moment)]
    return {**frame, "note": {**note, "expected": " ".join(sentences)}}


@lru_cache(_GAMES)
def game(data: bytes) -> frames.Document:
    """Return the frames document of a replay file. Raises ReplayError."""
    return cast(frames.Document, replay.frames(replay.read(data)))


def game_end(data: bytes) -> frames.Document:
    """Return that document with the last frame alone, which is cheaper. Raises ReplayError."""
    return cast(frames.Document, replay.ending(replay.read(data)))


def of_game(
    played: frames.Document, at: int | None, code: str, you: frames.You | None = None
) -> Still:
    """Return a moment of a game; a number that is too high means the last one."""
    words, last = words_of(code), len(played["frames"]) - 1
    played = frames.read_by(played, you, words)
    place = last if at is None else max(0, min(at, last))
    before = played["frames"][max(0, place - 1)]["state"]
    head = {name: part for name, part in played.items() if name != "frames"}  # they are large
    found = Still(
        game=cast(frames.Head, head),
        labels=tuple(frames.seat_labels(played["seats"])),
        frame=played["frames"][place],
        turn=before["turn"],
        active=before["active"],
        at=place,
        last=last,
        sentence=text(next(frames.scenes(played, words, place)), played),
        steps=_steps(played["frames"], place),
        words=words,
    )
    return found.as_newest() if place == last else found


def _steps(shown: Sequence[frames.Frame], at: int) -> Mapping[str, int]:
    """Return where each step leads: by one frame, to another turn or ship, to either end."""
    last = len(shown) - 1
    turns = _starts([frame["state"]["turn"] for frame in shown])
    ships = _starts([frame["state"]["ship"] for frame in shown])
    return {
        "first": 0,
        "ship-back": max((start for start in ships if start < at), default=0),
        "turn-back": max((start for start in turns if start < at), default=0),
        "back": max(0, at - 1),
        "forward": min(last, at + 1),
        "turn-forward": min((start for start in turns if start > at), default=last),
        "ship-forward": min((start for start in ships if start > at), default=last),
        "last": last,
    }


def _starts(numbers: Sequence[int]) -> list[int]:
    return [at for at, (was, now) in enumerate(pairwise(numbers), 1) if was != now]


def describe(state: frames.State, of: frames.Head, labels: Sequence[str], words: Words) -> str:
    """Return the board in a few sentences: ship, car, pawns, owners, silenced, supply."""
    say, name = words.labels, words.name
    stop = state["car"]
    place = name(of["setup"]["citizens"][stop - 1]) if stop else say["harbour"]
    pawns = (
        (label, player["pawn"]) for label, player in zip(labels, state["players"], strict=True)
    )
    told: Mapping[str, list[str]] = {
        "demand": [f"{name(good)} {left}" for good, left in state["demand"].items() if left],
        "car": [place],
        "pawns": [f"{label} {name(pawn)}" for label, pawn in pawns if pawn],
        "owners": [f"{name(thing)} {labels[seat]}" for thing, seat in state["owners"].items()],
        "silenced": [name(citizen) for citizen in state["silenced"]],
        "supply": [f"{name(good)} {left}" for good, left in state["supply"].items()],
    }
    parts = (f"{say[of_what]}{say['colon']}{', '.join(of)}" for of_what, of in told.items() if of)
    head = (f"{say['ship']} {state['ship']}", f"{say['value']} {state['value']}")
    return ". ".join((*head, *parts))
