"""The Redis that the embedded service starts: which one it takes, and what it keeps."""

import subprocess
import tomllib
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from redis import Redis

from ladder.embedded import supervisor
from ladder.errors import SettingsError
from tests.conftest import PROJECT, oldest_redis, redis_command
from tests.e2e.processes import until
from tests.e2e.santiago import own_folder

REDIS, VALKEY = "Redis server v=7.0.15 sha=0:0", "Valkey server v=9.1.2 sha=0:1"


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on PATH; it is empty."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def server(path: Path, says: str) -> str:
    """Put a program there that says its version."""
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)
    return str(path)


def no_wheels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "find_spec", lambda _: None)


@pytest.mark.parametrize("wanted", [redis_command, supervisor.redis_command])
def test_it_listens_on_its_socket_alone_and_keeps_nothing(
    wanted: Callable[[Path], list[str]],
) -> None:
    with own_folder() as folder:
        socket = folder / "redis"
        assert not supervisor.redis_answers(socket)
        with subprocess.Popen(wanted(socket), stdout=subprocess.DEVNULL) as server:
            until(lambda: supervisor.redis_answers(socket))
            assert socket.stat().st_mode & 0o077 == 0
            with Redis.from_url(supervisor.redis_url(socket)) as client:
                assert client.config_get("port") == {"port": "0"}
                client.set("rum", 1)
            server.terminate()
        assert list(folder.iterdir()) == []


def test_the_one_on_path_goes_before_the_wheel(path: Path) -> None:
    valkey = server(path / "valkey-server", VALKEY)
    assert supervisor.redis_executable() == valkey
    redis = server(path / "redis-server", REDIS)
    assert supervisor.redis_executable() == redis


def test_one_that_is_too_old_is_left_alone(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server(path / "redis-server", "Redis server v=6.0.16 sha=00000000:0 malloc=jemalloc-5.2.1")
    valkey = server(path / "valkey-server", VALKEY)
    assert supervisor.redis_executable() == valkey
    Path(valkey).unlink()
    no_wheels(monkeypatch)
    with pytest.raises(SettingsError, match=r"redis-server does not run, or is older than 6\.2"):
        supervisor.redis_executable()


@pytest.mark.usefixtures("path")
def test_else_it_is_the_valkey_of_the_wheel() -> None:
    assert Path(supervisor.redis_executable()).name == "valkey-server"


@pytest.mark.usefixtures("path")
def test_without_any_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    no_wheels(monkeypatch)
    with pytest.raises(SettingsError, match=r"install Redis or Valkey .* 6\.2 or newer"):
        supervisor.redis_executable()


def test_the_version_of_a_server_is_what_it_says(tmp_path: Path) -> None:
    assert supervisor.version(server(tmp_path / "other", "hello")) == (0, 0)
    assert supervisor.version(server(tmp_path / "garbled", "\\377 v=7.2 \\376")) == (7, 2)
    assert supervisor.version(str(tmp_path / "missing")) == (0, 0)


def test_the_tests_run_on_the_oldest_server_that_works() -> None:
    """All tests but those of `santiago up` and `demo`, which start the newest."""
    assert supervisor.version(oldest_redis()) == supervisor.OLDEST


def test_the_client_in_use_is_within_the_bounds_that_we_name() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    named = [Requirement(text) for text in project["optional-dependencies"]["ladder"]]
    (bounds,) = [one.specifier for one in named if one.name == "redis"]
    major, minor, _ = version("redis").split(".")
    assert {str(bound) for bound in bounds} == {f">={major}.{minor}", f"<{int(major) + 1}"}
