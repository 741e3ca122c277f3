"""`santiago worker`, `scheduler` and `db`: what they say where the environment is wrong."""

import asyncio
import resource
import signal
import socket
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from unittest.mock import MagicMock, create_autospec

import pytest
from click import ClickException
from sqlalchemy import inspect, text
from sqlalchemy.exc import IntegrityError

from ladder import model
from ladder.cli import host as host_command, service
from ladder.cli.database import database_at_hand
from ladder.local import entrants
from ladder.model import Bot
from referee.hosting.host import Host
from tests.ladder.bots.authors import author
from tests.ladder.bots.uploads import active_upload, host
from tests.ladder.cli.terminal import fails, run
from tests.ladder.databases import new_ladder, session_on

COMMANDS: tuple[tuple[str, ...], ...] = (
    ("worker",),
    ("scheduler",),
    ("gateway", "--listen", "127.0.0.1:1"),
    ("bot", "list"),
)


@pytest.mark.parametrize("command", [("worker",), ("scheduler",), ("db", "upgrade")])
def test_settings_that_are_missing(command: tuple[str, ...]) -> None:
    assert fails(*command).startswith("Error: DATABASE_URL is not set. Set it to ")


async def test_a_second_signal_does_not_interrupt_the_end_of_a_host(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended = []

    async def run_host(*_: object) -> None:
        try:
            signal.raise_signal(signal.SIGTERM)
            await asyncio.Event().wait()
        finally:
            signal.raise_signal(signal.SIGTERM)
            await asyncio.sleep(0.1)
            ended.append("all sandboxes")

    monkeypatch.setattr(host_command, "run_host", run_host)
    await host_command._until_asked(create_autospec(Host), "unix:/nowhere")
    assert ended == ["all sandboxes"]


@pytest.mark.parametrize("command", ["worker", "scheduler"])
@pytest.mark.parametrize("url", ["foo", "redis://:hush@127.0.0.1:6379/abc"])
def test_a_redis_that_none_can_reach(command: str, url: str, empty_url: str) -> None:
    result = run(command, DATABASE_URL=empty_url, REDIS_URL=url)
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: REDIS_URL is wrong: give redis://HOST:PORT/NUMBER")
    assert "hush" not in result.stderr


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        (
            "SANTIAGO_CA_FILE=/no/ca.pem",
            "SANTIAGO_CA_FILE is '/no/ca.pem': give a file that can be r",
        ),
        ("SANTIAGO_GATEWAY=gateway", "SANTIAGO_GATEWAY is 'gateway': give HOST:PORT"),
        ("SANTIAGO_PUBLIC_GATEWAY=x", "SANTIAGO_PUBLIC_GATEWAY is 'x': give HOST:PORT"),
    ],
)
def test_a_worker_that_could_not_dial_does_not_start(setting: str, sentence: str) -> None:
    name, _, value = setting.partition("=")
    result = run("worker", **{name: value})
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {sentence}")


def test_the_tables_are_made_and_again_is_no_harm(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/ladder.db"
    for _ in range(2):
        result = run("db", "upgrade", DATABASE_URL=url)
        assert (result.exit_code, result.output) == (0, "")
    engine = model.engine(url)
    assert "matches" in inspect(engine).get_table_names()
    engine.dispose()


def test_a_database_that_is_not_there(tmp_path: Path) -> None:
    result = run("db", "upgrade", DATABASE_URL=f"sqlite:///{tmp_path}/none/ladder.db")
    assert result.exit_code == 1
    assert "The database does not answer: unable to open database file" in result.stderr


def test_a_database_without_room(tmp_path: Path) -> None:
    with session_on(new_ladder(tmp_path / "ladder.db")) as session:
        session.execute(text("PRAGMA max_page_count = 1"))
        with pytest.raises(ClickException, match=r"is full \(.+\)\. Make room"), database_at_hand():
            session.execute(text("CREATE TABLE more (id INTEGER)"))


def test_a_database_opened_on_a_full_disk(tmp_path: Path) -> None:
    new_ladder(tmp_path / "ladder.db")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3, before[1]))  # what SQLite first writes to -shm
    try:
        result = run("bot", "list", "--data", str(tmp_path))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert result.exit_code == 1
    assert "is full (disk I/O error). Make room" in result.stderr


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not a database")
    result = run("db", "upgrade", DATABASE_URL=f"sqlite:///{tmp_path}/notes.txt")
    assert result.exit_code == 1
    assert "The file in DATABASE_URL is no SQLite database: use sqlite:///FILE" in result.stderr
    assert (tmp_path / "notes.txt").read_text() == "not a database"


