import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from threading import Thread

import pytest
from sqlalchemy import insert, select, text
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError
from sqlalchemy.orm import Session, sessionmaker

from ladder import model
from ladder.errors import SettingsError
from ladder.model import (
    CASUAL_UNDER_WAY,
    Base,
    Bot,
    CasualGame,
    Ledger,
    Match,
    RatingChange,
    Seat,
    SeatTally,
    Upsert,
    User,
    Version,
    VersionState,
    Worker,
    own_words,
)
from tests.ladder.databases import new_ladder, on_sqlite, session_on
from tests.ladder.league import finished, match_ids, ranked, start_tournament

engines = import_module("ladder.model.engine")  # `model.engine` is the function


def test_the_database_tells_the_time_in_utc(session: Session) -> None:
    one_second, before = timedelta(seconds=1), datetime.now(UTC)
    now = model.now(session)
    assert before - one_second < now < datetime.now(UTC) + one_second


def test_times_come_back_as_they_went_in(session: Session) -> None:
    noon_in_havana = datetime.fromisoformat("2024-07-26T12:00:00.123456-04:00")
    session.add(User(name="compay", created_at=noon_in_havana))
    session.flush()
    session.expire_all()
    stored = session.scalars(select(User)).one().created_at
    assert (stored, stored.tzinfo) == (noon_in_havana, UTC)


def test_foreign_keys_are_kept(session: Session) -> None:
    session.add(Bot(user_id=99, name="orphan", created_at=datetime.now(UTC)))
    with pytest.raises(IntegrityError):
        session.flush()


@on_sqlite
@pytest.mark.parametrize(
    ("table", "changed", "told"),
    [
        (RatingChange, {}, "rating_changes.match_id, rating_changes.version_id, "),
        (Match, {"rotation": 9}, "matches.result_number\n"),
        (Match, {"result_number": 9}, "matches.deal_id, matches.rotation\n"),
        (Seat, {"seat": 3}, "seats.match_id, seats.bot_id\n"),
        (Version, {"name": "2"}, "versions.bot_id\n"),  # a second active one
    ],
)
def test_what_there_may_be_once_is_not_stored_twice(
    session: Session, table: type[Base], changed: dict[str, object], told: str
) -> None:
    start_tournament(session)
    match_id, *_ = match_ids(session)
    session.commit()
    finished(session, match_id, ranked(1, 2))
    stored = session.execute(select(table.__table__).limit(1)).mappings().one()
    again = {**stored, **changed}
    again.pop("id", None)
    with pytest.raises(IntegrityError, match=f"UNIQUE constraint failed: {told}"):
        session.execute(insert(table).values(again))


@on_sqlite
def test_sqlite_plans_a_query_for_states_once(session: Session) -> None:
    queries = [
        select(Version.id).where(Version.bot_id == 1, Version.state == VersionState.ACTIVE),
        select(CasualGame.id).where(
            CasualGame.state.in_(CASUAL_UNDER_WAY), CasualGame.due_at < model.now(session)
        ),
        select(CasualGame.id).where(CasualGame.state.not_in(set(CASUAL_UNDER_WAY))),
    ]
    planned: list[object] = []

    def allow(*step: object) -> int:
        planned.append(step)
        return sqlite3.SQLITE_OK

    driver = session.connection().connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    driver.set_authorizer(allow)
    for query in queries:
        session.execute(query)
    assert planned
    planned.clear()
    for query in queries:
        session.execute(query)
    assert not planned


def test_a_database_that_is_locked_is_not_taken_for_another_file(tmp_path: Path) -> None:
    file = tmp_path / "ladder.db"
    with (
        closing(sqlite3.connect(file)) as first,
        closing(sqlite3.connect(file, timeout=0)) as second,
    ):
        first.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            engines._prepare_sqlite(second, None)


def test_a_log_whose_database_was_moved_away_is_kept(tmp_path: Path) -> None:
    """SQLite deletes it if there is a new, empty file in the place of its own."""
    file, log = tmp_path / "ladder.db", tmp_path / "ladder.db-wal"
    engine = model.engine(model.sqlite_url(file))
    log.write_bytes(b"the latest results")
    with pytest.raises(OperationalError, match=r"ladder.db is missing, but .*-wal is there"):
        engine.connect()
    assert [one.name for one in tmp_path.iterdir()] == [log.name]
    engine.dispose()


def test_an_error_tells_no_parameter(session: Session) -> None:
    at = datetime.now(UTC)
    session.add_all([User(name="ana", password_hash="kept", created_at=at) for _ in range(2)])
    with pytest.raises(IntegrityError) as raised:
        session.flush()
    assert "INSERT INTO users" in str(raised.value)
    assert "kept" not in str(raised.value)


def test_a_log_gets_what_the_database_says_in_one_line(session: Session) -> None:
    with pytest.raises(DBAPIError) as raised:
        session.execute(text("SELECT nothing FROM users"))
    said = own_words(raised.value)
    assert "nothing" in said
    assert said.isprintable()  # PostgreSQL shows the place in three lines


