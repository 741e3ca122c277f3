"""A match of the ladder does not tell who plays it before it has begun."""

from datetime import timedelta

from sqlalchemy.orm import Session

from ladder.matches import reading
from ladder.matches.listing import list_bot_matches, list_matches
from ladder.matches.queue import queue_unrated
from ladder.matches.reading import MatchRow
from ladder.model import Match, MatchKind
from tests.ladder.league import claimed, finished, ranked, register_bots


def queue(session: Session, kind: MatchKind = MatchKind.LADDER) -> int:
    """A match of two new bots, which may take long to accept it; its id."""
    table = [(bot_id, bot_id) for bot_id in register_bots(session, 2)]
    match = queue_unrated(session, kind, table)
    match.start_up_ms = 600_000
    session.commit()
    return match.id


def names(row: MatchRow) -> list[tuple[int | None, str | None, str | None, str | None]]:
    return [(seat.bot_id, seat.name, seat.author, seat.version) for seat in row.seats]


def found_by_nobody(session: Session, match_id: int) -> None:
    assert [row.id for row in list_matches(session).matches] == [match_id]
    assert not list_matches(session, bot_id=1).matches
    assert not list_matches(session, bot_id=1, opponent_id=2, limit=1).matches
    assert not list_matches(session, opponent_id=2).matches
    assert not list_bot_matches(session, 1, opponent_id=2).matches
    session.commit()


def begin_long_ago(session: Session, match_id: int) -> None:
    row = session.get_one(Match, match_id, populate_existing=True)
    assert row.started_at is not None
    row.started_at -= timedelta(milliseconds=row.start_up_ms + 6_000)
    session.commit()


UNKNOWN = [(None, None, None, None)] * 2
KNOWN = [(1, "ada", "compay", "1"), (2, "bela", "compay", "1")]


def test_who_waits_for_a_ladder_match_is_not_named(session: Session) -> None:
    match_id = queue(session)
    assert names(reading.match(session, match_id)) == UNKNOWN
    assert names(list_matches(session).matches[0]) == UNKNOWN
    assert names(reading.match(session, match_id, named=True)) == KNOWN


def test_no_filter_finds_it_by_its_bots(session: Session) -> None:
    match_id = queue(session)
    found_by_nobody(session, match_id)
    claimed(session, match_id)
    session.expire_all()
    found_by_nobody(session, match_id)


def test_it_is_named_when_the_time_to_accept_is_over(session: Session) -> None:
    match_id = queue(session)
    claimed(session, match_id)
    session.expire_all()
    assert names(reading.match(session, match_id)) == UNKNOWN
    begin_long_ago(session, match_id)
    assert names(reading.match(session, match_id)) == KNOWN
    assert [row.id for row in list_matches(session, bot_id=1, opponent_id=2).matches] == [match_id]
    assert [row.id for row in list_bot_matches(session, 1).matches] == [match_id]


def test_it_is_named_when_it_is_over(session: Session) -> None:
    match_id = queue(session)
    finished(session, match_id, ranked(1, 2))
    session.expire_all()
    assert names(reading.match(session, match_id)) == KNOWN


def test_challenges_and_tournaments_are_public_from_the_start(session: Session) -> None:
    match_id = queue(session, MatchKind.CHALLENGE)
    assert names(reading.match(session, match_id)) == KNOWN
    assert [row.id for row in list_bot_matches(session, 2).matches] == [match_id]
