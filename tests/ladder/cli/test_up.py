"""What `santiago up` prints; the running service is tried in tests/e2e."""

import shlex
import signal
import socket
from contextlib import suppress
from pathlib import Path
from unittest.mock import MagicMock

import pytest
from click import ClickException

from ladder.cli import up
from ladder.cli.terminal import Stopped
from ladder.cli.up import adding
from ladder.contests.tournaments import lookup
from ladder.embedded import hosting, supervisor
from ladder.model import VersionState
from tests.conftest import free_port
from tests.ladder.cli.terminal import fails, run, succeeds


def test_how_to_add_a_bot_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = shlex.split(adding(Path("two words")))
    assert words == ["santiago", "bot", "add", "HOST:PORT", "--data", f"{tmp_path}/two words"]


@pytest.mark.parametrize("command", ["up", "demo"])
@pytest.mark.parametrize("name", ["SANTIAGO_SECRET_KEY", "SANTIAGO_GATEWAY_KEY"])
def test_a_wrong_key_is_told_before_anything_starts(
    command: str, name: str, tmp_path: Path
) -> None:
    result = run(command, "--data", str(tmp_path / "data"), **{name: "short"})
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {name} ")
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("command", ["up", "demo"])
@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("SANTIAGO_HOSTS=foo", "SANTIAGO_HOSTS is 'foo': give unix:/PATH or HOST:PORT"),
        ("SANTIAGO_PLACES=abc", "SANTIAGO_PLACES is 'abc': give a whole number"),
        ("SANTIAGO_LEASE=5", "SANTIAGO_RENEW is 5 s and SANTIAGO_LEASE 5 s: renew at least"),
        ("SANTIAGO_METRICS_PORT=65534", "SANTIAGO_METRICS_PORT is 65534: give 65533 or less, as 3"),
        (
            "SANTIAGO_CA_FILE=/no/ca.pem",
            "SANTIAGO_CA_FILE is '/no/ca.pem': give a file that can be r",
        ),
        ("SANTIAGO_GATEWAY=gateway", "SANTIAGO_GATEWAY is 'gateway': give HOST:PORT"),
        ("SANTIAGO_PUBLIC_GATEWAY=x", "SANTIAGO_PUBLIC_GATEWAY is 'x': give HOST:PORT, as ladder"),
        ("SANTIAGO_HOST_CA=/ca.pem", "TLS between workers and hosts needs all of SANTIAGO_HOST_CA"),
    ],
)
def test_a_setting_that_a_part_would_die_of_is_told_before_anything_starts(
    command: str, setting: str, sentence: str, tmp_path: Path
) -> None:
    name, _, value = setting.partition("=")
    result = run(command, "--data", str(tmp_path / "data"), **{name: value})
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {sentence}")
    assert not (tmp_path / "data").exists()


def test_a_pace_that_is_no_number(tmp_path: Path) -> None:
    message = fails("up", "--pace", "nan", "--data", str(tmp_path / "data"))
    assert message.startswith("Error: SANTIAGO_LADDER_PACE is 'nan': give 0 or more")


@pytest.mark.parametrize("command", ["up", "demo"])
def test_a_database_that_cannot_be_opened_is_told_in_a_sentence(
    command: str, tmp_path: Path
) -> None:
    """As on a full disk."""
    (tmp_path / "ladder.db").mkdir()
    result = run(command, "--data", str(tmp_path), "--port", str(free_port()))
    assert result.exit_code == 1
    assert result.stderr == "Error: The database does not answer: unable to open database file\n"


