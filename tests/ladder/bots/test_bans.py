"""What workers have hosts drop once it is banned, and how a host says that it is well."""

from collections.abc import Iterator
from hashlib import sha256

import pytest
from sqlalchemy.orm import Session, sessionmaker

from ladder.bots.hosts import Hosts
from referee.hosting.client import RemoteHost
from referee.hosting.guards import guards
from referee.wire.host_pb2 import StatusResponse
from tests.conftest import missing
from tests.ladder.cli.terminal import fails, run
from tests.referee.hosting.hosts import bundle, calling, reachable, running

GOOD = bundle()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    if guards().missing:
        missing("bubblewrap")
    with reachable() as folder, running(folder) as (address, _):
        yield address


async def test_hosts_drop_what_is_banned_and_end_it(
    sessions: sessionmaker[Session], address: str
) -> None:
    hosts, digest = Hosts(sessions, [address]), sha256(GOOD)
    banned = digest.hexdigest()
    try:
        async with calling(address) as host:
            await host.store(digest.digest(), [GOOD])
            await host.open(digest.digest(), "mine", "1", start_up=60.0)
            (before,) = (await hosts.statuses()).values()
            assert before is not None
            assert (before.sandboxes, before.cache_bytes > 0) == (1, True)
            await hosts.forget({banned})
            (after,) = (await hosts.statuses()).values()
            assert after is not None
            assert (after.sandboxes, after.cache_bytes) == (0, 0)
            await host.store(digest.digest(), [GOOD])
            await hosts.forget({banned})  # nobody is told twice
            assert (await host.status()).cache_bytes > 0
            await hosts.forget(set())
            await hosts.forget({banned})
            assert (await host.status()).cache_bytes == 0
    finally:
        await hosts.close()


def test_a_host_is_asked_for_its_health(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("health", "host", SANTIAGO_HOSTS=address).exit_code == 0
    away = run("health", "host", SANTIAGO_HOSTS=f"{address},unix:/nowhere")
    assert away.exit_code == 1
    assert "unix:/nowhere" in away.stderr
    assert "No host is named" in fails("health", "host")

    async def broken(_: RemoteHost) -> StatusResponse:
        return StatusResponse(missing="Install bubblewrap.")

    monkeypatch.setattr(RemoteHost, "status", broken)
    ill = run("health", "host", SANTIAGO_HOSTS=address)
    assert (ill.exit_code, ill.stderr) == (1, "Error: Install bubblewrap.\n")
