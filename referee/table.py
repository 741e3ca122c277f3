"""A table: who still plays, on which clocks, and the caretaker for those who do not."""

from collections.abc import Sequence
from time import monotonic

from referee.clock import Clock, SeatClock
from referee.faults import Fault, SeatFault
from referee.game import Game
from referee.seats import Allowance, GameOver, SeatPlayer


class Table:
    """The seats around one game."""

    def __init__(self, game: Game, players: Sequence[SeatPlayer], clock: Clock) -> None:
        self._game = game
        self._players = players
        self._clocks = [SeatClock(clock) for _ in players]
        self._in_play = list(range(len(players)))
        self._decisions = 0
        self._free_since = monotonic()  # since when no bot's clock runs

    async def play(self) -> None:
        """Plays until the game is over, or only one seat has not faulted. Raises Interrupted."""
        while self._game.run_to_decision() and len(self._in_play) > 1:
            seat = self._game.position.seat
            if seat in self._in_play:
                await self._ask(seat)
            else:
                self._game.choose_for_absent()

    def end(self, over: GameOver) -> None:
        """Tells those who still play how the game ended."""
        for seat in self._in_play:
            self._players[seat].end(self._game, over)

    async def _ask(self, seat: int) -> None:
        """The seat makes its move, or faults."""
        self._decisions += 1
        clock = self._clocks[seat]
        time = Allowance(clock.start_move(), clock.bank)
        try:
            answer = await self._players[seat].decide(self._game, self._decisions, time)
        except SeatFault as fault:
            self._dismiss(Fault(seat, fault.code, fault.sentence, fault.received))
            self._free_since = monotonic()
            return
        clock.end_move(answer.think)
        now = monotonic()
        overhead = max(0.0, now - self._free_since - answer.think)
        self._free_since = now
        self._game.choose(answer.move, answer.think, overhead)

    def _dismiss(self, fault: Fault) -> None:
        self._in_play.remove(fault.seat)
        self._game.fault(fault)
        self._players[fault.seat].dismiss(self._game, fault)