def test_an_upsert_inserts_what_is_new_and_replaces_what_it_names(session: Session) -> None:
    beat = Upsert(Worker, replace=("places", "seen_at"))
    noon = datetime(2026, 11, 22, 12, tzinfo=UTC)
    later = noon + timedelta(hours=1)
    beat.put(session, {"name": "one", "places": 4, "started_at": noon, "seen_at": noon})
    rows = [
        {"name": name, "places": 8, "started_at": later, "seen_at": later}
        for name in ("one", "two")
    ]
    beat.put(session, rows)
    found = {row.name: row for row in session.scalars(select(Worker))}
    assert (found["one"].started_at, found["one"].seen_at) == (noon, later)
    assert (found["two"].started_at, found["two"].places) == (later, 8)


def test_an_upsert_adds_to_what_it_names(session: Session) -> None:
    at = datetime.now(UTC)
    session.add(User(id=1, name="ana", created_at=at))
    session.flush()
    session.add(Bot(id=1, user_id=1, name="mojito", created_at=at))
    row = {"seats": 2, "seat": 0, "bot_id": 1, "games": 1, "win_twelfths": 12}
    count = Upsert(SeatTally, add=("games", "win_twelfths"))
    count.put(session, row)
    count.put(session, row | {"win_twelfths": 6})
    Upsert(SeatTally).put(session, row | {"games": 9})  # names nothing: the row stays as it is
    found = session.scalars(select(SeatTally)).one()
    assert (found.games, found.win_twelfths) == (2, 18)


def test_writers_wait_for_one_another(sessions: sessionmaker[Session]) -> None:
    def add_up() -> None:
        for _ in range(20):
            with sessions.begin() as session:
                model.write(session)
                row = session.scalars(select(Ledger).with_for_update()).one()
                row.last_result += 1

    threads = [Thread(target=add_up) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with sessions() as session:
        assert session.scalars(select(Ledger)).one().last_result == 80


def looks(url: str, monkeypatch: pytest.MonkeyPatch, *, for_people: bool) -> list[float]:
    """The pauses of one who waits to write until another has let it wait for three of them."""
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            other.rollback()

    monkeypatch.setattr(engines, "sleep", pause)
    waiting = model.engine(url, for_people=for_people)
    with session_on(url) as other, model.session_factory(waiting)() as session:
        model.write(other)
        model.write(session)
        session.scalars(select(Ledger)).one().last_result = 7
        session.commit()
    waiting.dispose()
    return pauses


def test_the_one_for_whom_people_wait_looks_more_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = new_ladder(tmp_path / "ladder.db")
    for_people, for_nobody = (looks(url, monkeypatch, for_people=how) for how in (True, False))
    assert len(set(for_people)) == len(set(for_nobody)) == 1
    assert 0 < 5 * for_people[0] < for_nobody[0]


def test_a_writer_gives_up_if_its_turn_does_not_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = new_ladder(tmp_path / "ladder.db")
    monkeypatch.setattr(engines, "_BUSY_TIMEOUT", 0.001)
    with session_on(url) as other, session_on(url) as session:
        model.write(other)
        with pytest.raises(OperationalError, match="database is locked"):
            model.write(session)
        session.rollback()
        other.rollback()
        model.write(session)
        assert session.scalars(select(Ledger)).one().last_result == 0


def test_a_reader_may_turn_writer(sessions: sessionmaker[Session]) -> None:
    with sessions() as reader:
        before = reader.scalars(select(Ledger.last_result)).one()
        with sessions.begin() as other:
            model.write(other)
            other.scalars(select(Ledger)).one().last_result += 1
        model.write(reader)
        row = reader.scalars(select(Ledger)).one()
        assert row.last_result == before + 1
        row.last_result += 1
        reader.commit()
        assert reader.scalars(select(Ledger.last_result)).one() == before + 2


def test_saying_it_late_or_twice_commits_nothing(sessions: sessionmaker[Session]) -> None:
    with sessions() as session:
        session.scalars(select(Ledger)).one().last_result = 5
        session.flush()
        model.write(session)
        model.write(session)
        session.rollback()
        assert session.scalars(select(Ledger)).one().last_result == 0


def test_a_client_that_falls_asleep_in_a_transaction_loses_its_locks(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ladder.model.postgresql._IDLE_LIMIT", 7.0)
    with session_on(postgres_url) as session:
        assert session.scalar(text("SHOW idle_in_transaction_session_timeout")) == "7s"


@pytest.mark.parametrize("url", ["mysql://host/db", "not an address"])
def test_other_databases_are_refused(url: str) -> None:
    with pytest.raises(SettingsError, match="DATABASE_URL"):
        model.engine(url)


@pytest.mark.parametrize("name", ["what?", "100%25", "a b", "#1", "casa ñ"])
def test_a_folder_may_have_any_name(name: str, tmp_path: Path) -> None:
    file = tmp_path / name / "ladder.db"
    file.parent.mkdir()
    made = model.engine(model.sqlite_url(file))
    made.connect().close()
    made.dispose()
    assert file.exists()
    assert [found.name for found in tmp_path.iterdir()] == [name]


def test_a_folder_whose_name_is_not_in_utf_8_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="is not in UTF-8"):
        model.sqlite_url(Path(os.fsdecode(bytes(tmp_path) + b"/a\xf1o")))
