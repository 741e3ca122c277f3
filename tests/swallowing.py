"""A proxy that can swallow: its connections stay open, and nothing passes them any more.

So it is if a router forgets a connection, or a host freezes: nobody is told of an end.
"""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from threading import Thread
from typing import Any, Final, Self

from sqlalchemy import make_url

_SIZE: Final = 1 << 16  # bytes
_KEEPALIVE: Final = 11.0  # seconds after which TCP notices that nobody is at the other end


class _Connection:
    """Two ends, and if what comes from either is passed on."""

    def __init__(self) -> None:
        self.swallowed = False

    async def pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on from one end to the other; the end of a swallowed one is noticed late."""
        try:
            with suppress(OSError):  # an end has gone without a word
                while data := await reader.read(_SIZE):
                    if not self.swallowed:
                        writer.write(data)
                        await writer.drain()
            if self.swallowed:
                await asyncio.sleep(_KEEPALIVE)
        finally:
            writer.close()


class Proxy:
    """Listens at a port of 127.0.0.1 for the server at a unix socket, while it is in use."""

    def __init__(self, socket: str) -> None:
        self._socket = socket
        self._connections: list[_Connection] = []
        self._pumps: set[asyncio.Task[None]] = set()
        self._ends: list[asyncio.StreamWriter] = []
        self._dark = False
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = self._run(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port: int = self._server.sockets[0].getsockname()[1]

    def swallow(self, *, new_ones: bool = False) -> None:
        """Swallow all connections of now; with `new_ones` those to come, too, until `pass_on`."""
        self._run(self._swallow(new_ones))

    def pass_on(self) -> None:
        """Let new connections through; those that are swallowed stay so."""
        self._dark = False

    def close(self) -> None:
        self._run(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, what: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(what, self._loop).result()

    async def _swallow(self, new_ones: bool) -> None:
        self._dark = new_ones
        for connection in self._connections:
            connection.swallowed = True

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = _Connection()
        connection.swallowed = self._dark
        self._connections.append(connection)
        try:
            there, back = await asyncio.open_unix_connection(self._socket)
        except OSError:
            writer.close()
            return
        self._ends += [writer, back]
        for pump in (connection.pump(reader, back), connection.pump(there, writer)):
            task = asyncio.create_task(pump)
            self._pumps.add(task)
            task.add_done_callback(self._pumps.discard)

    async def _close(self) -> None:
        self._server.close()
        for task in list(self._pumps):
            task.cancel()
        await asyncio.gather(*self._pumps, return_exceptions=True)
        for end in self._ends:
            end.transport.abort()
        await asyncio.sleep(0)  # it then closes the sockets


def postgresql_behind(proxy: Proxy, url: str) -> str:
    """The address of a database on a unix socket, reached through the proxy."""
    through = make_url(url).set(host="127.0.0.1", port=proxy.port, query={})
    return through.render_as_string(hide_password=False)


def socket_of(url: str) -> str:
    """The unix socket of the PostgreSQL at this address."""
    return f"{make_url(url).query['host']}/.s.PGSQL.5432"


def redis_behind(proxy: Proxy) -> str:
    """The address of the Redis behind the proxy."""
    return f"redis://127.0.0.1:{proxy.port}/0"
