"""Log lines of a part of the service: text for people, or one JSON object a line for programs.

With SANTIAGO_LOG=json everything that a part says is JSON, its last words included: warnings,
exceptions that nobody catches, and the sentence with which it ends.

While the database is away, duties and jobs are tried again several times a second: a warning that
is repeated is printed once in a while.
"""

import logging
import os
import sys
import threading
from datetime import UTC, datetime
from time import monotonic
from types import TracebackType
from typing import Final, NoReturn, TextIO

from pythonjsonlogger.json import JsonFormatter

from ladder.config import LOG

_TEXT: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_FIELDS: Final = "{asctime}{levelname}{name}{message}"
_REPEATED_AFTER: Final = 30.0  # seconds
_REMEMBERED: Final = 1000  # warnings

_log: Final = logging.getLogger(__name__)


class _Handler(logging.StreamHandler[TextIO]):
    """Prints an equal warning seldom, and no traceback for a line that finds no room."""

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


class _Lines(JsonFormatter):
    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: ARG002, N802
        return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")


def as_json() -> bool:
    """Return True if the environment asks for JSON, whatever is wrong with its settings."""
    return os.environ.get(LOG, "").strip() == "json"


def formatter() -> logging.Formatter:
    """Return the formatter of JSON lines; their times are ISO 8601, in UTC."""
    return _Lines(_FIELDS, style="{")


def log_to_stderr() -> None:
    """Log to stderr from now on, in the form that the environment asks for."""
    logging.basicConfig(level=logging.INFO, format=_TEXT, handlers=[_Handler()])
    if as_json():
        logging.getLogger().handlers[0].setFormatter(formatter())
        logging.captureWarnings(True)
        sys.excepthook = _report
        threading.excepthook = lambda failed: _report(
            failed.exc_type, failed.exc_value, failed.exc_traceback
        )


def end(sentence: str, status: int = 1) -> NoReturn:
    """End the process with a sentence on stderr that says why."""
    if as_json():
        _log.critical("%s", sentence)
    else:
        print(f"Error: {sentence}", file=sys.stderr)
    sys.exit(status)


def _report(
    kind: type[BaseException], error: BaseException | None, trace: TracebackType | None
) -> None:
    if not issubclass(kind, KeyboardInterrupt | SystemExit):
        _log.critical("ended by an error", exc_info=error and (kind, error, trace))
