"""A seat whose bot runs in a sandbox of a host.

    Open        the host starts the sandbox, or takes a warm one
    Sit         the game, as with other bots; the bot's clock runs only while it has a processor
    Close       after the game: what it printed and used

A bot waits for its processor on nobody's clock. Trouble of the host interrupts the match, and no
bot is blamed; a bot that does not start, ends or breaks the protocol is to blame itself.
"""

import asyncio
from contextlib import suppress
from time import monotonic
from typing import Final

from grpc import StatusCode

from referee.errors import Unreachable
from referee.faults import Fault, FaultCode, SeatFault, too_late
from referee.game import Game
from referee.hosting.client import Bring, DidNotStart, HostLost, RemoteHost
from referee.http2.messages import BY_NUMBER
from referee.seats import protocol
from referee.seats.line import LineLost, ending
from referee.seats.player import Allowance, GameOver, Invitation, TimedMove
from referee.seats.streamed import StreamedSeat, pauses, standstill
from referee.seats.streams import MessageStream
from referee.wire import host_pb2

_PROMPT: Final = 3.0
"""Seconds within which a host answers that judges a bot: others have stood still meanwhile."""
_SANDBOX: Final = "its sandbox"


class HostedSeat(StreamedSeat[MessageStream]):
    """Plays a seat for a version of a bot, by its bundle."""

    def __init__(
        self, host: RemoteHost, bundle: bytes, bot: str, version: str, bring: Bring | None = None
    ) -> None:
        """Prepare a seat, without calling. `bundle`: its SHA-256; `bot` and `version`: ids."""
        super().__init__()
        self.waited = 0.0
        self.closed: host_pb2.CloseResponse | None = None
        """The output of the bot and its use, once the seat was left; None if it never began."""
        self.not_started: DidNotStart | None = None
        """Why the bot did not start, and what it printed."""
        self._host = host
        self._guest = bundle, bot, version
        self._bring = bring
        self._seat = ""
        self._pending = False  # the bot has a question that it has not answered
        self._well = False  # the game went to its end, without a fault
        self._waits_since: float | None = None
        self._ran = 0.0  # seconds of the last question for which the bot ran and we did, too

    async def accept(self, invitation: Invitation) -> bytes:
        self._invitation = invitation
        start_up = invitation.clock.start_up
        try:
            opened = await self._open(start_up)
            self._seat, started = opened.seat, opened.start_us / 1e6
            self.waited -= min(self.waited, started)
            left = max(0.0, start_up - started)
            said = await self._sit_down(left, resumed=invitation.resumed)
            return protocol.accepted(said.answer).nonce
        except TimeoutError:
            await self._hang_up()  # others at the table need its processor to accept the game
            await self._blame_no_bot(start_up)
            why = f"it did not accept the game within {start_up:g} s."
        except DidNotStart as error:
            self.not_started, why = error, str(error)
        except (SeatFault, LineLost) as error:
            why = str(error)
        raise Unreachable(invitation.seat, why, answered=True)

    async def decide(self, game: Game, decision_id: int, time: Allowance) -> TimedMove:
        question = protocol.question(game.position, decision_id)
        reserve, used, why = time.bank - time.move, 0.0, ""
        pause = pauses(time.move)
        while used < time.move:
            left, resumes = time.move - used, self._line is None
            try:
                if resumes:
                    said = await self._sit_down(left, resumed=True)
                else:
                    said = await self._answer(game, question, left, reserve)
            except TimeoutError:
                said = await self._overdue(time.move, left)
            except LineLost as lost:
                why = lost.public
                await self._hang_up()
                rest = next(pause)
                used += self._ran + rest  # its time runs, however late we wake
                await asyncio.sleep(rest)
                continue
            used += said.think_us / 1e6
            if resumes:
                protocol.accepted(said.answer)
                continue
            think = min(used, time.move)
            legal = game.position.legal_moves
            move, note = protocol.chosen(said.answer, decision_id, legal, self._answered)
            self._answered = decision_id
            return TimedMove(move, think, said.cpu_us / 1e6, note)
        raise too_late(time.move, why)

    def dismiss(self, game: Game, fault: Fault) -> None:
        super().dismiss(game, fault)
        self._farewell = asyncio.create_task(self._go(self._farewell))

    def end(self, game: Game, over: GameOver) -> None:
        self._well = True
        super().end(game, over)

    async def leave(self) -> None:
        try:
            await super().leave()
        finally:
            await self._close()

    async def _open(self, start_up: float) -> host_pb2.Opened:
        """Open a seat. Raises what the host's `open` raises."""
        bundle, bot, version = self._guest
        self._waits_since = monotonic()  # starting is limited by the host
        try:
            return await self._host.open(bundle, bot, version, start_up=start_up, bring=self._bring)
        finally:
            self._count_wait()

    async def _sit_down(self, timeout: float, *, resumed: bool) -> host_pb2.SitResponse:
        """Begin a stream; return the bot's Accept."""
        assert self._invitation is not None
        self._line, self._sent = await self._host.sit(self._seat), 0
        start = protocol.start_request(self._invitation, resumed=resumed)
        return await self._ask(start.SerializeToString(), timeout)

    async def _answer(
        self, game: Game, question: bytes, left: float, reserve: float
    ) -> host_pb2.SitResponse:
        """Ask for a decision; `left` are the seconds for it, `reserve` those in the bank beside."""
        request = protocol.decision_request(question, left, left + reserve)
        return await self._ask(self._with_news(game, request), left)

    async def _ask(self, message: bytes, timeout: float) -> host_pb2.SitResponse:
        """Send a message; wait for a processor, then `timeout` seconds for the bot's answer.

        Raises TimeoutError, SeatFault, LineLost, and HostLost.
        """
        assert self._line is not None
        self._pending, self._waits_since, self._ran = True, monotonic(), 0.0
        try:
            await self._line.write(host_pb2.SitRequest(asked=message).SerializeToString())
            said = await self._said()
        finally:
            self._count_wait()
        if said.HasField("answer"):
            self.waited -= min(self.waited, said.think_us / 1e6)
        elif said.HasField("granted"):
            granted, stood = monotonic(), standstill().seconds
            with self._deadline.within(timeout):
                said = await self._said()
            self._ran = monotonic() - granted - (standstill().seconds - stood)
        if not said.HasField("answer"):
            raise _end(said)
        self._pending = False
        return said

    async def _said(self) -> host_pb2.SitResponse:
        assert self._line is not None
        data = await self._line.read()
        if data is None:
            raise HostLost(f"The host {self._host.address}: {self._line.ended}")
        return host_pb2.SitResponse.FromString(data)

    @property
    def waiting(self) -> float:
        """Seconds for which the bot has waited for processors, up to now."""
        now = 0.0 if self._waits_since is None else monotonic() - self._waits_since
        return self.waited + now

    def _count_wait(self) -> None:
        self.waited, self._waits_since = self.waiting, None

    async def _overdue(self, limit: float, left: float) -> host_pb2.SitResponse:
        """Return an answer that was given in time, and came when the time was over.

        `left` is what the bot had left of its `limit`, if its line was lost before. Raises
        SeatFault if there is none, and Interrupted if nobody can judge.
        """
        await self._blame_no_bot(limit)
        data = self._line.arrived() if self._line is not None else None
        said = host_pb2.SitResponse.FromString(data or b"")
        if not said.HasField("answer") or said.think_us > left * 1e6:
            await self._hang_up()  # it must not keep its processor
            raise too_late(limit)
        self._pending = False
        return said

    async def _blame_no_bot(self, limit: float) -> None:
        """Raise Interrupted if this worker lagged, or the host is gone, or stood still."""
        self._deadline.blame_no_bot(limit)
        asked = monotonic()
        await self._host.status()
        if monotonic() - asked > _PROMPT:
            raise HostLost(f"The host {self._host.address} stood still in the time of a bot.")

    def _part(self, game: Game, last: bytes) -> None:
        if self._line is not None and not self._pending:
            farewell = host_pb2.SitRequest(farewell=self._with_news(game, last))
            self._farewell = asyncio.create_task(self._say(farewell.SerializeToString()))

    async def _go(self, farewell: asyncio.Task[None] | None) -> None:
        """Give the seat back while the others play on, which may be for longer than it is kept."""
        if farewell is not None:
            await asyncio.wait({farewell})
        await self._hang_up()
        await self._close()

    async def _say(self, farewell: bytes) -> None:
        assert self._line is not None
        await self._line.write(farewell)
        while await self._line.read() is not None:
            pass

    async def _close(self) -> None:
        seat, self._seat = self._seat, ""
        if seat:
            with suppress(HostLost):
                self.closed = await self._host.close_seat(seat, end=not self._well)


def _end(said: host_pb2.SitResponse) -> Exception:
    """Return what ends the question: the bot's fault, or LineLost."""
    if said.over:
        return SeatFault(FaultCode.BANNED if said.banned else FaultCode.LIMIT, said.over)
    ended = said.ended
    if ended.exited:
        return SeatFault(FaultCode.CLOSED, ended.exited)
    return ending(_SANDBOX, BY_NUMBER.get(ended.code, StatusCode.UNKNOWN), ended.details)
