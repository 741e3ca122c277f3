"""Which ladder gets the next deal, by the parts that the operator gave them. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from ladder.contests.ladders import Ladder


def in_turn(ladders: Sequence[Ladder], lately: Mapping[int, int], rng: Random) -> list[Ladder]:
    """All that have a part: the first has had least of it, and gets the deal if it has a table.

    `lately`: the newest matches by number of seats. Shares are of matches, and a deal for n seats
    has n of them. Nothing is drawn but the order of equals: a ladder whose deal has to wait for a
    while would lose draw after draw to those of smaller tables.
    """
    with_part = [ladder for ladder in ladders if ladder.share > 0]
    order = rng.sample(with_part, len(with_part))
    return sorted(order, key=lambda ladder: lately.get(ladder.seats, 0) / ladder.share)
