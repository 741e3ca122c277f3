import pytest
from sqlalchemy.orm import Session

from ladder.errors import NotFound
from ladder.matches import reading
from ladder.matches.listing import list_matches
from tests.ladder.databases import on_sqlite
from tests.ladder.league import claimed, finished, match_ids, ranked, start_tournament


def ids(page: reading.MatchPage) -> list[int]:
    return [match.id for match in page.matches]


@pytest.fixture
def every(session: Session) -> list[int]:
    """The ids of twelve matches of three bots, newest first: one finished, one running."""
    start_tournament(session, count=3, deals=2)
    found = match_ids(session)
    session.commit()
    finished(session, found[0], ranked(1, 2))
    claimed(session, found[1])
    return found[::-1]


def test_the_newest_come_first_page_by_page(session: Session, every: list[int]) -> None:
    first = list_matches(session, limit=5)
    assert ids(first) == every[:5]
    second = list_matches(session, limit=5, before=first.next_before)
    assert ids(second) == every[5:10]
    last = list_matches(session, limit=5, before=second.next_before)
    assert ids(last) == every[10:]
    assert last.next_before is None


def test_a_page_that_is_just_full_is_the_last(session: Session, every: list[int]) -> None:
    assert list_matches(session, limit=12).next_before is None


@on_sqlite
def test_matches_of_one_bot(session: Session, every: list[int]) -> None:
    found = list_matches(session, bot_id=1).matches
    assert len(found) == 8
    assert all(1 in [seat.bot_id for seat in match.seats] for match in found)
    assert all(len(match.seats) == 2 for match in found)


def test_matches_in_one_state(session: Session, every: list[int]) -> None:
    assert ids(list_matches(session, state="finished")) == every[-1:]
    assert ids(list_matches(session, state="running")) == every[-2:-1]
    assert len(list_matches(session, state="queued").matches) == 10


def test_matches_of_one_tournament(session: Session, every: list[int]) -> None:
    other = start_tournament(session)
    found = list_matches(session, tournament_id=other).matches
    assert len(found) == 2
    assert {(match.tournament_id, match.tournament_name) for match in found} == {(other, "Copa")}


@on_sqlite
def test_a_match_that_waits_tells_who_will_play(session: Session, every: list[int]) -> None:
    match = reading.match(session, every[0])
    assert (match.state, match.attempt, match.rated) == ("queued", 0, True)
    assert [seat.seat for seat in match.seats] == [0, 1]
    assert all(seat.author == "compay" and seat.version == "1" for seat in match.seats)
    assert all(seat.rank is None and seat.rating_before is None for seat in match.seats)
    assert match.created_at.tzinfo is not None
    assert match.finished_at is None


def test_there_is_no_such_match(session: Session) -> None:
    with pytest.raises(NotFound, match="there is no match 5"):
        reading.match(session, 5)
