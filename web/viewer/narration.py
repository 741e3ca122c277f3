"""A sentence for every frame of a game: who did what, what it brought, what followed from it.

Reads the frames document of `referee.replay.frames`; the words themselves stand in `web.words`.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from web.words import Words
from web.words.en import WORDS as ENGLISH

GOODS = ("sugar", "citrus", "tobacco", "rum", "cigars", "wood")
_KEPT = ("pesos", "vp", *GOODS)


@dataclass(frozen=True)
class Scene:
    """One frame with all that its sentence needs."""

    words: Words
    labels: Sequence[str]
    citizens: Sequence[str]
    frame: Mapping[str, Any]
    before: Mapping[str, Any]
    building: str | None  # whose function is used: Alonso's choice, else where the pawn stands
    landlord: int | None  # the seat that this frame pays 1 VP to as owner (B12)

    @property
    def name(self) -> str:
        """The label of the seat that acts."""
        label: str = self.labels[self.frame["seat"]]
        return label

    @property
    def verb(self) -> list[str]:
        """The words of the move."""
        return str(self.frame["move"]).split()

    def gained(self, seat: int) -> dict[str, int]:
        """What the frame brought (or, below zero, took from) a seat by its move alone."""
        net = Counter[str]()
        for change in self.frame["changes"]:
            if change["seat"] == seat and change["what"] in _KEPT:
                net[change["what"]] += change["by"]
        if self.landlord == seat:
            net["vp"] -= 1
        return {what: net[what] for what in _KEPT if net[what]}

    def changed(self, what: str) -> tuple[Any, Any] | None:
        """(from, to) of a thing of the table, such as "value"; None if it stayed."""
        for change in self.frame["changes"]:
            if change["what"] == what:
                return change["from"], change["to"]
        return None

    def say(self, phrase: str, **fields: object) -> str:
        """A phrase about the acting seat."""
        return self.words.say(phrase, **{"name": self.name, **fields})

    def amounts(self, things: Mapping[str, int]) -> str:
        """ "2 tobacco and 1 peso"."""
        return self.words.listing([self.words.amount(n, what) for what, n in things.items()])


def seat_labels(seats: Sequence[Mapping[str, Any]]) -> list[str]:
    """The seats' names; those that occur more than once carry their seat's number."""
    times = Counter(seat["name"] for seat in seats)
    return [
        seat["name"] if times[seat["name"]] == 1 else f"{seat['name']} ({number})"
        for number, seat in enumerate(seats, 1)
    ]


def scenes(document: Mapping[str, Any], words: Words = ENGLISH, since: int = 0) -> Iterator[Scene]:
    """The scene of each frame from the one numbered `since`, in their order.

    The text of the newest frame of a running game may gain by the one that follows it.
    """
    frames = document["frames"]
    labels = seat_labels(document["seats"])
    building = _used(frames[:since])
    before = frames[max(0, since - 1)]["state"]
    for index, frame in enumerate(frames[since:], since):
        acting = frame["type"] == "move"
        if acting and frame.get("kind") == "function" and building is None:
            building = before["players"][frame["seat"]]["pawn"]
        yield Scene(
            words=words,
            labels=labels,
            citizens=document["setup"]["citizens"],
            frame=frame,
            before=before,
            building=building,
            landlord=_landlord(frames, index),
        )
        if acting:
            building = _chosen(frame)
        before = frame["state"]


def _used(frames: Sequence[Mapping[str, Any]]) -> str | None:
    """The building that Alonso's choice has opened for the move after these frames."""
    last = next((frame for frame in reversed(frames) if frame["type"] == "move"), None)
    return _chosen(last) if last else None


def _chosen(move: Mapping[str, Any]) -> str | None:
    verb, *things = str(move["move"]).split()
    return things[0] if verb == "use" else None


