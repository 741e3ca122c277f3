"""Log lines as JSON: all that a part says, up to its last words."""

import json
import os
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ladder.operating import logs
from tests.forking import Forked
from tests.ladder.databases import new_ladder

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
    settings = NOWHERE | {"DATABASE_URL": new_ladder(tmp_path / "ladder.db")}
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


def test_a_host_repeats_no_warning(tmp_path: Path) -> None:
    warn_twice = (
        "from ladder.cli import host\n"
        "host._run = lambda *_: [host._log.warning('rum is out') for _ in range(2)]"
    )
    words = ["tests.referee.hosting.host", warn_twice, "host", "--listen", f"unix:{tmp_path}/host"]
    settings = os.environ | {"SANTIAGO_HOST_FOLDER": str(tmp_path / "folder")}
    with Forked(*words, env=settings, piped=True) as host:
        _, errors = host.communicate(TIMEOUT)
    assert errors == "rum is out\n"
