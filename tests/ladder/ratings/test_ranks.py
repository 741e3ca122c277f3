"""The ranks in memory are those of the database, though a result has few of them read again."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from math import inf
from random import Random
from threading import Lock, Semaphore

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from ladder import model
from ladder.bots import profiles
from ladder.bots.availability import pause_for
from ladder.matches import reading
from ladder.model import Bot, BotState, LadderPlace, move_bot
from ladder.ratings import boards, ranks, standings
from ladder.ratings.ranks import Ranks
from tests.ladder.databases import on_sqlite
from tests.ladder.league import finished, match_ids, ranked, start_tournament
from tests.ladder.ratings.league import Sessions, organiser, something_happens
from tests.ladder.ratings.test_rebuild import league

ADA, BELA, CARO = 1, 2, 3
THREADS = 4


def as_another_process_reads(sessions: Sessions) -> Ranks:
    """By an engine that has read nothing yet; it has the connections of the other one."""
    with model.session_factory(sessions.kw["bind"].execution_options())() as session:
        return ranks.ranks(session)


def test_they_are_those_of_the_database_after_any_entry(sessions: Sessions) -> None:
    with sessions() as session:
        ids, account = league(session), organiser(session)
    rng, seen = Random(3), set()
    for _ in range(25):
        for _ in range(rng.randrange(1, 5)):
            something_happens(sessions, rng, account, ids)
        with sessions() as session:
            found = ranks.ranks(session)
        assert found == as_another_process_reads(sessions)
        seen.add(found.played)
    assert len(seen) > 1, "a ladder began while it was watched"


@pytest.fixture
def last_match(session: Session, monkeypatch: pytest.MonkeyPatch) -> int:
    """The only match of three bots, at tables of two, that has not been played.

    Ranks that have been read last forever, so that they are only read again for a reason.
    """
    monkeypatch.setattr(ranks, "LONGEST", inf)
    start_tournament(session, seats=2, count=3)
    *others, last = match_ids(session)
    session.commit()
    for match_id in others:
        finished(session, match_id, ranked(1, 2))
    return last


@on_sqlite
def test_only_the_places_of_its_table_are_read_after_a_result(
    session: Session, last_match: int
) -> None:
    assert {own[2].faults for own in ranks.ranks(session).places.values()} == {0}
    session.execute(update(LadderPlace).values(faults=7))
    finished(session, last_match, ranked(1, 2))
    at_table = {seat.bot_id for seat in reading.match(session, last_match).seats}
    found = {own[2].bot_id: own[2].faults for own in ranks.ranks(session).places.values()}
    assert found == {bot: 7 if bot in at_table else 0 for bot in (ADA, BELA, CARO)}


@on_sqlite
def test_one_thread_reads_for_all_that_ask_at_once(
    sessions: Sessions, last_match: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrived, lock = Semaphore(0), Lock()

    class Door:
        """A lock that says who comes to it."""

        def __enter__(self) -> None:
            arrived.release()
            lock.acquire()

        def __exit__(self, *_: object) -> None:
            lock.release()

    known: list[int | None] = []
    read = ranks._read

    def read_when_all_have_come(
        session: Session, since: Mapping[str, datetime | None], after: int | None = None
    ) -> object:
        known.append(after)
        assert all(arrived.acquire(timeout=60) for _ in range(THREADS))
        return read(session, since, after)

    def ask(_thread: int) -> int:
        with sessions() as session:
            return ranks.ranks(session).games[2]

    with monkeypatch.context() as patched, sessions() as session:
        patched.setattr(ranks, "Lock", Door)
        ranks.ranks(session)
        finished(session, last_match, ranked(1, 2))
    assert arrived.acquire(timeout=60)
    monkeypatch.setattr(ranks, "_read", read_when_all_have_come)
    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(ask, range(THREADS))) == [12] * THREADS
    assert known == [5]


def retire(session: Session, bot_id: int) -> None:
    move_bot(session.get_one(Bot, bot_id), BotState.RETIRED)


def bar(session: Session, bot_id: int) -> None:
    pause_for(session, bot_id, "It was sold.", bar=True)


@pytest.mark.parametrize("leave", [retire, bar])
def test_a_bot_that_has_retired_or_is_barred_is_in_no_standings(
    session: Session, monkeypatch: pytest.MonkeyPatch, leave: Callable[[Session, int], None]
) -> None:
    monkeypatch.setattr(ranks, "LONGEST", 0.0)
    start_tournament(session, seats=2, count=3)
    ids = match_ids(session)
    session.commit()
    for match_id in ids:
        finished(session, match_id, ranked(1, 2))
    assert {row.bot_id for row in boards.board(session, 2).rows} == {ADA, BELA, CARO}
    leave(session, ADA)
    session.commit()
    for rows in (standings.standings(session, 2), boards.board(session, 2).rows):
        assert [row.bot_id for row in rows if row.bot_id == ADA] == []
        assert [row.rank for row in rows] == [1, 2]
    assert profiles.places(session, [ADA])[ADA], "its page keeps its ratings"
