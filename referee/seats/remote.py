"""A seat whose bot is another process: one bidirectional gRPC stream, redialled when it breaks.

A seat's line is in one of these states:

    (none) --dial--> opening --Accept--> open --GameEnd or Fault sent--> closing
       ^                |                  |
       +----- lost -----+------ lost ------+        a lost line is no fault: the clock runs on
"""

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from types import TracebackType
from typing import Final, Self, TypeVar

from referee.errors import Interrupted, OtherVersion, Unreachable
from referee.faults import Fault, SeatFault, too_late
from referee.game import Game
from referee.seats import protocol
from referee.seats.description import NotDescribed, stated_version
from referee.seats.line import Line, LineLost, NearLine, dial
from referee.seats.player import Allowance, Answer, GameOver, Invitation
from referee.ways import Ways
from referee.wire import bot_pb2

MOST_LAG: Final = 0.05
"""Seconds by which a time-out may come late before it is the platform's trouble, not the bot's."""
_REDIAL_EVERY: Final = 0.05
_T = TypeVar("_T")


class RemoteSeat:
    """Plays a seat for the bot at an address (see `referee.ways`)."""

    def __init__(self, address: str, ways: Ways | None = None, version: str | None = None) -> None:
        """Prepare a seat, without dialling. `version` is the one that the bot must state, if any.

        `ways` are by default as the environment says. Raises InvalidSetting.
        """
        self._address = address
        self._version = version
        self._ways = ways or Ways.from_environment()
        self._invitation: Invitation | None = None
        self._line: Line | NearLine | None = None  # on which the bot has accepted the game
        self._why_lost = ""
        self._why_lost_public = ""  # without the address, since replays are public
        self._answered: int | None = None  # the last decision
        self._sent = 0  # how many of the game's events were sent on this line
        self._proof = b""  # ours, until it was sent on this line
        self._farewell: asyncio.Task[None] | None = None
        self._deadline = Deadline()

    async def accept(self, invitation: Invitation) -> bytes:
        self._invitation = invitation
        start_up = invitation.clock.start_up
        until = monotonic() + start_up
        try:
            async with asyncio.timeout(start_up):
                return await self._accepted()
        except TimeoutError:
            if self._why_lost:  # the reason is known, and is not the referee
                raise Unreachable(invitation.seat, self._why_lost) from None
            _blame_no_bot(monotonic() - until)
            why = f"it did not accept the game within {start_up:g} s."
            raise Unreachable(invitation.seat, why) from None
        except SeatFault as fault:
            raise Unreachable(invitation.seat, fault.sentence) from None
        except (protocol.NotProven, LineLost) as error:
            raise Unreachable(invitation.seat, str(error)) from None

    async def decide(self, game: Game, decision_id: int, time: Allowance) -> Answer:
        asked = protocol.question(game.position, decision_id)
        asked_at = monotonic()
        until, reserve = asked_at + time.move, time.bank - time.move
        try:
            with self._deadline.within(time.move):
                data = await self._persist(lambda: self._ask(game, asked, until, reserve))
        except TimeoutError:
            data = self._overdue(until, time.move)
        think = min(monotonic() - asked_at, time.move)
        move = protocol.chosen(data, decision_id, game.position.legal_moves, self._answered)
        self._answered = decision_id
        return Answer(move, think)

    def dismiss(self, game: Game, fault: Fault) -> None:
        self._part(game, bot_pb2.PlayRequest(fault=fault.message()).SerializeToString())

    def end(self, game: Game, over: GameOver) -> None:
        self._part(game, protocol.end_request(over).SerializeToString())

    async def leave(self) -> None:
        self._deadline.close()
        try:
            if self._farewell is not None:
                await asyncio.wait({self._farewell})
        finally:
            await self._hang_up()

    async def _accepted(self) -> bytes:
        """Dial the bot until it accepts, and return its nonce.

        A stranger's address is dialled once only, until a bot is known to be there.
        """
        if self._ways.is_strange(self._address):
            await self._check_version()
            return await self._dial(resumed=False)
        await self._persist(self._check_version)
        return await self._persist(lambda: self._dial(resumed=False))

    async def _check_version(self) -> None:
        """Check that the bot is the expected version. Raises LineLost and OtherVersion."""
        assert self._invitation is not None
        if self._version is None:
            return
        try:
            version = await stated_version(self._address, self._ways)
        except NotDescribed as error:
            raise LineLost(str(error)) from None
        if version != self._version:
            why = f"it says that it is version {version}, and version {self._version} is expected."
            raise OtherVersion(self._invitation.seat, why, version)

    async def _persist(self, attempt: Callable[[], Awaitable[_T]]) -> _T:
        """Make attempts until one succeeds without losing the line; return its result."""
        while True:
            try:
                return await attempt()
            except LineLost as lost:
                self._why_lost, self._why_lost_public = str(lost), lost.public
                await self._hang_up()
                await asyncio.sleep(_REDIAL_EVERY)

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

    async def _ask(self, game: Game, asked: bytes, until: float, reserve: float) -> bytes:
        """Send a decision, on a new line if there is none, and return the answer."""
        if self._line is None:
            await self._resume()
            assert self._line is not None
        left = max(0.0, until - monotonic())
        request = protocol.decision_request(asked, int(1000 * left), int(1000 * (left + reserve)))
        await self._line.send(self._with_news(game, request))
        return await self._line.receive()

    async def _resume(self) -> None:
        """Open a new line. A caller that cannot prove to be the bot only costs it time."""
        try:
            await self._dial(resumed=True)
        except protocol.NotProven as error:
            raise LineLost(str(error), public=str(error)) from None

    def _overdue(self, until: float, limit: float) -> bytes:
        """Return an answer that came while the referee was busy, though the time is over.

        Raises SeatFault if there is none, and Interrupted if the referee was late itself.
        """
        lag = monotonic() - until
        data = self._line.arrived() if self._line is not None else None
        if data is not None:
            return data
        _blame_no_bot(lag)
        raise too_late(limit, "" if self._line is not None else self._why_lost_public)

    def _with_news(self, game: Game, request: bytes) -> bytes:
        """Return an encoded PlayRequest with all events that were not yet sent on this line."""
        news = game.encoded_events(self._sent)
        self._sent += len(news)
        proof, self._proof = self._proof, b""
        proven = bot_pb2.PlayRequest(proof=proof).SerializeToString() if proof else b""
        return b"".join((*news, request, proven))

    def _part(self, game: Game, last: bytes) -> None:
        """Send the last message in the background; a bot without a line does not get it."""
        if self._line is not None:
            farewell = self._line.say_farewell(self._with_news(game, last))
            self._farewell = asyncio.create_task(farewell)

    async def _hang_up(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            await line.hang_up()


def _blame_no_bot(lag: float) -> None:
    """Raise Interrupted if the referee noticed a time-out too late to judge it."""
    if lag > MOST_LAG:
        raise Interrupted(f"The referee lagged {lag:.3f} s behind a time-out.")


class Deadline:
    """Limit one block after another, as `asyncio.timeout` does; one task at a time enters a block.

    Few limits are ever reached, so one timer serves many blocks: if it rings before the limit of
    the current block, it is set again. A timer for each decision took 20 of its 300 microseconds.
    """

    def __init__(self) -> None:
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[object] | None = None
        self._due: float | None = None  # by the loop's clock; None outside a block
        self._cancelling = 0
        self._passed = False

    def within(self, seconds: float) -> Self:
        """Limit the next block to `seconds`; it raises TimeoutError if it takes longer."""
        loop = asyncio.get_running_loop()
        self._due = loop.time() + seconds
        if self._timer is None or self._timer.when() > self._due:
            self.close()
            self._timer = loop.call_at(self._due, self._ring)
        return self

    def close(self) -> None:
        """Cancel the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def __enter__(self) -> Self:
        self._task = asyncio.current_task()
        assert self._task is not None
        self._cancelling = self._task.cancelling()
        self._passed = False
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        task, self._task, self._due = self._task, None, None
        if not self._passed or task is None:
            return
        if task.uncancel() <= self._cancelling and kind is asyncio.CancelledError:
            raise TimeoutError from error

    def _ring(self) -> None:
        self._timer = None
        if self._due is None or self._task is None:
            return
        loop = asyncio.get_running_loop()
        if loop.time() < self._due:
            self._timer = loop.call_at(self._due, self._ring)
        else:
            self._passed = True
            self._task.cancel()
