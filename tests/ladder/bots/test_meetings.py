"""Two bots head to head, and an author with bots."""

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from ladder.bots import authors, profiles, versions
from ladder.bots.meetings import MeetingScore, meetings
from ladder.contests.tournaments import lookup
from ladder.errors import NotFound
from ladder.model import Bot, Version, VersionState
from tests.ladder.league import finished, match_ids, ranked, ranks_by_bot, start_tournament

ADA, BEA = 1, 2


def test_points_by_size_and_seat(session: Session) -> None:
    start_tournament(session, count=2, deals=2)
    for match_id, rank in zip(match_ids(session), (2, 1, 2, 1), strict=True):
        finished(session, match_id, ranks_by_bot(session, match_id, {ADA: 1, BEA: rank}))
    found = meetings(session, ADA, BEA)
    assert found.by_size == (MeetingScore(2, None, 4, 3.0),)
    assert (found.games, found.points, found.complete) == (4, 3.0, True)
    assert sum(score.points for score in found.by_seat) == 3.0
    assert [(score.seats, score.seat, score.games) for score in found.by_seat] == [
        (2, 0, 2),
        (2, 1, 2),
    ]
    assert meetings(session, BEA, ADA).points == 1.0


def test_by_seat_a_bounded_number_of_matches_is_looked_at(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_tournament(session, count=2, deals=2)
    for match_id in match_ids(session):
        finished(session, match_id, ranked(1, 2))
    monkeypatch.setattr("ladder.bots.meetings.WINDOW", 3)
    found = meetings(session, ADA, BEA)
    assert sum(score.games for score in found.by_seat) == 3
    assert (found.games, found.complete) == (4, False)


def test_bots_that_never_met(session: Session) -> None:
    start_tournament(session, count=3)
    assert meetings(session, ADA, 3).games == 0


def test_an_author_with_bots_and_their_newest_matches(session: Session) -> None:
    start_tournament(session, count=2, deals=2)
    first, second, *_ = match_ids(session)
    finished(session, first, ranked(1, 2))
    finished(session, second, ranked(1, 2))
    user = session.get_one(Bot, ADA).user_id
    found = authors.author(session, user)
    assert found.name == "compay"
    assert [bot.id for bot in found.bots] == [BEA, ADA]
    assert [place.games for place in found.bots[0].places] == [2]
    newest = authors.newest_matches(session, found, limit=5)
    assert [match.id for match in newest] == [second, first]
    assert len(authors.newest_matches(session, found, limit=1)) == 1
    with pytest.raises(NotFound):
        authors.author(session, user + 1)
    older = {"state": VersionState.SUPERSEDED}
    session.execute(update(Version).where(Version.bot_id == BEA).values(older))
    resting = authors.author(session, user).bots[0]
    assert (resting.version, resting.places) == (None, ()), "no version of it plays"


def test_authors_and_tournaments_are_found_by_a_part_of_their_names(session: Session) -> None:
    made = start_tournament(session, count=2)
    versions.register(session, name="x", author="100% pay", version="1", address="127.0.0.1:1")
    session.commit()
    found = [(one.name, one.bots) for one in authors.find_by_name(session, "PAY", most=5)]
    assert found == [("100% pay", 1), ("compay", 2)]
    assert [one.name for one in authors.find_by_name(session, "0%", most=5)] == ["100% pay"]
    assert [one.name for one in authors.find_by_name(session, "pay", most=1)] == ["100% pay"]
    name = lookup.tournament(session, made).name
    assert [one.id for one in lookup.find_by_name(session, name[1:].upper(), most=5)] == [made]
    assert lookup.find_by_name(session, "%", most=5) == []
    assert profiles.find_by_name(session, "compay\0", most=5) == ()
