"""Checks a replay: that the rules allow it, that the dice were fair, that the result follows."""

from referee import dice
from referee.errors import ReplayError
from referee.replay.simulation import Step, StepKind, simulate, start
from referee.results import result_message
from referee.wire import replay_pb2


def verify(replay: replay_pb2.Replay) -> None:
    """Re-simulates a game. Raises ReplayError, which names the first thing that is wrong."""
    position = start(replay)
    luck = _luck(replay)
    faulted: list[int] = []
    number = 0
    for step in simulate(position, replay):
        if step.entry is None:
            continue
        number += 1
        wrong = _wrong(step, luck, faulted, len(replay.seats))
        if wrong:
            raise ReplayError(f"Entry {number} of the replay is wrong: {wrong}")
    if not position.is_over and len(faulted) < len(replay.seats) - 1:
        raise ReplayError(f"The replay ends after entry {number}, before the game is over.")
    if replay.result != result_message(position, faulted):
        raise ReplayError("The result of the replay is not the one that the game comes to.")


def _luck(replay: replay_pb2.Replay) -> dice.Dice:
    if dice.commitment(replay.dice_seed) != replay.dice_commitment:
        raise ReplayError("The dice seed is not the one that was committed to before the game.")
    nonces = [seat.nonce for seat in replay.seats]
    if max(map(len, nonces)) > dice.MAX_NONCE_BYTES:
        raise ReplayError("A nonce is longer than 32 bytes.")
    return dice.Dice(replay.dice_seed, replay.attempt, nonces)


def _wrong(step: Step, luck: dice.Dice, faulted: list[int], seats: int) -> str:
    """What is wrong with a recorded step, or nothing. Keeps `faulted` up to date."""
    if len(faulted) == seats - 1:
        return "the game had ended, since only one seat had not faulted."
    if step.kind is StepKind.ROLL:
        fair = luck.roll()
        return "" if step.dice == fair else f"the dice were {step.dice}; the seed gives {fair}."
    if step.kind is StepKind.FAULT:
        if step.seat in faulted:
            return f"seat {step.seat} had faulted before."
        faulted.append(step.seat)
        return ""
    by = "caretaker" if step.seat in faulted else "bot"
    return "" if step.by == by else f"it was made by the {step.by}, but the {by} played that seat."
