"""The table before the first roll (S1, S4)."""

from .names import GOODS, Player, Setup, Table

CAPITAL = {"sugar": 1, "citrus": 1, "tobacco": 1}
OF_EACH_GOOD = 8


def table_of(setup: Setup) -> Table:
    """The table as it stands when the setup line has been read."""
    seats = setup["players"]
    return {
        "ship": 1,
        "value": 2,
        "demand": {},
        "car": 0,
        "silenced": [],
        "supply": {good: OF_EACH_GOOD - seats * CAPITAL.get(good, 0) for good in GOODS},
        "owners": {},
        "active": 0,
        "turn": 0,
        "players": [newcomer() for _ in range(seats)],
    }


def newcomer() -> Player:
    """A player with the starting capital, the pawn not yet on the board."""
    goods = {good: CAPITAL.get(good, 0) for good in GOODS}
    return {"pesos": 3, "vp": 2, "goods": goods, "pawn": None, "markers": 3}
