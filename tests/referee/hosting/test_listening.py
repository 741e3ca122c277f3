"""Only workers reach a host: by a closed socket, or with a certificate of its own authority."""

import asyncio
import hashlib
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import grpc
import pytest

from referee.errors import InvalidSetting
from referee.hosting.client import HostLost, Keys, RemoteHost
from referee.hosting.guards import guards
from referee.hosting.host import Host
from referee.hosting.listening import _see_to, close_folder, run_host
from referee.hosting.settings import HostSettings
from referee.processes import may_listen
from referee.seats.description import stated_version
from referee.ways import Ways
from tests.conftest import free_port, missing
from tests.e2e.processes import until
from tests.forking import Forked
from tests.referee.hosting.hosts import bundle, calling, faults, played, reachable, running, seat


def keys(folder: Path, name: str) -> dict[str, str]:
    """Make a certificate that signs itself; return the settings of a host or worker with it."""
    if shutil.which("openssl") is None:
        missing("openssl")
    certificate, key = str(folder / f"{name}.pem"), str(folder / f"{name}.key")
    subprocess.run(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 "
        f"-subj /CN={name} -addext subjectAltName=IP:127.0.0.1 -out {certificate} -keyout {key}",
        shell=True,
        check=True,
        capture_output=True,
    )
    return {
        "SANTIAGO_HOST_CA": certificate,
        "SANTIAGO_HOST_CERTIFICATE": certificate,
        "SANTIAGO_HOST_KEY": key,
    }


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Keys, Keys]]:
    """Yield the address of a host on TCP, the right keys, and those of somebody else."""
    if guards().missing:
        missing("bubblewrap")
    folder = tmp_path_factory.mktemp("keys")
    ours, others = keys(folder, "ours"), keys(folder, "others")
    address = f"127.0.0.1:{free_port()}"
    right, wrong = Keys.from_environment(ours), Keys.from_environment(others)
    assert right is not None
    assert wrong is not None
    with reachable() as place, running(place, address, ours):
        yield address, right, wrong


def test_folder_of_a_host_is_open_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    HostSettings(folder=tmp_path / "new" / "host").make_folder()
    os.umask(before)
    modes = [folder.stat().st_mode & 0o777 for folder in (tmp_path / "new", tmp_path / "new/host")]
    assert modes == [0o711, 0o711]


async def test_games_over_mutual_tls(served: tuple[str, Keys, Keys]) -> None:
    address, right, _ = served
    async with calling(address, right) as host:
        good = bundle()
        seats = [await seat(host, good, name) for name in ("one", "two")]
        assert faults(await played(seats)) == []
        opened = await host.open(hashlib.sha256(good).digest(), "one", "1", start_up=60.0)
        ways = host.ways(Ways.from_environment())
        assert await stated_version(f"hosted:{opened.seat}", ways) == "1"
        await host.close_seat(opened.seat, end=True)


async def test_worker_with_a_certificate_of_somebody_else(served: tuple[str, Keys, Keys]) -> None:
    address, right, wrong = served
    stranger = Keys(right.ca, wrong.certificate, wrong.key)
    async with calling(address, stranger) as host:
        with pytest.raises(HostLost, match="it may not accept SANTIAGO_HOST_CERTIFICATE: "):
            await host.status()


async def test_host_that_is_not_ours_is_not_trusted(served: tuple[str, Keys, Keys]) -> None:
    address, right, wrong = served
    async with calling(address, Keys(wrong.ca, right.certificate, right.key)) as host:
        with pytest.raises(HostLost, match="not signed by the authority in SANTIAGO_HOST_CA"):
            await host.status()


async def test_worker_with_the_key_of_another_certificate(served: tuple[str, Keys, Keys]) -> None:
    address, right, wrong = served
    async with calling(address, Keys(right.ca, right.certificate, wrong.key)) as host:
        with pytest.raises(HostLost, match="SANTIAGO_HOST_KEY are no pair"):
            await host.status()


async def test_host_that_speaks_plain_text(served: tuple[str, Keys, Keys]) -> None:
    _, right, _ = served

    async def answer(_: asyncio.StreamReader, to: asyncio.StreamWriter) -> None:
        to.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        to.close()

    server = await asyncio.start_server(answer, "127.0.0.1")
    port = server.sockets[0].getsockname()[1]
    async with server, calling(f"127.0.0.1:{port}", right) as host:
        with pytest.raises(HostLost, match="it does not speak TLS"):
            await host.status()


async def test_a_game_at_a_socket_that_is_gone_is_the_hosts_loss(tmp_path: Path) -> None:
    host = RemoteHost(f"unix:{tmp_path}/gone")
    with pytest.raises(HostLost, match="gone: "):
        await host.sit("one")
    await host.close()


async def test_neither_plain_nor_without_a_certificate(served: tuple[str, Keys, Keys]) -> None:
    address, right, _ = served
    channels: tuple[Any, ...] = (
        grpc.aio.insecure_channel(address),
        grpc.aio.secure_channel(address, grpc.ssl_channel_credentials(right.ca)),
    )
    for channel in channels:
        async with channel:
            with pytest.raises(grpc.aio.AioRpcError):
                await channel.unary_unary("/santiago.v1.Host/Status")(b"", timeout=10)


def test_worker_does_not_call_a_host_on_tcp_without_keys() -> None:
    with pytest.raises(InvalidSetting, match="SANTIAGO_HOST_CA"):
        RemoteHost("127.0.0.1:1")


