"""Log lines of a part of the service: text for people, or one JSON object a line for programs.

With SANTIAGO_LOG=json everything that a part says is JSON, its last words included: warnings,
exceptions that nobody catches, and the sentence with which it ends.
"""

import logging
import os
import sys
import threading
from datetime import UTC, datetime
from types import TracebackType
from typing import Final, NoReturn

from pythonjsonlogger.json import JsonFormatter

from ladder.config import LOG
from referee.printing import LogHandler

_TEXT: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_FIELDS: Final = "{asctime}{levelname}{name}{message}"

_log: Final = logging.getLogger(__name__)


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
    logging.basicConfig(level=logging.INFO, format=_TEXT, handlers=[LogHandler()])
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
