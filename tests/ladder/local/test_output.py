"""What bots print: the end of a log, and logs that stay short."""

import os
from pathlib import Path
from time import sleep

import pytest

from ladder.local.entrants import gathered, last_lines
from ladder.local.output import end_of, shortened


def test_of_a_long_log_only_the_end_is_read(tmp_path: Path) -> None:
    log = tmp_path / "bot.log"
    with log.open("wb") as file:
        file.truncate(2**40)  # more than any memory: a bot that prints without end
        file.seek(0, os.SEEK_END)
        file.write(b"\nlast words\n")
    assert len(end_of(log)) == 2**16
    assert last_lines(end_of(log), 1) == ["last words"]


def test_the_end_of_a_log_begins_where_it_is_asked_for(tmp_path: Path) -> None:
    log = tmp_path / "bot.log"
    log.write_bytes(b"earlier, now")
    assert end_of(log, 9) == b"now"
    assert end_of(log, 100) == b"earlier, now", "it has been emptied since"


def test_of_a_log_that_grows_without_end_its_end_stays(tmp_path: Path) -> None:
    log, other = tmp_path / "bot.log", tmp_path / "other.log"
    for file in (log, other):
        file.write_bytes(bytes(2**24) + b"\nlast words\n")
    with shortened(log), log.open("ab", buffering=0) as bot:
        while log.stat().st_size != 2**16:
            sleep(0.01)
        bot.write(b"and more\n")
    assert last_lines(end_of(log), 2) == ["last words", "and more"]
    assert other.stat().st_size > 2**24, "it is somebody else's"


@pytest.mark.usefixtures("forked_python")
@pytest.mark.parametrize("kept", [False, True])
def test_a_bot_may_print_more_than_its_log_holds(kept: bool, tmp_path: Path) -> None:
    output = tmp_path if kept else None
    with gathered(["python -m tests.ladder.local.bots quiet"], output) as (bot,):
        assert bot.log is not None
        with bot.log.open("ab") as file:
            file.write(bytes(2**24))
        while bot.log.stat().st_size > 2**16:
            sleep(0.01)
