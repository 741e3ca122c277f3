from pathlib import Path

import pytest

from ladder.config import HostingSettings
from referee.errors import InvalidSetting
from referee.hosting.settings import HostSettings


def test_a_host_needs_no_setting() -> None:
    settings = HostSettings.from_environment({})
    assert settings == HostSettings()
    assert settings.thinking >= 1


def test_a_host_reads_its_settings(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("a", "b", "wheels")]
    for folder in folders:
        folder.mkdir()
    *runtimes, wheels = folders
    settings = HostSettings.from_environment(
        {
            "SANTIAGO_HOST_FOLDER": " /srv/host ",
            "SANTIAGO_PROCESSORS": "3",
            "SANTIAGO_SANDBOX_IDLE": "0.5",
            "SANTIAGO_SANDBOX_UIDS": "300000-300009",
            "SANTIAGO_RUNTIMES": ":".join(map(str, runtimes)),
            "SANTIAGO_WHEELHOUSE": str(wheels),
            "SANTIAGO_NPM_CACHE": " ",
        }
    )
    assert settings.folder == Path("/srv/host")
    assert (settings.thinking, settings.idle) == (3, 0.5)
    assert settings.uids == range(300000, 300010)
    assert settings.runtimes == tuple(runtimes)
    assert (settings.wheelhouse, settings.npm_cache) == (wheels, None)


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("SANTIAGO_PROCESSORS", "-1", "give a whole number, 0 to 1000000"),
        ("SANTIAGO_SANDBOXES", "many", "give a whole number, 1 to 1000000"),
        ("SANTIAGO_SANDBOX_AGE", "inf", "give a number, 1 to 1000000"),
        ("SANTIAGO_BUILD_SECONDS", "1e300", "give a number, 1 to 1000000"),
        ("SANTIAGO_SANDBOX_MEMORY_MB", "9" * 30, "give a whole number, 1 to 1000000"),
        ("SANTIAGO_SANDBOX_UIDS", "0-9", "give two user ids"),
        ("SANTIAGO_SANDBOX_UIDS", "9-1", "give two user ids"),
        ("SANTIAGO_RUNTIMES", "/no/such", "give a folder that exists"),
        ("SANTIAGO_WHEELHOUSE", "/etc/passwd", "give a folder that exists"),
        ("SANTIAGO_NPM_CACHE", "/no/such", "give a folder that exists"),
    ],
)
def test_nonsense_is_named(name: str, value: str, why: str) -> None:
    with pytest.raises(InvalidSetting, match=f"{name} is '{value}': {why}"):
        HostSettings.from_environment({name: value})


def test_ladder_and_host_agree_on_packages() -> None:
    ours, hosts = HostingSettings.from_environment({}), HostSettings()
    for name in ("package_mb", "unpacked_mb", "package_files"):
        assert getattr(ours, name) == getattr(hosts, name)


def test_the_ladder_knows_its_hosts() -> None:
    given = HostingSettings.from_environment({"SANTIAGO_HOSTS": "unix:/run/host.sock, iron:7070,"})
    assert given.hosts == ("unix:/run/host.sock", "iron:7070")
    assert HostingSettings.from_environment({}).hosts == ()
    assert HostingSettings.from_environment({"SANTIAGO_HOSTS": "none"}).hosts == ()
