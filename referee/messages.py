"""Turns the game into messages of the wire: setup, clock, goods, moves, views, scores.

A piece's number on the wire is its number in the rules plus one, since 0 means "not set" there.

An encoded message is its fields one after the other. So the parts of a view are encoded once,
then looked up and joined: little of a table changes from one decision to the next, and building a
message field by field costs several times as much.
"""

from functools import lru_cache
from typing import Any, Final

from referee.clock import Clock
from referee.rules import Layout, Move, Position, Score, cells as at, move_text, moves as verbs
from referee.rules.legal_moves import building_in_use
from referee.rules.pieces import BUILDINGS, CIGARS, CITIZENS, NO_FLOWER, RUM, SPACE_FLOWERS
from referee.wire import bot_pb2, game_pb2

_CITIZEN_VERBS: Final = (verbs.SILENCES,)
_BUILDING_VERBS: Final = (verbs.OWNS, verbs.USES, verbs.VISITS)
_GOOD_VERBS: Final = (verbs.TAKES, verbs.CLEARS, verbs.SHIPS_ONE, verbs.EXCLUDES)
_COUNT_VERBS: Final = (verbs.DRIVES, verbs.CONVERTS, verbs.BUYS, verbs.SELLS)
_DEMAND: Final = slice(at.DEMAND, at.DEMAND + CIGARS + 1)
_SUPPLY: Final = slice(at.SUPPLY, at.SUPPLY + 6)
_OWNERS: Final = slice(at.OWNER, at.OWNER + len(BUILDINGS))
_BLOCKS: Final = tuple(slice(base, base + at.STRIDE) for base in at.PLAYER)


def setup_message(layout: Layout) -> game_pb2.Setup:
    """Return the board."""
    return game_pb2.Setup(
        citizens=[citizen + 1 for citizen in layout.citizens],  # type: ignore[misc]
        buildings=[building + 1 for building in layout.buildings],  # type: ignore[misc]
        space_flowers=[flower + 1 for flower in SPACE_FLOWERS],  # type: ignore[misc]
        citizen_flowers=[_flower(flower) for flower in layout.citizen_flowers],  # type: ignore[misc]
    )


def _flower(flower: int) -> int:
    return 0 if flower == NO_FLOWER else flower + 1


def layout_of(setup: game_pb2.Setup) -> Layout:
    """Return the layout of a setup: the inverse of `setup_message`. Raises InvalidLayout."""
    return Layout(
        tuple(citizen - 1 for citizen in setup.citizens),
        tuple(building - 1 for building in setup.buildings),
        tuple(NO_FLOWER if flower == 0 else flower - 1 for flower in setup.citizen_flowers),
    )


def clock_message(clock: Clock) -> game_pb2.Clock:
    """Return a clock, in milliseconds."""
    return game_pb2.Clock(
        move_limit_ms=round(clock.move_limit * 1000),
        bank_ms=round(clock.bank * 1000),
        increment_ms=round(clock.increment * 1000),
        start_up_ms=round(clock.start_up * 1000),
    )


def clock_of(message: game_pb2.Clock) -> Clock:
    """Return the clock in a message. Raises ValueError if nobody could play on it."""
    return Clock(
        move_limit=message.move_limit_ms / 1000,
        bank=message.bank_ms / 1000,
        increment=message.increment_ms / 1000,
        start_up=message.start_up_ms / 1000 or Clock().start_up,  # 0: not recorded
    )


@lru_cache(maxsize=4096)
def goods_message(units: tuple[int, ...]) -> game_pb2.Goods:
    """Return units by good, wood last or left out. The message is shared: do not change it."""
    return game_pb2.Goods(
        sugar=units[0],
        citrus=units[1],
        tobacco=units[2],
        rum=units[3],
        cigars=units[4],
        wood=units[5] if len(units) > CIGARS + 1 else 0,
    )


def dice_of(goods: game_pb2.Goods) -> tuple[int, ...]:
    """Return the five dice of a roll, by plain good."""
    return goods.sugar, goods.citrus, goods.tobacco, goods.rum, goods.cigars


def score_message(score: Score) -> game_pb2.Score:
    """Return a seat's score."""
    return game_pb2.Score(
        seat=score.seat, vp=score.vp, leftover=score.leftover, pesos=score.pesos, rank=score.rank
    )


@lru_cache(maxsize=4096)
def move_message(move: Move) -> game_pb2.Move:
    """Return a move in its three forms. The message is shared: do not change it."""
    verb, argument = move & verbs.VERB_MASK, move >> verbs.VERB_BITS
    return game_pb2.Move(
        action=move,
        text=move_text(move),
        verb=verb,  # type: ignore[arg-type]  # the same numbers
        **_arguments(verb, argument),
    )


def _arguments(verb: int, argument: int) -> dict[str, Any]:
    if verb in _COUNT_VERBS:
        return {"count": argument}
    if verb in _GOOD_VERBS:
        return {"good": argument + 1}
    if verb in _BUILDING_VERBS:
        return {"building": argument + 1}
    if verb in _CITIZEN_VERBS:
        return {"citizen": argument + 1}
    if verb == verbs.GIVES:
        return _gift(argument)
    if verb == verbs.SWAPS:
        return {"good": (argument >> 3) + 1, "other_good": (argument & 7) + 1}
    if verb in (verbs.DELIVERS, verbs.DELIVERS_WOOD):
        return {"count": argument >> 3, "good": (argument & 7) + 1}
    if verb == verbs.SERVES:
        return _served(argument)
    return {}


