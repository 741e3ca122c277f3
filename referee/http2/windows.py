"""Flow control (RFC 9113, section 5.2): how much each side may still send."""

from referee.http2.frames import (
    INITIAL_WINDOW_SIZE,
    MAX_FRAME_SIZE,
    MOST_PAYLOAD,
    MOST_WINDOW,
    NO_PUSH,
    SETTINGS,
    WINDOW,
    WINDOW_UPDATE,
    NotHttp2,
    frame,
)


class Outgoing:
    """What the peer lets us send."""

    def __init__(self) -> None:
        self._connection = self._stream = self._initial = WINDOW
        self._payload = MOST_PAYLOAD

    def room(self) -> int:
        """The bytes that may go out in one frame now; 0 or less where there is to wait."""
        return min(self._connection, self._stream, self._payload)

    def take(self, sent: int) -> None:
        """So many bytes went out."""
        self._connection -= sent
        self._stream -= sent

    def widen(self, stream: int, more: int) -> None:
        """The peer takes more bytes, on the stream or (0) on the connection. Raises NotHttp2."""
        if more == 0:
            raise NotHttp2("a window that grows by nothing")
        if stream == 0:
            self._connection += more
        else:
            self._stream += more
        if self._connection > MOST_WINDOW or self._stream > MOST_WINDOW:
            raise NotHttp2("a window that is too large")

    def set(self, setting: int, value: int) -> None:
        """The peer has said what it takes. Raises NotHttp2."""
        if setting == INITIAL_WINDOW_SIZE:
            if value > MOST_WINDOW:
                raise NotHttp2("a window that is too large")
            self._stream += value - self._initial
            self._initial = value
        elif setting == MAX_FRAME_SIZE:
            self._payload = value


class Incoming:
    """What we let the peer send: never more than one window ahead of what was read."""

    def __init__(self, size: int) -> None:
        """`size`: bytes of the window, on the connection as on the stream; WINDOW or more."""
        self._size = self._left = size
        self._read = 0

    def opening(self) -> bytes:
        """The frames that open the window."""
        setting = INITIAL_WINDOW_SIZE.to_bytes(2, "big") + self._size.to_bytes(4, "big")
        more = (self._size - WINDOW).to_bytes(4, "big")
        return frame(SETTINGS, 0, 0, NO_PUSH + setting) + frame(WINDOW_UPDATE, 0, 0, more)

    def take(self, received: int) -> None:
        """So many bytes came. Raises NotHttp2 where that is more than was allowed."""
        self._left -= received
        if self._left < 0:
            raise NotHttp2("more data than the window allows")

    def give_back(self, read: int) -> int:
        """So many bytes need to be kept no longer; returns what is worth telling the peer."""
        self._read += read
        if self._read < self._size // 2:
            return 0
        more, self._read = self._read, 0
        self._left += more
        return more


def wider(stream: int, more: int) -> bytes:
    """The frames that let the peer send more, on the connection and on the stream."""
    return b"".join(
        frame(WINDOW_UPDATE, 0, which, more.to_bytes(4, "big")) for which in (0, stream)
    )
