"""The data folder and its database are their user's alone."""

from pathlib import Path

import pytest

from ladder import model
from ladder.config import SECRET_KEY
from ladder.embedded import service
from tests.ladder.cli.terminal import succeeds


def modes(folder: Path) -> dict[str, str]:
    """What each file, and the folder, allows others."""
    return {file.name: f"{file.stat().st_mode & 0o077:o}" for file in (folder, *folder.iterdir())}


def test_a_folder_that_was_there_is_closed_to_others(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    (folder / "logs").mkdir(parents=True)
    for name in ("ladder.db", "ladder.db-wal", "ladder.db-shm"):
        (folder / name).touch()
    for file in (folder, *folder.iterdir()):
        file.chmod(0o777)
    service._make_closed(folder)
    assert set(modes(folder).values()) == {"0"}


def test_a_folder_that_many_share_stays_open(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    service._make_closed(folder)
    assert modes(folder) == {"shared": "77", "logs": "0"}


def test_a_database_is_in_its_folder_whatever_that_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DATABASE_URL", SECRET_KEY):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "who? 100%25"
    folder.mkdir()
    embedded = service.EmbeddedService(folder, "127.0.0.1", 8000, lambda _: None, 0)
    embedded._sockets = tmp_path
    model.upgrade(embedded._settings()["DATABASE_URL"])
    assert (folder / "ladder.db").exists()
    succeeds("bot", "list", "--data", str(folder))


def test_a_new_database_is_its_users_alone(tmp_path: Path) -> None:
    file = tmp_path / "open" / "ladder.db"
    file.parent.mkdir(mode=0o755)
    made = model.engine(f"sqlite:///{file}")
    with made.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE rum (id INTEGER)")
        assert set(modes(file.parent).values()) - {"55"} == {"0"}
    made.dispose()
