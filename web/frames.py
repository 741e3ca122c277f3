"""The frames of a game as the viewer and the narration read them: their types, and scenes.

The documents come from `referee.replay.frames`, or for a running game from `ladder.live.game`,
whose frames have no thinking times but may be of the type `gap`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, NotRequired, TypedDict, TypeVar, cast

from referee.rules.pieces import GOODS
from web.words import Words

SUPPLIES = {"pedro": "tobacco", "jose": "sugar", "conchita": "citrus", "miguel": "wood"}
"""The good that a citizen gives from the supply, as far as it lasts."""
_KEPT = ("pesos", "vp", *GOODS)


class Player(TypedDict):
    """A seat's possessions: pesos, VP, units of each good, markers, and its pawn's building."""

    pesos: int
    vp: int
    goods: dict[str, int]
    pawn: str | None
    markers: int


class State(TypedDict):
    """A position. `owners` has the seat by building, `demand` the units by good."""

    ship: int
    value: int
    demand: dict[str, int]
    car: int
    silenced: list[str]
    supply: dict[str, int]
    owners: dict[str, int]
    active: int
    turn: int
    players: list[Player]


Change = TypedDict(
    "Change",
    {
        "seat": int | None,
        "what": str,
        "by": NotRequired[int],
        "from": NotRequired[object],
        "to": NotRequired[object],
    },
)
"""One thing that a frame changed: of a seat `by` a number, or `from` one value `to` another."""


class Fault(TypedDict):
    """A bot's fault: its code, and what the referee says about it."""

    code: str
    sentence: str


class Note(TypedDict, total=False):
    """The note of a bot beside its choice, as `referee.notes.note_json` returns it.

    In a replay `expected` is its line in words.
    """

    text: str
    chances: list[float]
    line: list[str]
    expected: str


class Frame(TypedDict):
    """One moment of a game: what happened, and the state after it.

    Rolls, moves and faults have a `seat`. A move has its text and who made it (`by`); unless it
    follows a gap also the kind of the decision and its legal moves. So has a fault, in a replay.
    A bot's move has its think time, of a hosted bot also the CPU time that was measured; after the
    game its note, if it left one. `before_dice` is in the last frame of a line of moves that dice
    follow, since no frame of theirs does.
    """

    type: Literal["start", "roll", "move", "fault", "gap", "end"]
    seat: NotRequired[int]
    dice: NotRequired[dict[str, int]]
    kind: NotRequired[str]
    move: NotRequired[str]
    by: NotRequired[Literal["bot", "forced", "caretaker"]]
    legal: NotRequired[list[str]]
    drawn: NotRequired[list[int]]
    think_ms: NotRequired[float]
    cpu_ms: NotRequired[float]
    fault: NotRequired[Fault]
    note: NotRequired[Note]
    before_dice: NotRequired[Literal[True]]
    changes: list[Change]
    state: State


class Score(TypedDict):
    """A seat's result."""

    seat: int
    vp: int
    leftover: int
    pesos: int
    rank: int


class Result(TypedDict, total=False):
    """How the game ended: with scores, or by forfeit. Empty while it runs."""

    type: Literal["result", "forfeit"]
    reason: str
    state: State
    scores: list[Score]
    ranks: list[dict[str, int | str | None]]


class Seat(TypedDict):
    """A player; `label` is the name, made unique within the game. People have no version."""

    name: str
    version: str
    author: str
    label: NotRequired[str]


class Setup(TypedDict):
    """The board as laid out; flowers by name, None for a citizen without one."""

    type: Literal["setup"]
    players: int
    citizens: list[str]
    buildings: list[str]
    space_flowers: list[str]
    citizen_flowers: dict[str, str | None]
    seed: str | None


class Head(TypedDict):
    """The document of a game without its frames; `ranks` by seat, empty while it runs.

    `you` is the reader's own seat.
    """

    setup: Setup
    seats: list[Seat]
    dice: NotRequired[dict[str, object]]
    result: Result
    ranks: list[int]
    you: NotRequired[int]


class Document(Head):
    """A game from its start."""

    frames: list[Frame]


AnyGame = TypeVar("AnyGame", bound=Head)


class You(NamedTuple):
    """A reader who plays in the game: the number of the seat, and the name of an account."""

    seat: int
    name: str = ""


