import pytest
from sqlalchemy.orm import Session

from ladder.bots import styles
from ladder.matches import rows
from ladder.matches.listing import list_bot_matches
from ladder.matches.results import Result, SeatResult
from ladder.model import MatchKind
from tests.ladder.league import finished, match_ids, ranked, start_tournament

ADA = 1


def ids(page: rows.MatchPage) -> list[int]:
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
    assert ids(list_bot_matches(session, ADA, state="queued")) == own
    assert ids(list_bot_matches(session, ADA, state="failed")) == []


def test_a_page_looks_at_a_bounded_number_of_matches(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ladder.matches.listing.WINDOW", 4)
    start_tournament(session, count=2, deals=3)
    page = list_bot_matches(session, ADA, kind=MatchKind.LADDER)
    assert (ids(page), page.next_before) == ([], 3)
    assert list_bot_matches(session, ADA, kind=MatchKind.LADDER, before=3).next_before is None


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
