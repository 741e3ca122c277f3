"""Moves as messages of the wire, each in its three forms."""

from functools import lru_cache
from typing import Any, Final

from referee.rules import Move, move_text
from referee.rules import moves as verbs
from referee.rules.pieces import CIGARS, RUM
from referee.wire import game_pb2

_CITIZEN_VERBS: Final = (verbs.SILENCES,)
_BUILDING_VERBS: Final = (verbs.OWNS, verbs.USES, verbs.VISITS)
_GOOD_VERBS: Final = (verbs.TAKES, verbs.CLEARS, verbs.SHIPS_ONE, verbs.EXCLUDES)
_COUNT_VERBS: Final = (verbs.DRIVES, verbs.CONVERTS, verbs.BUYS, verbs.SELLS)


@lru_cache(maxsize=4096)
def move_message(move: Move) -> game_pb2.Move:
    """A move in its three forms. The message is shared: it must not be changed."""
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
