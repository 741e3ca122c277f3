"""The choices of each decision: the question to the seat, each legal move in words, its place.

A decision that is open is a frame, too, whose move is yet to be made. The words themselves are in
`web.words`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypedDict, cast

from referee.rules import Position
from referee.rules.pieces import STOPS
from referee.rules.trace import state_json
from web.frames import SUPPLIES, Document, Frame, Head, Scene, scenes
from web.words import words_of

_AT_BUILDINGS = ("visit", "own", "use")
_AT_DICE = ("exclude", "clear", "ship", "deliver")
_Saying = Callable[[Scene, Sequence[str]], str]
"""Says a move in words; its text is cut at the spaces, and the verb left out."""
_MADE_OF = {"distillery": ("sugar", "rum"), "cigar-factory": ("tobacco", "cigars")}


class Offered(TypedDict, total=False):
    """A heading with the number of choices, and a text for each. Empty without a decision."""

    asked: str
    choices: list[str]


class OpenDecision(NamedTuple):
    """A decision that is open: its number, the moves by their texts, and all of it in words.

    `places` are those of the moves on the board, as `place` returns them; `about` explains the
    decision, as `explained` does. Moves from `lap` on are drives that pass every place before.
    """

    number: int
    moves: list[str]
    words: Offered
    places: list[str | None]
    about: str
    lap: int


def open_choice(position: Position) -> Frame:
    """Return the open choice as a frame whose move is the first legal one."""
    legal = position.legal_texts()
    about = {"type": "move", "seat": position.seat, "kind": position.kind, "legal": legal}
    return cast(Frame, {**about, "move": legal[0], "changes": [], "state": state_json(position)})


def decision(number: int, open_choice: Frame, before: Document, code: str) -> OpenDecision:
    """Return a choice that is open after the frames of a game, in words of a language."""
    head: Head = before
    frames = [*before["frames"], open_choice]
    scene = next(scenes({**head, "frames": frames}, words_of(code), len(frames) - 1))
    car, citizens = before["frames"][-1]["state"]["car"], before["setup"]["citizens"]
    places = [place(move, car, citizens) for move in open_choice["legal"]]
    moves = open_choice["legal"]
    lap = STOPS if open_choice["kind"] == "drive" else len(moves)
    return OpenDecision(number, moves, offered(scene), places, explained(scene), lap)


def explained(scene: Scene) -> str:
    """Return what the decision is about, for who is new to the game; on a first turn also its aim.

    Empty if the question says it all.
    """
    words = scene.words
    first = scene.before["turn"] <= len(scene.labels)
    return " ".join(([words.say("about.aim")] if first else []) + _about(scene))


def _about(scene: Scene) -> list[str]:
    words, kind = scene.words, scene.frame["kind"]
    used = {"tribute": "el-zorro", "function": scene.building}.get(kind)
    if used:
        return [words.say("sentence", clause=words.effect(used))]
    if f"about.{kind}" not in words.phrases:
        return []
    value, wood = (words.amount(vp, "vp") for vp in (scene.before["value"], 1))
    return [words.say(f"about.{kind}", value=value, wood=wood)]


def offered(scene: Scene) -> Offered:
    """Return the choices that the acting seat had."""
    legal = scene.frame.get("legal")
    if not legal:
        return {}
    words, kind = scene.words, scene.frame["kind"]
    question = words.say(f"ask.{kind}", building=words.name(scene.building or ""))
    form = "choices.one" if len(legal) == 1 else "choices.other"
    return {
        "asked": words.say(form, asked=question, count=len(legal)),
        "choices": [choice(scene, move) for move in legal],
    }


def choice(scene: Scene, move: str) -> str:
    """Return a legal move of the scene's decision in words."""
    verb, *things = move.split()
    return _CHOICES[verb](scene, things)


