"""Positions that the tests of the engine share."""

from collections.abc import Iterator
from random import Random

from referee.rules import Layout, Position, roll_dice
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


def visited(players: int, games: int = 1) -> Iterator[Position]:
    """Yield each position of games that are played by chance, but their ends."""
    rng = Random(players)
    for _ in range(games):
        position = Position.start(Layout.shuffled(rng), players)
        while not position.is_over:
            yield position.copy()
            if position.legal_moves:
                position.apply(rng.choice(position.legal_moves))
            else:
                position.roll(roll_dice(rng))
