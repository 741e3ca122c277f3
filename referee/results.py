"""Results: who is ranked where, with and without faults."""

from collections.abc import Sequence
from typing import Final

from referee.messages import score_message
from referee.rules import Position, Score
from referee.wire import game_pb2

REASON_WORDS: Final = {
    game_pb2.END_REASON_SHIPS: "ships",
    game_pb2.END_REASON_TURNS: "turns",
    game_pb2.END_REASON_FORFEIT: "forfeit",
}
"""How a game ended, as it stands in traces and tables."""
_REASONS: Final = {word: reason for reason, word in REASON_WORDS.items()}


def result_message(position: Position, faulted: Sequence[int]) -> game_pb2.Result:
    """How a game ended: by the rules where it is over, by forfeit where it is not."""
    outcome = position.outcome()
    if outcome is None:
        return game_pb2.Result(
            reason=game_pb2.END_REASON_FORFEIT,
            ranks=table_ranks(position.players, faulted, None),
        )
    return game_pb2.Result(
        reason=_REASONS[outcome.reason.value],
        ranks=table_ranks(position.players, faulted, outcome.scores),
        scores=[score_message(score) for score in outcome.scores],
    )


def table_ranks(
    seats: int, faulted: Sequence[int], scores: Sequence[Score] | None
) -> tuple[int, ...]:
    """Ranks by seat, from 1, ties shared.

    `faulted`: the seats that have faulted, in that order; they rank below all others, a later
    fault above an earlier one. `scores`: those of the finished game; None after a forfeit.
    """
    standing = [seat for seat in range(seats) if seat not in faulted]
    ranks = [0] * seats
    for seat in standing:
        better = [other for other in standing if scores and scores[other].rank < scores[seat].rank]
        ranks[seat] = 1 + len(better)
    for place, seat in enumerate(reversed(faulted)):
        ranks[seat] = 1 + len(standing) + place
    return tuple(ranks)
