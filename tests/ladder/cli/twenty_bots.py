"""A process for a test: twenty bots, each of which joins a gateway with a token of its own."""

import asyncio
import sys
import tempfile
from pathlib import Path

from referee.joining import Guest
from referee.serving import start_server
from referee.ways import Ways
from referee.wire import bot_pb2
from tests.referee.games import DrawingBot


async def join_all(gateway: str, tokens: list[str]) -> None:
    """Stays until it is killed."""
    with tempfile.TemporaryDirectory(prefix="santiago-") as folder:
        address = f"unix:{Path(folder, 'bot')}"
        server = start_server(DrawingBot, address)
        told = bot_pb2.DescribeResponse(name="drawing", protocol_version=1)
        guests = [Guest(address, gateway, token, 8, told, Ways()) for token in tokens]
        await asyncio.gather(*(guest.stay() for guest in guests))
        server.stop(None)


if __name__ == "__main__":
    asyncio.run(join_all(sys.argv[1], sys.argv[2:]))
