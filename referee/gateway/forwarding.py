"""One game that is forwarded: a worker's call on one side, a bot's on the other.

A link is in one of these states; its end is told to the worker as the status of the call:

    wanted --the bot calls Serve with the ticket--> joined --> ended (by the bot: OK or UNKNOWN)
       |                                              |
       +--------------- no answer, or a lost line ----+--> lost (UNAVAILABLE: call again)
"""

import asyncio
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import grpc
import grpc.aio

from referee.service import MAX_FROM_BOT
from referee.wire import gateway_pb2

Context: TypeAlias = grpc.aio.ServicerContext[Any, Any]


@dataclass(frozen=True, slots=True)
class Ended:
    """How the worker's call is to end."""

    status: grpc.StatusCode
    details: str = ""


LOST: Final = Ended(grpc.StatusCode.UNAVAILABLE, "the bot's line to the gateway broke")
_IN_ORDER: Final = Ended(grpc.StatusCode.OK)
_TOO_MUCH: Final = Ended(
    grpc.StatusCode.RESOURCE_EXHAUSTED, f"a message was larger than max ({MAX_FROM_BOT} bytes)"
)


@dataclass(eq=False)
class Link:
    """A game that a worker wants and a bot serves."""

    ticket: str = field(default_factory=lambda: secrets.token_urlsafe(16), repr=False)
    joined: asyncio.Future[Context] = field(default_factory=lambda: _future())
    """The bot's call."""
    ended: asyncio.Future[Ended] = field(default_factory=lambda: _future())

    def end(self, how: Ended) -> None:
        """Ends it, if it has not ended yet."""
        if not self.ended.done():
            self.ended.set_result(how)

    def lose(self) -> None:
        """Either line is gone."""
        self.end(LOST)


async def forward(worker: Context, bot: Context, link: Link) -> Ended:
    """Hands messages on, in both directions, until the link has ended."""
    pumps = {
        asyncio.create_task(_to_bot(worker, bot)),
        asyncio.create_task(_to_worker(bot, worker, link)),
    }
    try:
        return await asyncio.shield(link.ended)
    finally:
        for pump in pumps:
            pump.cancel()
        await asyncio.wait(pumps)


async def _to_bot(worker: Context, bot: Context) -> None:
    with suppress(Exception):  # where a side is gone, the other pump or the handler finds out
        while (data := await worker.read()) is not grpc.aio.EOF:
            await bot.write(gateway_pb2.ServeResponse(message=data))
        await bot.write(gateway_pb2.ServeResponse(closed=gateway_pb2.Closed()))


async def _to_worker(bot: Context, worker: Context, link: Link) -> None:
    try:
        link.end(await _hand_on(bot, worker))
    except Exception:  # gRPC has several for a side that is gone
        link.lose()


async def _hand_on(bot: Context, worker: Context) -> Ended:
    """Hands on what a bot says, and returns how it ended."""
    while (said := await bot.read()) is not grpc.aio.EOF:
        what = said.WhichOneof("what")
        if what == "message":
            if len(said.message) > MAX_FROM_BOT:
                return _TOO_MUCH
            await worker.write(said.message)
        elif what == "ending":
            return _ending(said.ending)
    return LOST


def _ending(said: gateway_pb2.Ending) -> Ended:
    if said.too_much:
        return _TOO_MUCH
    return Ended(grpc.StatusCode.UNKNOWN, said.error) if said.error else _IN_ORDER


def _future() -> asyncio.Future[Any]:
    return asyncio.get_running_loop().create_future()
