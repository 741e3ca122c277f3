"""docs/hosting.md: its tests exist, its limits are the settings' and its certificates work."""

import asyncio
import os
import re
import shutil
from pathlib import Path

import pytest

from referee.hosting.client import HostLost, Keys, RemoteHost
from referee.hosting.host import Host
from referee.hosting.listening import run_host
from referee.hosting.settings import HostSettings
from tests.conftest import PROJECT, free_port, missing
from tests.docs.pages import blocks, type_in

PAGE = (PROJECT / "docs" / "hosting.md").read_text(encoding="utf-8")
TESTED = ("tests/hostile_bundles", "tests/referee/hosting")


def test_the_tests_that_it_names_exist() -> None:
    sources = [file.read_text() for place in TESTED for file in (PROJECT / place).glob("test_*.py")]
    written = set(re.findall(r"def (test_\w+)", "\n".join(sources)))
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    assert len(named) > 8
    assert named <= written


def test_its_limits_are_the_settings() -> None:
    rows = re.findall(r"^\| [^|]+ \| (\d+)[^|]* \| `(SANTIAGO_\w+)` \|", PAGE, re.M)
    defaults = {
        variable.name: getattr(HostSettings(), name)
        for name, (_, variable) in HostSettings.variables().items()
    }
    assert len(rows) == 4
    for value, name in rows:
        assert int(value) == defaults[name], name


async def test_its_certificates_let_workers_in_and_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not shutil.which("openssl"):
        missing("openssl")
    (commands,) = (block for block in blocks("hosting.md") if "req -x509" in block.text)
    local = commands.text.replace("DNS:host.example", "IP:127.0.0.1")
    for name in ("ours", "others"):
        (tmp_path / name).mkdir()
        type_in(local, tmp_path / name, os.environ)

    def keys(of: str, authority: str = "ours") -> dict[str, str]:
        files = {"CERTIFICATE": f"{of}.pem", "KEY": f"{of}-key.pem"}
        own = {f"SANTIAGO_HOST_{name}": f"{tmp_path}/{authority}/{files[name]}" for name in files}
        return own | {"SANTIAGO_HOST_CA": f"{tmp_path}/ours/hosts-ca.pem"}

    tmp_path.chmod(0o755)
    settings = HostSettings.from_environment(
        keys("host") | {"SANTIAGO_HOST_FOLDER": str(tmp_path / "host")}
    )
    monkeypatch.setattr("referee.hosting.listening._see_to", lambda *_: None)
    address, listening = f"127.0.0.1:{free_port()}", asyncio.Event()
    serving = asyncio.create_task(run_host(Host(settings), address, listening.set))
    await asyncio.wait_for(listening.wait(), 20)
    try:
        worker = RemoteHost(address, Keys.from_environment(keys("worker")))
        assert (await worker.status()).release
        await worker.close()
        for of, authority in (("worker", "others"), ("host", "ours")):
            stranger = RemoteHost(address, Keys.from_environment(keys(of, authority)))
            with pytest.raises(HostLost):
                await asyncio.wait_for(stranger.status(), 20)
            await stranger.close()
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
