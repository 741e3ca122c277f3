"""Messages to the user of a program, beside its results: sentences, and the lines of a log."""

import logging
import sys
from contextlib import suppress
from time import monotonic
from typing import Final, TextIO

_REPEATED_AFTER: Final = 30.0  # seconds
_REMEMBERED: Final = 1000  # warnings


def say(sentence: str, *, err: bool = True) -> None:
    """Print a sentence; a log that takes no more, such as on a full disk, ends nothing."""
    with suppress(OSError):
        print(sentence, file=sys.stderr if err else sys.stdout, flush=True)


def escaped(line: str) -> str:
    """Return a stranger's line with what could steer a terminal escaped, as in Python's texts."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)


class LogHandler(logging.StreamHandler[TextIO]):
    """Prints an equal warning seldom, and no traceback for a line that finds no room.

    While the database is away, duties and jobs are tried again several times a second.
    """

    def __init__(self) -> None:
        super().__init__()
        self._printed: dict[tuple[str, object, str], float] = {}

    def emit(self, record: logging.LogRecord) -> None:
        if not self._is_repeated(record):
            super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        if not isinstance(sys.exception(), OSError):  # such as that of a full disk
            super().handleError(record)

    def _is_repeated(self, record: logging.LogRecord) -> bool:
        """Return True if this warning was printed just now. An exception may be another one."""
        if record.levelno < logging.WARNING or record.exc_info:
            return False
        said, since = (record.name, record.msg, repr(record.args)), monotonic() - _REPEATED_AFTER
        if self._printed.get(said, since) > since:
            return True
        if len(self._printed) >= _REMEMBERED:
            self._printed.clear()
        self._printed[said] = monotonic()
        return False
