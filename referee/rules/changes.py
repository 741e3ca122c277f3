"""What changed between two moments of a game: the difference of their states, nothing more."""

from typing import Any, Final

from referee.rules.trace import Line

Change = dict[str, Any]
"""`what` changed, for whom (`seat`, None for the table), `by` how much or `from` what `to` what."""

_COUNTED: Final = ("pesos", "vp", "markers")
_TABLE: Final = ("car", "value", "ship", "turn", "active")


def changes(before: Line, after: Line) -> list[Change]:
    """The changes from one STATE of the notation to another of the same game."""
    found: list[Change] = []
    for seat, (old, new) in enumerate(zip(before["players"], after["players"], strict=True)):
        found += _of_player(seat, old, new)
    for what in _TABLE:
        found += _moved(None, what, before[what], after[what])
    for good in {**before["demand"], **after["demand"]}:
        found += _moved(
            None, f"demand:{good}", before["demand"].get(good), after["demand"].get(good)
        )
    for citizen in {**dict.fromkeys(before["silenced"]), **dict.fromkeys(after["silenced"])}:
        was, is_now = citizen in before["silenced"], citizen in after["silenced"]
        found += _moved(None, f"silenced:{citizen}", was, is_now)
    for building, owner in after["owners"].items():
        found += _moved(None, f"owner:{building}", before["owners"].get(building), owner)
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
