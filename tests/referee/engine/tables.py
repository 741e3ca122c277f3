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


def hard_to_see() -> Position:
    """Return a position in which `own trading-office` is nearly best, and seems bad at first."""
    return Position.parse(
        "citizens=el-zorro:none,martinez:blue,jose:yellow,maria:red,pablo:red,pedro:white,"
        "miguel:blue,alonso:white,conchita:yellow buildings=cigar-factory,bank,casino,cafe,"
        "newspaper,harbour-office,sawmill,black-market,customs,church,trading-office,distillery "
        "turn=7 active=0 ship=1 value=3 car=8 silenced=none demand=citrus:4,tobacco:0,rum:1,"
        "cigars:1 owners=newspaper:2 phase=lawyer seat=0 p0=6/0/3,3,1,0,0,0/casino "
        "p1=2/4/2,1,1,0,1,0/bank p2=0/6/0,1,0,1,0,0/black-market"
    )
