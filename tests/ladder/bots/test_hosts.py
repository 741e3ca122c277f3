"""What workers write down of their hosts, and the logs of builds."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256

import pytest
from sqlalchemy import select, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session, sessionmaker

from ladder.bots import bans, builds, packages
from ladder.bots.builds import BuildClaim, LogWriter
from ladder.bots.hosts import Hosts, NoHost, name_of, note
from ladder.bots.versions import BUILD
from ladder.jobs import attempts
from ladder.jobs.stage import Stage
from ladder.matches import lanes
from ladder.model import BuildLine, HostRow, now
from ladder.seating import NotPlayed
from ladder.worker import watch_hosts
from referee.errors import Interrupted
from referee.hosting.client import HostLost, HostRefuses, Missing, RemoteHost
from referee.wire.host_pb2 import Bundle, StatusResponse
from tests.ladder.bots.authors import author
from tests.ladder.bots.uploads import claimed_build, host, uploaded
from tests.ladder.databases import on_sqlite

HERE = "unix:/run/host"
WELL = StatusResponse(release="1", processors=3, most_sandboxes=32, guards=["bubblewrap"])


def noted(session: Session, **statuses: StatusResponse | None) -> dict[str, bool]:
    """What a worker writes down; committed."""
    found = note(session, {f"{name}.example:443": status for name, status in statuses.items()})
    session.commit()
    return found


def rows(session: Session) -> dict[str, HostRow]:
    query = select(HostRow).execution_options(populate_existing=True)
    found = {row.name: row for row in session.scalars(query)}
    session.commit()
    return found


def test_a_host_has_two_lanes_a_processor_as_far_as_its_sandboxes_reach(session: Session) -> None:
    few = StatusResponse(processors=3, most_sandboxes=9)
    draining = noted(session, one=WELL, two=few)
    assert draining == {"one.example:443": False, "two.example:443": False}
    found = rows(session)
    assert (found["one.example:443"].lanes, found["two.example:443"].lanes) == (6, 2)
    assert lanes.lanes(session) == 8


def test_a_host_that_runs_no_sandboxes_has_no_lanes_and_says_why(session: Session) -> None:
    noted(session, one=StatusResponse(processors=3, missing="Install bubblewrap."))
    assert rows(session)["one.example:443"].trouble == "Install bubblewrap."
    assert lanes.lanes(session) == 0
    noted(session, one=WELL)
    assert lanes.lanes(session) == 6


def test_a_host_that_answers_nobody_for_a_while_is_in_trouble(session: Session) -> None:
    noted(session, one=WELL, two=WELL)
    noted(session, one=None, two=WELL)
    assert rows(session)["one.example:443"].trouble is None, "another worker may have seen it"
    long_ago = now(session) - timedelta(seconds=11)
    session.execute(update(HostRow).values(seen_at=long_ago))
    noted(session, one=None, two=WELL)
    assert rows(session)["one.example:443"].trouble == HostRow.NO_ANSWER
    assert lanes.lanes(session) == 6


def test_the_operator_drains_hosts_by_their_rows(session: Session) -> None:
    noted(session, one=WELL)
    session.execute(update(HostRow).values(draining=True))
    assert noted(session, one=WELL) == {"one.example:443": True}
    assert rows(session)["one.example:443"].draining
    session.execute(update(HostRow).values(draining=False))
    drained = StatusResponse(processors=3, most_sandboxes=32, draining=True)
    assert noted(session, one=drained) == {"one.example:443": False}


def test_a_unix_socket_is_named_with_its_machine() -> None:
    assert name_of("a.example:443") == "a.example:443"
    assert name_of(HERE).endswith(":/run/host")


async def test_without_any_host_there_is_none_to_choose(sessions: sessionmaker[Session]) -> None:
    with pytest.raises(NoHost):
        async with Hosts(sessions, ()).least_busy(()):
            raise AssertionError


async def chosen(hosts: Hosts, error: Exception | None = None) -> str:
    """The address of the host that gets a job, which ends by an error."""
    address = ""
    with suppress(HostRefuses, NotPlayed):
        async with hosts.least_busy(()) as host:
            address = host.address
            if error is not None:
                raise error
    return address


def in_play(error: Exception) -> NotPlayed:
    """A match that came to nothing by an error after a bot wrote something."""
    failed = NotPlayed(Interrupted(), ())
    failed.__cause__ = error
    return failed


@pytest.mark.parametrize("refused", [HostRefuses("full"), in_play(HostRefuses("full"))])
async def test_a_host_that_refuses_is_passed_over_for_a_while(
    refused: Exception, sessions: sessionmaker[Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has the least to do, since it does nothing."""
    busy, idle = "unix:/run/busy", "unix:/run/idle"
    thinking = {busy: 2, idle: 0}

    async def status(host: RemoteHost) -> StatusResponse:
        return StatusResponse(processors=1, thinking=thinking[host.address])

    monkeypatch.setattr(RemoteHost, "status", status)
    hosts = Hosts(sessions, (busy, idle))
    assert [await chosen(hosts, refused), await chosen(hosts)] == [idle, busy]
    alone = Hosts(sessions, (idle,))
    assert [await chosen(alone, refused), await chosen(alone)] == [idle, idle]
    monkeypatch.setattr("ladder.bots.hosts._PASSED_OVER", 0.0)
    assert await chosen(hosts) == idle
    await hosts.close()
    await alone.close()


