"""Joins a gateway, for a bot that nobody can dial, such as one behind a router.

    join(MyBot, "gateway.example:443", token, slots=4)

The bot dials the gateway and offers to play `slots` games at once. When the line breaks it dials
again, with a pause that grows. Each game that the gateway wants is handed to the bot's own server
in this machine, byte for byte; `santiago bot join` does the same for any program that is a bot.
"""

import asyncio
import os
import random
import secrets
import tempfile
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import grpc.aio

from referee.bot import Bot
from referee.errors import InvalidBot
from referee.printing import escaped, say
from referee.proof import usable
from referee.seats.description import describe
from referee.seats.line import sent_too_much
from referee.seats.streams import GONE
from referee.service import OFFER, PLAY, SERVE
from referee.serving import SECRET_VARIABLE, start_server
from referee.signals import ending_signals
from referee.ways import CA_FILE, TLS_REASONS, Ways, with_reason
from referee.wire import bot_pb2, gateway_pb2

TOKEN_VARIABLE: Final = "SANTIAGO_TOKEN"
_FIRST_PAUSE: Final = 0.1  # seconds, doubled each time the gateway does not answer
_LONGEST_PAUSE: Final = 15.0
_REFUSED: Final = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.INVALID_ARGUMENT)
_REASONS: Final = {
    **TLS_REASONS,
    "CERTIFICATE_VERIFY_FAILED": f"its certificate is not trusted: {CA_FILE} adds an authority",
    "http2 header with status": "no gateway answers there",
}
_CUT: Final = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)


def join(bot_class: type[Bot], gateway: str, token: str | None = None, slots: int = 4) -> None:
    """Play the games that a gateway offers, until the process gets SIGINT or SIGTERM.

    Args:
        bot_class: The class of the bot; it is called without arguments for each game.
        gateway: `host:port` of the gateway.
        token: What the operator gave you; else SANTIAGO_TOKEN.
        slots: How many games the bot plays at once.

    Raises:
        InvalidBot: The gateway refuses the bot, or its class says of itself what is no text.
        InvalidSetting: A setting, such as SANTIAGO_SECRET, cannot be used.

    Example:
        join(MyBot, "gateway.example:443", token, slots=4)
    """
    secret = usable(os.environ.get(SECRET_VARIABLE, ""), SECRET_VARIABLE)
    with tempfile.TemporaryDirectory(prefix="santiago-") as folder:
        address = f"unix:{Path(folder, 'bot')}"
        server = start_server(bot_class, address, secret=secret)
        try:
            join_from(address, gateway, token or os.environ.get(TOKEN_VARIABLE, ""), slots)
        finally:
            server.stop(None).wait()


def join_from(
    address: str, gateway: str, token: str, slots: int, watch: Callable[[], None] = lambda: None
) -> None:
    """Join for the bot that listens at an address of this machine.

    `watch` is called every second, and may raise to end it. Raises the same errors as `join`.
    """
    description = describe(address)
    # as it was copied, or read from a file
    guest = Guest(address, gateway, token.strip(), slots, description, Ways.from_environment())
    asyncio.run(_until_asked(guest.stay(), watch))


async def _until_asked(stay: Coroutine[Any, Any, None], watch: Callable[[], None]) -> None:
    """Run until a signal asks to end, or until something raises."""
    ended = asyncio.Event()
    for number in ending_signals():
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    tasks = {
        asyncio.create_task(stay),
        asyncio.create_task(_every_second(watch)),
        asyncio.create_task(ended.wait()),
    }
    done, others = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in others:
        task.cancel()
    await asyncio.wait(tasks)
    for task in done:
        task.result()


async def _every_second(watch: Callable[[], None]) -> None:
    while True:
        watch()
        await asyncio.sleep(1)


