"""`santiago ladder` on the database of a folder."""

from pathlib import Path

import pytest

from tests.ladder.cli.terminal import fails, succeeds
from tests.ladder.databases import new_ladder


@pytest.fixture
def where(tmp_path: Path) -> tuple[str, str]:
    new_ladder(tmp_path / "ladder.db")
    return "--data", str(tmp_path)


def test_the_ladders_are_listed(where: tuple[str, str]) -> None:
    first, *others = succeeds("ladder", "list", *where).splitlines()
    assert first == (
        "Tables of 2: open, share 1, bots of one owner do not meet; "
        "move limit 10 s, bank 60 s, increment 0.5 s, start-up 10 s"
    )
    assert [line[:11] for line in others] == ["Tables of 3", "Tables of 4"]


def test_what_is_given_is_changed_and_the_rest_stays(where: tuple[str, str]) -> None:
    succeeds("ladder", "set", "3", "--closed", "--share", "5", *where)
    changed = succeeds("ladder", "set", "3", "--one-owner", "--bank", "30", *where)
    assert changed == (
        "Tables of 3: closed, share 5, bots of one owner meet; "
        "move limit 10 s, bank 30 s, increment 0.5 s, start-up 10 s\n"
    )
    assert changed in succeeds("ladder", "list", *where)


def test_a_ladder_is_for_hosted_bots_alone(where: tuple[str, str]) -> None:
    assert "do not meet, hosted bots only;" in succeeds(
        "ladder", "set", "3", "--hosted-only", *where
    )
    assert "hosted" not in succeeds("ladder", "set", "3", "--all-bots", *where)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("5",), "not in the range 2<=x<=4"),
        (("2", "--share", "-1"), "not in the range"),
        (("2", "--bank", "-3"), "A clock needs"),
    ],
)
def test_what_cannot_be(where: tuple[str, str], options: tuple[str, ...], why: str) -> None:
    assert why in fails("ladder", "set", *options, *where, code=2)
