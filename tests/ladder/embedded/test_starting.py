"""How the embedded service starts: whom it waits for, in which order, and when it gives up."""

import socket
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from time import sleep
from unittest.mock import Mock

import pytest
from sqlalchemy import select, text, update

from ladder.bots.versions import CHECK
from ladder.config import HOSTS, METRICS_PORT
from ladder.embedded import service
from ladder.embedded.service import EmbeddedService
from ladder.embedded.settings import metrics_port
from ladder.embedded.supervisor import ServiceError, Start, Supervisor
from ladder.errors import SettingsError
from ladder.jobs import attempts
from ladder.model import OUT_OF_REACH, Job, now, sqlite_url
from referee.processes import may_listen
from tests.conftest import free_port
from tests.e2e.santiago import own_folder
from tests.ladder.databases import new_ladder, session_on

LIVES_ON = [sys.executable, "-c", "import time; time.sleep(600)"]
ENDS = [sys.executable, "-c", "print('no rum left')"]


class Enough(Exception):
    """The test has seen what it wants to see."""


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Processes that do nothing in place of Redis, worker, scheduler and site; no host.

    The tables are there, since to make them takes longer than all else.
    """
    new_ladder(tmp_path / "ladder.db")
    monkeypatch.setenv(HOSTS, "none")
    monkeypatch.setattr(service, "redis_command", lambda _: LIVES_ON)
    monkeypatch.setattr(service, "redis_answers", lambda _: True)
    monkeypatch.setattr(service, "_santiago", lambda _: LIVES_ON)
    monkeypatch.setattr(service, "site_command", lambda: LIVES_ON)
    monkeypatch.setattr(service, "site_answers", lambda _: True)
    return monkeypatch


def start(
    folder: Path,
    say: Callable[[str], None] = print,
    *,
    adds_house: bool = False,
    pause: Callable[[float], None] = lambda _: None,
    host: str = "127.0.0.1",
    port: int | None = None,
) -> str:
    """Start and end the service; wait for nothing. Return the site's URL."""
    at = port or free_port()
    with EmbeddedService(folder, host, at, pause, 0, adds_house=adds_house, say=say) as service:
        return service.url


def never(_: float) -> None:
    raise Enough


@pytest.mark.parametrize("host", ["::1", "[::1]"])
def test_the_site_may_listen_on_ipv6(host: str, tmp_path: Path, parts: pytest.MonkeyPatch) -> None:
    parts.setattr(service, "check_ports", lambda *_: None)  # this machine may have no IPv6
    parts.setattr(service, "site_answers", lambda url: url.startswith("http://[::1]:"))
    assert start(tmp_path, host=host, pause=never).startswith("http://[::1]:")


def test_an_address_of_another_machine_is_refused(
    tmp_path: Path, parts: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ServiceError, match=r"cannot listen on \[2001:db8::1\]:\d+ \("):
        start(tmp_path, host="2001:db8::1")


@pytest.mark.parametrize(
    ("host", "metrics", "fails"),
    [("2001:db8::1", 1, 1), ("127.0.0.1", 0, 0), ("127.0.0.1", 1, 5)],
    ids=["no address of this machine", "the site's port", "another server's port"],
)
def test_metrics_that_cannot_listen_are_refused(
    host: str, metrics: int, fails: int, tmp_path: Path, parts: pytest.MonkeyPatch
) -> None:
    """Worker, scheduler and the site's three processes have metrics: five ports."""
    (tmp_path / "ladder.db").unlink()
    first = free_port(more=5)
    parts.setenv("WEB_CONCURRENCY", "3")
    parts.setenv("SANTIAGO_METRICS_HOST", host)
    parts.setenv("SANTIAGO_METRICS_PORT", str(first + metrics))
    with (
        socket.create_server(("127.0.0.1", first + 5)),
        pytest.raises(SettingsError, match=rf"metrics cannot be at {host}:{first + fails} \("),
    ):
        start(tmp_path, port=first)
    assert not (tmp_path / "ladder.db").exists()


def test_each_part_with_metrics_has_a_port_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = ("worker", "scheduler", "site", "redis")
    monkeypatch.delenv(METRICS_PORT, raising=False)
    assert [metrics_port(part) for part in parts] == [{}] * 4
    monkeypatch.setenv(METRICS_PORT, "9000")
    found = [metrics_port(part) for part in parts]
    assert found == [*({METRICS_PORT: port} for port in ("9000", "9001", "9002")), {}]


def test_it_waits_as_long_as_the_site_lives_and_says_so(
    tmp_path: Path, parts: pytest.MonkeyPatch
) -> None:
    parts.setattr(service, "_FIRST_WORD", 0.0)
    parts.setattr(service, "_NEXT_WORD", 0.0)
    parts.setattr(service, "site_answers", lambda _: False)
    said: list[str] = []

    def say(sentence: str) -> None:
        said.append(sentence)
        if len(said) == 100:
            raise Enough

    with pytest.raises(Enough):
        start(tmp_path, say)
    log = tmp_path / "logs" / "site.log"
    assert set(said) == {f"Waiting for the site (0 s so far); it prints to {log}."}


