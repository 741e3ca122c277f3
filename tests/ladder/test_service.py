"""Workers and schedulers as processes, on a real Redis, through all that may befall them.

tests/chaos lets the same befall them on PostgreSQL.
"""

import signal
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path
from time import sleep

import pytest
from redis import Redis
from sqlalchemy import ColumnElement, delete, func, make_url, select, update
from sqlalchemy.orm import Session, sessionmaker

from ladder.contests.tournaments import lookup
from ladder.model import (
    CasualGame,
    Deal,
    Entry,
    Job,
    Match,
    PartRow,
    RatingChange,
    Replay,
    Tournament,
)
from tests.e2e.processes import until
from tests.ladder.bots.authors import house_bot
from tests.ladder.casual.tables import HouseBot, asks_person, friends
from tests.ladder.contests.tournaments.cups import play
from tests.ladder.databases import on_sqlite
from tests.ladder.league import match_ids, start_tournament
from tests.ladder.ledgers import check_ledger
from tests.ladder.service import TIMEOUT, Process, RedisServer, Start, end_leases
from tests.referee.games import served


def fell_asleep(process: Process, database_url: str) -> bool:
    """Stop the process, but not while it holds the lock of SQLite, which nobody else could end."""
    process.send_signal(signal.SIGSTOP)
    file = make_url(database_url).database or ""
    try:
        with closing(sqlite3.connect(file, timeout=0.5)) as connection:
            connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError:
        process.send_signal(signal.SIGCONT)
        return False
    return True


def finished(sessions: sessionmaker[Session]) -> int:
    with sessions() as session:
        return lookup.progress(session, 1).finished


def over(sessions: sessionmaker[Session], tournament_id: int = 1) -> bool:
    with sessions() as session:
        return lookup.tournament(session, tournament_id).state == "finished"


def check_that_all_counted_once(sessions: sessionmaker[Session], matches: int) -> None:
    with sessions() as session:
        ended = lookup.tournament(session, 1)
        assert (ended.state, ended.finished, ended.settled) == ("finished", matches, matches)
        assert session.scalar(select(func.count()).select_from(Replay)) == matches
        assert session.scalar(select(func.count()).select_from(RatingChange)) == 2 * matches
        check_ledger(session)


@pytest.fixture
def cup(sessions: sessionmaker[Session]) -> int:
    """A tournament that runs; how many matches it has."""
    with sessions() as session:
        start_tournament(session, count=3, deals=8)
        return lookup.tournament(session, 1).total


@on_sqlite
def test_a_worker_that_is_killed_loses_nothing(
    start: Start, sessions: sessionmaker[Session], cup: int
) -> None:
    start("scheduler")
    worker = start("worker", "0.1", QUICK_MATCHES="8")
    until(lambda: (finished(sessions), running(sessions)) == (8, 4))
    worker.kill()
    worker.wait()
    with sessions() as session:
        end_leases(session)
    start("worker", "0.1")
    until(lambda: over(sessions))
    check_that_all_counted_once(sessions, cup)


@on_sqlite
def test_a_worker_that_was_asleep_changes_nothing_any_more(
    start: Start, sessions: sessionmaker[Session], cup: int, database_url: str
) -> None:
    start("scheduler")
    sleeper = start("worker", "600")
    until(lambda: running(sessions) == 4)
    until(lambda: fell_asleep(sleeper, database_url))
    first = attempts_under_way(sessions)
    with sessions() as session:
        end_leases(session)
    other = start("worker", "600", SANTIAGO_PLACES=str(cup))
    until(lambda: len(attempts_under_way(sessions) - first) == cup)
    later = attempts_under_way(sessions)
    sleeper.send_signal(signal.SIGCONT)
    sleeper.terminate()
    assert sleeper.wait(TIMEOUT) == 0
    assert attempts_under_way(sessions) == later
    other.terminate()
    start("worker", "0.1")
    until(lambda: over(sessions))
    check_that_all_counted_once(sessions, cup)


@on_sqlite
def test_people_wait_for_no_match(
    start: Start, sessions: sessionmaker[Session], cup: int, tmp_path: Path
) -> None:
    start("scheduler")
    start("worker", "600")
    until(lambda: running(sessions) == 4)
    with served(HouseBot, f"unix:{tmp_path}/bot") as address, sessions() as session:
        game_id = friends(session, 1, bots=(house_bot(session, "casual", address),)).id

        def answered() -> bool:
            with sessions() as later:
                return asks_person(later.get_one(CasualGame, game_id))

        until(answered)


@on_sqlite
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_worker_that_ends_in_good_order_gives_its_matches_back(
    start: Start, sessions: sessionmaker[Session], cup: int, number: signal.Signals, tmp_path: Path
) -> None:
    scheduler = start("scheduler", log=tmp_path / "log", SIGNALS_AGAIN="true")
    worker = start("worker", "600", SIGNALS_AGAIN="true")
    until(lambda: running(sessions) == 4)
    scheduler.send_signal(number)
    worker.send_signal(number)
    assert worker.wait(TIMEOUT) == 0
    assert scheduler.wait(TIMEOUT) == 0
    said = (tmp_path / "log").read_text()
    assert said.index("the scheduler begins") < said.index("the scheduler ends")
    with sessions() as session:
        assert lookup.progress(session, 1).queued == cup
        assert session.scalar(select(func.sum(Match.interruptions))) == 0


