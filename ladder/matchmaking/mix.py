"""Which ladder gets the next deal, by the parts that the operator gave them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from referee.clock import Clock


@dataclass(frozen=True, slots=True)
class LadderRules:
    """The ladder of one table size; see the table `ladders`."""

    seats: int
    share: int
    one_owner: bool
    clock: Clock


def in_turn(ladders: Sequence[LadderRules], rng: Random) -> list[LadderRules]:
    """All that have a part, in an order drawn anew: the first gets the deal if it has a table.

    Shares are of matches, and a deal for n seats has n of them.
    """
    left = [ladder for ladder in ladders if ladder.share > 0]
    order = []
    while left:
        chosen = rng.choices(left, [ladder.share / ladder.seats for ladder in left])[0]
        left.remove(chosen)
        order.append(chosen)
    return order