def test_a_site_that_ends_while_it_starts_is_given_up_however_long_it_lived(
    tmp_path: Path, parts: pytest.MonkeyPatch
) -> None:
    parts.setattr("ladder.embedded.supervisor._SHORT_LIFE", 0.0)
    parts.setattr(service, "site_command", lambda: ENDS)
    parts.setattr(service, "site_answers", lambda _: False)
    with pytest.raises(ServiceError, match=r"The site ended .* again and again"):
        start(tmp_path)


def test_tables_of_another_release_end_it_before_any_part_is_started_again(
    tmp_path: Path, parts: pytest.MonkeyPatch
) -> None:
    parts.setattr(service, "site_command", lambda: ENDS)

    def upgrade(_: str) -> None:
        with session_on(sqlite_url(tmp_path / "ladder.db")) as session, session.begin():
            session.execute(text("UPDATE alembic_version SET version_num = 'r9999'"))

    parts.setattr(service, "site_answers", upgrade)
    told: list[str] = []
    with pytest.raises(SettingsError, match=r"^the database's tables are of a newer version"):
        start(tmp_path, told.append)
    assert told == []


def test_a_database_out_of_reach_does_not_end_it(tmp_path: Path, parts: pytest.MonkeyPatch) -> None:
    answers = iter((False, True))
    parts.setattr(service, "site_answers", lambda _: next(answers))
    parts.setattr("ladder.model.other_release", Mock(side_effect=OUT_OF_REACH[1]))
    start(tmp_path)


@pytest.mark.parametrize("replaced", [False, True])
def test_a_database_that_was_moved_away_ends_it_before_any_part_is_started_again(
    replaced: bool, tmp_path: Path, parts: pytest.MonkeyPatch
) -> None:
    """A part that is started anew would find no tables, and end again and again."""
    parts.setattr(service, "site_command", lambda: ENDS)
    database = tmp_path / "ladder.db"

    def move(_: str) -> None:
        if not (tmp_path / "away.db").exists():
            database.rename(tmp_path / "away.db")
            if replaced:
                database.touch()

    parts.setattr(service, "site_answers", move)
    told: list[str] = []
    with pytest.raises(
        ServiceError, match=r"^The file .*ladder[.]db was moved, .* remove both first"
    ):
        start(tmp_path, told.append)
    assert told == []


def test_house_bots_listen_before_the_worker_starts(
    tmp_path: Path, parts: pytest.MonkeyPatch
) -> None:
    bots = {"random": "sample_bots.random_bot:RandomBot"}
    parts.setattr(service, "installed_bots", lambda: bots)
    listened: dict[str, bool] = {}
    with own_folder() as sockets:

        class Watched(Supervisor):
            def add(self, name: str, start: Start, *, needed: bool = False) -> None:
                listened[name] = may_listen(f"unix:{sockets}/random.bot")
                super().add(name, start, needed=needed)

        parts.setattr(service, "socket_folder", lambda: nullcontext(sockets))
        parts.setattr(service, "Supervisor", Watched)
        start(tmp_path, adds_house=True, pause=sleep)
    assert listened == {
        "redis": False,
        "site": False,
        "bot-random": False,
        "worker": True,
        "scheduler": True,
    }


def test_without_adding_house_bots_those_run_that_the_ladder_has(
    tmp_path: Path, parts: pytest.MonkeyPatch
) -> None:
    parts.setattr(service, "installed_bots", lambda: {"random": "sample_bots.random_bot:RandomBot"})
    started: list[str] = []

    class Noted(Supervisor):
        def add(self, name: str, start: Start, *, needed: bool = False) -> None:
            started.append(name)
            super().add(name, start, needed=needed)

    parts.setattr(service, "Supervisor", Noted)
    for adds_house, starts in [(False, False), (True, True), (False, True)]:
        started.clear()
        start(tmp_path, adds_house=adds_house, pause=sleep)
        assert ("bot-random" in started) == starts


def test_messages_of_a_former_run_are_sent_again(tmp_path: Path, parts: pytest.MonkeyPatch) -> None:
    """The Redis that had them is gone: until they are old, they would keep places and lanes."""
    start(tmp_path)
    with session_on(sqlite_url(tmp_path / "ladder.db")) as session:
        attempts.enqueue(session, CHECK, CHECK, [1])
        session.execute(update(Job).values(sent_at=now(session)))
        session.commit()
        start(tmp_path)
        session.expire_all()
        assert session.scalars(select(Job.sent_at)).all() == [None]
