"""Where on the board a move is made: what lights up when a person has to choose."""

from collections.abc import Sequence

from referee.rules.pieces import STOPS

_AT_BUILDINGS = ("visit", "own", "use")
_AT_DICE = ("exclude", "clear", "ship", "deliver")


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