def _landlord(frames: Sequence[Mapping[str, Any]], index: int) -> int | None:
    """The seat that gets 1 VP because the frame ends a turn on its building, if any (B12)."""
    frame = frames[index]
    if frame["type"] != "move" or frame.get("kind", "demand") == "demand" or index == 0:
        return None
    before, after = frames[index - 1]["state"], frame["state"]
    following = next((f for f in frames[index + 1 :] if f["type"] != "fault"), None)
    rolls_next = following is not None and following["type"] == "roll"
    if before["turn"] == 0 or not (rolls_next or after["turn"] != before["turn"]):
        return None
    active = before["active"]
    owner: int | None = after["owners"].get(after["players"][active]["pawn"])
    return None if owner == active else owner


def text(scene: Scene, document: Mapping[str, Any]) -> str:
    """The sentences for a scene of the document."""
    kind = scene.frame["type"]
    if kind == "start":
        return scene.words.say("start", names=scene.words.listing(scene.labels))
    if kind == "end":
        return _ending(scene, document)
    if kind == "fault":
        fault = scene.frame["fault"]
        code = scene.words.name(fault["code"])
        return scene.say("fault", code=code, fault=fault["sentence"])
    if kind == "roll":
        dice = [scene.words.amount(n, good) for good, n in scene.frame["dice"].items()]
        return _sentences(scene, [scene.say("roll", dice=scene.words.listing(dice))])
    if kind == "gap":
        return _sentences(scene, [scene.words.say("gap")])
    if "kind" not in scene.frame:  # after a gap
        return _sentences(scene, [scene.say("bare", move=scene.frame["move"])])
    return _sentences(scene, [_CLAUSES[scene.frame["kind"]](scene), *_consequences(scene)])


def _sentences(scene: Scene, clauses: Sequence[str]) -> str:
    return " ".join(scene.words.say("sentence", clause=clause) for clause in clauses)


def _consequences(scene: Scene) -> list[str]:
    """What followed from the move: flags, ships, citizens that wake, an owner's VP."""
    words, clauses = scene.words, []
    if scene.landlord is not None:
        gains = words.amount(1, "vp")
        clauses.append(words.say("rent", name=scene.labels[scene.landlord], gains=gains))
    ship, value = scene.changed("ship"), scene.changed("value")
    if ship:
        clauses.append(words.say("ship.new", ship=ship[1]))
    elif value:
        rose = value[1] > value[0]
        gains = words.amount(value[1], "vp")
        clauses.append(words.say("value.up" if rose else "value.down", value=gains))
    for change in scene.frame["changes"]:
        what, _, citizen = change["what"].partition(":")
        if what == "silenced" and not change["to"]:
            clauses.append(words.say("wakes", citizen=words.name(citizen)))
    return clauses


def _gaining(scene: Scene, clause: str, gained: Mapping[str, int]) -> str:
    gains = {what: n for what, n in gained.items() if n > 0}
    if not gains:
        return clause
    return scene.words.say("gaining", clause=clause, gains=scene.amounts(gains))


def _traded(scene: Scene) -> dict[str, str]:
    """What the acting seat gave and gained, as the fields of a phrase."""
    net = scene.gained(scene.frame["seat"])
    return {
        "given": scene.amounts({what: -n for what, n in net.items() if n < 0}),
        "gained": scene.amounts({what: n for what, n in net.items() if n > 0}),
        "building": scene.words.name(scene.building or ""),
    }


_SUPPLIERS = ("pedro", "jose", "conchita", "miguel")


def _drive(scene: Scene) -> str:
    stops, seat = int(scene.verb[1]), scene.frame["seat"]
    car = scene.frame["state"]["car"]
    citizen = scene.citizens[car - 1] if car else None
    fields = {
        "stops": scene.words.amount(stops, "stops"),
        "place": scene.words.name(citizen or "harbour"),
        "cost": scene.words.amount(stops - 1, "pesos"),
    }
    clause = scene.say("drive" if stops == 1 else "drive.paid", **fields)
    if citizen in scene.frame["state"]["silenced"]:
        return scene.words.say("drive.silenced", clause=clause)
    gained = Counter(scene.gained(seat))
    gained["pesos"] += stops - 1
    if citizen in _SUPPLIERS and not any(gained.values()):
        return scene.words.say("drive.sold_out", clause=clause)
    return _gaining(scene, clause, gained)


def _pick(scene: Scene) -> str:
    return scene.say("pick", goods=scene.words.amount(1, scene.verb[1]))