def place(move: str, car: int, citizens: Sequence[str]) -> str | None:
    """Return the place of a move, such as `building:bank`, `citizen:pedro`, `good:rum`; or None.

    `car` is the stop at which the car stands, `citizens` are by stop, from 1.
    """
    verb, *things = move.split()
    if verb == "drive":
        stop = (car + int(things[0])) % STOPS
        return f"citizen:{citizens[stop - 1]}" if stop else "pier"
    if verb in _AT_BUILDINGS:
        return f"building:{things[0]}"
    if verb == "silence":
        return f"citizen:{things[0]}"
    if verb in _AT_DICE:
        return f"good:{things[-1] if 'as' in things else things[0]}"
    return None


def _drive(scene: Scene, things: Sequence[str]) -> str:
    words, stops = scene.words, int(things[0])
    car = (scene.before["car"] + stops) % STOPS
    citizen = scene.citizens[car - 1] if car else None
    clause = words.say(
        "may.drive" if stops == 1 else "may.drive.paid",
        stops=words.amount(stops, "stops"),
        place=words.name(citizen or "harbour"),
        cost=words.amount(stops - 1, "pesos"),
    )
    if citizen in scene.before["silenced"]:
        return words.say("drive.silenced", clause=clause)
    if not scene.before["supply"].get(SUPPLIES.get(citizen or "", ""), 1):
        return words.say("drive.sold_out", clause=clause)
    return clause


def _named(phrase: str, field: str) -> _Saying:
    def say(scene: Scene, things: Sequence[str]) -> str:
        fields: dict[str, Any] = {field: scene.words.name(things[0])}
        return scene.words.say(phrase, **fields)

    return say


def _one(phrase: str, field: str) -> _Saying:
    def say(scene: Scene, things: Sequence[str]) -> str:
        fields: dict[str, Any] = {field: scene.words.amount(1, things[0])}
        return scene.words.say(phrase, **fields)

    return say


def _give(scene: Scene, things: Sequence[str]) -> str:
    what = {"peso": "pesos"}.get(things[0], things[0])
    return scene.words.say("may.give", thing=scene.words.amount(1, what))


def _convert(scene: Scene, things: Sequence[str]) -> str:
    words, units = scene.words, int(things[0])
    raw, made = _MADE_OF[scene.building or ""]
    given, gained = words.amount(units, raw), words.amount(units, made)
    return words.say("may.convert", given=given, gained=gained)


def _swap(scene: Scene, things: Sequence[str]) -> str:
    given, gained = (scene.words.amount(1, good) for good in things)
    return scene.words.say("may.swap", given=given, gained=gained)


def _serve(scene: Scene, things: Sequence[str]) -> str:
    given = scene.words.listing([scene.words.amount(1, good) for good in things])
    return scene.words.say("may.sell", given=given)


def _casino(phrase: str) -> _Saying:
    return lambda scene, things: scene.words.say(
        phrase, vp=scene.words.amount(int(things[0]), "vp")
    )


def _sell(scene: Scene, things: Sequence[str]) -> str:
    return (_serve if things == ["wood"] else _casino("may.casino.sell"))(scene, things)


def _plain(phrase: str) -> _Saying:
    return lambda scene, _: scene.words.say(phrase)


def _deliver(scene: Scene, things: Sequence[str]) -> str:
    words = scene.words
    return words.say(
        "may.deliver.wood" if things[0] == "wood" else "may.deliver",
        given=words.amount(int(things[1]), things[0]),
        good=words.name(things[-1]),
    )


def _pass(scene: Scene, _: Sequence[str]) -> str:
    return scene.words.say(f"may.pass.{scene.frame['kind']}")


_CHOICES: Mapping[str, _Saying] = {
    "drive": _drive,
    "take": _one("may.take", "goods"),
    "own": _named("may.own", "building"),
    "use": _named("may.use", "building"),
    "visit": _named("may.visit", "building"),
    "give": _give,
    "convert": _convert,
    "swap": _swap,
    "serve": _serve,
    "buy": _casino("may.casino.buy"),
    "sell": _sell,
    "clear": _named("may.clear", "good"),
    "exclude": _named("may.exclude", "good"),
    "raise": _plain("may.raise"),
    "lower": _plain("may.lower"),
    "ship": _one("may.ship", "given"),
    "silence": _named("may.silence", "citizen"),
    "deliver": _deliver,
    "pass": _pass,
}
