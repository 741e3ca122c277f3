"""The parts of the service: their signs of life, the watchdog, and two releases at once."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from threading import Event

import pytest
from sqlalchemy import select, text, update
from sqlalchemy.orm import Session, sessionmaker

from ladder import model, parts
from ladder.errors import SettingsError
from ladder.jobs import workers
from ladder.model import migrate
from ladder.parts import OTHER_RELEASE, STALLED, Part, Role, SignsOfLife, Watchdog
from tests.conftest import free_port
from tests.e2e.processes import until
from tests.forking import Forked
from tests.ladder.cli.terminal import run
from tests.ladder.databases import on_sqlite, session_on
from tests.ladder.service import TIMEOUT, RedisServer, Start

HASTE = {"SANTIAGO_LEASE": "0.5", "SANTIAGO_RENEW": "0.1", "LEAST_STANDSTILL": "4"}
SOME_HASTE = HASTE | {"LEAST_STANDSTILL": "12"}
"""For a part that has to live before it stands still: on a busy machine it starts slowly."""


class Dog:
    """A watchdog of ten seconds with a clock of the test's own."""

    def __init__(self) -> None:
        self.now = 100.0
        self.ends: list[tuple[int, str]] = []
        self.watchdog = Watchdog(
            10.0,
            clock=lambda: self.now,
            end=lambda status, sentence: self.ends.append((status, sentence)),
        )

    def passes(self, seconds: int) -> None:
        for _ in range(seconds):
            self.now += 1
            self.watchdog.look()


@pytest.fixture
def dog() -> Dog:
    return Dog()


def test_a_duty_that_does_not_come_round_ends_the_process(dog: Dog) -> None:
    dog.watchdog.came_round("reap")
    dog.passes(10)
    assert dog.ends == []
    dog.passes(1)
    assert dog.ends == [(STALLED, "reap did not come round for 10 seconds: the end")]


def test_duties_that_come_round_keep_it_alive_also_if_they_fail(dog: Dog) -> None:
    def reap() -> None:
        raise ValueError

    for _ in range(10):
        with pytest.raises(ValueError):  # noqa: PT011
            dog.watchdog.watched(reap)()
        dog.passes(9)
    assert dog.ends == []


def test_time_in_which_the_process_was_stopped_does_not_count(dog: Dog) -> None:
    dog.watchdog.came_round("reap")
    dog.now += 3600
    dog.passes(7)
    assert dog.ends == []


def test_a_duty_that_never_ends_for_the_first_time_ends_the_process(dog: Dog) -> None:
    def reap() -> None: ...

    dog.watchdog.watched(reap)
    dog.passes(10)
    assert dog.ends == []
    dog.passes(1)
    assert dog.ends == [(STALLED, "reap did not come round for 10 seconds: the end")]


def test_a_process_ends_also_if_the_log_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    goes_on = Event()
    ended: list[int] = []
    end: Callable[[int, str], object] = parts.end
    monkeypatch.setattr(parts._log, "critical", lambda *_: goes_on.wait())
    monkeypatch.setattr(parts, "_LAST_WORDS_TIMEOUT", 0.01)
    monkeypatch.setattr(os, "_exit", ended.append)
    monkeypatch.setattr("logging.shutdown", lambda: None)
    end(STALLED, "the end")
    goes_on.set()
    assert ended == [STALLED]


@on_sqlite
@pytest.mark.parametrize("role", ["scheduler", "worker"])
def test_a_part_whose_main_thread_stands_still_ends(
    start: Start, sessions: sessionmaker[Session], role: str
) -> None:
    part = start(role, **SOME_HASTE)
    until(lambda: names(sessions))
    part.send_signal(signal.SIGALRM)
    assert part.wait(TIMEOUT) == STALLED


@on_sqlite
@pytest.mark.parametrize(
    "place",
    ["ladder.worker.Hosts.from_environment", "celery.worker.consumer.Consumer.ensure_connected"],
)
def test_a_worker_that_stands_still_as_it_starts_ends(start: Start, place: str) -> None:
    assert start("worker", **HASTE, STANDS_STILL_IN=place).wait(TIMEOUT) == STALLED


@on_sqlite
def test_a_worker_that_is_asked_to_end_as_it_starts_signs_off(
    start: Start, sessions: sessionmaker[Session]
) -> None:
    worker = start("worker", STANDS_STILL_IN="ladder.worker.consume")
    until(lambda: names(sessions))
    worker.terminate()
    assert worker.wait(TIMEOUT) == 0
    assert names(sessions) == []


def names(sessions: sessionmaker[Session]) -> list[str]:
    with sessions() as session:
        return list(session.scalars(select(model.PartRow.name)))


