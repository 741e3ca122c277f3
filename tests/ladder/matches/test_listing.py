from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event, update
from sqlalchemy.orm import Session

from ladder.bots import meetings, styles
from ladder.matches import listing, reading
from ladder.matches.listing import list_bot_matches, list_matches, unfinished_states
from ladder.matches.results import Result, SeatResult
from ladder.model import Match, MatchKind, Seat
from tests.ladder.databases import on_sqlite, plan
from tests.ladder.league import finished, match_ids, ranked, start_tournament

ADA = 1


def ids(page: reading.MatchPage) -> list[int]:
    return [row.id for row in page.matches]


def test_pages_of_a_bots_matches(session: Session) -> None:
    start_tournament(session, count=2, deals=3)
    first = list_bot_matches(session, ADA, limit=4)
    assert (ids(first), first.next_before) == ([6, 5, 4, 3], 3)
    second = list_bot_matches(session, ADA, limit=4, before=first.next_before)
    assert (ids(second), second.next_before) == ([2, 1], None)


def test_filters(session: Session) -> None:
    small = start_tournament(session, count=3)
    large = start_tournament(session, seats=3, count=3)
    own = ids(list_bot_matches(session, ADA))
    assert ids(list_bot_matches(session, ADA, seats=3)) == own[:3]
    assert len(ids(list_bot_matches(session, ADA, opponent_id=2, seats=2))) == 2
    assert ids(list_bot_matches(session, ADA, kind=MatchKind.TOURNAMENT)) == own
    assert ids(list_bot_matches(session, ADA, kind=MatchKind.LADDER)) == []
    assert ids(list_bot_matches(session, ADA, faulted=True)) == []
    assert ids(list_bot_matches(session, ADA, tournament_id=large)) == own[:3]
    assert ids(list_bot_matches(session, ADA, tournament_id=small)) == own[3:]
    assert ids(list_bot_matches(session, ADA, opponent_id=2, tournament_id=large)) == own[:3]
    assert ids(list_bot_matches(session, ADA, opponent_id=ADA)) == []
    assert ids(list_bot_matches(session, ADA, opponent_id=ADA, faulted=True)) == []
    assert ids(list_bot_matches(session, ADA, state="queued")) == own
    assert ids(list_bot_matches(session, ADA, state="failed")) == []


def test_states_of_matches_that_are_not_finished(session: Session) -> None:
    start_tournament(session, count=3)
    first, *_ = match_ids(session)
    session.commit()
    assert unfinished_states(session, ADA, opponent_id=2) == {"queued"}
    assert unfinished_states(session, None, opponent_id=ADA) == {"queued"}
    assert unfinished_states(session, ADA, opponent_id=2, before=first) == set()
    assert unfinished_states(session, ADA, opponent_id=99) == set()
    assert unfinished_states(session, ADA, opponent_id=ADA) == set()
    for match_id in match_ids(session):
        finished(session, match_id, ranked(1, 2))
    assert unfinished_states(session, ADA) == set()


