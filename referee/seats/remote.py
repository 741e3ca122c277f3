"""A seat whose bot is another process: one bidirectional gRPC stream, redialled when it breaks.

A seat's line is in one of these states:

    (none) --dial--> opening --Accept--> open --GameEnd or Fault sent--> closing
       ^                |                  |
       +----- lost -----+------ lost ------+        a lost line is no fault: the clock runs on
"""

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Final, TypeVar

from referee.errors import Interrupted, OtherVersion, Unreachable
from referee.faults import SeatFault, too_late
from referee.game import Game
from referee.seats import protocol
from referee.seats.description import NotDescribed, stated_version
from referee.seats.line import Line, LineLost, dial, gateway_answers
from referee.seats.player import Allowance, Invitation, TimedMove
from referee.seats.streamed import StreamedSeat, pauses
from referee.ways import Ways
from referee.wire import bot_pb2

_NO_GATEWAY: Final = "The gateway did not answer, so that a bot behind it could not be asked."
_PROMPT: Final = 0.2
"""Seconds within which a gateway answers that holds nothing up; then its other messages come."""
_T = TypeVar("_T")


class RemoteSeat(StreamedSeat[Line]):
    """Plays a seat for the bot at an address (see `referee.ways`)."""

    waiting: Final = 0.0

    def __init__(self, address: str, ways: Ways | None = None, version: str | None = None) -> None:
        """Prepare a seat, without dialling. `version` is the one that the bot must state, if any.

        `ways` are by default as the environment says. Raises InvalidSetting.
        """
        super().__init__()
        self._address = address
        self._version = version
        self._ways = ways or Ways.from_environment()
        self._described = False  # the bot has answered for this game
        self._lost: LineLost | None = None  # the last time that the line was lost
        self._gateway_failed = False  # since the seat was last asked
        self._proof = b""  # ours, until it was sent on this line

    async def accept(self, invitation: Invitation) -> bytes:
        self._invitation = invitation
        start_up = invitation.clock.start_up
        try:
            with self._deadline.within(start_up):
                return await self._accepted(invitation)
        except TimeoutError:
            if self._lost is None:  # else the reason is known, and is not the referee
                self._deadline.blame_no_bot(start_up)
            why = self._lost or f"it did not accept the game within {start_up:g} s."
            raise self._unreachable(str(why), ours=await self._is_ours()) from None
        except (SeatFault, protocol.NotProven) as error:
            raise self._unreachable(str(error)) from None
        except LineLost as lost:
            raise self._unreachable(str(lost), ours=lost.ours) from None

    async def decide(self, game: Game, decision_id: int, time: Allowance) -> TimedMove:
        question = protocol.question(game.position, decision_id)
        asked_at, self._gateway_failed = monotonic(), False
        until, reserve = asked_at + time.move, time.bank - time.move
        try:
            with self._deadline.within(time.move):
                data = await self._persist(
                    lambda: self._ask(game, question, until, reserve), time.move
                )
        except TimeoutError:
            data = await self._overdue(time.move)
        think = min(monotonic() - asked_at, time.move)
        move, note = protocol.chosen(data, decision_id, game.position.legal_moves, self._answered)
        self._answered = decision_id
        return TimedMove(move, think, note=note)

    def _unreachable(self, why: str, *, ours: bool = False) -> Unreachable:
        assert self._invitation is not None
        return Unreachable(self._invitation.seat, why, self._described, ours)

    async def _accepted(self, invitation: Invitation) -> bytes:
        """Dial the bot until it accepts, and return its nonce.

        A stranger's address is dialled once only, until a bot is known to be there.
        """
        timeout, resumed = invitation.clock.start_up, invitation.resumed
        if self._ways.is_strange(self._address):
            await self._check_version()
            return await self._dial(resumed=resumed)
        await self._persist(self._check_version, timeout)
        return await self._persist(lambda: self._dial(resumed=resumed), timeout)

    async def _check_version(self) -> None:
        """Check that the bot is the expected version. Raises LineLost and OtherVersion."""
        assert self._invitation is not None
        if self._version is None:
            return
        try:
            version = await stated_version(self._address, self._ways)
        except NotDescribed as error:
            raise LineLost(str(error), ours=error.ours) from None
        self._described = True
        if version != self._version:
            why = f"it says that it is version {version}, and version {self._version} is expected."
            raise OtherVersion(self._invitation.seat, why, version)

    async def _persist(self, attempt: Callable[[], Awaitable[_T]], timeout: float) -> _T:
        """Make attempts until one succeeds without losing the line; return its result.

        `timeout`: the seconds that there are, which set the pauses between the attempts.
        """
        pause = pauses(timeout)
        while True:
            try:
                return await attempt()
            except LineLost as lost:
                self._lost = lost
                self._gateway_failed |= lost.ours
                await self._hang_up()
                await asyncio.sleep(next(pause))

    async def _dial(self, *, resumed: bool) -> bytes:
        """Open a line; return the nonce of the bot's Accept. Raises LineLost and NotProven."""
        assert self._invitation is not None
        guard = protocol.Guard(self._ways.secrets.get(self._address, ""), self._invitation)
        line = await dial(self._address, self._ways, protocol.seat_id(self._invitation))
        try:
            start = protocol.start_request(self._invitation, guard.challenge, resumed=resumed)
            await line.send(start.SerializeToString())
            accept = protocol.accepted(await line.receive())
            self._proof = guard.admit(accept)
        except BaseException:
            await line.hang_up()
            raise
        self._line, self._sent = line, 0
        return accept.nonce

    async def _ask(self, game: Game, question: bytes, until: float, reserve: float) -> bytes:
        """Send a decision, on a new line if there is none, and return the answer."""
        if self._line is None:
            await self._resume()
            assert self._line is not None
        left = max(0.0, until - monotonic())
        request = protocol.decision_request(question, left, left + reserve)
        await self._line.send(self._with_news(game, request))
        return await self._line.receive()

    async def _resume(self) -> None:
        """Open a new line. A caller that cannot prove to be the bot only costs it time."""
        try:
            await self._dial(resumed=True)
        except protocol.NotProven as error:
            raise LineLost(str(error), public=str(error)) from None

    def _arrived(self) -> bytes | None:
        return self._line.arrived() if self._line is not None else None

    async def _overdue(self, limit: float) -> bytes:
        """Return an answer that came while the referee was busy, though the time is over.

        Where the gateway is slow to answer us, it may have held up the bot's answer, too. Raises
        SeatFault if there is none, and Interrupted if the referee cannot judge.
        """
        if (data := self._arrived()) is not None:
            return data
        asked_at = monotonic()
        if await self._is_ours():
            raise Interrupted(_NO_GATEWAY)
        if monotonic() - asked_at > _PROMPT:
            await asyncio.sleep(_PROMPT)
            if (data := self._arrived()) is not None:
                return data
        self._deadline.blame_no_bot(limit)
        lost = self._lost if self._line is None else None
        # Without the address, since replays are public.
        raise too_late(limit, "" if lost is None else lost.public)

    async def _is_ours(self) -> bool:
        """Return True if the gateway took time of the bot whose time is over."""
        if self._gateway_failed:
            return True
        return not await gateway_answers(self._address, self._ways, self._line)

    def _with_news(self, game: Game, request: bytes) -> bytes:
        proof, self._proof = self._proof, b""
        proven = bot_pb2.PlayRequest(proof=proof).SerializeToString() if proof else b""
        return super()._with_news(game, request) + proven

    def _part(self, game: Game, last: bytes) -> None:
        if self._line is not None:
            farewell = self._line.say_farewell(self._with_news(game, last))
            self._farewell = asyncio.create_task(farewell)
