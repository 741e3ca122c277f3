"""`santiago replay view` as a process: page and frames on loopback, and its end."""

import json
import os
import re
import signal
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

import pytest

from referee import replay
from tests.e2e.processes import started_by, still_there, until
from tests.forking import Forked
from tests.ladder.cli.terminal import TIMEOUT
from tests.referee.games import DrawingBot, local_game

pytestmark = pytest.mark.usefixtures("forked_python")


def viewing(*words: str, **environ: str) -> Forked:
    arguments = ("ladder.cli.main", "replay", "view", *words)
    return Forked(*arguments, env=os.environ | environ, piped=True)


def test_a_game_is_served_until_ctrl_c_and_a_browser_opened_if_wanted(tmp_path: Path) -> None:
    file, browser, opened = (tmp_path / name for name in ("game.santiago", "browser", "opened"))
    file.write_bytes(replay.write(local_game([DrawingBot] * 2)))
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}.part && mv {opened}.part {opened}\n')
    browser.chmod(0o755)
    with viewing(str(file), "--open", BROWSER=f"{browser} %s") as viewer:
        try:
            address = re.search(r"http://127\.0\.0\.1:\d+/", said := viewer.stdout.readline())
            assert address is not None
            until(opened.exists)
            assert opened.read_text().strip() in said
            parts = started_by(viewer.pid)
            opener = build_opener(ProxyHandler({}))
            with opener.open(address[0], timeout=TIMEOUT) as page:
                assert "game.santiago" in page.read().decode()
                assert "default-src 'none'" in page.headers["Content-Security-Policy"]
            with opener.open(f"{address[0]}frames", timeout=TIMEOUT) as frames:
                assert json.load(frames)["frames"][-1]["type"] == "end"
            viewer.send_signal(signal.SIGINT)
            assert viewer.wait(TIMEOUT) == 128 + signal.SIGINT
            until(lambda: not still_there(parts))
            assert viewer.stderr.read() == ""
        finally:
            viewer.kill()


def test_a_file_that_is_no_replay(tmp_path: Path) -> None:
    file = tmp_path / "game.santiago"
    file.write_bytes(b"rum")
    with viewing(str(file)) as viewer:
        assert viewer.wait(TIMEOUT) == 1
        err = viewer.stderr.read()
    assert err.startswith(f"Error: {file}: This is not a replay")
