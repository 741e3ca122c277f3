"""A run of the tests ends with a line about those that need what the machine lacks."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import INSTALL, PROJECT, left_out

TESTS = """
import pytest
from tests.conftest import missing

@pytest.mark.parametrize("n", range(3))
def test_in_a_browser(n):
    missing("chromium (Debian's package chromium-headless-shell, or chromium)")

def test_of_certificates():
    missing("openssl")

def test_that_runs():
    pass
"""


def test_a_run_ends_with_what_was_left_out_and_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)
    file = tmp_path / "test_parts.py"
    file.write_text(TESTS)
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "--disable-plugin-autoload",
            f"--rootdir={tmp_path}",
            "-p",
            "tests.conftest",
            file,
        ],
        cwd=PROJECT,
        env=None,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.splitlines()[-1] == (
        "Tests left out because this machine lacks a part: 3 for chromium, 1 for openssl. "
        "Install: chromium-headless-shell, openssl."
    )


def test_a_run_that_left_nothing_out_says_nothing() -> None:
    assert left_out([]) == ""
    assert left_out(["Skipped: only on Sundays"]) == ""


@pytest.mark.parametrize("part", INSTALL)
def test_each_part_is_named_with_what_brings_it(part: str) -> None:
    line = left_out([f"Skipped: this test needs {part}, which is not on this machine"])
    assert line.endswith(f": 1 for {part}. Install: {INSTALL[part]}.")


def test_a_long_reason_is_cut() -> None:
    long = "Skipped: this test needs what `npm ci` installs (npm error\nnetwork), which is not"
    assert "1 for what `npm ci` installs. Install: what `npm ci` installs." in left_out([long])