def _lawyer(scene: Scene) -> str:
    verb, *building = scene.verb
    if verb == "pass":
        return scene.say("lawyer.pass")
    clause = scene.say(verb, building=scene.words.name(building[0]))
    return _gaining(scene, clause, scene.gained(scene.frame["seat"]))


def _tribute(scene: Scene) -> str:
    thing = {"peso": "pesos"}.get(scene.verb[1], scene.verb[1])
    other = scene.labels[scene.before["active"]]
    return scene.say("give", thing=scene.words.amount(1, thing), other=other)


def _visit(scene: Scene) -> str:
    clause = scene.say("visit", building=scene.words.name(scene.verb[1]))
    return _gaining(scene, clause, scene.gained(scene.frame["seat"]))


_FUNCTIONS = {"buy": "casino", "sell": "casino", "serve": "sell"}


def _function(scene: Scene) -> str:
    verb, *things = scene.verb
    fields = _traded(scene)
    if verb == "pass":
        return scene.say("function.pass", **fields)
    if verb == "clear":
        return scene.say("clear", good=scene.words.name(things[0]), **fields)
    if verb == "silence":
        return scene.say("silence", citizen=scene.words.name(things[0]), **fields)
    phrase = _FUNCTIONS.get(verb, verb)
    if verb == "sell" and things == ["wood"]:
        phrase = "sell"
    clause = scene.say(phrase, **fields)
    if phrase in ("sell", "ship"):
        return _gaining(scene, clause, scene.gained(scene.frame["seat"]))
    return clause


def _deliver(scene: Scene) -> str:
    verb, *things = scene.verb
    if verb == "pass":
        forced = scene.frame["by"] == "forced"
        return scene.say("deliver.nothing" if forced else "deliver.pass")
    given = scene.words.amount(int(things[1]), things[0])
    phrase = "deliver.wood" if things[0] == "wood" else "deliver"
    clause = scene.say(phrase, given=given, good=scene.words.name(things[-1]))
    return _gaining(scene, clause, scene.gained(scene.frame["seat"]))


def _demand(scene: Scene) -> str:
    wanted = scene.frame["state"]["demand"]
    demand = scene.amounts({good: wanted[good] for good in GOODS if wanted.get(good)})
    demand = demand or scene.words.say("demand.none")
    return scene.say("demand", good=scene.words.name(scene.verb[1]), demand=demand)


_CLAUSES: Mapping[str, Callable[[Scene], str]] = {
    "drive": _drive,
    "pick": _pick,
    "lawyer": _lawyer,
    "tribute": _tribute,
    "visit": _visit,
    "function": _function,
    "deliver": _deliver,
    "demand": _demand,
}


def _ending(scene: Scene, document: Mapping[str, Any]) -> str:
    words, result = scene.words, document["result"]
    best = [seat for seat, rank in enumerate(document["ranks"]) if rank == 1]
    names = words.listing([scene.labels[seat] for seat in best])
    if result["type"] == "forfeit":
        return _sentences(scene, [words.say("end.forfeit", names=names)])
    scores = result["scores"]
    won = words.say(
        "end" if len(best) == 1 else "end.shared",
        names=names,
        vp=words.amount(scores[best[0]]["vp"], "vp"),
    )
    reason = "ship.last" if result["reason"] == "ships" else "end.turns"
    clauses = [words.say(reason), words.say("end.goods"), won, *_tie(scene, scores, best[0])]
    return _sentences(scene, clauses)


def _tie(scene: Scene, scores: Sequence[Mapping[str, Any]], winner: int) -> list[str]:
    """What decided between the winner and those who have as many VP (E2)."""
    won = scores[winner]
    beaten = [score for score in scores if score["vp"] == won["vp"] and score["rank"] > won["rank"]]
    by_goods = [score["seat"] for score in beaten if score["leftover"] < won["leftover"]]
    by_pesos = [score["seat"] for score in beaten if score["leftover"] == won["leftover"]]
    return [
        scene.words.say(phrase, others=scene.words.listing([scene.labels[seat] for seat in seats]))
        for phrase, seats in (("end.tie.goods", by_goods), ("end.tie.pesos", by_pesos))
        if seats
    ]
