"""The house bots: beside `santiago up`, and as a process of a service."""

import signal
from pathlib import Path

import pytest
from sqlalchemy import func, select

from ladder.model import Bot, Match, Version
from ladder.people.accounts import HOUSE_BOTS
from referee.seats.description import describe
from tests.conftest import free_port
from tests.e2e.conftest import Start
from tests.e2e.processes import until
from tests.e2e.santiago import Santiago
from tests.ladder.cli.terminal import run
from tests.ladder.databases import new_ladder, session_on
from tests.ladder.ledgers import check_ledger


def finished(up: Santiago) -> int:
    with up.ladder() as session:
        query = select(func.count()).select_from(Match)
        return session.scalars(query.where(Match.state == "finished")).one()


def test_the_ladder_plays_by_itself(santiago: Start) -> None:
    """Meanwhile a second service on the same data is refused; then this one ends in good order."""
    up = santiago("up", "--pace", "600")
    up.says("The ladder is at http://")
    assert up.data.stat().st_mode & 0o077 == 0
    second = santiago("up")
    assert second.ends() == 1
    assert "Error: Another santiago runs in " in second.said
    assert "--data" in second.said
    until(lambda: finished(up) >= 3)
    parts = up.parts()
    up.send(signal.SIGTERM)
    assert up.ends() == 0
    up.leaves_nothing(parts)
    with up.ladder() as session:
        assert set(session.scalars(select(Match.kind))) == {"ladder"}
        assert set(session.scalars(select(Version.offline_since))) == {None}
        check_ledger(session)


def test_a_service_has_them_in_a_process_of_their_own(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = new_ladder(folder / "ladder.db")
    monkeypatch.setenv("DATABASE_URL", url)
    first = free_port(more=3)
    house = Santiago(folder, "house", "--listen", f"127.0.0.1:{first}")
    try:
        house.says(f"plays at 127.0.0.1:{first + 3}.")
        assert describe(f"127.0.0.1:{first}").name == "greedy"
        assert run("health", "house", DATABASE_URL=url).exit_code == 0
        parts = house.parts()
        house.send(signal.SIGTERM)
        assert house.ends() == 0
        house.leaves_nothing(parts)
        answer = run("health", "house", DATABASE_URL=url)
        assert (answer.exit_code, "No bot answers at 127.0.0.1:" in answer.stderr) == (1, True)
    finally:
        house.kill()
    with session_on(url) as session:
        assert set(session.scalars(select(Bot.name))) == HOUSE_BOTS


def test_they_listen_in_a_folder_that_workers_share(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = new_ladder(folder / "ladder.db")
    monkeypatch.setenv("DATABASE_URL", url)
    house = Santiago(folder, "house", "--listen", f"unix:{tmp_path}")
    try:
        house.says(f"plays at unix:{tmp_path}/turquino.bot.")
        assert describe(f"unix:{tmp_path}/greedy.bot").name == "greedy"
        house.send(signal.SIGTERM)
        assert house.ends() == 0
    finally:
        house.kill()
