"""A table as the rulebook would draw it: positions set by hand for the tests of the rulings.

    position = table(player(pesos=0), player(on="bank", rum=2), next_stop="pedro")
    assert played(position, "drive 1") == {"car": 1, "p0 tobacco": +2}
    assert legal(position) == {"visit harbour-office", "visit trading-office", "visit newspaper"}

Every table goes through the text form of positions, so nothing stands here that a bot could not
set up as well.
"""

from collections import Counter
from collections.abc import Iterable
from typing import TypedDict, Unpack

from referee.rules import Position, move_text
from referee.rules.pieces import GOODS, PLAIN_GOODS
from referee.rules.trace import state_json

HARBOUR = "harbour"
FLOWER_OF = {  # fixed here, so that a better knowledge of S3 leaves these tests alone
    "pedro": "white",
    "maria": "red",
    "jose": "yellow",
    "martinez": "blue",
    "conchita": "yellow",
    "el-zorro": "none",
    "miguel": "blue",
    "pablo": "red",
    "alonso": "white",
}
STREET = list(FLOWER_OF)
CITY = [
    *("distillery", "sawmill", "customs"),  # yellow: where José and Conchita send the pawn
    *("bank", "cigar-factory", "black-market"),  # blue: Martínez and Miguel
    *("church", "cafe", "casino"),  # red: María and Pablo
    *("harbour-office", "trading-office", "newspaper"),  # white: Pedro and Alonso
]


class Goods(TypedDict, total=False):
    """Units by good."""

    sugar: int
    citrus: int
    tobacco: int
    rum: int
    cigars: int
    wood: int


def player(pesos: int = 3, vp: int = 2, on: str = "none", **goods: Unpack[Goods]) -> str:
    """A player, by default without goods and with the pawn off the board."""
    units = ",".join(str(goods.get(good, 0)) for good in GOODS)
    return f"{pesos}/{vp}/{units}/{on}"


def table(
    *players: str,
    car: str = HARBOUR,
    next_stop: str | None = None,
    demand: str = "sugar:2,citrus:1,tobacco:1,rum:1",
    value: int = 2,
    ship: int = 1,
    active: int | None = None,
    turn: int | None = None,
    owners: str = "none",
    silenced: str = "none",
    street: Iterable[str] = STREET,
    phase: str = "drive",
    seat: int | None = None,
    **details: str,
) -> Position:
    """A position, by default at the start of seat 0's turn.

    The car stands at a named stop, or one stop before `next_stop`. `details` are the parts that
    only some phases have, such as `round`.
    """
    if active is None:
        active = (turn - 1) % len(players) if turn else 0
    stops = [HARBOUR, *street]
    parts = {
        "citizens": ",".join(f"{citizen}:{FLOWER_OF[citizen]}" for citizen in stops[1:]),
        "buildings": ",".join(CITY),
        "turn": 13 + active if turn is None else turn,
        "active": active,
        "ship": ship,
        "value": value,
        "car": (stops.index(next_stop) - 1) % len(stops) if next_stop else stops.index(car),
        "silenced": silenced,
        "demand": demand,
        "owners": owners,
        "phase": phase,
        "seat": active if seat is None else seat,
        **details,
        **{f"p{n}": text for n, text in enumerate(players)},
    }
    return Position.parse(" ".join(f"{key}={value}" for key, value in parts.items()))


def played(position: Position, *moves: str) -> dict[str, object]:
    """Plays legal moves, and forced ones within the turn, and says what changed on the table.

    What players have changes by how much (`"p0 pesos": -2`), all else to what it is now. Whose
    turn it is and what is asked is not told here: see `awaited` and `legal`.
    """
    before = _seen(position)
    for move in moves:
        position.step(position.parse_move(move))
        while len(position.legal_moves) == 1 and position.kind != "drive":
            position.step(position.legal_moves[0])
    return _changes(before, _seen(position))


def rolled(position: Position, **dice: int) -> None:
    """The dice fall; those that are not named show 0."""
    position.roll(tuple(dice.get(good, 0) for good in PLAIN_GOODS))


def awaited(position: Position) -> str:
    """Who has to do what next, as `seat 1: drive`; `over` when nobody has to."""
    return "over" if position.is_over else f"seat {position.seat}: {position.kind}"


def legal(position: Position) -> set[str]:
    """The texts of the legal moves; none of them stands there twice."""
    texts = Counter(map(move_text, position.legal_moves))
    assert set(texts.values()) <= {1}, f"legal more than once: {texts}"
    return set(texts)


def _seen(position: Position) -> dict[str, object]:
    """All that lies on the table, by name."""
    state = state_json(position)
    seen = {name: state[name] for name in ("ship", "value", "car", "silenced")}
    seen["demand"] = ",".join(f"{g}:{n}" for g, n in state["demand"].items()) or "none"
    seen |= {f"owner {building}": seat for building, seat in state["owners"].items()}
    for seat, one in enumerate(state["players"]):
        seen |= {f"p{seat} {name}": one[name] for name in ("pesos", "vp", "pawn", "markers")}
        seen |= {f"p{seat} {good}": units for good, units in one["goods"].items()}
    for good, left in state["supply"].items():
        assert left + sum(one["goods"][good] for one in state["players"]) == 8, good
    return seen


def _changes(before: dict[str, object], after: dict[str, object]) -> dict[str, object]:
    changes: dict[str, object] = {}
    for name, now in after.items():
        was = before.get(name)
        if name.startswith("p") and isinstance(now, int) and isinstance(was, int):
            if now != was:
                changes[name] = now - was
        elif now != was:
            changes[name] = now
    return changes
