"""The clock of a seat: a limit a move, a bank a game, an increment a decision."""

from math import inf, nan

import pytest

from referee.clock import Clock
from referee.faults import Fault, FaultCode, SeatFault
from referee.game import Game
from referee.match import SeatClock, play_table
from referee.seats.player import Allowance, GameOver, Invitation, TimedMove
from tests.referee.games import match_of


def test_the_increment_comes_before_the_move() -> None:
    clock = SeatClock(Clock(move_limit=10, bank=1, increment=0.5))
    assert clock.start_move() == 1.5
    clock.end_move(1.25)
    assert clock.bank == 0.25
    assert clock.start_move() == 0.75


def test_a_move_has_no_more_than_its_limit() -> None:
    clock = SeatClock(Clock(move_limit=2, bank=60, increment=1))
    assert clock.start_move() == 2
    clock.end_move(2)
    assert clock.bank == 59


def test_a_bank_is_never_overdrawn() -> None:
    clock = SeatClock(Clock(move_limit=10, bank=1, increment=0))
    clock.start_move()
    clock.end_move(1.03)  # as late as a time-out may be noticed
    assert clock.bank == 0
    assert clock.start_move() == 0


@pytest.mark.parametrize(
    ("move_limit", "bank", "increment"),
    [
        (0, 60, 1),
        (-1, 60, 1),
        (3601, 60, 1),
        (nan, 60, 1),
        (inf, 60, 1),
        (10, -1, 1),
        (10, 36001, 1),
        (10, nan, 1),
        (10, 60, -0.5),
        (10, 60, 61),
        (10, 60, nan),
        (10, 0, 0),
    ],
)
def test_a_clock_on_which_nobody_could_play_is_refused(
    move_limit: float, bank: float, increment: float
) -> None:
    with pytest.raises(ValueError, match="A clock needs"):
        Clock(move_limit, bank, increment)


@pytest.mark.parametrize("start_up", [0, -1, 600.5, nan])
def test_bots_have_up_to_ten_minutes_to_start(start_up: float) -> None:
    assert Clock(start_up=600).start_up == 600
    with pytest.raises(ValueError, match="start-up time"):
        Clock(start_up=start_up)


def test_a_bank_alone_and_increments_alone_are_clocks() -> None:
    Clock(move_limit=10, bank=60, increment=0)
    Clock(move_limit=10, bank=0, increment=0.1)


def test_a_clock_may_be_as_slow_as_its_limits_say() -> None:
    Clock(move_limit=3600, bank=36000, increment=60)


async def test_what_a_seat_waits_for_processors_is_on_nobodys_clock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each seat waits for 3 of the 5 seconds in which it accepts, chooses, or faults."""
    now = 1000.0
    monkeypatch.setattr("referee.match.monotonic", lambda: now)

    class Hosted:
        waiting = 0.0

        def _wait(self) -> None:
            nonlocal now
            now += 5.0
            self.waiting += 3.0

        async def accept(self, _: Invitation) -> bytes:
            self._wait()
            return b""

        async def decide(self, game: Game, decision_id: int, _: Allowance) -> TimedMove:
            self._wait()
            if decision_id == 2:
                raise SeatFault(FaultCode.CLOSED, "The bot failed.")
            return TimedMove(game.position.legal_moves[0], think=1.5)

        def dismiss(self, _: Game, __: Fault) -> None: ...

        def end(self, _: Game, __: GameOver) -> None: ...

        async def leave(self) -> None: ...

    replay = await play_table(match_of(["", ""]), [Hosted(), Hosted()])
    assert [seat.start_up_us for seat in replay.seats] == [2_000_000, 2_000_000]
    (chosen,) = (entry.chosen for entry in replay.entries if entry.HasField("chosen"))
    assert (chosen.think_us, chosen.overhead_us) == (1_500_000, 500_000)
    assert replay.entries[-1].fault.think_us == 2_000_000
