"""Log lines for people: none twice in a row, and none that tells of a full disk."""

import logging
from contextlib import suppress
from io import StringIO
from pathlib import Path
from unittest.mock import MagicMock

import pytest

from referee import printing
from referee.printing import LogHandler


def test_repeated_warning_is_printed_once_in_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the database is away, a worker's log grew by several lines a second."""
    clock = MagicMock()
    monkeypatch.setattr(printing, "monotonic", clock)
    monkeypatch.setattr(printing, "_REMEMBERED", 3)
    printer, printed = LogHandler(), StringIO()
    printer.stream = printed
    log = logging.Logger("part")
    log.addHandler(printer)
    for clock.return_value in (0.0, 0.5, 29.0, 30.0, 31.0):
        log.warning("match %d is not settled: %s", 7, OSError("away"))
    log.warning("match %d is not settled: %s", 8, OSError("away"))
    for _ in range(2):
        log.info("match %d was played", 9)
        log.error("tend failed", exc_info=KeyError("may be another one"))
    lines = [line for line in printed.getvalue().splitlines() if line.startswith(("match", "tend"))]
    assert lines == [
        *["match 7 is not settled: away"] * 2,
        "match 8 is not settled: away",
        *["match 9 was played", "tend failed"] * 2,
    ]
    for number in range(10):
        log.warning("match %d is gone", number)
    assert len(printer._printed) <= 3


def test_full_disk_brings_no_tracebacks(capsys: pytest.CaptureFixture[str]) -> None:
    """They would stand in the log once there is room; those of other errors do."""
    printer = LogHandler()
    log = logging.Logger("part")
    log.addHandler(printer)
    with suppress(OSError), Path("/dev/full").open("w", buffering=1) as full:
        printer.stream = full
        log.warning("a heartbeat failed")
    assert capsys.readouterr().err == ""
    printer.stream = StringIO()
    log.warning("%d heartbeats failed", "no")
    assert "TypeError" in capsys.readouterr().err