async def test_a_job_keeps_its_host_busy_until_it_is_over(
    sessions: sessionmaker[Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def status(_: RemoteHost) -> StatusResponse:
        return StatusResponse(processors=1)

    monkeypatch.setattr(RemoteHost, "status", status)
    hosts = Hosts(sessions, ("unix:/run/one", "unix:/run/two"))
    assert await chosen(hosts) == await chosen(hosts)
    async with hosts.least_busy(()) as host:
        assert await chosen(hosts) != host.address
    await hosts.close()


async def test_the_log_of_a_build_has_a_bound(
    session: Session, sessions: sessionmaker[Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builds, "MOST_LINES", 3)
    monkeypatch.setattr(builds, "_FLUSH_EVERY", 0.01)
    host(session)
    claim = claimed_build(session, uploaded(session, author(session)).version_id)
    log = LogWriter(sessions, claim.held)

    def lines() -> Sequence[str]:
        with sessions() as reader:
            return reader.scalars(select(BuildLine.text).order_by(BuildLine.number)).all()

    async with log.written(), asyncio.timeout(60):
        log.say("one\x00")
        while not lines():  # the build goes on
            await asyncio.sleep(0.01)
        for line in ("two" * 1000, "three", "four"):
            log.say(line)
    assert lines() == ["one�", ("two" * 1000)[: builds.LONGEST_LINE], "[what follows is not kept]"]


@on_sqlite
async def test_lines_wait_for_a_database_that_is_away(
    session: Session,
    sessions: sessionmaker[Session],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(builds, "_FLUSH_EVERY", 0.01)
    host(session)
    claim = claimed_build(session, uploaded(session, author(session)).version_id)
    log = LogWriter(sessions, claim.held)
    tried = 0

    def confirm(*_: object) -> None:
        nonlocal tried
        tried += 1
        if tried < 4:
            raise OperationalError("select", {}, Exception("the connection is closed"))

    monkeypatch.setattr("ladder.bots.builds.attempts.confirm", confirm)
    async with log.written(), asyncio.timeout(60):
        log.say("one")
        while tried < 2:
            await asyncio.sleep(0.01)
        log.say("two")
        while tried < 4:
            await asyncio.sleep(0.01)
    lines = session.scalars(select(BuildLine.text).order_by(BuildLine.number)).all()
    assert lines == ["one", "two"]
    assert caplog.text.count("are not written yet") == 1


async def test_who_holds_the_build_no_longer_writes_no_log(
    session: Session, sessions: sessionmaker[Session]
) -> None:
    host(session)
    claim = claimed_build(session, uploaded(session, author(session)).version_id)
    attempts.void(session, BUILD, claim.version_id)
    session.commit()
    log = LogWriter(sessions, claim.held)
    async with log.written():
        log.say("late")
    assert session.scalars(select(BuildLine)).all() == []


@asynccontextmanager
async def building(
    session: Session,
    sessions: sessionmaker[Session],
    monkeypatch: pytest.MonkeyPatch,
    build: Callable[..., object],
) -> AsyncIterator[tuple[BuildClaim, Hosts, LogWriter]]:
    """A build that is claimed, and a host that would answer, and build so."""
    host(session)
    claim = claimed_build(session, uploaded(session, author(session)).version_id)

    async def status(_: RemoteHost) -> StatusResponse:
        return StatusResponse(processors=1, runtimes=[claim.runtime])

    monkeypatch.setattr(RemoteHost, "status", status)
    monkeypatch.setattr(RemoteHost, "build", build)
    hosts = Hosts(sessions, (HERE,))
    yield claim, hosts, LogWriter(sessions, claim.held)
    await hosts.close()


@pytest.mark.parametrize("announced", [300_000, 1 << 40])
async def test_a_host_that_sends_bytes_without_end_fills_no_disk(
    announced: int,
    session: Session,
    sessions: sessionmaker[Session],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("SANTIAGO_QUOTA_MB", "SANTIAGO_PACKAGE_MB"):
        monkeypatch.setenv(name, "1")
    sent = 0

    async def build(_: RemoteHost, *__: object) -> AsyncIterator[Bundle | bytes]:
        nonlocal sent
        yield Bundle(size=announced)
        while True:
            sent += 100_000
            assert sent < 2_000_000
            yield bytes(100_000)

    async with building(session, sessions, monkeypatch, build) as (claim, hosts, log):
        with pytest.raises(Interrupted, match="sent more than it announced"):
            await builds.run_build(claim, hosts, sessions, log)
    assert sent == (400_000 if announced == 300_000 else 1_100_000)


async def test_a_host_that_keeps_no_package_takes_no_work(
    session: Session, sessions: sessionmaker[Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = stored = 0

    async def build(_: RemoteHost, *__: object) -> AsyncIterator[bytes]:
        nonlocal asked
        asked += 1
        if asked:
            raise Missing("The package is not in the host's cache.")
        yield b""

    async def store(_: RemoteHost, *__: object) -> None:
        nonlocal stored
        stored += 1

    monkeypatch.setattr(RemoteHost, "store", store)
    async with building(session, sessions, monkeypatch, build) as (claim, hosts, log):
        with pytest.raises(HostRefuses, match="not in the host's cache"):
            await builds.run_build(claim, hosts, sessions, log)
    assert (asked, stored) == (2, 1)


async def test_a_bundle_is_stored_only_if_it_is_the_one_that_its_host_announced(
    session: Session, sessions: sessionmaker[Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    data, announced = b"a bundle", sha256(b"another bundle").digest()

    async def build(_: RemoteHost, *__: object) -> AsyncIterator[Bundle | bytes]:
        yield Bundle(size=len(data), sha256=announced)
        yield data

    async with building(session, sessions, monkeypatch, build) as (claim, hosts, log):
        with pytest.raises(Interrupted, match="another bundle than it announced"):
            await builds.run_build(claim, hosts, sessions, log)
        made = sha256(data)
        assert not packages.has(session, made.hexdigest())
        session.commit()
        announced = made.digest()
        for before, told in (
            (None, None),
            (made.hexdigest(), None),
            ("0" * 64, f"Before, the bundle was {'0' * 64}; now it is {made.hexdigest()}."),
        ):
            found = await builds.run_build(replace(claim, before=before), hosts, sessions, log)
            assert (found.sha256, found.difference) == (made.hexdigest(), told)
    assert packages.has(session, made.hexdigest())


def test_what_the_operator_drains_is_told_to_its_host(
    session: Session,
    sessions: sessionmaker[Session],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    told: list[bool] = []

    async def status(_: RemoteHost) -> StatusResponse:
        return WELL

    async def drain(_: RemoteHost, draining: bool) -> None:
        told.append(draining)
        if len(told) > 1:
            raise HostLost("ping timeout")

    monkeypatch.setattr(RemoteHost, "status", status)
    monkeypatch.setattr(RemoteHost, "drain", drain)
    hosts = Hosts(sessions, (HERE,))
    with closing(Stage(60.0)) as stage:
        watch_hosts(sessions, stage, hosts)
        assert told == []
        session.execute(update(HostRow).values(draining=True))
        session.commit()
        watch_hosts(sessions, stage, hosts)
        assert (told, caplog.messages) == ([True], [])
        watch_hosts(sessions, stage, hosts)
        stage.run(hosts.close(), 60.0)
    assert told == [True, True], "it has not said yet that it drains"
    assert caplog.messages == ["ping timeout"]


def test_a_host_that_cannot_be_told_to_drain_keeps_no_other_from_it(
    session: Session,
    sessions: sessionmaker[Session],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    lost, silent = "unix:/run/lost", "unix:/run/silent"
    told: list[tuple[str, object]] = []

    async def status(_: RemoteHost) -> StatusResponse:
        return WELL

    async def tell(host: RemoteHost, what: object) -> None:
        if host.address == lost:
            raise HostLost(f"The host {lost}: ping timeout")
        if host.address == silent:
            await asyncio.Event().wait()
        told.append((host.address, what))

    monkeypatch.setattr(RemoteHost, "status", status)
    monkeypatch.setattr(RemoteHost, "drain", tell)
    monkeypatch.setattr(RemoteHost, "forget", tell)
    monkeypatch.setattr("ladder.bots.hosts._WITHIN", 0.05)
    hosts = Hosts(sessions, (lost, silent, HERE))
    with closing(Stage(60.0)) as stage:
        watch_hosts(sessions, stage, hosts)
        session.execute(update(HostRow).values(draining=True))
        session.commit()
        bans.ban(session, "ab" * 32, "it digs for coins")
        session.commit()
        watch_hosts(sessions, stage, hosts)
        stage.run(hosts.close(), 60.0)
    assert told == [(HERE, True), (HERE, b"\xab" * 32)]
    untold = [f"The host {lost}: ping timeout", f"The host {silent} did not answer in time."]
    assert caplog.messages == 2 * untold


def test_a_drained_host_that_starts_again_gets_no_work_before_it_knows(
    session: Session, sessions: sessionmaker[Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[StatusResponse | HostLost] = [WELL]

    async def status(_: RemoteHost) -> StatusResponse:
        if isinstance(answers[-1], HostLost):
            raise answers[-1]
        return answers[-1]

    async def drain(_: RemoteHost, draining: bool) -> None:
        answers.append(StatusResponse(processors=3, most_sandboxes=32, draining=draining))

    monkeypatch.setattr(RemoteHost, "status", status)
    monkeypatch.setattr(RemoteHost, "drain", drain)
    monkeypatch.setattr("ladder.bots.hosts._FRESH", 0.0)
    hosts = Hosts(sessions, (HERE,))
    with closing(Stage(60.0)) as stage:
        watch_hosts(sessions, stage, hosts)
        session.execute(update(HostRow).values(draining=True))
        session.commit()
        watch_hosts(sessions, stage, hosts)
        answers.append(HostLost("It ends."))
        watch_hosts(sessions, stage, hosts)
        answers.append(WELL)
        with pytest.raises(NoHost):
            stage.run(chosen(hosts), 60.0)
        session.execute(update(HostRow).values(draining=False))
        session.commit()
        watch_hosts(sessions, stage, hosts)
        assert stage.run(chosen(hosts), 60.0) == HERE
        stage.run(hosts.close(), 60.0)


def test_a_host_that_says_nothing_keeps_no_other_from_being_seen(
    session: Session,
    sessions: sessionmaker[Session],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A worker that has never reached it waits longer for a connection than for a heartbeat."""

    async def status(host: RemoteHost) -> StatusResponse:
        if host.address != HERE:
            await asyncio.Event().wait()
        return WELL

    monkeypatch.setattr(RemoteHost, "status", status)
    monkeypatch.setattr("ladder.bots.hosts._WITHIN", 0.05)
    hosts = Hosts(sessions, (HERE, "unix:/run/silent"))
    with closing(Stage(60.0)) as stage:
        watch_hosts(sessions, stage, hosts)
        stage.run(hosts.close(), 60.0)
    assert list(rows(session)) == [name_of(HERE)]
    assert caplog.messages == ["The host unix:/run/silent did not answer in time."]
