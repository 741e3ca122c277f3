"""Serves one call a connection with blocking sockets: how a host calls the bots of its sandboxes.

gRPC's server has seven threads of its own. Each of them wakes when its process is frozen, and again
when it is thawed, so that its bot began to think later than many bots take to decide. Here a game
has one thread, and one more waits for calls and for callers that hang up. Only a host calls, and
opens one stream on each connection: nothing else of HTTP/2 is served.
"""

import os
import select
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Final, NoReturn, TypeAlias, cast

import grpc
from grpc import StatusCode
from hpack import Decoder, Encoder, HPACKError

from referee.http2 import frames as h2
from referee.http2.frames import Frame, FrameReader, NotHttp2, frame
from referee.http2.messages import PREFIX, MessageReader, TooLong, last_fields, prefixed

_READ_AT_ONCE: Final = 64 * 1024
_BACKLOG: Final = 16
_BROKEN: Final = (OSError, NotHttp2, HPACKError, TooLong, UnicodeDecodeError)
_BEGINNING: Final = Encoder().encode([(":status", "200"), ("content-type", "application/grpc")])


class Aborted(Exception):
    """Raised by `Context.abort` to end a call with a status."""

    def __init__(self, code: StatusCode, details: str) -> None:
        super().__init__(details)
        self.code, self.details = code, details


class Context:
    """The part of gRPC's ServicerContext that bots are served with."""

    def __init__(self) -> None:
        self._callbacks: list[Callable[[], None]] = []
        self._lock = threading.Lock()
        self._over = False

    def abort(self, code: StatusCode, details: str) -> NoReturn:
        """End the call with a status."""
        raise Aborted(code, details)

    def add_callback(self, callback: Callable[[], None]) -> bool:
        """Call `callback` when the call is over; return False if it is already."""
        with self._lock:
            if not self._over:
                self._callbacks.append(callback)
            return not self._over

    def end(self) -> None:
        """Take that the call is over."""
        with self._lock:
            self._over = True
        for callback in self._callbacks:
            callback()


Method: TypeAlias = Callable[[Iterator[bytes], Context], Iterable[bytes]]
"""Serves one call: yields the answers to its messages, or calls `abort`. The messages raise
grpc.RpcError once the caller has hung up."""


