"""`santiago bot submit PACKAGE`: uploads, and follows the version until it is ranked."""

import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from ladder import model
from ladder.bots.uploads import MOST_LINES
from ladder.cli import bot_upload
from ladder.cli.client import SiteClient, SiteError
from ladder.model import BuildLine, EntryKind, LadderPlace, RatingChange, Version
from ladder.ratings import ledger
from referee.hosting.packages import pack
from tests.conftest import PROJECT
from tests.ladder.bots.uploads import drain, host
from tests.ladder.cli.client.sites import Running
from tests.ladder.cli.terminal import fails

SMOKE = PROJECT / "referee" / "hosting" / "runtimes" / "python" / "smoke"
Step = Callable[[Session, Version], None]


@pytest.fixture
def package(tmp_path: Path) -> Callable[[str], str]:
    """Packs the smoke bot under a name."""

    def made(name: str) -> str:
        project = tmp_path / name
        project.mkdir()
        (project / "bot.py").write_bytes((SMOKE / "bot.py").read_bytes())
        manifest = (SMOKE / "santiago.toml").read_text()
        (project / "santiago.toml").write_text(manifest.replace('"smoke"', f'"{name}"'))
        pack(project, tmp_path / f"{name}.zip")
        return str(tmp_path / f"{name}.zip")

    return made


