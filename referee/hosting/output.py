"""Keep what comes out of a sandbox: what it prints, and the one folder where it writes.

Of what it prints the beginning and the end are kept; the rest is read and dropped. Its folder is
never reached by a path, which may change: a bot may replace its socket, or any file, by a link to
something else at any time. So all is opened below the open folder, without following links, and
looked at once it is open.
"""

import os
import select
import stat
import threading
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic, sleep
from typing import IO, Final

SOCKET: Final = "bot.sock"
_BYTES_OF_AN_INODE: Final = 1024
LEFT_OUT: Final = "\n[... "
"""Before the number of bytes that were left out of an output."""
_CHUNK: Final = 64 * 1024
_READS_A_SECOND: Final = 64
"""How often a stream is read for long; who prints faster waits, at no cost for anybody."""


@dataclass(frozen=True)
class ProgramOutput:
    """The bytes that a program printed; each stream is cut in its middle if it was long."""

    out: bytes
    errors: bytes

    @property
    def stdout(self) -> str:
        """The text of stdout; bytes that are no UTF-8 are replaced, here and in `stderr`."""
        return self.out.decode(errors="replace")

    @property
    def stderr(self) -> str:
        """The text of stderr."""
        return self.errors.decode(errors="replace")


def gap(left_out: int, of: str = "bytes") -> str:
    """Return the line that stands in place of so many bytes, or lines."""
    return f"{LEFT_OUT}{left_out:,} {of} left out ...]\n"


class Kept:
    """Reads a pipe to its end; keeps `limit` bytes, half from the beginning, half from the end."""

    def __init__(self, pipe: IO[bytes], limit: int) -> None:
        self._half = limit // 2
        self._lock = threading.Lock()  # of the pipe too: nobody keeps a piece before an earlier one
        self._pipe = pipe
        self._head, self._tail, self._length = b"", b"", 0
        os.set_blocking(pipe.fileno(), False)
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def forget(self) -> None:
        """Begin anew, as for another match."""
        with self._lock:
            self._take()
            self._head, self._tail, self._length = b"", b"", 0

    def data(self) -> bytes:
        """Return what is kept of all that was written, and say how much was left out between."""
        head, left_out, tail = self.after(0)
        return head + (gap(left_out).encode() if left_out else b"") + tail

    def after(self, position: int) -> tuple[bytes, int, bytes]:
        """Return what follows the first `position` bytes that were written.

        It comes as its beginning, the number of bytes that were left out, and its end. The end is
        empty if none were.
        """
        with self._lock:
            self._take()
            head, tail, length = self._head, self._tail, self._length
        begin = length - len(tail)
        left_out = begin - max(position, len(head))
        if left_out > 0:
            return head[position:], left_out, tail
        return head[position:] + tail[max(0, position - begin) :], 0, b""

    def join(self) -> None:
        """Wait until the pipe has ended, after the processes that held it."""
        self._thread.join(timeout=5)

    def _read(self) -> None:
        ready = select.poll()
        ready.register(self._pipe, select.POLLIN)
        allowed, since = float(_READS_A_SECOND), monotonic()
        while True:
            ready.poll()
            with self._lock:
                if not self._take():
                    self._pipe.close()
                    return
            now = monotonic()
            allowed = min(allowed + (now - since) * _READS_A_SECOND, _READS_A_SECOND) - 1
            since = now
            if allowed < 0:
                sleep(1 / _READS_A_SECOND)

    def _take(self) -> bool:
        """Keep what is in the pipe now; return False if it has ended. The caller has the lock."""
        if self._pipe.closed:
            return False
        try:
            chunk = os.read(self._pipe.fileno(), _CHUNK)
        except BlockingIOError:
            return True
        self._length += len(chunk)
        room = self._half - len(self._head)
        self._head += chunk[:room]
        self._tail = (self._tail + chunk[room:])[-self._half :]
        return bool(chunk)


def open_below(root: int, path: str) -> int:
    """Open a file by its path below an open folder.

    Raises OSError if there is none, or a link stands anywhere in its path.
    """
    *parents, name = path.split("/")
    folder = os.dup(root)
    try:
        for parent in parents:
            inner = os.open(parent, os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        # Not to wait for the other end of a pipe that has this name.
        return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    finally:
        os.close(folder)


class SharedFolder:
    """/run/santiago of a sandbox: `folder` is its open file, which `close` closes."""

    def __init__(self, folder: int) -> None:
        self._folder = folder
        self._socket: int | None = None

    def socket_path(self) -> str | None:
        """Return a path that leads to the socket on which the bot listens; None if there is none.

        It is the path of an open file: a socket that was in this very folder. Where the bot's own
        name for it leads later is of no interest. The path is good until the next call.
        """
        flags = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            descriptor = os.open(SOCKET, flags, dir_fd=self._folder)
        except OSError:
            return None
        opened = os.fstat(descriptor)
        if not stat.S_ISSOCK(opened.st_mode) or opened.st_dev != os.fstat(self._folder).st_dev:
            os.close(descriptor)
            return None
        self._hang_up()
        self._socket = descriptor
        return f"/proc/{os.getpid()}/fd/{descriptor}"

    def descriptor(self) -> int:
        """Return another descriptor of the folder, which the caller closes."""
        return os.dup(self._folder)

    def used(self) -> int:
        """Return the bytes of memory that its files take."""
        status = os.fstatvfs(self._folder)
        inodes = max(0, status.f_files - status.f_ffree)
        return (status.f_blocks - status.f_bfree) * status.f_frsize + inodes * _BYTES_OF_AN_INODE

    def is_full(self) -> bool:
        """Return True if no byte more can be written."""
        status = os.fstatvfs(self._folder)
        return status.f_bfree == 0

    def close(self) -> None:
        """Close all that is open."""
        self._hang_up()
        with suppress(OSError):
            os.close(self._folder)

    def _hang_up(self) -> None:
        if self._socket is not None:
            os.close(self._socket)
            self._socket = None
