"""A replay that was tampered with is found out, and the entry is named."""

import asyncio
from collections.abc import Callable
from functools import cache
from hashlib import sha256

import pytest

from referee.errors import ReplayError
from referee.game import Luck
from referee.match import play_table
from referee.replay import frames, trace, verify
from referee.rules import parse_move
from referee.seats.player import Invitation, LocalSeat
from referee.wire import game_pb2, replay_pb2
from tests.referee.games import DrawingBot, FaultyBot, local_game, match_of

Replay = replay_pb2.Replay


@cache
def _games() -> tuple[Replay, Replay, Replay]:
    return (
        local_game([DrawingBot] * 3),
        local_game([DrawingBot, FaultyBot, DrawingBot]),
        local_game([DrawingBot, FaultyBot]),
    )


def finished() -> Replay:
    """A copy of a game without faults."""
    return _copy(_games()[0])


def with_a_fault() -> Replay:
    """A copy of a game at three seats, in which seat 1 has faulted."""
    return _copy(_games()[1])


def forfeited() -> Replay:
    """A copy of a game at two seats, in which seat 1 has faulted."""
    return _copy(_games()[2])


def _copy(replay: Replay) -> Replay:
    return Replay.FromString(replay.SerializeToString())


def first(replay: Replay, what: str, after: int = 0) -> int:
    """The number, from 1, of the first entry of a kind after an entry."""
    entries = enumerate(replay.entries, 1)
    return next(n for n, entry in entries if n > after and entry.HasField(what))


def by_caretaker(replay: Replay) -> int:
    """The number of the caretaker's first move."""
    entries = enumerate(replay.entries, 1)
    return next(n for n, e in entries if e.chosen.by == game_pb2.MADE_BY_CARETAKER)


def refused(replay: Replay) -> str:
    """What `verify` has against a replay."""
    with pytest.raises(ReplayError) as caught:
        verify(replay)
    return str(caught.value)


def refused_entry(replay: Replay, number: int) -> str:
    """What `verify` has against an entry that it must name."""
    said = refused(replay)
    assert said.startswith(f"Entry {number} of the replay is wrong: ")
    return said


@pytest.mark.parametrize("game", [finished, with_a_fault, forfeited])
def test_a_true_replay_is_right(game: Callable[[], Replay]) -> None:
    verify(game())


def test_a_die_is_changed() -> None:
    replay = finished()
    number = first(replay, "roll", after=1)
    dice = replay.entries[number - 1].roll.dice
    dice.rum = (dice.rum + 1) % 4
    assert "the seed gives" in refused_entry(replay, number)


def test_a_die_is_impossible() -> None:
    replay = finished()
    replay.entries[0].roll.dice.sugar = 9
    refused_entry(replay, 1)


def test_wood_is_rolled() -> None:
    replay = finished()
    replay.entries[0].roll.dice.wood = 1
    refused_entry(replay, 1)


def test_a_move_is_not_legal() -> None:
    replay = finished()
    number = first(replay, "chosen", after=20)
    replay.entries[number - 1].chosen.action = parse_move("drive 99")
    assert "'drive 99' is not legal there" in refused_entry(replay, number)


def test_a_move_does_not_exist() -> None:
    replay = finished()
    number = first(replay, "chosen")
    replay.entries[number - 1].chosen.action = 2**64 - 1
    assert "not the number of a move" in refused_entry(replay, number)


def test_another_legal_move_leads_elsewhere() -> None:
    """The moves of a bot can't be proved, but a changed one hardly fits what follows."""
    replay = finished()
    number = first(replay, "chosen")
    excluded = replay.entries[number - 1].chosen
    other = next(g for g in ("sugar", "rum") if parse_move(f"exclude {g}") != excluded.action)
    excluded.action = parse_move(f"exclude {other}")
    assert "of the replay" in refused(replay)


def test_another_seat_moves() -> None:
    replay = finished()
    number = first(replay, "chosen", after=10)
    chosen = replay.entries[number - 1].chosen
    chosen.seat = (chosen.seat + 1) % 3
    assert "is due" in refused_entry(replay, number)


