"""Checks a replay: the rules allow it, the luck was fair, the result follows."""

from referee import dice
from referee.errors import ReplayError
from referee.game import result_message
from referee.messages import goods_message
from referee.replay.simulation import Step, simulate, start, wrong_entry
from referee.rules import Position, move_text
from referee.wire import replay_pb2


def verify(replay: replay_pb2.Replay) -> None:
    """Play a recorded game again. Raises ReplayError, which names the first thing that is wrong."""
    position = start(replay)
    luck = _luck(replay)
    faulted: list[int] = []
    number = 0
    for step in simulate(position, replay):
        if step.entry is None:
            continue
        number += 1
        wrong = _wrong(position, step, luck, faulted)
        if wrong:
            raise wrong_entry(number, wrong)
    if not position.is_over and len(faulted) < position.players - 1:
        raise ReplayError(f"The replay ends after entry {number}, before the game is over.")
    if replay.result != result_message(position, faulted):
        raise ReplayError("The result of the replay is not the one that the game comes to.")


def _luck(replay: replay_pb2.Replay) -> dice.Luck:
    if dice.commitment(replay.dice_seed) != replay.dice_commitment:
        raise ReplayError("The dice seed is not the one that was committed to before the game.")
    if len(replay.dice_seed) != dice.SEED_BYTES:
        raise ReplayError(f"The dice seed does not have {dice.SEED_BYTES} bytes.")
    nonces = [seat.nonce for seat in replay.seats]
    if max(map(len, nonces)) > dice.MAX_NONCE_BYTES:
        raise ReplayError(f"A nonce is longer than {dice.MAX_NONCE_BYTES} bytes.")
    return dice.Luck(replay.dice_seed, replay.attempt, nonces)


def _wrong(position: Position, step: Step, luck: dice.Luck, faulted: list[int]) -> str:
    """Return what is wrong with a recorded step, or "". Adds a seat that faults to `faulted`."""
    if len(faulted) == position.players - 1:
        return "the game had ended, since only one seat had not faulted."
    if step.move is not None:
        return _wrong_move(position, step, luck, absent=step.seat in faulted)
    if step.dice is not None:
        return _wrong_roll(step, luck.roll())
    if step.seat in faulted:
        return f"seat {step.seat} had faulted before."
    faulted.append(step.seat)
    return ""


def _wrong_roll(step: Step, fair: tuple[int, ...]) -> str:
    if step.entry is not None and step.entry.roll.dice == goods_message(fair):
        return ""
    return f"the dice were {step.dice}; the seed gives {fair}."


def _wrong_move(position: Position, step: Step, luck: dice.Luck, *, absent: bool) -> str:
    by = "caretaker" if absent else "bot"
    if step.by != by:
        return f"the move was made by the {step.by}, but the {by} played that seat."
    if absent:
        due = luck.choose(position.legal_moves)
        if step.move != due:
            return f"the caretaker's move was to be '{move_text(due)}'."
    return ""
