"""Positions that the tests of the engine share."""

from referee.rules import Position
from tests.rules.table import player, table


def rich() -> Position:
    """The first seat can drive wherever it likes."""
    return table(player(pesos=12), player(rum=1), demand="sugar:2,citrus:1,tobacco:1,rum:1")


def last_delivery() -> Position:
    """The last ship wants one good, and it alone is worth the lead."""
    return table(
        player(sugar=1, vp=10),
        player(vp=11),
        ship=7,
        value=4,
        demand="sugar:1,citrus:0,tobacco:0,rum:0",
        round="0,1",
        phase="deliver",
    )