def test_another_seat_rolls() -> None:
    replay = finished()
    replay.entries[0].roll.seat = 0
    assert "seat 0 rolls, but seat 2 is due" in refused_entry(replay, 1)


def test_the_caretaker_moves_for_a_bot_that_plays() -> None:
    replay = finished()
    number = first(replay, "chosen")
    replay.entries[number - 1].chosen.by = game_pb2.MADE_BY_CARETAKER
    assert "but the bot played that seat" in refused_entry(replay, number)


def test_a_bot_moves_after_its_fault() -> None:
    replay = with_a_fault()
    number = by_caretaker(replay)
    replay.entries[number - 1].chosen.by = game_pb2.MADE_BY_BOT
    assert "but the caretaker played that seat" in refused_entry(replay, number)


def test_the_caretaker_chooses_otherwise() -> None:
    replay = with_a_fault()
    number, moves = choice_of_caretaker(replay)
    replay.entries[number - 1].chosen.action = moves[0]
    assert "the caretaker's move was to be" in refused_entry(replay, number)


def choice_of_caretaker(replay: Replay) -> tuple[int, list[int]]:
    """The number of its first move, and the other legal ones."""
    number = by_caretaker(replay)
    asked = sum(entry.HasField("chosen") for entry in replay.entries[: number - 1])
    decisions = [line for line in trace(replay) if line["type"] == "decision"]
    line = decisions[asked]
    return number, [parse_move(text) for text in line["legal"] if text != line["chosen"]]


def test_nobody_says_who_moved() -> None:
    replay = finished()
    number = first(replay, "chosen")
    replay.entries[number - 1].chosen.by = game_pb2.MADE_BY_REFEREE
    assert "neither the bot nor the caretaker" in refused_entry(replay, number)


def test_an_entry_is_dropped() -> None:
    replay = finished()
    number = first(replay, "roll", after=1)
    del replay.entries[number - 1]
    refused_entry(replay, number)


def test_the_last_entry_is_dropped() -> None:
    replay = finished()
    del replay.entries[-1]
    assert refused(replay) == (
        f"The replay ends after entry {len(replay.entries)}, before the game is over."
    )


def test_an_entry_is_doubled() -> None:
    replay = finished()
    replay.entries.insert(0, replay.entries[0])
    refused_entry(replay, 2)


def test_an_entry_is_empty() -> None:
    replay = finished()
    replay.entries.insert(4, replay_pb2.Entry())
    assert "it says nothing" in refused_entry(replay, 5)


def test_an_entry_follows_the_end() -> None:
    for entry in (finished().entries[0], finished().entries[-1], fault(0)):
        replay = finished()
        replay.entries.append(entry)
        assert "was over" in refused_entry(replay, len(replay.entries))


def test_an_entry_follows_a_forfeit() -> None:
    replay = forfeited()
    replay.entries.append(fault(1))
    assert "only one seat had not faulted" in refused_entry(replay, len(replay.entries))


def fault(seat: int, code: int = game_pb2.FAULT_CODE_TIMEOUT) -> replay_pb2.Entry:
    return replay_pb2.Entry(fault=game_pb2.Fault(seat=seat, code=code))  # type: ignore[arg-type]


def test_a_fault_is_put_in() -> None:
    replay = finished()
    number = first(replay, "chosen", after=30)
    replay.entries.insert(number - 1, fault(replay.entries[number - 1].chosen.seat))
    assert "but the caretaker played that seat" in refused_entry(replay, number + 1)


def test_a_fault_of_a_seat_that_was_not_asked() -> None:
    replay = finished()
    number = first(replay, "chosen", after=30)
    replay.entries.insert(number - 1, fault((replay.entries[number - 1].chosen.seat + 1) % 3))
    assert "faults, but seat" in refused_entry(replay, number)


def test_a_fault_of_an_unknown_code() -> None:
    replay = forfeited()
    replay.entries[-1].fault.code = 99  # type: ignore[assignment]
    assert "a fault of code 99 does not exist" in refused_entry(replay, len(replay.entries))
    with pytest.raises(ReplayError):
        list(trace(replay))
    with pytest.raises(ReplayError):
        frames(replay)