@dataclass
class Guest:
    """A bot of this machine at a gateway."""

    address: str
    gateway: str
    token: str = field(repr=False)
    slots: int
    description: bot_pb2.DescribeResponse
    ways: Ways
    joined: bool = False
    """True once the gateway has accepted it."""
    _instance: str = field(default_factory=lambda: secrets.token_urlsafe(8))
    _pause: float = _FIRST_PAUSE

    async def stay(self) -> None:
        """Keep a line to the gateway, dialling again. Raises InvalidBot if it refuses the bot."""
        while True:
            why = await self._line()
            say(f"No line to {self.gateway} ({why}): dialling again.")
            await asyncio.sleep(self._pause * random.uniform(0.5, 1))
            self._pause = min(_LONGEST_PAUSE, 2 * self._pause)

    async def _line(self) -> str:
        """Keep one line for as long as it holds; return why it broke."""
        games: set[asyncio.Task[None]] = set()
        async with self.ways.channel_to_gateway(self.gateway) as channel:
            call: Any = channel.stream_stream(
                OFFER,
                request_serializer=gateway_pb2.OfferRequest.SerializeToString,
                response_deserializer=gateway_pb2.OfferResponse.FromString,
            )()
            try:
                await call.write(self._offer())
                while (said := await call.read()) is not grpc.aio.EOF:
                    self._hear(said, channel, games)
                return "the gateway has closed it"
            except GONE:
                return await self._why(call)
            finally:
                for game in games:
                    game.cancel()
                if games:
                    await asyncio.wait(games)

    def _offer(self) -> gateway_pb2.OfferRequest:
        return gateway_pb2.OfferRequest(
            token=self.token,
            slots=self.slots,
            description=self.description,
            instance=self._instance,
        )

    def _hear(
        self,
        said: gateway_pb2.OfferResponse,
        channel: grpc.aio.Channel,
        games: set[asyncio.Task[None]],
    ) -> None:
        if said.HasField("ticket"):
            game = asyncio.create_task(self._game(channel, said.ticket))
            games.add(game)
            game.add_done_callback(games.discard)
        elif said.HasField("name"):
            self.joined, self._pause = True, _FIRST_PAUSE
            who = f"{self.description.name} has joined {self.gateway} as {escaped(said.name)}"
            say(f"{who}, for {self.slots} games at once.")

    async def _why(self, call: Any) -> str:
        code, details = await call.code(), escaped(await call.details() or "")
        if code in _REFUSED:
            raise InvalidBot(f"The gateway {self.gateway} refuses the bot: {details}")
        return with_reason(f"{code.name}: {details}", _REASONS)

    async def _game(self, channel: grpc.aio.Channel, ticket: str) -> None:
        """Forward one game between the gateway and the bot's own server."""
        outside: Any = channel.stream_stream(
            SERVE,
            request_serializer=gateway_pb2.ServeRequest.SerializeToString,
            response_deserializer=gateway_pb2.ServeResponse.FromString,
        )()
        async with self.ways.channel(self.address) as local:
            bot: Any = local.stream_stream(PLAY)()
            inward = asyncio.create_task(_inward(outside, bot))
            try:
                with suppress(*GONE):
                    await outside.write(gateway_pb2.ServeRequest(ticket=ticket))
                    await _outward(bot, outside)
            finally:
                inward.cancel()
                outside.cancel()
                bot.cancel()
                await asyncio.wait({inward})


async def _inward(outside: Any, bot: Any) -> None:
    """Forward messages from the gateway to the bot, until there are no more."""
    with suppress(*GONE):
        while (said := await outside.read()) is not grpc.aio.EOF:
            if said.HasField("message"):
                await bot.write(said.message)
            else:
                await bot.done_writing()
    bot.cancel()  # this changes nothing if the bot has ended by itself


async def _outward(bot: Any, outside: Any) -> None:
    """Forward messages from the bot to the gateway, and then how it ended, unless it is gone."""
    with suppress(*GONE):
        while (data := await bot.read()) is not grpc.aio.EOF:
            await outside.write(gateway_pb2.ServeRequest(message=data))
    code = await bot.code()
    if code in _CUT:
        return
    details = await bot.details() or ""
    error = "" if code is grpc.StatusCode.OK else f"{code.name}: {details}"
    ending = gateway_pb2.Ending(error=error, too_much=sent_too_much(code, details))
    await outside.write(gateway_pb2.ServeRequest(ending=ending))
    await outside.done_writing()
    await outside.code()  # the gateway has heard it
