"""Tributes: who gave to whom when El Zorro was visited."""

from __future__ import annotations

from collections import Counter

from referee.replay.simulation import StepKind, simulate, start
from referee.rules.cells import TRIBUTE
from referee.wire import replay_pb2


def tributes(replay: replay_pb2.Replay) -> tuple[tuple[int, int, int], ...]:
    """(seat of the taker, seat of the giver, how many things) over the game. Raises ReplayError.

    A giver with only one kind of thing has no choice: such gifts are not in the replay, and only
    playing it again shows them.
    """
    given: Counter[tuple[int, int]] = Counter()
    position = start(replay)
    for step in simulate(position, replay):
        if step.kind is StepKind.MOVE and position.phase == TRIBUTE:
            given[position.active, step.seat] += 1
    return tuple((taker, giver, number) for (taker, giver), number in sorted(given.items()))