@on_sqlite
def test_a_worker_ends_in_good_order_although_redis_is_silent(
    start: Start, sessions: sessionmaker[Session], cup: int, redis_of_its_own: RedisServer
) -> None:
    scheduler = start("scheduler")
    worker = start("worker", "600")
    until(lambda: running(sessions) == 4)
    scheduler.terminate()
    assert scheduler.wait(TIMEOUT) == 0
    with redis_of_its_own.silent():
        sleep(5)  # in which Celery would tell it twice that the worker is alive
        worker.terminate()
        assert worker.wait(TIMEOUT) == 0
    with sessions() as session:
        assert lookup.progress(session, 1).queued == cup


@on_sqlite
def test_a_redis_that_refuses_to_write_or_comes_back_empty_loses_nothing(
    start: Start,
    sessions: sessionmaker[Session],
    cup: int,
    redis_of_its_own: RedisServer,
    tmp_path: Path,
) -> None:
    start("scheduler")
    worker = start("worker", "0.3", log=tmp_path / "log")
    until(lambda: finished(sessions) >= 8)
    with Redis.from_url(redis_of_its_own.url) as redis:
        redis.config_set("min-replicas-to-write", 1)  # as if its disk were full
        until(lambda: tries_to_write(redis) or worker.poll() is not None)
        assert worker.poll() is None
        redis.config_set("min-replicas-to-write", 0)
        until(lambda: finished(sessions) >= 16)
        redis.flushall()
    until(lambda: finished(sessions) >= 24)
    redis_of_its_own.stop()
    until(lambda: running(sessions) == 0)  # what ends now is acknowledged to nobody
    redis_of_its_own.start()
    until(lambda: over(sessions))
    check_that_all_counted_once(sessions, cup)
    said = (tmp_path / "log").read_text()
    assert "Connection to broker lost" in said
    assert "redelivered" not in said  # as Celery would add


@on_sqlite
def test_other_duties_do_not_wait_for_a_round_that_takes_its_time(
    start: Start, sessions: sessionmaker[Session]
) -> None:
    """Without end, in this test: the scheduler gives its signs of life all the same."""
    with sessions() as session:
        played = start_tournament(session)
        for match_id in match_ids(session):
            play(session, match_id)
    scheduler = start("scheduler", STANDS_STILL_IN="ladder.contests.tournaments.lifecycle.go_on")
    seen: set[datetime] = set()

    def lives_on() -> bool:
        with sessions() as session:
            seen.update(session.scalars(select(PartRow.seen_at)))
        return len(seen) > 2  # it may begin with one, and the first look is a second later

    until(lives_on, TIMEOUT)
    with sessions() as session:
        assert lookup.tournament(session, played).state == "running"
    scheduler.kill()


def tries_to_write(redis: Redis) -> bool:
    """Whether a worker waits until Redis writes again; nobody else sets a key."""
    return "set" in {client["cmd"] for client in redis.client_list()}


@on_sqlite
def test_a_thousand_ladder_matches_do_not_delay_a_tournament(
    start: Start, sessions: sessionmaker[Session]
) -> None:
    with sessions() as session:
        start_tournament(session, count=4, deals=84)  # 6 pairs, 2 seats: 1,008 matches
        session.execute(update(Match).values(kind="ladder", tournament_id=None))
        session.execute(update(Job).values(queue="ladder"))
        session.execute(update(Deal).values(tournament_id=None))
        session.execute(delete(Entry))
        session.execute(delete(Tournament))
        session.commit()
    start("scheduler")
    start("worker", "0.2")
    until(lambda: ladder_matches(sessions, Match.state == "finished") >= 4)
    with sessions() as session:
        cup_id = start_tournament(session, count=3, deals=4)
    until(lambda: over(sessions, cup_id))
    with sessions() as session:
        cup = select(Match.started_at).where(Match.tournament_id.is_not(None))
        first, *_, last = sorted(at for at in session.scalars(cup) if at is not None)
    between = ladder_matches(sessions, Match.started_at > first, Match.started_at < last)
    # What had its place already, or took one while the messages came: far fewer than the 24 of the
    # cup, which would be as many in a fair mix, and than the messages that were there before.
    assert between <= 12
    assert ladder_matches(sessions, Match.state == "queued") > 100


def ladder_matches(sessions: sessionmaker[Session], *where: ColumnElement[bool]) -> int:
    with sessions() as session:
        query = select(func.count()).select_from(Match).where(Match.kind == "ladder", *where)
        return session.scalars(query).one()


def attempts_under_way(sessions: sessionmaker[Session]) -> set[tuple[int, str]]:
    """The match and token of each."""
    with sessions() as session:
        held = select(Job.subject, Job.token).where(Job.token.is_not(None))
        return {(match_id, token or "") for match_id, token in session.execute(held)}


def running(sessions: sessionmaker[Session]) -> int:
    with sessions() as session:
        return lookup.progress(session, 1).running
