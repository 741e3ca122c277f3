"""Which games a local tournament plays: line-ups, deals, layouts, dice."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from random import Random

from ladder.contests.pairings import PlannedDeal, Table, endless_deals, rotations
from ladder.contests.round_robin import gauntlet_tables, round_robin_tables
from referee.dice import SEED_BYTES
from referee.rules import Layout


class Pairing(StrEnum):
    """Who meets whom."""

    ROUND_ROBIN = "round robin"
    """Every combination of the entrants."""
    GAUNTLET = "gauntlet"
    """Every combination in which the first entrant sits."""
    DUEL = "duel"
    """Two entrants alone, who fill the table between them.

    At 3 seats a deal is A B B and B A A, each in every rotation: neither has the company of its
    own kind more often. At 4 seats it is two of each, in an order drawn anew for each deal.
    """


@dataclass(frozen=True, slots=True)
class PlannedGame:
    """One game to play: which entrant sits where, on which layout, with which luck."""

    number: int
    """From 1."""
    deal: int
    """Games of one deal share a layout, and rotate the seats."""
    entrants: Table
    """By seat, as indices of the entrants."""
    layout: Layout
    dice_seed: bytes
    shared_dice: bool = False
    """All games of the deal have the same dice; so the bots' nonces are left out of them."""


def plan(
    entrants: int,
    seats: int,
    rng: Random,
    pairing: Pairing = Pairing.ROUND_ROBIN,
    *,
    shared_dice: bool = False,
) -> Iterator[PlannedGame]:
    """The games of a tournament, deal after deal without end. Raises Refused.

    The same luck gives the same games, however many of them are taken.
    """
    numbers = count(1)
    for deal, planned in enumerate(_deals(entrants, seats, pairing, rng)):
        layout = Layout.shuffled(Random(planned.layout_seed))
        dice_seed = rng.randbytes(SEED_BYTES)
        for table in planned.matches:
            yield PlannedGame(next(numbers), deal, table, layout, dice_seed, shared_dice)
            if not shared_dice:
                dice_seed = rng.randbytes(SEED_BYTES)


def games_of(entrants: int, seats: int, pairing: Pairing, deals: int) -> int:
    """How many games there are where every line-up has so many deals. Raises Refused."""
    if pairing is Pairing.DUEL:
        return deals * (6 if seats == 3 else seats)
    return deals * seats * len(_tables(entrants, seats, pairing))


def _deals(entrants: int, seats: int, pairing: Pairing, rng: Random) -> Iterator[PlannedDeal]:
    if pairing is not Pairing.DUEL:
        return endless_deals(_tables(entrants, seats, pairing), rng)
    return _duels(seats, rng)


def _tables(entrants: int, seats: int, pairing: Pairing) -> list[Table]:
    if pairing is Pairing.GAUNTLET:
        return gauntlet_tables(range(entrants), seats=seats)
    return round_robin_tables(range(entrants), seats=seats)


def _duels(seats: int, rng: Random) -> Iterator[PlannedDeal]:
    """Deals of the two entrants 0 and 1."""
    if seats != 3:
        yield from endless_deals([(0, 1) if seats == 2 else (0, 0, 1, 1)], rng)
    for deal in endless_deals([(0, 1, 1)], rng):
        others = tuple(1 - entrant for entrant in deal.matches[0])
        yield PlannedDeal(deal.layout_seed, deal.matches + rotations(others))