@dataclass(frozen=True)
class Scene:
    """One frame with all that its sentence needs."""

    words: Words
    labels: Sequence[str]
    you: int | None
    citizens: Sequence[str]
    frame: Frame
    before: State
    building: str | None  # whose function is used: Alonso's choice, else where the pawn stands
    ends_turn: bool
    landlord: int | None  # the seat that this frame pays 1 VP to as owner (B12)

    @property
    def verb(self) -> list[str]:
        """The words of the move."""
        return self.frame["move"].split()

    def gained(self, seat: int) -> dict[str, int]:
        """Return what a seat gained (below zero: lost) in the frame by its move alone."""
        net = Counter[str]()
        for change in self.frame["changes"]:
            if change["seat"] == seat and change["what"] in _KEPT:
                net[change["what"]] += change["by"]
        if self.landlord == seat:
            net["vp"] -= 1
        return {what: net[what] for what in _KEPT if net[what]}

    def changed(self, what: Literal["ship", "value"]) -> tuple[int, int] | None:
        """Return the number of the ship, or its value, before and after; None if it stayed."""
        before, after = self.before[what], self.frame["state"][what]
        return None if before == after else (before, after)

    def say(self, phrase: str, **fields: object) -> str:
        """Return a phrase about the acting seat."""
        seat = self.frame["seat"]
        fields = {"name": self.actor(seat), **fields}
        return self.words.say(phrase, to_actor=seat == self.you, **fields)

    def actor(self, seat: int) -> str:
        """Return who a seat is in a sentence about what it does."""
        return self.words.say("you.act") if seat == self.you else self.labels[seat]

    def objects(self, seats: Sequence[int]) -> str:
        """Return who seats are in a sentence about what is done to them."""
        others = [self.labels[seat] for seat in seats if seat != self.you]
        you = [self.words.say("you.object")] if self.you in seats else []
        return self.words.listing([*you, *others])

    def say_of(self, phrase: str, seats: Sequence[int], **fields: object) -> str:
        """Return a phrase about what seats do together; the reader is named first."""
        to_actor, first = self.you in seats, sorted(seats, key=lambda seat: seat != self.you)
        names = [self.actor(seats[0])] if len(seats) == 1 else [self.labels[seat] for seat in first]
        return self.words.say(phrase, to_actor=to_actor, names=self.words.listing(names), **fields)

    def amounts(self, things: Mapping[str, int]) -> str:
        """Return amounts as a list: "2 tobacco and 1 peso"."""
        return self.words.listing([self.words.amount(n, what) for what, n in things.items()])


def seat_labels(seats: Sequence[Seat]) -> list[str]:
    """Return the seats' names; bots of one name get their author's, or their seat's number."""
    return distinct_names([(seat["name"], seat["author"]) for seat in seats])


def distinct_names(bots: Sequence[tuple[str, str]]) -> list[str]:
    """Return the bots' names; those of one name get their author's, or their place's number.

    `bots`: the name and the author of each.
    """
    names, owned = Counter(name for name, _ in bots), Counter(bots)
    labels = []
    for number, (name, author) in enumerate(bots, 1):
        apart = author if author and owned[name, author] == 1 else number
        labels.append(f"{name} ({apart})" if names[name] > 1 else name)
    return labels


def read_by(game: AnyGame, you: You | None, words: Words) -> AnyGame:
    """Return a game as who plays in it reads it: their seat is "You", the name beside it."""
    if you is None:
        return game
    seats = [{**seat} for seat in game["seats"]]
    seats[you.seat].update(name=words.say("you"), author=you.name)
    return cast(AnyGame, {**game, "seats": seats, "you": you.seat})


def scenes(document: Document, words: Words, since: int = 0) -> Iterator[Scene]:
    """Yield the scene of each frame from the one numbered `since`.

    The scene of a running game's newest frame may change with the next frame.
    """
    frames = document["frames"]
    labels = seat_labels(document["seats"])
    building = _used(frames[:since])
    before = frames[max(0, since - 1)]["state"]
    for index, frame in enumerate(frames[since:], since):
        acting = frame["type"] == "move"
        ends_turn = _ends_turn(frames, index)
        if frame.get("kind") == "function" and building is None:
            building = before["players"][frame["seat"]]["pawn"]
        yield Scene(
            words=words,
            labels=labels,
            you=document.get("you"),
            citizens=document["setup"]["citizens"],
            frame=frame,
            before=before,
            building=building,
            ends_turn=ends_turn,
            landlord=_landlord(frame, before) if ends_turn else None,
        )
        if acting:
            building = _chosen(frame)
        before = frame["state"]


def _used(frames: Sequence[Frame]) -> str | None:
    """Return the building that Alonso's choice opened for the move after these frames."""
    last = next((frame for frame in reversed(frames) if frame["type"] == "move"), None)
    return _chosen(last) if last else None


def _chosen(move: Frame) -> str | None:
    verb, *things = move["move"].split()
    return things[0] if verb == "use" else None


def _ends_turn(frames: Sequence[Frame], index: int) -> bool:
    """Tell whether the frame is the last move of a turn, after which the game goes on."""
    frame = frames[index]
    if frame["type"] != "move" or frame.get("kind", "demand") == "demand" or index == 0:
        return False
    before, after = frames[index - 1]["state"], frame["state"]
    following = next((f for f in frames[index + 1 :] if f["type"] != "fault"), None)
    rolls_next = "before_dice" in frame if following is None else following["type"] == "roll"
    return before["turn"] != 0 and (rolls_next or after["turn"] != before["turn"])


def _landlord(last: Frame, before: State) -> int | None:
    """Return the seat that gets 1 VP because a turn ends on its building (B12)."""
    active, after = before["active"], last["state"]
    owner = after["owners"].get(after["players"][active]["pawn"] or "")
    return None if owner == active else owner
