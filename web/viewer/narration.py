"""A sentence for every frame of a game: who did what, what it brought, what followed from it.

The words themselves are in `web.words`.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from referee.rules.pieces import GOODS, STOPS
from referee.rules.trace import ABSENT
from web.frames import SUPPLIES, Document, Scene, Score


def text(scene: Scene, document: Document) -> str:
    """Return the sentences for a scene of the document."""
    kind = scene.frame["type"]
    if kind == "start":
        return scene.say_of("start", range(len(scene.labels)))
    if kind == "end":
        return _ending(scene, document)
    if kind == "fault":
        fault = scene.frame["fault"]
        if fault["code"] == ABSENT:
            return scene.say("absent")
        code = scene.words.name(fault["code"])
        return scene.say("fault", code=code, fault=scene.words.fault(fault["sentence"]))
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
    """Return what followed: the thief's building, an owner's VP, ships, flags, who wakes."""
    words, clauses = scene.words, _thief_visits(scene)
    if scene.landlord is not None:
        gains = words.amount(1, "vp")
        name, to_you = scene.actor(scene.landlord), scene.landlord == scene.you
        clauses.append(words.say("rent", to_actor=to_you, name=name, gains=gains))
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
    return scene.say("gaining", clause=clause, gains=scene.amounts(gains))


def _traded(scene: Scene) -> dict[str, str]:
    """Return the fields of a phrase about what the acting seat gave and gained."""
    net = scene.gained(scene.frame["seat"])
    return {
        "given": scene.amounts({what: -n for what, n in net.items() if n < 0}),
        "gained": scene.amounts({what: n for what, n in net.items() if n > 0}),
        "building": scene.words.name(scene.building or ""),
    }


def _drive(scene: Scene) -> str:
    stops, seat = int(scene.verb[1]), scene.frame["seat"]
    car = scene.frame["state"]["car"]
    citizen = scene.citizens[car - 1] if car else None
    clause = _driven(scene, stops, citizen)
    if citizen in scene.frame["state"]["silenced"]:
        return scene.words.say("drive.silenced", clause=clause)
    gained = Counter(scene.gained(seat))
    gained["pesos"] += stops - 1
    if citizen in SUPPLIES and not any(gained.values()):
        return scene.words.say("drive.sold_out", clause=clause)
    return _gaining(scene, clause, gained)


def _driven(scene: Scene, stops: int, citizen: str | None) -> str:
    phrase, place = "drive" if stops == 1 else "drive.paid", citizen
    ahead = scene.before["car"] + stops
    if ahead > STOPS and ahead % STOPS:  # the car stays at the harbour if the game ends there
        phrase, place = "drive.past", scene.citizens[ahead % STOPS - 1]
    fields = {
        "stops": scene.words.amount(stops, "stops"),
        "place": scene.words.name(place or "harbour"),
        "cost": scene.words.amount(stops - 1, "pesos"),
    }
    return scene.say(phrase, **fields)


def _pick(scene: Scene) -> str:
    good = scene.verb[1]
    gained = Counter(scene.gained(scene.frame["seat"]))
    gained[good] -= 1
    return _gaining(scene, scene.say("pick", goods=scene.words.amount(1, good)), gained)


def _lawyer(scene: Scene) -> str:
    verb, *building = scene.verb
    if verb == "pass":
        clause = scene.say("lawyer.pass")
    else:
        clause = scene.say(verb, building=scene.words.name(building[0]))
    return _gaining(scene, clause, scene.gained(scene.frame["seat"]))


def _tribute(scene: Scene) -> str:
    given, taker = scene.words.amount(1, _given(scene)), scene.before["active"]
    if taker == scene.you:
        return scene.say("give.you", thing=given)
    return scene.say("give", thing=given, other=scene.labels[taker])


def _given(scene: Scene) -> str:
    """Return what El Zorro gets."""
    return {"peso": "pesos"}.get(scene.verb[1], scene.verb[1])


def _thief_visits(scene: Scene) -> list[str]:
    """Return what the thief's building gives after the last tribute (B2)."""
    if scene.frame["kind"] != "tribute":
        return []
    words, thief = scene.words, scene.before["active"]
    gained = Counter(scene.gained(thief))
    gained[_given(scene)] -= 1
    if not any(gained.values()):
        return []
    building = words.name(scene.before["players"][thief]["pawn"] or "")
    name, gains = scene.actor(thief), scene.amounts(+gained)
    to_thief = thief == scene.you
    return [words.say("thief.visit", to_actor=to_thief, name=name, gains=gains, building=building)]


def _visit(scene: Scene) -> str:
    clause = scene.say("visit", building=scene.words.name(scene.verb[1]))
    gained = scene.gained(scene.frame["seat"])
    if scene.ends_turn and not gained:
        return scene.say("visit.unused", clause=clause)
    return _gaining(scene, clause, gained)


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


def _ending(scene: Scene, document: Document) -> str:
    words, result = scene.words, document["result"]
    best = [seat for seat, rank in enumerate(document["ranks"]) if rank == 1]
    if result["type"] == "forfeit":
        to_actor, names = scene.you in best, scene.objects(best)
        return _sentences(scene, [words.say("end.forfeit", to_actor=to_actor, names=names)])
    scores = result["scores"]
    vp = words.amount(scores[best[0]]["vp"], "vp")
    won = scene.say_of("end" if len(best) == 1 else "end.shared", best, vp=vp)
    reason = "ship.last" if result["reason"] == "ships" else "end.turns"
    faulted = {frame["seat"] for frame in document["frames"] if frame["type"] == "fault"}
    clauses = [words.say(reason), words.say("end.goods"), won]
    clauses += _tie(scene, [one for one in scores if one["seat"] not in faulted], scores[best[0]])
    if any(scores[seat]["vp"] >= scores[best[0]]["vp"] for seat in faulted):
        clauses.append(words.say("end.faulted"))
    return _sentences(scene, clauses)


def _tie(scene: Scene, scores: Sequence[Score], won: Score) -> list[str]:
    """Return how the tie between the winner and seats with as many VP was broken (E2)."""
    beaten = [score for score in scores if score["vp"] == won["vp"] and score["rank"] > won["rank"]]
    by_goods = [score["seat"] for score in beaten if score["leftover"] < won["leftover"]]
    by_pesos = [score["seat"] for score in beaten if score["leftover"] == won["leftover"]]
    return [
        scene.words.say(phrase, others=scene.objects(seats))
        for phrase, seats in (("end.tie.goods", by_goods), ("end.tie.pesos", by_pesos))
        if seats
    ]