def _gift(argument: int) -> dict[str, Any]:
    if argument == verbs.GIFT_PESO:
        return {"gift": game_pb2.GIFT_PESO}
    if argument == verbs.GIFT_VP:
        return {"gift": game_pb2.GIFT_VP}
    return {"good": argument + 1}


def _served(argument: int) -> dict[str, Any]:
    if argument == verbs.SERVE_RUM | verbs.SERVE_CIGARS:
        return {"good": RUM + 1, "other_good": CIGARS + 1}
    return {"good": RUM + 1 if argument == verbs.SERVE_RUM else CIGARS + 1}


def encoded_view(position: Position) -> bytes:
    """Return the encoded View of a position, all of which a seat may see (V1).

    Its fields stand in the order of their numbers.
    """
    cells = position.cells
    asked_for_demand = cells[at.PHASE] == at.DEMAND_CHOICE
    parts = [_ship(cells[at.SHIP], cells[at.VALUE])]
    if not asked_for_demand and cells[at.EXCLUDED] != at.NO_DEMAND:
        parts.append(_demand(tuple(cells[_DEMAND]), cells[at.EXCLUDED]))
    parts.append(_street(cells[at.CAR], cells[at.SILENCED]))
    parts.append(_supply(tuple(cells[_SUPPLY])))
    if cells[at.OWNED]:
        parts.append(_owners(tuple(cells[_OWNERS])))
    parts.append(_turn(cells[at.ACTIVE], cells[at.TURN]))
    parts.extend(_player(tuple(cells[block])) for block in _BLOCKS[: position.players])
    if asked_for_demand:
        parts.append(_dice(tuple(cells[_DEMAND])))
    elif cells[at.PHASE] == at.FUNCTION:
        parts.append(_function(building_in_use(cells), cells[at.LAWYER] != 0))
    elif cells[at.PHASE] == at.DELIVER:
        parts.append(_in_round(cells[at.ROUND]))
    return b"".join(parts)


@lru_cache(maxsize=64)
def _ship(ship: int, value: int) -> bytes:
    return game_pb2.View(ship=ship, value=value).SerializeToString()


@lru_cache(maxsize=4096)
def _demand(units: tuple[int, ...], excluded: int) -> bytes:
    """Encode the units of each plain good that the ship demands, and the excluded good."""
    good: Any = excluded + 1
    demand = game_pb2.Demand(wanted=goods_message(units), excluded=good)
    return game_pb2.View(demand=demand).SerializeToString()


@lru_cache(maxsize=1024)
def _street(car: int, silenced: int) -> bytes:
    """Encode the car's stop, and the silenced citizens, given as a bit mask."""
    view = game_pb2.View(car=car)
    view.silenced.extend(
        citizen + 1  # type: ignore[misc]
        for citizen in range(len(CITIZENS))
        if silenced >> citizen & 1
    )
    return view.SerializeToString()


@lru_cache(maxsize=4096)
def _supply(units: tuple[int, ...]) -> bytes:
    return game_pb2.View(supply=goods_message(units)).SerializeToString()


@lru_cache(maxsize=1024)
def _owners(owners: tuple[int, ...]) -> bytes:
    """Encode the owned buildings, given the owner of each building."""
    owned = [
        game_pb2.Ownership(building=building + 1, seat=owner)  # type: ignore[arg-type]
        for building, owner in enumerate(owners)
        if owner != at.NOBODY
    ]
    return game_pb2.View(owners=owned).SerializeToString()


@lru_cache(maxsize=2048)
def _turn(active: int, turn: int) -> bytes:
    return game_pb2.View(active=active, turn=turn).SerializeToString()


@lru_cache(maxsize=4096)
def _player(block: tuple[int, ...]) -> bytes:
    """Encode a player, given the cells of its block."""
    pawn = block[at.PAWN]
    player = game_pb2.Player(
        pesos=block[at.PESOS],
        vp=block[at.VP],
        goods=goods_message(block[at.HELD : at.HELD + 6]),
        pawn=0 if pawn == at.OFF_BOARD else pawn + 1,  # type: ignore[arg-type]
        markers=block[at.MARKERS],
    )
    return game_pb2.View(players=[player]).SerializeToString()


@lru_cache(maxsize=4096)
def _dice(faces: tuple[int, ...]) -> bytes:
    """Encode the roll from which a good is to be excluded."""
    return game_pb2.View(dice=goods_message(faces)).SerializeToString()


@lru_cache(maxsize=64)
def _function(building: int, through_alonso: bool) -> bytes:
    """Encode the building that is used, and if it is used through Alonso before the pawn moves."""
    used: Any = building + 1
    return game_pb2.View(function=used, through_alonso=through_alonso).SerializeToString()


@lru_cache(maxsize=16)
def _in_round(seats: int) -> bytes:
    """Encode the seats that have not passed in a delivery round, given as a bit mask."""
    view = game_pb2.View(in_round=[seat for seat in range(len(_BLOCKS)) if seats >> seat & 1])
    return view.SerializeToString()


Made = tuple[int, Move, game_pb2.MadeBy]
"""A move that was made: seat, move, and who made it."""


def made_event(made: Made) -> game_pb2.Event:
    """Return a move that was made as an event."""
    seat, move, by = made
    event = game_pb2.MoveMade(seat=seat, action=move, text=move_text(move), by=by)
    return game_pb2.Event(move=event)


@lru_cache(maxsize=4096)
def encoded_made(made: Made) -> bytes:
    """Encode a move once: it is sent to each seat, and made again in other games."""
    return encoded_event(made_event(made))


def encoded_event(event: game_pb2.Event) -> bytes:
    """Encode a PlayRequest with this event alone; encoded messages are joined field by field."""
    return bot_pb2.PlayRequest(events=[event]).SerializeToString()