def test_a_damaged_database(tmp_path: Path) -> None:
    file = tmp_path / "ladder.db"
    new_ladder(file)
    whole = file.read_bytes()
    page = int.from_bytes(whole[16:18], "big")
    file.write_bytes(whole[:page] + b"?" * (len(whole) - page))
    for arguments in (["bot", "list"], ["ratings", "rebuild", "--check"]):
        result = run(*arguments, "--data", str(tmp_path))
        assert result.exit_code == 1
        assert "The file of the database is damaged" in result.stderr


def test_a_database_of_which_a_part_is_damaged(tmp_path: Path) -> None:
    file = tmp_path / "ladder.db"
    new_ladder(file)
    with closing(sqlite3.connect(file)) as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE tbl_name != 'alembic_version'"
        pages = [number for (number,) in connection.execute(query) if number]
    with file.open("r+b") as database:
        size = int.from_bytes(database.read(18)[16:], "big")
        for number in pages:
            database.seek((number - 1) * size)
            database.write(b"?" * size)
    result = run("bot", "list", "--data", str(tmp_path))
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "The file of the database is damaged" in result.stderr


def test_a_defect_of_ours_is_not_laid_to_the_database() -> None:
    with pytest.raises(IntegrityError), database_at_hand():
        raise IntegrityError("INSERT", {}, sqlite3.IntegrityError("FOREIGN KEY constraint failed"))


def test_a_database_without_tables(empty_url: str) -> None:
    for command in COMMANDS:
        assert "The database has no tables: make them with `santiago db upgrade`" in said(
            empty_url, command
        )


