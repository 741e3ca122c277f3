from datetime import timedelta

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session, sessionmaker

from ladder.bots import reach
from ladder.matches.tables import Player
from ladder.model import Bot, Version
from tests.ladder.bots.authors import active, author, notices
from tests.ladder.databases import on_sqlite
from tests.ladder.league import claimed, first_match
from tests.ladder.test_concurrency import at_once


@pytest.fixture
def player(session: Session) -> Player:
    """Who was missed a moment ago, but for the pause until the first look."""
    player = claimed(session, first_match(session)).players[0]
    reach.missed(session, player.version_id, "connection refused")
    session.commit()
    return player


def make_due(session: Session) -> None:
    session.execute(update(Version).values(probe_at=Version.offline_since))
    session.commit()


@on_sqlite
def test_somebody_looks_after_a_pause_and_then_nobody_for_a_while(
    session: Session, player: Player
) -> None:
    assert reach.look(session) is None
    make_due(session)
    found = reach.look(session)
    assert found is not None
    assert (found.version_id, found.address) == (player.version_id, player.address)
    session.commit()
    assert reach.look(session) is None


def test_nobody_looks_for_who_is_there_or_has_left(session: Session, player: Player) -> None:
    make_due(session)
    session.execute(update(Bot).values(state="retired"))
    session.commit()
    assert reach.look(session) is None
    session.execute(update(Bot).values(state="active"))
    reach.online(session, player.version_id)
    session.commit()
    assert reach.look(session) is None


@on_sqlite
def test_somebody_else_writes_before_a_bot_is_excused(
    session: Session, sessions: sessionmaker[Session], player: Player
) -> None:
    own = select(Version.unreached_since).where(Version.id == player.version_id)
    before = session.scalars(own).one()
    with sessions.begin() as other:
        other.execute(update(Version).values(looked_at=before))
    reach.excused(session, player.version_id)  # without SQLite's lock its snapshot would be old
    session.commit()
    assert session.scalars(own).one() != before


@pytest.mark.parametrize(("missed", "pause"), [(0, 5), (20, 5), (40, 10), (240, 60), (10_000, 300)])
def test_the_pause_grows_with_the_time_that_a_bot_is_missed(missed: int, pause: int) -> None:
    assert reach.pause_between_looks(timedelta(seconds=missed)) == timedelta(seconds=pause)


def test_only_a_game_ends_the_time_for_which_it_is_missed(session: Session, player: Player) -> None:
    def since() -> object:
        own = Version.id == player.version_id
        return session.scalar(select(Version.unreached_since).where(own))

    first = since()
    reach.online(session, player.version_id)
    session.commit()
    reach.missed(session, player.version_id, "it accepts nothing")
    session.commit()
    assert since() == first
    reach.reached(session, [player.version_id])
    session.commit()
    assert since() is None


@on_sqlite
def test_who_is_awaited_is_told_once(session: Session) -> None:
    ana = author(session)
    made = active(session, ana)
    before = notices(session, ana)
    for _ in range(2):  # by two schedulers
        reach.awaited(session, [made.version_id])
        session.commit()
    assert len(notices(session, ana)) == len(before) + 1


def test_of_many_who_may_look_one_does(
    session: Session, sessions: sessionmaker[Session], player: Player
) -> None:
    make_due(session)

    def try_to(_: int) -> bool:
        with sessions.begin() as own:
            return reach.look(own) is not None

    assert sorted(at_once(try_to)) == [False, False, False, True]
