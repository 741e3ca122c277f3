import pytest
from sqlalchemy.orm import Session

from ladder import matches
from ladder.bots import records
from ladder.matches import Kind, Result, SeatResult
from tests.ladder.league import finished, match_ids, ranked, start_tournament

ADA = 1


def ids(page: matches.MatchPage) -> list[int]:
    return [row.id for row in page.matches]


def test_pages_of_a_bots_matches(session: Session) -> None:
    start_tournament(session, count=2, deals=3)
    first = matches.of_bot(session, ADA, limit=4)
    assert (ids(first), first.next_before) == ([6, 5, 4, 3], 3)
    second = matches.of_bot(session, ADA, limit=4, before=first.next_before)
    assert (ids(second), second.next_before) == ([2, 1], None)


def test_filters(session: Session) -> None:
    small = start_tournament(session, count=3)
    large = start_tournament(session, seats=3, count=3)
    own = ids(matches.of_bot(session, ADA))
    assert ids(matches.of_bot(session, ADA, seats=3)) == own[:3]
    assert len(ids(matches.of_bot(session, ADA, opponent_id=2, seats=2))) == 2
    assert ids(matches.of_bot(session, ADA, kind=Kind.TOURNAMENT)) == own
    assert ids(matches.of_bot(session, ADA, kind=Kind.LADDER)) == []
    assert ids(matches.of_bot(session, ADA, faulted=True)) == []
    assert ids(matches.of_bot(session, ADA, tournament_id=large)) == own[:3]
    assert ids(matches.of_bot(session, ADA, tournament_id=small)) == own[3:]
    assert ids(matches.of_bot(session, ADA, opponent_id=2, tournament_id=large)) == own[:3]
    assert ids(matches.of_bot(session, ADA, state="queued")) == own
    assert ids(matches.of_bot(session, ADA, state="failed")) == []


def test_a_page_looks_at_a_bounded_number_of_matches(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ladder.matches.played.WINDOW", 4)
    start_tournament(session, count=2, deals=3)
    page = matches.of_bot(session, ADA, kind=Kind.LADDER)
    assert (ids(page), page.next_before) == ([], 3)
    assert matches.of_bot(session, ADA, kind=Kind.LADDER, before=3).next_before is None


def test_think_times_and_faults_of_the_newest_matches(session: Session) -> None:
    start_tournament(session, count=2, deals=2)
    first, second, third, _ = match_ids(session)
    assert records.record(session, ADA) == records.Record(0, None, ())
    for match_id, think_ms in [(first, 100), (second, 300)]:
        seats = tuple(
            SeatResult(rank, 20, None, decisions=10, think_ms=think_ms, longest_ms=think_ms // 2)
            for rank in (1, 2)
        )
        session.commit()
        finished(session, match_id, Result(seats, "ships", b"replay"))
    session.commit()
    finished(session, third, ranked(1, 2, faults=["timeout", "timeout"]))
    found = records.record(session, ADA)
    assert found.matches == 3
    assert found.thinking == records.Thinking(20, 20.0, 20.0, 29.0, 150)
    assert found.faults == (records.FaultKind("timeout", 1, third),)
