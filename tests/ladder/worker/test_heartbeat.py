"""A worker's heartbeats, and its looks for bots that were away."""

import asyncio
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session, sessionmaker

from ladder import model
from ladder.bots import reach
from ladder.bots.hosts import Hosts
from ladder.bots.reach import Look
from ladder.config import Settings
from ladder.jobs import process, workers
from ladder.jobs.process import Heartbeat
from ladder.jobs.stage import Stage
from ladder.model import Version
from ladder.parts import Part, Role, Watchdog
from ladder.worker import LookFor, look_out, watch_hosts
from tests.e2e.processes import until
from tests.ladder.league import claimed, first_match

SETTINGS = Settings("unused", "unix:///unused", places=3, lease=60.0, renew=0.02)
Sessions = sessionmaker[Session]


async def see(look: Look) -> bool:
    return True


@contextmanager
def beating(
    sessions: Sessions,
    look_for: LookFor = see,
    settings: Settings = SETTINGS,
    watchdog: Watchdog | None = None,
) -> Iterator[None]:
    part, watchdog = Part(Role.WORKER), watchdog or Watchdog(60)
    with closing(Stage(settings.renew)) as stage:
        lookout = partial(look_out, sessions, stage, look_for)
        with closing(Heartbeat(settings, sessions, stage.lag, lookout, part, watchdog)):
            yield


def seen_at(sessions: Sessions) -> object:
    with sessions() as session:
        return session.scalar(select(model.Worker.seen_at))


def names_of_parts(sessions: Sessions) -> list[str]:
    with sessions() as session:
        return list(session.scalars(select(model.PartRow.name)))


def miss(session: Session) -> int:
    """A version that has been missed, and for which it is time to look; its id."""
    player = claimed(session, first_match(session)).players[0]
    reach.missed(session, player.version_id, "connection refused")
    session.execute(update(Version).values(probe_at=Version.offline_since))
    session.commit()
    return player.version_id


def is_offline(sessions: Sessions, version_id: int) -> bool:
    with sessions() as session:
        return session.get_one(Version, version_id).offline_since is not None


def test_it_beats_again_and_again_and_says_farewell(sessions: Sessions) -> None:
    with beating(sessions):
        until(lambda: seen_at(sessions) is not None)
        first = seen_at(sessions)
        until(lambda: seen_at(sessions) != first)
        with sessions() as session:
            (worker,) = workers.living(session)
        assert worker.places == 3
        assert names_of_parts(sessions) == [worker.name]
    with sessions() as session:
        assert workers.living(session) == []
    assert names_of_parts(sessions) == []


def test_an_errand_that_fails_does_not_end_the_heartbeats(
    sessions: Sessions, caplog: pytest.LogCaptureFixture
) -> None:
    """A host whose address needs keys that are not set, for one."""
    part = Part(Role.WORKER)
    with closing(Stage(SETTINGS.renew)) as stage:
        hosts = Hosts(sessions, ["host.example:50053"])

        def errand(_: object) -> None:
            watch_hosts(sessions, stage, hosts)

        with closing(Heartbeat(SETTINGS, sessions, stage.lag, errand, part, Watchdog(60))):
            until(lambda: seen_at(sessions) is not None)
            first = seen_at(sessions)
            until(lambda: seen_at(sessions) != first)
    assert "The host host.example:50053 needs mutual TLS" in caplog.text
    assert names_of_parts(sessions) == []


def test_leases_that_are_seldom_renewed_make_no_worker_silent(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "BEAT", 0.02)
    with beating(sessions, settings=replace(SETTINGS, renew=30.0)):
        until(lambda: seen_at(sessions) is not None)
        first = seen_at(sessions)
        until(lambda: seen_at(sessions) != first)


def test_looks_that_last_do_not_hold_up_the_signs_of_life(sessions: Sessions) -> None:
    with sessions() as session:
        miss(session)
        session.execute(update(Version).values(offline_since=Version.created_at, probe_at=None))
        session.commit()
    seen: list[object] = []

    async def look_long(look: Look) -> bool:
        seen.append(seen_at(sessions))
        await asyncio.sleep(2 * SETTINGS.renew)
        return False

    with beating(sessions, look_long):
        until(lambda: len(seen) == 2)
    assert seen[0] != seen[1]


def test_a_bot_that_is_found_again_is_online(
    sessions: Sessions, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    with sessions() as session:
        bot_id = miss(session)
    with beating(sessions):
        until(lambda: not is_offline(sessions, bot_id))
        until(lambda: "is back" in caplog.text)


def test_a_bot_that_is_not_found_stays_offline_and_is_left_alone_for_a_while(
    sessions: Sessions,
) -> None:
    with sessions() as session:
        bot_id = miss(session)
    looks: list[Look] = []

    async def look_in_vain(look: Look) -> bool:
        looks.append(look)
        return False

    with beating(sessions, look_in_vain):
        until(lambda: bool(looks))
        first = seen_at(sessions)
        until(lambda: seen_at(sessions) != first)
    assert [look.version_id for look in looks] == [bot_id]
    assert is_offline(sessions, bot_id)


@pytest.mark.parametrize("silent", [False, True])
def test_a_bot_that_we_cannot_look_for_is_missed_no_longer_by_that(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch, *, silent: bool
) -> None:
    monkeypatch.setattr("ladder.worker._LOOK_TIMEOUT", 0.01 if silent else 60.0)
    with sessions() as session:
        version_id = miss(session)
        session.execute(update(Version).values(address="gateway:1"))
        session.commit()
        first = session.get_one(Version, version_id).unreached_since

    async def fail_to_look(look: Look) -> None:
        """The gateway does not answer."""
        if silent:
            await asyncio.Event().wait()

    def excused() -> bool:
        with sessions() as session:
            version = session.get_one(Version, version_id)
            looked = version.looked_at
            return version.unreached_since != first and looked == first

    with beating(sessions, fail_to_look):
        until(excused)
    assert is_offline(sessions, version_id)


def test_a_worker_that_stands_still_elsewhere_does_not_beat(
    sessions: Sessions, caplog: pytest.LogCaptureFixture
) -> None:
    now = [0.0]
    watchdog = Watchdog(1000, clock=lambda: now[0])
    watchdog.came_round("the loop that takes messages")
    for _ in range(70):
        now[0] += 1
        watchdog.look()
    with beating(sessions, watchdog=watchdog):
        until(lambda: "the loop that takes messages does not come round" in caplog.text)
    assert seen_at(sessions) is None