def test_who_runs_here_must_have_given_a_sign_of_life(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert parts.trouble(session, Role.WORKER) == "No worker runs on this host."
    part = Part(Role.WORKER)
    part.beat(session)
    assert parts.trouble(session, Role.WORKER) == ""
    assert parts.trouble(session, Role.SCHEDULER) == "No scheduler runs on this host."
    at = model.now(session)
    monkeypatch.setattr(parts, "now", lambda _: at)
    session.execute(update(model.PartRow).values(seen_at=at - timedelta(minutes=1)))
    assert "gave its last sign of life 60 seconds ago" in parts.trouble(session, Role.WORKER)
    part.sign_off(session)
    assert parts.trouble(session, Role.WORKER) == "No worker runs on this host."


def test_who_had_the_same_process_id_before_is_forgotten(session: Session) -> None:
    """As in a container that is started again."""
    before, after = Part(Role.WORKER), Part(Role.WORKER)
    before.beat(session)
    after.beat(session)
    after.beat(session)
    assert session.scalars(select(model.PartRow.name)).all() == [after.name]


def test_rows_of_the_dead_are_deleted_after_a_day(session: Session) -> None:
    Part(Role.SITE).beat(session)
    session.execute(update(model.PartRow).values(seen_at=model.now(session) - timedelta(hours=25)))
    parts.forget(session)
    assert session.scalars(select(model.PartRow)).all() == []


@on_sqlite
def test_the_command_for_health_checks(database_url: str) -> None:
    asked = ("health", "worker")
    ended = run(*asked, DATABASE_URL=database_url)
    assert (ended.exit_code, ended.stderr) == (1, "Error: No worker runs on this host.\n")
    with session_on(database_url) as session, session.begin():
        Part(Role.WORKER).beat(session)
    assert run(*asked, DATABASE_URL=database_url).exit_code == 0


@pytest.mark.parametrize("role", ["worker", "house"])
def test_health_checks_of_a_database_without_tables(empty_url: str, role: str) -> None:
    ended = run("health", role, DATABASE_URL=empty_url)
    assert ended.exit_code == 1
    assert ended.stderr.startswith("Error: The database has no tables: make them with `santiago db")


def test_a_mistyped_file_is_not_made(tmp_path: Path) -> None:
    ended = run("health", "worker", DATABASE_URL=f"sqlite:///{tmp_path}/typo.db")
    assert "The database has no tables" in ended.stderr
    assert list(tmp_path.iterdir()) == []


class Release:
    """All kinds of parts, as processes."""

    def __init__(self, folder: Path, database_url: str, redis_url: str) -> None:
        port = free_port(1)
        self._folder = folder
        self._environ = os.environ | {
            "DATABASE_URL": database_url,
            "REDIS_URL": redis_url,
            "SANTIAGO_SECRET_KEY": "A" * 43 + "=",
            "SANTIAGO_GATEWAY_KEY": "a key of the test's own",
            "SANTIAGO_PORT": str(port),
        }
        self.parts = {
            "worker": self._start("worker", "ladder.cli.main", "worker"),
            "scheduler": self._start("scheduler", "ladder.cli.main", "scheduler"),
            "gateway": self._start(
                "gateway", "ladder.cli.main", "gateway", "--listen", f"127.0.0.1:{port + 1}"
            ),
            "site": self._start("site", "web"),
        }

    def _start(self, name: str, *words: str) -> Forked:
        return Forked(*words, env=self._environ, log=self._folder / name)

    def said(self, name: str) -> str:
        return (self._folder / name).read_text()


@pytest.fixture
def release(tmp_path: Path, redis_of_its_own: RedisServer, database_url: str) -> Iterator[Release]:
    release = Release(tmp_path, database_url, redis_of_its_own.url)
    yield release
    for part in release.parts.values():
        part.kill()
        part.wait()


@on_sqlite
def test_parts_end_if_the_tables_become_those_of_another_release(
    release: Release, sessions: sessionmaker[Session]
) -> None:
    until(lambda: len(names(sessions)) == 4)
    with sessions.begin() as session:
        session.execute(text("UPDATE alembic_version SET version_num = 'r9999'"))
    for name, part in release.parts.items():
        ended = part.wait(TIMEOUT)
        assert "tables are of a newer version of santiago (r9999; this" in release.said(name), name
        assert ended == (OTHER_RELEASE if name != "site" else 4)


@on_sqlite
def test_parts_that_end_in_good_order_sign_off(
    release: Release, sessions: sessionmaker[Session]
) -> None:
    until(lambda: len(names(sessions)) == 4)
    for part in release.parts.values():
        part.terminate()
    assert [part.wait(TIMEOUT) for part in release.parts.values()] == [0, 0, 0, 0]
    assert names(sessions) == []


def test_no_upgrade_while_workers_of_the_release_before_are_alive(empty_url: str) -> None:
    model.upgrade(empty_url, "r0019")
    live(empty_url, lambda session: workers.beat(session, "havana:7:ab", places=1))
    refused = run("db", "upgrade", DATABASE_URL=empty_url)
    assert refused.exit_code == 1
    assert "are alive (havana:7:ab): end them first" in refused.stderr
    with session_on(empty_url) as session:
        assert session.scalar(text("SELECT version_num FROM alembic_version")) == "r0019"
    assert run("db", "upgrade", "--regardless", DATABASE_URL=empty_url).exit_code == 0


def test_no_upgrade_while_any_part_of_another_release_is_alive(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = Part(Role.SITE)
    live(database_url, part.beat)
    model.upgrade(database_url)  # it is of the same release, and there is nothing to do
    monkeypatch.setattr(migrate, "REVISION", "r9999")
    with pytest.raises(SettingsError, match=f"{part.name}.*: end them first"):
        model.upgrade(database_url)
    live(database_url, part.sign_off)
    model.upgrade(database_url)


def live(url: str, what: Callable[[Session], None]) -> None:
    with session_on(url) as session, session.begin():
        what(session)


def test_signs_of_life_go_on_after_a_database_that_refused_us_for_a_moment(
    sessions: sessionmaker[Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "BEAT", 0.01)
    refused, seen = Event(), Event()

    class Refused(Part):
        def beat(self, session: Session) -> None:
            if not refused.is_set():
                refused.set()
                raise SettingsError("the user in DATABASE_URL has to own the database's tables")
            super().beat(session)
            seen.set()

    with closing(SignsOfLife(Refused(Role.GATEWAY), sessions)):
        assert seen.wait(TIMEOUT)