def test_tables_of_an_older_and_of_a_newer_version(
    empty_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.upgrade(empty_url, "r0018")
    with monkeypatch.context() as next_version:
        next_version.setattr("ladder.model.migrate._REVISIONS", ["r0018", "r9998"])
        for command in COMMANDS:
            sentence = said(empty_url, command)
            assert "tables are of an older version of santiago (r0018; " in sentence
            assert "stop all parts, and run `santiago db upgrade`" in sentence
    model.upgrade(empty_url)
    _set_revision(empty_url, "r9999")
    for command in (*COMMANDS, ("db", "upgrade")):
        assert "of a newer version of santiago (r9999; " in said(empty_url, command)


def test_tables_older_than_the_first_release(empty_url: str) -> None:
    model.upgrade(empty_url)
    _set_revision(empty_url, "r0015")
    for command in (*COMMANDS, ("db", "upgrade")):
        sentence = said(empty_url, command)
        assert "tables are older than the first release of santiago (r0015; " in sentence
        assert "move this database away" in sentence


def _set_revision(url: str, revision: str) -> None:
    engine = model.engine(url)
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE alembic_version SET version_num = '{revision}'"))
    engine.dispose()


def said(url: str, command: tuple[str, ...]) -> str:
    """The error that a command ends with on this database."""
    result = run(
        *command, DATABASE_URL=url, REDIS_URL="redis://127.0.0.1:9/0", SANTIAGO_GATEWAY_KEY="k" * 32
    )
    assert result.exit_code == 1
    return result.stderr


def test_a_house_bot_that_was_uploaded_is_not_dialled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = new_ladder(tmp_path / "ladder.db")
    bots = {"zorro": "tests.ladder.local.bots:Quiet"}
    monkeypatch.setattr(entrants, "installed_bots", lambda: bots)
    assert "quiet is not registered" in run("health", "house", DATABASE_URL=url).stderr
    with session_on(url) as session:
        host(session)
        made = active_upload(session, author(session), "quiet")
        session.get_one(Bot, made.bot_id).house = True
        session.commit()
    result = run("health", "house", DATABASE_URL=url)
    assert (result.exit_code, result.output) == (0, "")


@pytest.mark.parametrize(
    ("listen", "sentence"),
    [
        ("127.0.0.1:65534", "'127.0.0.1:65536' is no address to listen on: give HOST:PORT"),
        ("http://a:50061", "'http://a:50061' is no address to listen on: give HOST:PORT"),
        ("50061", "--listen needs HOST:PORT, such as 0.0.0.0:50061, or unix:FOLDER."),
        ("0.0.0.0", "--listen needs HOST:PORT, such as 0.0.0.0:50061, or unix:FOLDER."),
        ("unix:/no/such", "--listen is 'unix:/no/such': give a folder that exists."),
        ("no-such-host.invalid:50061", "nothing can listen on no-such-host.invalid:50061: "),
    ],
)
def test_a_house_that_cannot_listen_registers_no_bot(
    listen: str, sentence: str, tmp_path: Path
) -> None:
    url = new_ladder(tmp_path / "ladder.db")
    assert sentence in run("house", "--listen", listen, DATABASE_URL=url).stderr
    assert run("bot", "list", DATABASE_URL=url).output == ""


def test_a_house_registers_no_bot_at_a_port_that_is_taken(tmp_path: Path) -> None:
    url = new_ladder(tmp_path / "ladder.db")
    with socket.create_server(("127.0.0.1", 0)) as other:
        address = f"127.0.0.1:{other.getsockname()[1]}"
        said = run("house", "--listen", address, DATABASE_URL=url).stderr
    assert f"--listen is wrong: nothing can listen on {address}: " in said
    assert run("bot", "list", DATABASE_URL=url).output == ""


class Ends:
    """The process of a bot that ends since its port was taken meanwhile."""

    pid = 2**22 + 1  # no process has this id
    exit_code: int | None = 1

    def __init__(self, _command: object, _address: str, log: Path, _extra: object) -> None:
        log.write_text("Nothing can listen on 127.0.0.1:1: is another program there?\n")

    def ask_to_end(self) -> None: ...
    def stop(self) -> None: ...


def test_a_house_registers_no_bot_that_does_not_listen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = new_ladder(tmp_path / "ladder.db")
    monkeypatch.setattr(service, "BotProcess", Ends)
    said = run("house", "--listen", f"unix:{tmp_path}", DATABASE_URL=url).stderr
    assert "Its last words:\nNothing can listen on 127.0.0.1:1: " in said
    assert run("bot", "list", DATABASE_URL=url).output == ""


class Silent(Ends):
    """The process of a bot that cannot say that it listens, since the disk is full."""

    exit_code = None

    def __init__(self, *_: object) -> None: ...


def test_a_house_does_not_wait_for_ever_for_a_bot_that_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = new_ladder(tmp_path / "ladder.db")
    monkeypatch.setattr(service, "BotProcess", Silent)
    monkeypatch.setattr(service, "_LISTENS_WITHIN", 0.0)
    said = run("house", "--listen", f"unix:{tmp_path}", DATABASE_URL=url).stderr
    assert ".log does not say that the bot listens: is the disk full?" in said
    assert run("bot", "list", DATABASE_URL=url).output == ""


def test_the_bots_of_a_house_play_with_the_compiled_core(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Told(Silent):
        def __init__(self, _command: object, _address: str, _log: Path, extra: object) -> None:
            told.append(extra)

    told: list[object] = []
    core = {"PYTHONPATH": str(tmp_path)}
    monkeypatch.setattr(service, "BotProcess", Told)
    monkeypatch.setattr(service, "compiled_core", lambda: core)
    monkeypatch.setattr(service, "_LISTENS_WITHIN", 0.0)
    run("house", "--listen", f"unix:{tmp_path}", DATABASE_URL=new_ladder(tmp_path / "ladder.db"))
    assert told == [core] * len(entrants.installed_bots())


def test_a_house_registers_no_bot_at_a_path_that_is_too_long(tmp_path: Path) -> None:
    url, folder = new_ladder(tmp_path / "ladder.db"), tmp_path / ("f" * 100)
    folder.mkdir()
    said = run("house", "--listen", f"unix:{folder}", DATABASE_URL=url).stderr
    assert "--listen is wrong: " in said
    assert "unix:/PATH of at most 107 bytes" in said
    assert run("bot", "list", DATABASE_URL=url).output == ""


def test_a_full_disk_behind_the_log_does_not_end_the_house(monkeypatch: pytest.MonkeyPatch) -> None:
    supervisor = MagicMock(check=lambda: ["The bot random ended and was started again."])
    with Path("/dev/full").open("w", buffering=1) as full:
        monkeypatch.setattr("sys.stderr", full)
        service._look_after(supervisor)
        with suppress(OSError):
            full.close()
