"""The look for a bot that was out of reach: is it there?"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ladder.bots.reach import Look
from ladder.config import ALLOW_PRIVATE
from ladder.worker import look_for
from referee.bot import Bot, Decision
from referee.rules import Move
from referee.seats.description import NotDescribed
from referee.ways import Ways
from tests.referee.games import served


class Sleeper(Bot):
    """Is never asked to play."""

    def choose(self, decision: Decision) -> Move:  # noqa: ARG002
        raise AssertionError


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Where a bot listens."""
    with served(Sleeper, f"unix:{tmp_path}/sleeper") as where:
        yield where


async def test_who_says_who_it_is_is_there(address: str) -> None:
    assert await look_for(Look(1, "sleeper", address))


async def test_an_entered_version_is_not_there_while_another_one_answers(address: str) -> None:
    assert await look_for(Look(1, "sleeper", address, stated="1"))
    assert not await look_for(Look(1, "sleeper", address, stated="2"))


async def test_where_nobody_listens_nobody_is_there(tmp_path: Path) -> None:
    assert not await look_for(Look(1, "sleeper", f"unix:{tmp_path}/nobody"))


async def test_a_gateway_that_does_not_answer_says_nothing_of_its_bots(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def away(address: str, ways: Ways) -> str:
        raise NotDescribed("The gateway does not answer.", ours=True)

    monkeypatch.setattr("ladder.worker.stated_version", away)
    assert await look_for(Look(1, "sleeper", "gateway:sleeper", house=True)) is None


async def test_no_private_address_is_dialled_for_a_user(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv(ALLOW_PRIVATE, raising=False)
    with caplog.at_level("INFO"):
        assert not await look_for(Look(1, "sleeper", "127.0.0.1:50051"))
    assert "is still away" in caplog.text


async def test_what_cannot_be_opened_is_logged_and_no_reason_to_fail(
    address: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("SANTIAGO_SECRET_KEY", raising=False)
    assert not await look_for(Look(1, "sleeper", address, secret=b"sealed"))
    assert "SANTIAGO_SECRET_KEY is not set" in caplog.text
    assert "Traceback" not in caplog.text
