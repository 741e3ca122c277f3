"""Play two hundred matches at once in one process, with bots that think a second per decision.

Prints what the referee's process needs for them: processor time, memory a match, the worst lag of
its event loop, and the faults, of which there must be none. The bots live in another process.
"""

import asyncio
import os
import resource
import sys
import tempfile
from collections.abc import AsyncIterator
from functools import partial
from random import Random
from time import monotonic, process_time
from typing import Any, Final

import grpc
import grpc.aio

from referee.clock import Clock
from referee.game import Game, fresh_seed
from referee.match import Match, Seat
from referee.processes import ChildProcess
from referee.rules import Layout
from referee.service import PLAY, SERVICE
from referee.serving import ADDRESS_VARIABLE
from referee.wire import bot_pb2
from tests.referee.games import play

MATCHES: Final = 200
THINK: Final = 1.0  # seconds
LENGTH: Final = 40.0  # seconds of play that are measured


def main() -> None:
    """Start the bots, play for a while, print the figures."""
    with tempfile.TemporaryDirectory(prefix="santiago-") as folder:
        address = f"unix:{folder}/bots"
        command = [sys.executable, "-m", "benchmarks.many_matches"]
        with ChildProcess(command, {ADDRESS_VARIABLE: address}):
            with grpc.insecure_channel(address) as channel:
                grpc.channel_ready_future(channel).result(timeout=20)
            asyncio.run(_measure(address))


async def _measure(address: str) -> None:
    games: dict[int, Game] = {}
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    playing = [
        asyncio.create_task(play(_match(number, address), partial(games.__setitem__, number)))
        for number in range(MATCHES)
    ]
    worst_lag, began, cpu = 0.0, monotonic(), process_time()
    while monotonic() - began < LENGTH:
        due = monotonic() + 0.1
        await asyncio.sleep(0.1)
        worst_lag = max(worst_lag, monotonic() - due)
    seconds, used = monotonic() - began, process_time() - cpu
    for task in playing:
        task.cancel()
    await asyncio.gather(*playing, return_exceptions=True)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    decisions = sum(entry.HasField("chosen") for game in games.values() for entry in game.entries)
    print(f"{len(games)} matches at once, {THINK:g} s a decision, watched for {seconds:.0f} s")
    print(f"decisions               {decisions:,} ({decisions / seconds:,.0f} a second)")
    print(f"processor time          {used / seconds:.1%} of one core")
    print(f"memory a match          {grown / MATCHES:,.0f} KiB")
    print(f"worst lag of the loop   {1000 * worst_lag:.0f} ms")
    print(f"faults                  {sum(len(game.faults) for game in games.values())}")


def _match(number: int, address: str) -> Match:
    return Match(
        id=str(number),
        attempt=1,
        layout=Layout.shuffled(Random(number)),
        dice_seed=fresh_seed(),
        clock=Clock(),
        seats=tuple(Seat(address, "slow", "1", "") for _ in range(2)),
    )


async def _play(
    requests: AsyncIterator[bot_pb2.PlayRequest], _: object
) -> AsyncIterator[bot_pb2.PlayResponse]:
    """A bot that thinks for a second and then takes the first legal move."""
    async for request in requests:
        if request.HasField("start"):
            yield bot_pb2.PlayResponse(accept=bot_pb2.Accept())
        elif request.HasField("decision"):
            await asyncio.sleep(THINK)
            yield bot_pb2.PlayResponse(choice=bot_pb2.Choice(decision_id=request.decision.id))
        else:
            return


async def _serve() -> None:
    server = grpc.aio.server()
    handlers: dict[str, Any] = {
        PLAY.rpartition("/")[2]: grpc.stream_stream_rpc_method_handler(
            _play,
            request_deserializer=bot_pb2.PlayRequest.FromString,
            response_serializer=bot_pb2.PlayResponse.SerializeToString,
        )
    }
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
    server.add_insecure_port(os.environ[ADDRESS_VARIABLE])
    await server.start()
    await server.wait_for_termination()


if __name__ == "__main__":
    asyncio.run(_serve())
