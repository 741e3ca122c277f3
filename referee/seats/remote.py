"""A seat whose bot is somewhere else: one bidirectional gRPC stream, redialled when it breaks.

A stream is in one of these states:

    (none) --dial--> opening --Accept--> open --GameEnd or Fault sent--> finished
       ^                |                  |
       +----- lost -----+------ lost ------+        a lost line is no fault: the clock runs on
"""

import asyncio
from time import monotonic
from typing import Any, Final

import grpc
import grpc.aio
from google.protobuf.message import DecodeError

from referee.dice import MAX_NONCE_BYTES
from referee.errors import Unreachable
from referee.faults import FaultCode, SeatFault
from referee.game import Game
from referee.messages import clock_message, move_message, setup_message, view_message
from referee.rules import RULES_VERSION, Move
from referee.seats import Allowance, GameOver, Invitation
from referee.service import CHANNEL_OPTIONS, PLAY
from referee.wire import bot_pb2, game_pb2

ACCEPT_WITHIN: Final = 10.0
"""Seconds that a bot has from the first dial until it accepts the game."""
_REDIAL_EVERY: Final = 0.05
_FAREWELL: Final = 1.0  # seconds for the last message and the bot's orderly close
_LOST: Final = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.DEADLINE_EXCEEDED,
)


class LineLost(Exception):
    """The connection broke, or could not be made. Not yet anybody's fault."""


