from sqlalchemy import inspect, select, text

from ladder import model
from ladder.model.migrate import check
from ladder.model.models.accounts import Notice
from ladder.model.models.base import Base
from ladder.model.models.ratings import Ledger


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


def test_matches_from_before_have_ten_seconds_to_start_up(empty_url: str) -> None:
    model.upgrade(empty_url, "r0001")
    engine = model.engine(empty_url)
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO deals (id, layout_seed) VALUES (1, 7)"))
        connection.execute(
            text(
                "INSERT INTO matches (id, deal_id, rotation, seats, state, rated, move_limit_ms,"
                " bank_ms, increment_ms, attempt, interruptions, unreached, created_at) VALUES"
                " (1, 1, 0, 2, 'queued', true, 1, 1, 1, 0, 0, 0, '2026-01-01')"
            )
        )
    model.upgrade(empty_url)
    with engine.begin() as connection:
        assert connection.scalar(text("SELECT start_up_ms FROM matches")) == 10_000
    engine.dispose()


def test_tournaments_from_before_get_their_entry_lists(empty_url: str) -> None:
    model.upgrade(empty_url, "r0006")
    engine = model.engine(empty_url)
    at = "'2026-01-01'"
    rows = (
        f"INSERT INTO users (id, name, created_at) VALUES (1, 'compay', {at})",
        "INSERT INTO bots (id, user_id, name, created_at) VALUES"
        f" (1, 1, 'a', {at}), (2, 1, 'b', {at})",
        "INSERT INTO versions (id, bot_id, name, address, state, created_at) VALUES"
        f" (3, 1, '1', 'x', 'active', {at}), (4, 2, '1', 'y', 'active', {at})",
        "INSERT INTO tournaments (id, name, seats, state, total, settled, finished, created_at)"
        f" VALUES (1, 'Copa', 2, 'running', 1, 0, 0, {at})",
        "INSERT INTO deals (id, layout_seed) VALUES (1, 7)",
        "INSERT INTO matches (id, tournament_id, deal_id, rotation, seats, state, rated,"
        " move_limit_ms, bank_ms, increment_ms, attempt, interruptions, unreached, created_at)"
        f" VALUES (1, 1, 1, 0, 2, 'queued', true, 1, 1, 1, 0, 0, 0, {at})",
        "INSERT INTO seats (match_id, seat, bot_id, version_id) VALUES (1, 0, 2, 4), (1, 1, 1, 3)",
    )
    with engine.begin() as connection:
        for row in rows:
            connection.execute(text(row))
    for _ in range(2):
        model.upgrade(empty_url)
        with engine.begin() as connection:
            found = connection.execute(
                text("SELECT number, bot_id, version_id FROM tournament_entries ORDER BY number")
            )
            assert [tuple(row) for row in found] == [(1, 1, 3), (2, 2, 4)]
        model.downgrade(empty_url, "r0006")
    engine.dispose()


def test_notices_from_before_keep_their_sentence(empty_url: str) -> None:
    model.upgrade(empty_url, "r0014")
    engine = model.engine(empty_url)
    at = "'2026-01-01'"
    with engine.begin() as connection:
        for row in (
            f"INSERT INTO users (id, name, created_at) VALUES (1, 'compay', {at})",
            f"INSERT INTO notices (id, user_id, sentence, created_at) VALUES (1, 1, 'One.', {at})",
        ):
            connection.execute(text(row))
    model.upgrade(empty_url)
    with model.session_factory(engine)() as session:
        told = session.get_one(Notice, 1)
        assert (told.sentence, told.template, told.fields) == ("One.", None, None)
    model.downgrade(empty_url, "r0014")
    with engine.begin() as connection:
        assert connection.scalar(text("SELECT sentence FROM notices")) == "One."
    engine.dispose()
