"""What changed between two moments of a game: the difference of their states, nothing more."""

from collections.abc import Callable
from typing import Any, Final

from referee.rules.trace import Line

Change = dict[str, Any]
"""`what` changed, for whom (`seat`, None for the table), `by` how much or `from` what `to` what."""

_COUNTED: Final = ("pesos", "vp", "markers")
_TABLE: Final = ("car", "value", "ship", "turn", "active")


def changes(before: Line, after: Line) -> list[Change]:
    """The changes from one STATE of the notation to another of the same game."""
    found: list[Change] = []  # most parts are equal, and need no look at what is in them
    for seat, (old, new) in enumerate(zip(before["players"], after["players"], strict=True)):
        if old != new:
            found += _of_player(seat, old, new)
    for what in _TABLE:
        if before[what] != after[what]:
            found += _moved(None, what, before[what], after[what])
    for part in ("demand", "silenced", "owners"):
        if before[part] != after[part]:
            found += _OF_PART[part](before[part], after[part])
    return found


def _of_demand(before: Line, after: Line) -> list[Change]:
    found: list[Change] = []
    for good in {**before, **after}:
        found += _moved(None, f"demand:{good}", before.get(good), after.get(good))
    return found


def _of_silenced(before: list[str], after: list[str]) -> list[Change]:
    found: list[Change] = []
    for citizen in dict.fromkeys((*before, *after)):
        found += _moved(None, f"silenced:{citizen}", citizen in before, citizen in after)
    return found


def _of_owners(before: Line, after: Line) -> list[Change]:
    found: list[Change] = []
    for building, owner in after.items():
        found += _moved(None, f"owner:{building}", before.get(building), owner)
    return found


def _of_player(seat: int, old: Line, new: Line) -> list[Change]:
    counts = [(what, old[what], new[what]) for what in _COUNTED]
    counts += [(good, held, new["goods"][good]) for good, held in old["goods"].items()]
    gained = [
        {"seat": seat, "what": what, "by": now - was} for what, was, now in counts if was != now
    ]
    return gained + _moved(seat, "pawn", old["pawn"], new["pawn"])


def _moved(seat: int | None, what: str, was: object, is_now: object) -> list[Change]:
    return [] if was == is_now else [{"seat": seat, "what": what, "from": was, "to": is_now}]


_OF_PART: Final[dict[str, Callable[[Any, Any], list[Change]]]] = {
    "demand": _of_demand,
    "silenced": _of_silenced,
    "owners": _of_owners,
}
