from datetime import timedelta

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session, sessionmaker

from ladder import model
from ladder.contests import challenges
from ladder.errors import Invalid, NotFound, Refused
from ladder.jobs import attempts, dispatch, workers
from ladder.matches import reading
from ladder.matches.job import MATCHES
from ladder.matches.queue import queue_state
from ladder.model import Bot, BotState, Match, MatchKind, User, Version, now
from ladder.people.accounts import Account
from ladder.wiring import KINDS
from tests.ladder.databases import meanwhile, on_postgresql, on_sqlite
from tests.ladder.league import as_kind, register_bots, start_tournament


@pytest.fixture
def compay(session: Session) -> Account:
    """The author of four bots."""
    register_bots(session, 4)
    session.commit()
    author = session.get_one(Bot, 1).user
    return Account(author.id, author.name, author.role)


def test_a_challenge_is_an_unrated_match_that_goes_before_others(
    session: Session, compay: Account
) -> None:
    match_id = challenges.challenge(session, compay, 1, [3, 2])
    session.commit()
    match = reading.match(session, match_id)
    assert (match.kind, match.state, match.rated) == ("challenge", "queued", False)
    assert {seat.bot_id for seat in match.seats} == {1, 2, 3}
    assert session.get_one(Match, match_id).asked_by == compay.id
    assert queue_state(session).queued[model.MatchKind.CHALLENGE] == 1


def test_a_form_that_is_sent_twice_asks_for_one_challenge(
    sessions: sessionmaker[Session], compay: Account
) -> None:
    def sent(session: Session, *opponents: int) -> int:
        within = timedelta(minutes=10)
        return challenges.challenge(session, compay, 1, opponents, same_within=within)

    with sessions() as one:
        first = sent(one, 2, 3)
        assert meanwhile(sessions, one, lambda other: sent(other, 3, 2)) == first
        assert sent(one, 2) > first
        assert challenges.challenge(one, compay, 1, [2, 3]) > first


@on_sqlite
@pytest.mark.parametrize("opponents", [[], [1], [2, 2], [2, 3, 4, 5]])
def test_tables_that_cannot_be(session: Session, compay: Account, opponents: list[int]) -> None:
    with pytest.raises(Invalid, match="1 to 3 different opponents"):
        challenges.challenge(session, compay, 1, opponents)


def test_an_author_has_some_challenges_under_way(session: Session, compay: Account) -> None:
    for _ in range(3):
        last = challenges.challenge(session, compay, 1, [2])
    session.commit()
    with pytest.raises(Refused, match="have 3 open challenges: wait until one is over"):
        challenges.challenge(session, compay, 1, [2])
    session.rollback()
    session.execute(update(Match).where(Match.id == last).values(state="cancelled"))
    challenges.challenge(session, compay, 1, [2])


def test_a_bot_is_asked_by_so_many_at_a_time(
    session: Session, compay: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(challenges, "MOST_WAITING", 12)  # those of several authors
    for _ in range(10):
        challenges.challenge(session, compay, 1, [2])
    with pytest.raises(Refused, match="bela already has 10 challenges"):
        challenges.challenge(session, compay, 1, [2, 3])
    challenges.challenge(session, compay, 1, [3])
    monkeypatch.setattr(challenges, "MOST_OF_A_BOT", 1)
    with pytest.raises(Refused, match="already has 1 challenges"):
        challenges.challenge(session, compay, 1, [2, 3])


@pytest.mark.parametrize(("slots", "at_once"), [(1, 1), (2, 1), (4, 2)])
def test_challenges_leave_half_of_a_bots_slots_to_rated_games(
    session: Session, compay: Account, slots: int, at_once: int
) -> None:
    session.execute(update(Version).values(slots=slots))
    workers.beat(session, "tester", places=64)
    asked = [challenges.challenge(session, compay, bot, [2]) for bot in (1, 3, 4)]
    session.commit()
    sent = dispatch.due(session, KINDS, MatchKind.CHALLENGE, limit=9, message_age=60)
    session.commit()
    assert sent == asked[:at_once]
    begun = [attempts.claim(session, MATCHES, id, "tester", lease=60) is not None for id in asked]
    assert sum(begun) == at_once


@pytest.mark.parametrize("kind", [MatchKind.TOURNAMENT, MatchKind.LADDER])
def test_a_bot_with_one_slot_plays_older_matches_before_challenges(
    session: Session, compay: Account, kind: MatchKind
) -> None:
    """Else challenges that others ask for one after the other keep it from its tournament."""
    start_tournament(session, count=2)
    if kind is MatchKind.LADDER:
        as_kind(session, kind)
    workers.beat(session, "tester", places=64)
    session.execute(update(Version).where(Version.bot_id == 3).values(slots=4))
    asked = [challenges.challenge(session, compay, 3, [opponent]) for opponent in (1, 4)]
    session.commit()

    def sent(**of_second: object) -> list[int]:
        session.execute(update(Version).where(Version.bot_id == 2).values(**of_second))
        found = dispatch.due(session, KINDS, MatchKind.CHALLENGE, limit=9, message_age=60)
        session.rollback()
        return found

    assert sent(slots=2) == asked
    session.execute(update(Version).where(Version.bot_id == 1).values(slots=1))
    session.commit()
    assert sent(slots=2) == asked[1:]
    assert sent(offline_since=now(session)) == asked  # nobody waits for a match with an absent bot
    session.execute(update(Match).where(Match.kind == kind).values(state="cancelled"))
    assert sent(slots=2) == asked


def test_a_challenge_that_was_asked_for_before_a_tournament_is_played_before_it(
    session: Session, compay: Account
) -> None:
    session.execute(update(Version).values(slots=1))
    match_id = challenges.challenge(session, compay, 1, [2])
    start_tournament(session, count=2)
    sent = dispatch.due(session, KINDS, MatchKind.CHALLENGE, limit=9, message_age=60)
    assert sent == [match_id]


def test_who_is_away_cannot_be_challenged(session: Session, compay: Account) -> None:
    session.get_one(Bot, 2).state = BotState.PAUSED
    session.commit()
    with pytest.raises(Refused, match="bela can't play now"):
        challenges.challenge(session, compay, 1, [2])
    session.rollback()
    with pytest.raises(NotFound, match="no bot 77"):
        challenges.challenge(session, compay, 1, [77])
    session.rollback()
    assert [bot.name for bot in challenges.opponents(session, [1, 2, 3])] == ["ada", "caro"]
    assert [bot.name for bot in challenges.find(session, "A")] == ["ada", "caro", "dora"]


def test_only_own_bots_challenge(session: Session, compay: Account) -> None:
    stranger = Account(compay.id + 100, "rosa", "author")
    with pytest.raises(NotFound, match="you have no bot 1"):
        challenges.challenge(session, stranger, 1, [2])


@on_postgresql
def test_two_authors_at_once_do_not_both_get_the_last_challenge(
    sessions: sessionmaker[Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(challenges, "MOST_OF_A_BOT", 1)
    with sessions() as session:
        register_bots(session, 3)
        other = User(name="other", role="author", created_at=now(session))
        session.add(other)
        session.flush()
        session.get_one(Bot, 3).user_id = other.id
        first, second = session.get_one(Bot, 1).user_id, other.id
        session.commit()

    def too(two: Session) -> int:
        return challenges.challenge(two, Account(second, "other", "author"), 3, [2])

    with sessions() as one:
        challenges.challenge(one, Account(first, "compay", "author"), 1, [2])
        with pytest.raises(Refused, match="already has 1 challenges"):
            meanwhile(sessions, one, too)
