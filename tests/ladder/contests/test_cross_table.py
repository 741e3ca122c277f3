"""Cross tables for pages: kept, and right after each result."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.contests import cross_table, tournament_points
from ladder.errors import NotFound
from ladder.model import Bot, Seat, User, now, write
from ladder.operating import match_control
from tests.ladder.databases import on_sqlite
from tests.ladder.league import finished, match_ids, ranked, start_tournament
from tests.ladder.ratings.league import organiser


@on_sqlite
def test_it_catches_up_with_each_result(session: Session) -> None:
    tournament_id = start_tournament(session, count=3)
    assert_current(session, tournament_id)
    for match_id in match_ids(session):
        session.commit()
        finished(session, match_id, ranked(1, 2))
        assert_current(session, tournament_id)


def test_it_catches_up_with_many_results(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    tournament_id = start_tournament(session, count=3)
    monkeypatch.setattr(tournament_points, "_FEW", 1)
    for match_id in match_ids(session):
        session.commit()
        finished(session, match_id, ranked(2, 1))
    assert_current(session, tournament_id)


def test_nothing_new_is_nothing_to_be_made(session: Session) -> None:
    tournament_id = start_tournament(session, count=2)
    table = cross_table.current_table(session, tournament_id)
    assert cross_table.current_table(session, tournament_id) is table


def test_who_has_not_played_stands_below_those_of_the_same_rank(session: Session) -> None:
    tournament_id = start_tournament(session, count=3)
    first = next(iter(cross_table.entrants(session, tournament_id)))
    without = next(one for one in match_ids(session) if first not in bots_of(session, one))
    finished(session, without, ranked(1, 2))
    rows = cross_table.cross_table(session, tournament_id).rows
    assert [(row.rank, row.games) for row in rows] == [(1, 1), (2, 1), (2, 0)]


@on_sqlite
def test_what_is_annulled_is_taken_out(session: Session) -> None:
    tournament_id = start_tournament(session, count=2)
    first, second = match_ids(session)
    for match_id in (first, second):
        session.commit()
        finished(session, match_id, ranked(1, 2))
        assert_current(session, tournament_id)
    session.commit()
    match_control.annul(session, organiser(session), first, "reason")
    session.commit()
    assert_current(session, tournament_id)
    assert {row.games for row in cross_table.current_table(session, tournament_id).rows} == {1}


def test_there_is_no_such_tournament(session: Session) -> None:
    with pytest.raises(NotFound, match="there is no tournament 5"):
        cross_table.current_table(session, 5)


def test_many_threads_want_tables_at_once(session: Session) -> None:
    def want(first: int) -> None:
        for tournament_id in range(first, first + 4_000):
            cross_table._cached_table(session, tournament_id % 100)

    patience = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(want, (0, 25, 50, 75)))  # raises what they raise
    finally:
        sys.setswitchinterval(patience)


def assert_current(session: Session, tournament_id: int) -> None:
    current = cross_table.current_table(session, tournament_id)
    assert current == cross_table.cross_table(session, tournament_id)


def test_bots_of_one_name_are_told_apart_by_their_authors(session: Session) -> None:
    tournament_id = start_tournament(session, count=3)
    assert {row.author for row in cross_table.current_table(session, tournament_id).rows} == {None}
    write(session)
    other = User(name="other", role="author", created_at=now(session))
    session.add(other)
    session.flush()
    one, two, _ = session.scalars(select(Bot).order_by(Bot.id)).all()
    two.name, two.user_id = one.name, other.id
    session.commit()
    rows = cross_table.current_table(session, tournament_id).rows
    assert {row.bot_id: row.author for row in rows} == {1: "compay", 2: "other", 3: None}


def bots_of(session: Session, match_id: int) -> list[int]:
    return list(session.scalars(select(Seat.bot_id).where(Seat.match_id == match_id)))
