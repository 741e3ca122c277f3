"""The trace of a recorded game, as the notation page lays down."""

from collections.abc import Iterable, Iterator

from referee.faults import FaultCode
from referee.replay.simulation import StepKind, simulate, start
from referee.rules.trace import Line, decision_line, result_line, roll_line, setup_line
from referee.wire import replay_pb2


def trace(replay: replay_pb2.Replay) -> Iterator[Line]:
    """The lines of the trace. Raises ReplayError at the first entry that is wrong."""
    position = start(replay)
    faults: dict[int, str] = {}
    yield setup_line(position.layout, position.players, replay.dice_seed.hex() or None)
    for step in simulate(position, replay):
        if step.kind is StepKind.FAULT and step.entry is not None:
            faults[step.seat] = FaultCode(step.entry.fault.code).word
        elif step.dice is not None:
            yield roll_line(step.seat, step.dice)
        elif step.move is not None and step.entry is not None:
            yield decision_line(position, step.move)
    outcome = position.outcome()
    if outcome is None:
        yield forfeit_line(replay.result.ranks, faults)
    else:
        yield result_line(position, outcome)


def forfeit_line(ranks: Iterable[int], faults: dict[int, str]) -> Line:
    """The last line of a game that ended since at most one seat had not faulted."""
    return {
        "type": "forfeit",
        "ranks": [
            {"seat": seat, "rank": rank, "fault": faults.get(seat)}
            for seat, rank in enumerate(ranks)
        ],
    }
