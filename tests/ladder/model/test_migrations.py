from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from sqlalchemy import Engine, event, inspect, select, text

from ladder import model
from ladder.errors import SettingsError
from ladder.model import Base, Ledger
from ladder.model.migrate import check
from tests.e2e.processes import until
from tests.ladder.databases import waits


def tables(url: str) -> set[str]:
    engine = model.engine(url)
    names = set(inspect(engine).get_table_names())
    engine.dispose()
    return names


def test_up_makes_every_table_and_down_drops_every_table(empty_url: str) -> None:
    model.upgrade(empty_url)
    assert tables(empty_url) == {*Base.metadata.tables, "alembic_version"}
    model.downgrade(empty_url, "base")
    assert tables(empty_url) == {"alembic_version"}


def test_models_and_migrations_agree(empty_url: str) -> None:
    model.upgrade(empty_url)
    check(empty_url)  # raises where they differ


def test_upgrading_again_keeps_what_is_there(database_url: str) -> None:
    engine = model.engine(database_url)
    with model.session_factory(engine).begin() as session:
        model.write(session)
        session.scalars(select(Ledger)).one().last_result = 7
    model.upgrade(database_url)
    with model.session_factory(engine)() as session:
        assert session.scalars(select(Ledger)).one().last_result == 7
    engine.dispose()


@pytest.mark.parametrize("empty_url", ["postgresql"], indirect=True)
def test_an_upgrade_waits_for_another_one_and_finds_its_tables(empty_url: str) -> None:
    engine = model.engine(empty_url)
    sessions = model.session_factory(engine)
    other: list[Future[None]] = []

    def begin_other(conn: object, cursor: object, statement: str, *_: object) -> None:
        if "CREATE TABLE alembic_version" in statement and not other:
            other.append(pool.submit(model.upgrade, empty_url))
            until(lambda: other[0].done() or waits(sessions))
            assert not other[0].done()

    with ThreadPoolExecutor(1) as pool:
        event.listen(Engine, "before_cursor_execute", begin_other)
        try:
            model.upgrade(empty_url)
        finally:
            event.remove(Engine, "before_cursor_execute", begin_other)
        other[0].result(60)
    engine.dispose()
    assert tables(empty_url) == {*Base.metadata.tables, "alembic_version"}


def test_a_database_older_than_the_first_release_is_refused_untouched(empty_url: str) -> None:
    engine = model.engine(empty_url)
    with engine.begin() as connection:
        for statement in (
            "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)",
            "INSERT INTO alembic_version VALUES ('r0017')",
            "CREATE TABLE ledger (id INTEGER NOT NULL, last_result INTEGER NOT NULL)",
            "INSERT INTO ledger VALUES (1, 7)",
        ):
            connection.execute(text(statement))
    for refusing in (model.upgrade, model.check_schema):
        with pytest.raises(SettingsError, match=r"\(r0017; .* move this database away"):
            refusing(empty_url)
    assert tables(empty_url) == {"alembic_version", "ledger"}
    with engine.begin() as connection:
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == "r0017"
        assert connection.scalar(text("SELECT last_result FROM ledger")) == 7
    engine.dispose()