def test_a_page_looks_at_a_bounded_number_of_matches(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ladder.matches.listing.WINDOW", 4)
    start_tournament(session, count=2, deals=3)
    page = list_bot_matches(session, ADA, kind=MatchKind.LADDER)
    assert (ids(page), page.next_before) == ([], 3)
    assert list_bot_matches(session, ADA, kind=MatchKind.LADDER, before=3).next_before is None


@on_sqlite
def test_a_page_looks_further_if_few_matches_fit(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ladder.matches.listing._FIRST_LOOK", 1)
    start_tournament(session, count=2, deals=3)
    newest = match_ids(session)[-1]
    session.commit()
    for match_id in (1, newest):
        finished(session, match_id, ranked(1, 2))
    page = list_bot_matches(session, ADA, state="finished", limit=1)
    assert (ids(page), page.next_before) == ([newest], newest)
    assert ids(list_bot_matches(session, ADA, state="finished", limit=1, before=newest)) == [1]


def test_results_are_found_behind_many_matches_that_wait(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "_FIRST_LOOK", 1)
    monkeypatch.setattr(listing, "WINDOW", 2)
    monkeypatch.setattr(styles, "NEWEST", 3)
    monkeypatch.setattr(meetings, "WINDOW", 3)
    start_tournament(session, count=2, deals=4)
    first, second, third, *_ = match_ids(session)
    session.commit()
    for match_id in (first, second, third):
        finished(session, match_id, ranked(1, 2))
    page = list_bot_matches(session, ADA, state="finished", limit=2)
    assert (ids(page), page.next_before) == ([third, second], second)
    page = list_bot_matches(session, ADA, state="finished", limit=2, before=second)
    assert (ids(page), page.next_before) == ([first], None)
    found = list_bot_matches(session, ADA, state="finished", opponent_id=2, seats=2, limit=2)
    assert ids(found) == [third, second]
    assert listing.newest_results(session, [ADA], limit=2) == {ADA: [third, second]}
    assert styles.record(session, ADA).matches == 3
    assert meetings.meetings(session, ADA, 2).complete


def test_pages_of_results_hold_those_that_another_bot_lost_alone(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "WINDOW", 2)
    start_tournament(session, count=2, deals=3)
    played = match_ids(session)[:4]
    session.commit()
    for match_id in played:
        finished(session, match_id, ranked(1, 2))
    missed = Seat.match_id == 3, Seat.bot_id == ADA  # as `misses` leaves them
    session.execute(update(Seat).where(*missed).values(rank=None))
    first = list_bot_matches(session, ADA, state="finished")
    assert (ids(first), first.next_before) == ([4, 3], 3)
    second = list_bot_matches(session, ADA, state="finished", before=3)
    assert (ids(second), second.next_before) == ([2, 1], None)


def test_think_times_and_faults_of_the_newest_matches(session: Session) -> None:
    start_tournament(session, count=2, deals=2)
    first, second, third, _ = match_ids(session)
    assert styles.record(session, ADA) == styles.Record(0, None, ())
    for match_id, think_ms in [(first, 100), (second, 300)]:
        seats = tuple(
            SeatResult(rank, 20, None, decisions=10, think_ms=think_ms, longest_ms=think_ms // 2)
            for rank in (1, 2)
        )
        session.commit()
        finished(session, match_id, Result(seats, "ships", b"replay"))
    session.commit()
    finished(session, third, ranked(1, 2, faults=["timeout", "timeout"]))
    found = styles.record(session, ADA)
    assert found.matches == 3
    assert found.thinking == styles.Thinking(20, 20.0, 20.0, 29.0, 150)
    assert found.faults == (styles.FaultKind("timeout", 1, third),)


def test_filters_of_all_matches(session: Session) -> None:
    start_tournament(session, count=2, deals=2)
    start_tournament(session, seats=3, count=3)
    first, second, third, fourth, *large = match_ids(session)
    apart = (SeatResult(1, 40, None), SeatResult(2, 36, None))
    finished(session, first, Result(apart, "ships", b"replay"))
    finished(session, second, ranked(1, 2))
    finished(session, third, ranked(1, 2, faults=[None, "timeout"]))
    finished(session, large[0], ranked(1, 1, 3))
    assert ids(list_matches(session, close=True)) == [large[0], second]
    assert ids(list_matches(session, faulted=True)) == [third]
    assert ids(list_matches(session, seats=3)) == large[::-1]
    assert ids(list_matches(session, seats=2, state="queued")) == [fourth]
    assert ids(list_matches(session, kind=MatchKind.LADDER)) == []
    assert ids(list_matches(session, bot_id=ADA, close=True, seats=2)) == [second]


@pytest.mark.parametrize("known", [1, 99])
def test_matches_by_the_time_at_which_they_ended(
    session: Session, known: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "_MOST_DAYS", known)
    start_tournament(session, count=2, deals=2)
    every = match_ids(session)
    begun = session.get_one(Match, every[0]).created_at
    for days, match_id in enumerate(every):
        finished(session, match_id, ranked(1, 2))
        match = session.get_one(Match, match_id, populate_existing=True)
        match.created_at = begun + timedelta(days=days)
        match.finished_at = begun + timedelta(days=days, hours=1)
    session.commit()
    for bot in (None, ADA):
        first, second = begun + timedelta(days=1), begun + timedelta(days=3)
        found = list_matches(session, bot_id=bot, since=first, until=second)
        assert ids(found) == [every[2], every[1]]
        assert ids(list_matches(session, bot_id=bot, until=begun)) == []
        assert ids(list_matches(session, bot_id=bot, since=second)) == [every[3]]
    assert 0 < len(listing._first_of_days[session.get_bind()]) <= known


def test_a_page_of_all_matches_looks_at_a_bounded_number(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ladder.matches.listing.WINDOW", 4)
    start_tournament(session, count=2, deals=3)
    page = list_matches(session, close=True)
    assert (ids(page), page.next_before) == ([], 3)
    assert list_matches(session, close=True, before=3).next_before is None


@on_sqlite
def test_results_are_found_without_reading_what_waits(session: Session) -> None:
    asked: list[tuple[str, Any]] = []
    event.listen(session.get_bind(), "before_cursor_execute", lambda *args: asked.append(args[2:4]))
    styles.record(session, ADA)
    styles.style(session, ADA)
    listing.newest_results(session, [ADA], limit=1)
    used = [any("ix_seats_ranked" in step for step in plan(session, *one)) for one in asked]
    assert used == [True, True, False, True]
