"""A game in which the candidate has seats; the others' moves are drawn by chance."""

import asyncio
from random import Random
from typing import Final, Self

from referee.clock import Clock
from referee.conformance.candidate import Candidate
from referee.conformance.opening import opening
from referee.conformance.place import Alter, Place
from referee.conformance.stream import Ended
from referee.dice import Luck
from referee.game import Game
from referee.results import result_message
from referee.rules import Layout, Move, Position
from referee.wire import bot_pb2

_UNDER_WAY: Final = 0.05
"""Seconds in which a message has arrived."""


class Meeting:
    """One game, the same for the same `number` but for what the candidate chooses.

    As a context manager: the candidate has accepted inside the block, and all lines are hung up
    after it. Everything raises Failure.
    """

    def __init__(
        self,
        candidate: Candidate,
        *,
        players: int = 2,
        seats: tuple[int, ...] = (0,),
        number: int = 1,
        clock: Clock | None = None,
        alter: Alter | None = None,
        late: float = 0.0,
    ) -> None:
        """`late`: seconds from the dial to GameStart."""
        self._late = late
        self._rng = Random(number)
        self._layout = Layout.shuffled(self._rng)
        self._seed = self._rng.randbytes(32)
        self._nonces = [b""] * players
        self._decision_id = 1
        clock = clock or candidate.clock
        invitations = {
            seat: opening(f"check-{number}", seat, players, self._layout, self._seed, clock)
            for seat in seats
        }
        self.places = {seat: Place(candidate, invitations[seat], alter) for seat in seats}
        """The candidate's seats."""
        self.game: Game

    async def __aenter__(self) -> Self:
        try:
            await self._accept()
        except BaseException:
            await self._leave()
            raise
        luck = Luck(self._seed, 1, self._nonces)
        self.game = Game(Position.start(self._layout, len(self._nonces)), luck)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._leave()

    async def play(self, decisions: int | None = None) -> None:
        """Plays on until the candidate has made so many decisions; without a number to the end."""
        made = 0
        while made != decisions and self.to_decision():
            position = self.game.position
            place = self.places[position.seat]
            self._choose(await place.ask(position, self.game.events, self._decision_id))
            made += 1

    def to_decision(self) -> bool:
        """Plays on until a decision of the candidate stands; False when the game is over."""
        while self.game.run_to_decision():
            position = self.game.position
            if position.seat in self.places:
                return True
            self._choose(self._rng.choice(position.legal_moves))
        return False

    async def put(self) -> None:
        """Asks for the decision that stands; waits until it has arrived, not for the answer."""
        position = self.game.position
        await self.places[position.seat].put(position, self.game.events, self._decision_id)
        await asyncio.sleep(_UNDER_WAY)

    async def lose_line(self) -> None:
        """Hangs up without a word and dials again."""
        for place in self.places.values():
            await place.hang_up()
            await place.accept(resumed=True)

    async def end(self) -> list[Ended]:
        """Says that the game is over; returns how the candidate ended its streams, by seat."""
        result = result_message(self.game.position, self.game.faulted)
        over = bot_pb2.GameEnd(result=result, dice_seed=self._seed, nonces=self._nonces)
        return [
            await place.part(bot_pb2.PlayRequest(end=over), self.game.events)
            for place in self.places.values()
        ]

    def _choose(self, move: Move) -> None:
        self.game.choose(move)
        self._decision_id += 1

    async def _accept(self) -> None:
        for seat, place in self.places.items():
            await place.keep_quiet(self._late)
            self._nonces[seat] = await place.accept()

    async def _leave(self) -> None:
        await asyncio.gather(*(place.hang_up() for place in self.places.values()))