def test_host_does_not_listen_on_tcp_without_keys() -> None:
    if guards().missing:
        missing("bubblewrap")
    refused = pytest.raises(AssertionError, match="needs mutual TLS")
    with refused, reachable() as folder, running(folder, "127.0.0.1:1"):
        pass


def test_host_tries_a_sandbox_with_its_own_user_ids() -> None:
    before = (
        "import ladder.cli.host as host; from referee.hosting.guards import Guards; "
        "host.guards = lambda uids: Guards(missing=f'none for {uids}')"
    )
    ids = {"SANTIAGO_SANDBOX_UIDS": "900001-900002"}
    refused = pytest.raises(AssertionError, match=r"none for range\(900001, 900003\)")
    with refused, reachable() as folder, running(folder, settings=ids, before=before):
        pass


async def test_a_host_works_while_its_log_takes_no_more() -> None:
    with reachable() as folder:
        address = f"unix:{folder / 'run' / 'host'}"
        words = ["tests.referee.hosting.host", "", "host", "--listen", address]
        variables = {**os.environ, "SANTIAGO_HOST_FOLDER": str(folder / "host")}
        process = Forked(*words, env=variables, log=Path("/dev/full"))
        try:
            until(lambda: may_listen(address) or process.poll() is not None)
            async with calling(address) as host:
                assert (await host.status()).processors
        finally:
            process.terminate()
            process.wait(300)


@pytest.mark.parametrize("given", ["SANTIAGO_HOST_CA", "SANTIAGO_HOST_KEY"])
def test_only_some_of_the_keys(given: str) -> None:
    with pytest.raises(InvalidSetting, match="all of"):
        Keys.from_environment({given: "file"})


def test_socket_in_an_open_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o755)
    with pytest.raises(InvalidSetting, match="chmod 700"):
        close_folder(tmp_path / "open" / "host")


@pytest.mark.parametrize(("user", "refused"), [(0, True), (1000, False)])
def test_a_folder_that_the_users_of_sandboxes_cannot_reach_is_refused(
    user: int, refused: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only root's sandboxes have users of their own."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    monkeypatch.setattr("os.geteuid", lambda: user)
    advice = rf"since {closed} is closed: .*, or type: chmod o\+x {closed}$"
    with pytest.raises(InvalidSetting, match=advice) if refused else nullcontext():
        _see_to(HostSettings(folder=closed / "host"), None)
    assert (closed / "host").is_dir()


def test_the_folder_of_the_socket_is_not_to_be_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o700)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    with pytest.raises(InvalidSetting, match=r"choose another folder \(SANTIAGO_HOST_FOLDER\)$"):
        _see_to(HostSettings(folder=tmp_path / "host"), tmp_path / "socket")


async def test_what_a_host_that_was_killed_has_left_is_removed(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="santiago-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        for left in (".build-1", "parts/python-1"):
            (folder / left / "lib").mkdir(parents=True)
        host, address = Host(HostSettings(folder=folder)), f"unix:{folder}/run/host"
        runs = asyncio.Event()
        running = asyncio.create_task(run_host(host, address, runs.set))
        await runs.wait()
        running.cancel()
        await asyncio.wait({running})
        assert sorted(path.name for path in folder.glob("parts/*")) == ["python-1"]
        assert not list(folder.glob(".*-1"))
        assert list((folder / "run").iterdir()) == []


def test_two_hosts_do_not_share_a_folder(tmp_path: Path) -> None:
    settings = HostSettings(folder=tmp_path / "host")
    refused = pytest.raises(InvalidSetting, match=f"Another host uses {tmp_path}/host: end it")
    with settings.claimed_folder(), refused, settings.claimed_folder():
        pass
    with settings.claimed_folder():
        assert settings.folder.is_dir()


def test_two_hosts_started_alike_do_not_run(tmp_path: Path) -> None:
    refused = pytest.raises(AssertionError, match="Another host uses")
    with reachable() as folder, running(folder), refused, running(folder):
        pass


def test_two_hosts_do_not_share_a_socket(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as other:
        close_folder(tmp_path / "run" / "host")
        other.bind(str(tmp_path / "run" / "host"))
        other.listen()
        with pytest.raises(InvalidSetting, match=f"Another host listens on {tmp_path}/run/host: "):
            close_folder(tmp_path / "run" / "host")
        assert (tmp_path / "run" / "host").exists()


async def test_a_host_that_ends_leaves_the_socket_of_the_next_one(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="santiago-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        host, socket = Host(HostSettings(folder=folder / "one")), folder / "run/host"
        runs, ends = asyncio.Event(), asyncio.Event()

        async def end_all() -> None:
            socket.touch()  # as the next host does meanwhile
            ends.set()

        host.seats.end_all = end_all  # type: ignore[method-assign]
        running = asyncio.create_task(run_host(host, f"unix:{socket}", runs.set))
        await runs.wait()
        running.cancel()
        await asyncio.wait({running})
        assert ends.is_set()
        assert socket.exists()


def test_folder_of_the_socket_is_closed_and_what_was_left_there_goes(tmp_path: Path) -> None:
    close_folder(tmp_path / "new" / "host")
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(tmp_path / "new" / "host"))
    close_folder(tmp_path / "new" / "host")
    assert list((tmp_path / "new").iterdir()) == []
