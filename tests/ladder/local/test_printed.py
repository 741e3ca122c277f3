"""What a started bot has printed."""

from pathlib import Path

from ladder.local.printed import last_lines


def test_the_last_lines_without_those_that_are_not_meant(tmp_path: Path) -> None:
    log = tmp_path / "bot.log"
    log.write_text("one\ntwo\na trial\nthree\n")
    assert last_lines(log, 2, leave_out="a trial") == ["two", "three"]


def test_a_python_without_the_kit(tmp_path: Path) -> None:
    log = tmp_path / "bot.log"
    log.write_text("ModuleNotFoundError: No module named 'referee'\n")
    *_, hint = last_lines(log, 5)
    assert "activate the environment" in hint