@pytest.mark.parametrize(("options", "stays"), [((), True), (("--once",), False)])
def test_the_demo_shows_its_site_until_it_is_ended_unless_it_runs_once(
    options: tuple[str, ...], stays: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--once` really plays in tests/e2e; what is tried here comes after the games."""
    for part in ("EmbeddedService", "_start", "_follow", "_show_standings", "_refuse_failures"):
        monkeypatch.setattr(up, part, MagicMock())
    monkeypatch.setattr(up, "_await_upload", MagicMock())
    monkeypatch.setattr(up, "keep_up", kept_up := MagicMock())
    said = succeeds("demo", *options)
    assert ("rated games with `santiago up`" in said) == stays
    assert ("Ctrl-C ends the demo." in said) == stays
    assert kept_up.called == stays


@pytest.mark.parametrize(("pace", "uploads"), [("4", True), ("0", False)])
def test_the_service_says_what_can_be_done_with_it(
    pace: str, uploads: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(up, "EmbeddedService", service := MagicMock())
    monkeypatch.setattr(up, "keep_up", MagicMock())
    service.return_value.__enter__.return_value.hosts = uploads
    said = succeeds("up", "--pace", pace)
    assert ("matches a minute are made for it" in said) == (pace == "4")
    assert ("it is built and run in sandboxes" in said) == uploads
    assert "Register a bot that runs: santiago bot add HOST:PORT" in said


def test_parts_that_were_started_again_are_told_until_it_is_ended(
    capsys: pytest.CaptureFixture[str],
) -> None:
    service = MagicMock(check=lambda: ["The worker ended and was started again."])
    up.keep_up(service, MagicMock(side_effect=[None, Stopped(signal.SIGTERM)]))
    assert capsys.readouterr().err.splitlines() == [*2 * service.check(), "Ending."]


def test_a_full_disk_behind_the_log_does_not_end_the_service(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pause = MagicMock(side_effect=[None, Stopped(signal.SIGTERM)])
    with Path("/dev/full").open("w", buffering=1) as full:
        monkeypatch.setattr("sys.stderr", full)
        up.keep_up(MagicMock(check=lambda: ["The worker ended and was started again."]), pause)
        with suppress(OSError):
            full.close()
    assert pause.call_count == 2


def test_a_demo_whose_matches_were_given_up_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookup, "progress", lambda *_: MagicMock(failed=2))
    with pytest.raises(ClickException, match="2 of 12 matches were given up; the logs may"):
        up._refuse_failures(MagicMock(), MagicMock(total=12))


def test_standings_show_ratings_in_elo_and_names_as_they_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = MagicMock()
    place.name, place.author = "ana [/x]", "us [cup] of-the-young-and-the-old-of-santiago-de-cuba"
    place.rating_milli, place.deviation_milli = 1_512_400, 48_600
    monkeypatch.setattr(up, "standings", lambda *_: [place])
    up._show_standings(MagicMock(), 2)
    told = capsys.readouterr().out
    for part in (place.name, place.author, "1512 ± 49"):
        assert part in told


def test_a_sample_bot_whose_upload_is_rejected_ends_the_demo_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    waiting = (VersionState.SUBMITTED, "Waiting for a host."), (VersionState.CHECKING, None)
    rejected = VersionState.REJECTED, "It did not start."
    steps = iter([*waiting, *waiting, (VersionState.TRIAL, None), rejected])
    monkeypatch.setattr(hosting, "progress", lambda *_: next(steps))
    service = MagicMock(uploaded=7, check=lambda: ["The host was started again."])
    with pytest.raises(ClickException, match=r"rejected: It did not start\.$"):
        up._await_upload(service, MagicMock())
    said, told = capsys.readouterr()
    assert said.splitlines()[-3:] == [
        "Waiting for a host.",
        "It is built, and is checked.",
        "It passed, and plays its trial.",
    ]
    assert told == "The host was started again.\n" * 6
    up._await_upload(MagicMock(uploaded=None), MagicMock())
    assert capsys.readouterr().out == "", "no host runs here"


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        message = fails("up", "--data", str(tmp_path), "--port", str(port))
    assert "Address already in use" in message
    assert "--port" in message


def test_no_redis_server_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "find_spec", lambda _: None)  # as if no wheel were installed
    monkeypatch.setenv("PATH", str(tmp_path))
    message = fails("up", "--data", str(tmp_path), "--port", str(free_port()))
    assert "\nError: There is no redis-server or valkey-server on PATH" in message
    assert "apt install redis-server" in message
