"""Two signs of collusion in the decisions: what one bot is given, and what is paid for that."""

from itertools import permutations

import numpy as np

from ladder.ratings.collusion.favours import MEASURES, DecisionKind
from ladder.ratings.collusion.signs import Seen
from ladder.ratings.plackett_luce import Floats, Ints


def decision_signs(deals: Ints, tables: Ints, given: Floats, bots: int) -> list[list[Seen]]:
    """See what decisions gave: for each measure (see `favours`) a sign for each kind of decision.

    `tables` are the bots (matches, seats), `given` the favours (matches, measures, kinds, seat that
    decides, seat that gains). From tables of three on, a favour counts by how much larger it is
    than those for the others at the same table: what a game gives everybody does not matter.
    """
    return [
        [_sign(deals, tables, given[:, measure, kind], bots) for kind in DecisionKind]
        for measure in range(len(MEASURES))
    ]


def _sign(deals: Ints, tables: Ints, given: Floats, bots: int) -> Seen:
    seats = range(tables.shape[1])
    pairs = list(permutations(seats, 2))
    favours = []
    for helper, friend in pairs:
        others = [seat for seat in seats if seat != helper]
        mean = given[:, helper, others].mean(axis=1) if len(others) > 1 else 0.0
        favours.append(given[:, helper, friend] - mean)
    surplus = np.concatenate(favours)
    surplus -= surplus.mean()
    surplus /= surplus.std() or 1.0
    return Seen(
        helpers=np.concatenate([tables[:, helper] for helper, _ in pairs]),
        friends=np.concatenate([tables[:, friend] for _, friend in pairs]),
        deals=np.tile(deals, len(pairs)),
        weight=np.ones(len(surplus)),
        surplus=surplus,
        variance=np.ones(len(surplus)),
        skew=np.full(len(surplus), (surplus**3).mean()),
        bots=bots,
    )