@pytest.mark.parametrize(("status", "read"), [(None, 9), (502, 9), (None, 0), (409, 9)])
def test_an_upload_that_breaks_off_may_be_too_slow(
    status: int | None, read: int, package: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def upload(_site: SiteClient, _path: str, _field: str, file: BinaryIO, _name: str) -> None:
        file.read(read)
        raise SiteError("It breaks off.", status)

    monkeypatch.setattr(SiteClient, "upload", upload)
    with pytest.raises(SiteError) as raised:
        bot_upload.upload(SiteClient("https://ladder.example", environ={}), Path(package("ron")))
    slow = " A site cuts slow uploads: https://ladder.example/docs/upload-a-bot says which."
    may_be = read and status != 409
    assert str(raised.value) == f"It breaks off.{slow if may_be else ''}"


class Clock:
    """In place of `time`: at each pause comes the next step of what would happen on the ladder."""

    def __init__(self, database_url: str, *steps: Step) -> None:
        self._url = database_url
        self._steps = iter(steps)
        self._now = 0.0

    def monotonic(self) -> float:
        return self._now

    def sleep(self, seconds: float) -> None:
        self._now += seconds
        with _session(self._url) as session:
            model.write(session)  # the site may write, too
            newest = session.query(Version).order_by(Version.id.desc()).limit(1).one()
            next(self._steps, _nothing)(session, newest)


@contextmanager
def _session(url: str) -> Iterator[Session]:
    engine = model.engine(url)
    with model.session_factory(engine).begin() as session:
        yield session
    engine.dispose()


def _nothing(_: Session, __: Version) -> None: ...


def _builds(session: Session, version: Version) -> None:
    version.state = model.VersionState.BUILDING
    for number, text in enumerate(("compiling", "done")):
        row = {"version_id": version.id, "number": number, "text": text}
        session.add(BuildLine(**row, at=model.now(session)))


def _fails_at_length(session: Session, version: Version) -> None:
    rows = [{"number": number, "text": f"warning {number}"} for number in range(2 * MOST_LINES)]
    for row in (*rows, {"number": 2 * MOST_LINES, "text": "error: the reason"}):
        session.add(BuildLine(version_id=version.id, at=model.now(session), **row))
    _rejected(session, version)


def _rejected(_: Session, version: Version) -> None:
    version.state, version.reason = model.VersionState.REJECTED, "It did not start."


def _interrupted(_: Session, __: Version) -> None:
    raise KeyboardInterrupt


def _plays(session: Session, version: Version) -> None:
    version.state = model.VersionState.ACTIVE
    version.activated_at = model.now(session)


def _rated(session: Session, version: Version) -> None:
    place = {"version_id": version.id, "bot_id": version.bot_id, "seats": 2}
    session.add(LadderPlace(**place, rating_milli=1_512_400, games=1, wins=1))
    ledger.lock(session)
    entry = {"kind": EntryKind.PIN, "result_number": ledger.next_number(session)}
    session.add(RatingChange(**place, **entry, before_milli=1_500_000, after_milli=1_512_400))


def test_a_package_is_uploaded(site: Running, package: Callable[[str], str]) -> None:
    said = site.says("bot", "submit", package("up"), token=site.author)
    assert "up 1 is submitted" in said
    assert f"{site.url}/bots/" in said
    assert "--wait" in said


def test_a_folder_is_packed_first(site: Running, package: Callable[[str], str]) -> None:
    folder = Path(package("whole")).with_suffix("")
    packed, uploaded, _ = site.says("bot", "submit", str(folder), token=site.author).splitlines()
    assert packed.startswith("whole-1.zip: whole 1 for python, 2 files")
    assert "whole 1 is submitted" in uploaded
    (folder / "santiago.toml").unlink()
    refused = site.run("bot", "submit", str(folder), token=site.author)
    assert refused.exit_code == 1
    assert "It has no santiago.toml" in refused.stderr


def test_what_is_not_for_a_package_is_refused(package: Callable[[str], str]) -> None:
    packed = package("mine")
    for words, sentence in (
        (("--slots", "2"), "its santiago.toml says the language"),
        (("--language", "Rust"), "its santiago.toml says the language"),
        (("--address", "127.0.0.1:5001"), "A bot at an address has a VERSION, too"),
        (("1",), "is a package, and its santiago.toml says the version: leave VERSION out."),
    ):
        assert sentence in fails("bot", "submit", packed, *words, code=2)


def test_a_version_is_followed_to_its_rank(
    site: Running, package: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(site.database_url, _builds, _plays, _nothing, _rated)
    monkeypatch.setattr(bot_upload, "time", clock)
    said = site.says("bot", "submit", package("fine"), "--wait", token=site.author)
    assert [line.strip() for line in said.splitlines()][1:] == [
        "Version 1 is submitted.",
        "Version 1 is building.",
        "compiling",
        "done",
        "Version 1 is active.",
        "It waits for its first rated game, which the ladder draws.",
        "2 seats: being placed, 1512 ± 350 Elo",
    ]
    status = "fine is active\n  2 seats: being placed, 1512 ± 350 Elo\n  1  active"
    waits = f"{status}: it waits for a host: none that takes work now has its runtime\n"
    hosts: tuple[tuple[Callable[[Session], None], str], ...] = (
        (partial(host, runtimes='["node"]'), waits),
        (host, f"{status}\n"),
        (drain, waits),
    )
    for change, told in hosts:
        with _session(site.database_url) as session:
            change(session)
        assert site.says("bot", "status", "fine", token=site.author) == told


def test_nobody_waits_for_a_ladder_that_makes_no_matches(
    site: Running, package: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_upload, "time", Clock(site.database_url, _plays, _rated))
    _set_ladders(site, open=False)
    try:
        ended = site.run("bot", "submit", package("alone"), "--wait", token=site.author)
    finally:
        _set_ladders(site, open=True)
    assert ended.exit_code == 3
    assert ended.stdout.splitlines()[-1] == "Version 1 is active."
    assert ended.stderr == "It is not ranked: no ladder makes matches for it now.\n"


def _set_ladders(site: Running, *, open: bool) -> None:
    with _session(site.database_url) as session:
        session.execute(update(model.Ladder).values(open=open))


def test_of_a_long_log_the_last_line_is_printed_too(
    site: Running, package: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_upload, "time", Clock(site.database_url, _fails_at_length))
    failed = site.run("bot", "submit", package("long"), "--wait", token=site.author)
    lines = [line.strip() for line in failed.stdout.splitlines()]
    assert "error: the reason" in lines, failed.output
    assert lines.index("error: the reason") - lines.index("warning 0") == 2 * MOST_LINES
    assert lines[-2:] == ["error: the reason", "Version 1 is rejected."]
    *_, why, log = site.says("bot", "status", "long", token=site.author).splitlines()
    assert why == "  1  rejected: It did not start."
    assert re.fullmatch(rf" +its log: {re.escape(site.url)}/bots/\d+/versions/\d+", log)


def test_a_bot_that_its_author_runs_is_followed_too(
    site: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_upload, "time", Clock(site.database_url, _plays, _rated))
    said = site.says("bot", "submit", "own", "1", "--wait", token=site.author)
    assert "SANTIAGO_TOKEN=" in said
    assert said.splitlines()[-4:] == [
        "Version 1 is submitted.",
        "Version 1 is active.",
        "It waits for its first rated game, which the ladder draws.",
        "2 seats: being placed, 1512 ± 350 Elo",
    ]


def test_a_site_that_is_away_is_asked_again(
    site: Running, package: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    get, fails = SiteClient.get, iter([True, True])

    def patchy(asked: SiteClient, path: str, **query: object) -> dict[str, Any]:
        if next(fails, False):
            raise SiteError("no answer")
        return get(asked, path, **query)

    monkeypatch.setattr(SiteClient, "get", patchy)
    monkeypatch.setattr(bot_upload, "time", Clock(site.database_url, _plays, _rated))
    assert "Elo" in site.says("bot", "submit", package("away"), "--wait", token=site.author)


def test_scripts_know_by_the_exit_code(
    site: Running, package: Callable[[str], str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bot_upload, "time", Clock(site.database_url, _builds, _rejected))
    bad = site.run("bot", "submit", package("bad"), "--wait", token=site.author)
    assert bad.exit_code == 1
    assert "1 is rejected: It did not start." in bad.output
    monkeypatch.setattr(bot_upload, "time", Clock(site.database_url))
    slow = site.run("bot", "submit", package("slow"), "--wait", "--timeout", "9", token=site.author)
    assert slow.exit_code == bot_upload.NOT_IN_TIME
    refused = site.run("bot", "submit", package("slow2"))
    assert refused.exit_code == 1
    assert "SANTIAGO_API_TOKEN" in refused.output
    monkeypatch.setattr(bot_upload, "time", Clock(site.database_url, _interrupted))
    left = site.run("bot", "submit", package("left"), "--wait", token=site.author)
    assert left.exit_code == 128 + signal.SIGINT
    assert re.search(r"The ladder goes on with it: `santiago bot status \d+`", left.stderr)
    (tmp_path / "no.zip").write_bytes(b"no archive")
    unread = site.run("bot", "submit", str(tmp_path / "no.zip"), token=site.author)
    assert unread.exit_code == 1
    assert "no.zip would be refused:\n  It is neither a .zip nor a .tar.gz.\n" in unread.stderr
    assert "`santiago bot pack FOLDER` makes a package" in unread.stderr
    missing = site.run("bot", "submit", str(tmp_path / "none"), token=site.author)
    assert missing.exit_code == 2
    assert "none' is neither a file nor a folder here: give" in missing.stderr