class RemoteSeat:
    """Plays a seat for the bot that listens at an address (`host:port` or `unix:/path`)."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._invitation: Invitation | None = None
        self._channel: grpc.aio.Channel | None = None
        self._call: Any = None
        self._told = 0  # how many of the game's events this stream has been told

    async def accept(self, invitation: Invitation) -> bytes:
        self._invitation = invitation
        until = monotonic() + ACCEPT_WITHIN
        try:
            async with asyncio.timeout(ACCEPT_WITHIN):
                nonce = await self._dial(resumed=False, until=until)
        except (TimeoutError, LineLost, SeatFault) as error:
            why = str(error) or f"it did not accept the game within {ACCEPT_WITHIN:g} s."
            raise Unreachable(invitation.seat, why) from error
        return nonce

    async def decide(self, game: Game, decision_id: int, time: Allowance) -> Move:
        until = monotonic() + time.move
        moves = game.position.legal_moves
        async with asyncio.timeout(time.move):
            while True:
                try:
                    if self._call is None:
                        await self._dial(resumed=True, until=until)
                    left = max(0.0, until - monotonic())
                    await self._send(game, decision=_decision(game, decision_id, time, left))
                    choice = await self._receive("choice")
                    break
                except LineLost:
                    await self._hang_up()
                    await asyncio.sleep(_REDIAL_EVERY)
        return _chosen(choice.choice, decision_id, moves)

    async def dismiss(self, game: Game, fault: game_pb2.Fault) -> None:
        await self._say_farewell(game, fault=fault)

    async def end(self, game: Game, end: GameOver) -> None:
        await self._say_farewell(
            game,
            end=bot_pb2.GameEnd(result=end.result, dice_seed=end.dice_seed, nonces=end.nonces),
        )

    async def _dial(self, *, resumed: bool, until: float) -> bytes:
        """Opens a stream and returns the bot's nonce; tries until `until` (monotonic seconds)."""
        while True:
            self._channel = grpc.aio.insecure_channel(self._address, options=CHANNEL_OPTIONS)
            self._call = self._channel.stream_stream(PLAY)()
            self._told = 0
            try:
                await self._write(bot_pb2.PlayRequest(start=self._start(resumed=resumed)))
                accept = (await self._receive("accept")).accept
            except LineLost:
                await self._hang_up()
                if monotonic() + _REDIAL_EVERY > until:
                    raise
                await asyncio.sleep(_REDIAL_EVERY)
            else:
                if len(accept.nonce) > MAX_NONCE_BYTES:
                    raise SeatFault(
                        FaultCode.PROTOCOL,
                        f"The nonce has {len(accept.nonce)} bytes; at most 32 are allowed.",
                        accept.nonce,
                    )
                return accept.nonce

    def _start(self, *, resumed: bool) -> bot_pb2.GameStart:
        invitation = self._invitation
        assert invitation is not None
        return bot_pb2.GameStart(
            match_id=invitation.match_id,
            attempt=invitation.attempt,
            seat=invitation.seat,
            players=invitation.players,
            setup=setup_message(invitation.layout),
            clock=clock_message(invitation.clock),
            dice_commitment=invitation.dice_commitment,
            rules_version=RULES_VERSION,
            resumed=resumed,
        )

    async def _send(self, game: Game, **message: Any) -> None:
        events = game.events[self._told :]
        await self._write(bot_pb2.PlayRequest(events=events, **message))
        self._told += len(events)

    async def _write(self, request: bot_pb2.PlayRequest) -> None:
        try:
            await self._call.write(request.SerializeToString())
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await self._closed()

    async def _receive(self, expected: str) -> bot_pb2.PlayResponse:
        try:
            data = await self._call.read()
        except grpc.aio.AioRpcError:
            data = grpc.aio.EOF
        if data is grpc.aio.EOF:
            await self._closed()
        try:
            response = bot_pb2.PlayResponse.FromString(data)
        except DecodeError:
            raise SeatFault(
                FaultCode.PROTOCOL, "The bot sent bytes that are no PlayResponse.", data
            ) from None
        if response.WhichOneof("message") != expected:
            raise SeatFault(
                FaultCode.PROTOCOL,
                f"The bot sent {response.WhichOneof('message') or 'an empty message'} "
                f"where {expected} was due.",
                data,
            )
        return response

    async def _closed(self) -> None:
        """The stream has ended: raises LineLost, or SeatFault where the bot itself ended it."""
        code, details = await self._call.code(), await self._call.details()
        if code in _LOST:
            raise LineLost(f"no connection to {self._address} ({details}).")
        if code is grpc.StatusCode.RESOURCE_EXHAUSTED:
            raise SeatFault(FaultCode.PROTOCOL, f"The bot sent too much: {details}")
        said = "" if code is grpc.StatusCode.OK else f", saying {code.name}: {details}"
        raise SeatFault(FaultCode.CLOSED, f"The bot closed the stream before the end{said}.")

    async def _say_farewell(self, game: Game, **message: Any) -> None:
        """The last message; waits a moment for the bot to close, then hangs up."""
        try:
            async with asyncio.timeout(_FAREWELL):
                if self._call is not None:
                    await self._send(game, **message)
                    await self._call.done_writing()
                    while await self._call.read() is not grpc.aio.EOF:
                        pass
        except (TimeoutError, LineLost, SeatFault, grpc.aio.AioRpcError, asyncio.InvalidStateError):
            pass  # a bot that does not listen any more has nothing to lose

    async def leave(self) -> None:
        await self._hang_up()

    async def _hang_up(self) -> None:
        call, channel = self._call, self._channel
        self._call = self._channel = None
        if call is not None:
            call.cancel()
        if channel is not None:
            await channel.close()


def _decision(game: Game, decision_id: int, time: Allowance, left: float) -> bot_pb2.Decision:
    position = game.position
    decision = bot_pb2.Decision(
        id=decision_id,
        kind=position.phase + 1,  # type: ignore[arg-type]  # the wire counts from 1
        view=view_message(position),
        time_left_ms=int(left * 1000),
        bank_left_ms=int((time.bank - time.move + left) * 1000),
    )
    decision.legal.extend([move_message(move) for move in position.legal_moves])
    return decision


def _chosen(choice: bot_pb2.Choice, decision_id: int, moves: tuple[Move, ...]) -> Move:
    if choice.decision_id != decision_id:
        raise SeatFault(
            FaultCode.WRONG_DECISION,
            f"The bot answered decision {choice.decision_id} where {decision_id} stands.",
            choice.SerializeToString(),
        )
    if choice.index >= len(moves):
        raise SeatFault(
            FaultCode.ILLEGAL_INDEX,
            f"The bot chose index {choice.index}; there are {len(moves)} legal moves, from 0.",
            choice.SerializeToString(),
        )
    return moves[choice.index]