def test_a_second_fault() -> None:
    replay = with_a_fault()
    number = first(replay, "fault")
    replay.entries.insert(number, replay.entries[number - 1])
    assert "seat 1 had faulted before" in refused_entry(replay, number + 1)


def test_a_fault_is_taken_out() -> None:
    replay = with_a_fault()
    number = first(replay, "fault")
    del replay.entries[number - 1]
    refused_entry(replay, by_caretaker(replay))


@pytest.mark.parametrize("game", [finished, with_a_fault, forfeited])
def test_ranks_are_changed(game: Callable[[], Replay]) -> None:
    replay = game()
    ranks = list(replay.result.ranks)
    replay.result.ranks[:] = ranks[1:] + ranks[:1]
    assert "The result of the replay" in refused(replay)


def test_a_score_is_changed() -> None:
    replay = finished()
    replay.result.scores[0].vp += 1
    assert "The result of the replay" in refused(replay)


def test_the_reason_is_changed() -> None:
    replay = finished()
    replay.result.reason = game_pb2.END_REASON_TURNS
    assert "The result of the replay" in refused(replay)


def test_the_seed_is_changed() -> None:
    replay = finished()
    replay.dice_seed = bytes(32)
    assert "not the one that was committed to" in refused(replay)


def test_seed_and_commitment_are_changed() -> None:
    replay = finished()
    replay.dice_seed = bytes(32)
    replay.dice_commitment = sha256(bytes(32)).digest()
    refused_entry(replay, 1)


def test_a_short_seed_is_refused() -> None:
    replay = finished()
    replay.dice_seed = b"7"
    replay.dice_commitment = sha256(b"7").digest()
    assert "does not have 32 bytes" in refused(replay)


@pytest.mark.parametrize("change", ["attempt", "nonce"])
def test_what_goes_into_the_dice_is_changed(change: str) -> None:
    replay = finished()
    if change == "attempt":
        replay.attempt += 1
    else:
        replay.seats[1].nonce = b"other"
    refused_entry(replay, 1)


def test_a_long_nonce_is_refused() -> None:
    replay = finished()
    replay.seats[0].nonce = bytes(33)
    assert "longer than 32 bytes" in refused(replay)


def test_another_board_is_refused() -> None:
    replay = finished()
    replay.setup.citizens.reverse()
    assert "of the replay" in refused(replay)


def test_a_board_with_a_piece_twice_is_refused() -> None:
    replay = finished()
    replay.setup.citizens[0] = replay.setup.citizens[1]
    assert "setup" in refused(replay)


def test_other_flowers_above_the_spaces_are_refused() -> None:
    replay = finished()
    replay.setup.space_flowers[0] = game_pb2.FLOWER_WHITE
    assert "flowers" in refused(replay)


def test_another_version_of_the_rules_is_named() -> None:
    replay = finished()
    replay.rules_version = 2
    assert "rules version 2" in refused(replay)


def test_an_empty_replay_is_refused() -> None:
    assert "rules version 0" in refused(Replay())
    assert "setup" in refused(Replay(rules_version=1))


def test_the_wrong_number_of_seats_is_refused() -> None:
    replay = finished()
    del replay.seats[2:]
    refused_entry(replay, 1)
    del replay.seats[1:]
    assert "Two to four players" in refused(replay)


def test_a_nonce_of_a_seat_goes_into_the_dice() -> None:
    class Careful(LocalSeat):
        async def accept(self, invitation: Invitation) -> bytes:  # noqa: ARG002
            return b"mine"

    seats = [LocalSeat(DrawingBot()), Careful(DrawingBot())]
    replay = asyncio.run(play_table(match_of(["", ""], seed=5), seats))
    verify(replay)
    assert [seat.nonce for seat in replay.seats] == [b"", b"mine"]
    roll = Luck(replay.dice_seed, replay.attempt, [b"", b"mine"]).roll()
    assert replay.entries[0].roll.dice.sugar == roll[0]
    assert replay.entries[0].roll.dice != local_game([DrawingBot] * 2).entries[0].roll.dice
