"""`santiago worker`, `scheduler` and `db`: what they say where the environment is wrong."""

from pathlib import Path

import pytest
from sqlalchemy import inspect

from ladder import database
from tests.ladder.command.terminal import fails, run


@pytest.mark.parametrize("command", [("worker",), ("scheduler",), ("db", "upgrade")])
def test_settings_that_are_missing(command: tuple[str, ...]) -> None:
    assert fails(*command).startswith("Error: DATABASE_URL is not set. Set it to ")


def test_the_tables_are_made_and_again_is_no_harm(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/ladder.db"
    for _ in range(2):
        result = run("db", "upgrade", DATABASE_URL=url)
        assert (result.exit_code, result.output) == (0, "")
    engine = database.engine(url)
    assert "matches" in inspect(engine).get_table_names()
    engine.dispose()


def test_a_database_that_is_not_there(tmp_path: Path) -> None:
    result = run("db", "upgrade", DATABASE_URL=f"sqlite:///{tmp_path}/none/ladder.db")
    assert result.exit_code == 1
    assert "The database does not answer: unable to open database file" in result.stderr


def test_a_database_without_tables(empty_url: str) -> None:
    for command in (("worker",), ("bot", "list")):
        result = run(*command, DATABASE_URL=empty_url, REDIS_URL="redis://127.0.0.1:9/0")
        assert result.exit_code == 1
        assert "make its tables with `santiago db upgrade`" in result.stderr
