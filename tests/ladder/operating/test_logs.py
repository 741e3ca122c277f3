"""Log lines as JSON: all that a part says, up to its last words."""

import json
import logging
import os
import subprocess
import sys
from contextlib import suppress
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from ladder.operating import logs
from tests.forking import Forked

TIMEOUT = 300.0  # seconds
NOWHERE = {
    "DATABASE_URL": "sqlite:////nowhere/ladder.db",
    "REDIS_URL": "unix:///nowhere",
    "SANTIAGO_GATEWAY_KEY": "k" * 32,
    "SANTIAGO_SECRET_KEY": "short",
    "SANTIAGO_LOG": "json",
}
LAST_WORDS = """
import threading, warnings
from ladder.operating import logs

logs.log_to_stderr()
warnings.warn("rum is out")
failing = threading.Thread(target=lambda: 1 / 0)
failing.start()
failing.join()
raise ValueError("two\\nlines")
"""


def parsed(said: str) -> list[dict[str, Any]]:
    """The lines, each of which is an object and tells its time with its zone."""
    lines = [json.loads(line) for line in said.splitlines()]
    for line in lines:
        assert datetime.fromisoformat(line["asctime"]).utcoffset() == timedelta(0)
        assert {"levelname", "name", "message"} <= line.keys()
    return lines


@pytest.mark.parametrize(
    "words",
    [
        "ladder.cli.main worker",
        "ladder.cli.main scheduler",
        "ladder.cli.main gateway --listen 127.0.0.1:1",
        "ladder.cli.main house --listen unix:/nowhere",
        "ladder.cli.main db upgrade",
        "web",
    ],
)
def test_the_sentence_with_which_a_part_ends(words: str) -> None:
    waits = words.endswith(("worker", "scheduler"))  # for a database
    wrong = {"SANTIAGO_PLACES": "many"} if waits else {}
    with Forked(*words.split(), env=os.environ | NOWHERE | wrong, piped=True) as part:
        said, errors = part.communicate(TIMEOUT)
    assert part.returncode != 0
    lines = parsed(said + errors)
    assert [line for line in lines if line["levelname"] == "CRITICAL"]


def test_warnings_and_what_nobody_catches() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LAST_WORDS],
        env=os.environ | NOWHERE,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )
    assert done.returncode == 1
    warned, thread, ended = parsed(done.stderr)
    assert "rum is out" in warned["message"]
    assert "ZeroDivisionError" in thread["exc_info"]
    assert ended["exc_info"].endswith("ValueError: two\nlines")


def test_text_for_people() -> None:
    settings = NOWHERE | {"SANTIAGO_LOG": "", "SANTIAGO_PLACES": "many"}
    with Forked("ladder.cli.main", "worker", env=os.environ | settings, piped=True) as part:
        _, errors = part.communicate(TIMEOUT)
    assert errors.splitlines()[-1].startswith("Error: ")


def test_a_log_of_house_bots(tmp_path: Path) -> None:
    """They say what they do on other commands' output; as JSON that is a log, too."""
    settings = NOWHERE | {"DATABASE_URL": f"sqlite:///{tmp_path}/ladder.db"}
    with Forked("ladder.cli.main", "db", "upgrade", env=os.environ | settings) as upgrade:
        assert upgrade.wait(TIMEOUT) == 0
    words = ["house", "--listen", f"unix:{tmp_path}"]
    with Forked("ladder.cli.main", *words, env=os.environ | settings, piped=True) as house:
        lines = [json.loads(house.stderr.readline()) for _ in range(3)]
        house.terminate()
        house.wait(TIMEOUT)
        rest = parsed(house.stdout.read() + house.stderr.read())
    assert all(" plays at unix:" in line["message"] for line in lines)
    assert rest[-1]["message"] == "Ending."


def test_who_ends_a_part_is_no_error_of_it(caplog: pytest.LogCaptureFixture) -> None:
    logs._report(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert caplog.records == []
    logs._report(MemoryError, MemoryError(), None)
    assert [line.getMessage() for line in caplog.records] == ["ended by an error"]


def test_repeated_warning_is_printed_once_in_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the database is away, a worker's log grew by several lines a second."""
    clock = MagicMock()
    monkeypatch.setattr(logs, "monotonic", clock)
    monkeypatch.setattr(logs, "_REMEMBERED", 3)
    printer, printed = logs._Handler(), StringIO()
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
    printer = logs._Handler()
    log = logging.Logger("part")
    log.addHandler(printer)
    with suppress(OSError), Path("/dev/full").open("w", buffering=1) as full:
        printer.stream = full
        log.warning("a heartbeat failed")
    assert capsys.readouterr().err == ""
    printer.stream = StringIO()
    log.warning("%d heartbeats failed", "no")
    assert "TypeError" in capsys.readouterr().err