class _Call:
    """The one call of a connection."""

    def __init__(self, connection: socket.socket, most: int) -> None:
        self.context = Context()
        self.connection = connection
        self._frames, self._decoder = FrameReader(), Decoder()
        self._messages, self._inbox = MessageReader(most), deque[bytes]()
        self._incoming = h2.Incoming(max(h2.WINDOW, 2 * (PREFIX + most)))
        self._outgoing = h2.Outgoing()
        self._stream = 0
        self._path = ""
        self._closed = False  # the caller sends no further message
        self._beginning = b""  # what is sent before the first message
        self._lock = threading.Lock()
        self._holders = 2  # the thread that serves, and the one that watches

    def run(self, methods: Mapping[str, Method]) -> None:
        """Serve the call, and shut the connection down, which ends the watch."""
        try:
            with suppress(*_BROKEN, grpc.RpcError):
                self._meet()
                code, details = self._serve(methods)
                self._end(code, details)
        finally:
            with suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)
            self.let_go()

    def let_go(self) -> None:
        """Close the connection if the other holder has let it go, too: its number is free then."""
        with self._lock:
            self._holders -= 1
            if self._holders == 0:
                self.connection.close()

    def _meet(self) -> None:
        """Exchange what begins a connection, and read the headers of the call."""
        if self.connection.recv(len(h2.PREFACE), socket.MSG_WAITALL) != h2.PREFACE:
            raise NotHttp2("no preface")
        self.connection.sendall(self._incoming.opening())
        while not self._stream:
            self._read()
        self._beginning = frame(h2.HEADERS, h2.END_HEADERS, self._stream, _BEGINNING)

    def _serve(self, methods: Mapping[str, Method]) -> tuple[StatusCode, str]:
        method = methods.get(self._path)
        if method is None:
            return StatusCode.UNIMPLEMENTED, f"no method {self._path}"
        try:
            for answer in method(self._asked(), self.context):
                self._send(prefixed(answer))
        except Aborted as aborted:
            return aborted.code, aborted.details
        return StatusCode.OK, ""

    def _asked(self) -> Iterator[bytes]:
        """Yield the caller's messages. Raises RpcError once it has hung up."""
        while True:
            while self._inbox:
                yield self._inbox.popleft()
            if self._closed:
                return
            try:
                self._read()
            except _BROKEN:
                raise grpc.RpcError from None

    def _send(self, data: bytes) -> None:
        while data:
            window = self._outgoing.room()
            if window <= 0:
                self._read()
                continue
            part, data = data[:window], data[window:]
            self._outgoing.take(len(part))
            self.connection.sendall(self._beginning + frame(h2.DATA, 0, self._stream, part))
            self._beginning = b""

    def _end(self, code: StatusCode, details: str) -> None:
        block = Encoder().encode(last_fields(code, details))
        flags = h2.END_HEADERS | h2.END_STREAM
        self.connection.sendall(self._beginning + frame(h2.HEADERS, flags, self._stream, block))
        while self.connection.recv(_READ_AT_ONCE):  # to close with more unread loses what was sent
            pass

    def _read(self) -> None:
        """Wait for frames, and follow them. Raises OSError, NotHttp2, HPACKError and TooLong."""
        data = self.connection.recv(_READ_AT_ONCE)
        if not data:
            raise ConnectionResetError("the caller hung up")
        for received in self._frames.read(data):
            self._follow(received)

    def _follow(self, received: Frame) -> None:
        match received.kind:
            case h2.DATA:
                self._take(received)
            case h2.HEADERS:
                fields = self._decoder.decode(received.content())
                self._path = dict(cast(Iterable[tuple[str, str]], fields)).get(":path", "")
                self._stream = received.stream
            case h2.RST_STREAM | h2.GOAWAY:
                raise ConnectionResetError("the caller ended the call")
            case h2.SETTINGS if not received.flags & h2.ACK:
                for setting, value in received.settings():
                    self._outgoing.set(setting, value)
                self.connection.sendall(frame(h2.SETTINGS, h2.ACK, 0))
            case h2.PING if not received.flags & h2.ACK:
                self.connection.sendall(frame(h2.PING, h2.ACK, 0, received.payload))
            case h2.WINDOW_UPDATE:
                self._outgoing.widen(received.stream, received.number())
        if received.kind in (h2.DATA, h2.HEADERS) and received.flags & h2.END_STREAM:
            self._closed = True

    def _take(self, received: Frame) -> None:
        self._incoming.take(len(received.payload))
        self._inbox.extend(message for message, _ in self._messages.read(received.content()))
        if more := self._incoming.give_back(len(received.payload)):
            self.connection.sendall(h2.wider(self._stream, more))


def listen(path: str) -> socket.socket:
    """Return a unix socket that listens at a path. Raises OSError."""
    with suppress(FileNotFoundError):
        os.unlink(path)  # noqa: PTH108
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(_BACKLOG)
    return listener


def serve(listener: socket.socket, methods: Mapping[str, Method], most: int) -> NoReturn:
    """Serve calls, each in a thread of its own, for as long as this process lives.

    `methods`: by path, such as `/santiago.v1.Bot/Play`. `most`: the longest message that is taken,
    in bytes.
    """
    watched, calls = select.poll(), dict[int, _Call]()
    watched.register(listener, select.POLLIN)
    while True:
        for number, _ in watched.poll():
            if number == listener.fileno():
                call = _Call(listener.accept()[0], most)
                calls[call.connection.fileno()] = call
                watched.register(call.connection, select.POLLRDHUP)
                threading.Thread(target=call.run, args=(methods,), daemon=True).start()
            else:
                watched.unregister(number)
                call = calls.pop(number)
                call.context.end()
                call.let_go()
