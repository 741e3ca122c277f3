import pytest
from sqlalchemy.orm import Session

from ladder import model
from ladder.bots import profiles, versions
from ladder.bots.profiles import HeadToHead
from ladder.bots.versions import RegisteredBot
from ladder.errors import NotFound
from tests.ladder.databases import on_sqlite
from tests.ladder.league import claimed, finished, first_match, match_ids, ranked, start_tournament


def register(
    session: Session, *, author: str = "compay", address: str = "127.0.0.1:5000", version: str = "1"
) -> RegisteredBot:
    bot = versions.register(session, name="ada", author=author, address=address, version=version)
    session.commit()
    return bot


def test_a_new_bot(session: Session) -> None:
    bot = register(session)
    assert versions.registered(session) == [bot]
    assert (bot.name, bot.author, bot.version, bot.address) == (
        "ada",
        "compay",
        "1",
        "127.0.0.1:5000",
    )


def test_registering_again_changes_only_the_address(session: Session) -> None:
    first = register(session)
    again = register(session, address="127.0.0.1:6000")
    assert again.id == first.id
    assert [bot.address for bot in versions.registered(session)] == ["127.0.0.1:6000"]
    assert profiles.profile(session, first.id).versions == ("1",)


def test_a_queued_match_is_played_at_the_new_address(session: Session) -> None:
    match_id = first_match(session)
    register(session, address="127.0.0.1:6000")
    addresses = {player.name: player.address for player in claimed(session, match_id).players}
    assert addresses["ada"] == "127.0.0.1:6000"


def test_a_new_version_is_the_active_one(session: Session) -> None:
    bot = register(session)
    register(session, version="2")
    profile = profiles.profile(session, bot.id)
    assert (profile.version, profile.versions) == ("2", ("2", "1"))


def test_an_older_version_can_become_the_active_one_again(session: Session) -> None:
    bot = register(session)
    register(session, version="2")
    register(session, version="1")
    profile = profiles.profile(session, bot.id)
    assert (profile.version, profile.versions) == ("1", ("2", "1"))


def test_two_authors_may_use_one_name(session: Session) -> None:
    assert register(session).id != register(session, author="omara").id


def test_a_profile_before_the_first_match(session: Session) -> None:
    profile = profiles.profile(session, register(session).id)
    assert (profile.name, profile.author) == ("ada", "compay")
    assert (profile.ratings, profile.head_to_head) == ((), ())


@on_sqlite
def test_a_profile_after_some_matches(session: Session) -> None:
    start_tournament(session, count=2)
    for match_id, ranks in zip(match_ids(session), [(1, 2), (1, 1)], strict=True):
        session.commit()
        finished(session, match_id, ranked(*ranks))
    start_tournament(session, seats=3, count=3)
    third = match_ids(session)[2]
    session.commit()
    finished(session, third, ranked(1, 2, 3))
    found = {bot.name: profiles.profile(session, bot.id) for bot in versions.registered(session)}
    (winner,) = (one for one in found.values() if one.ratings and one.ratings[0].wins == 2)
    two, three = winner.ratings
    assert (two.seats, two.rank, two.games, two.wins, two.faults) == (2, 1, 2, 2, 0)
    assert (three.seats, three.games) == (3, 1)
    assert two.provisional
    assert two.low_milli is not None
    assert two.low_milli < two.rating_milli - two.deviation_milli


def test_head_to_head_counts_all_table_sizes(session: Session) -> None:
    start_tournament(session, count=2)
    for match_id in match_ids(session):
        session.commit()
        finished(session, match_id, ranked(1, 1))
    start_tournament(session, seats=3, count=3)
    session.commit()
    finished(session, match_ids(session)[2], ranked(1, 1, 1))
    assert profiles.profile(session, 1).head_to_head == (
        HeadToHead(2, "bela", "compay", 1.5, 3),
        HeadToHead(3, "caro", "compay", 0.5, 1),
    )
    assert profiles.profile(session, 2).head_to_head == (
        HeadToHead(1, "ada", "compay", 1.5, 3),
        HeadToHead(3, "caro", "compay", 0.5, 1),
    )


def test_there_is_no_such_bot(session: Session) -> None:
    with pytest.raises(NotFound, match="there is no bot 5"):
        profiles.profile(session, 5)


def test_the_caller_commits(session: Session) -> None:
    model.write(session)
    versions.register(session, name="ada", author="compay", address="x", version="1")
    session.rollback()
    assert versions.registered(session) == []
