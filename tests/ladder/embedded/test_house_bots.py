from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.bots import reach
from ladder.contests import matchmaking
from ladder.embedded import service
from ladder.jobs import workers
from ladder.model import Bot, User, Version


def register_all(session: Session, version: str = "1") -> list[int]:
    found = [
        service.register(session, name=name, version=version, address=f"unix:/{name}-{version}")
        for name in ("greedy", "planner", "random")
    ]
    session.commit()
    return found


def test_house_bots_belong_to_a_user_who_cannot_sign_in(session: Session) -> None:
    register_all(session)
    (owner,) = session.scalars(select(User))
    assert (owner.name, owner.password_hash) == ("arena", None)
    every = session.scalars(select(Bot)).all()
    assert all(bot.house for bot in every)
    assert [bot.name for bot in every if bot.pinned] == ["random"]


def test_house_bots_meet_one_another(session: Session) -> None:
    register_all(session)
    workers.beat(session, "worker", places=4)
    session.commit()
    assert matchmaking.top_up(session) > 0


def test_started_again_they_are_the_same_bots_at_new_addresses_and_online(session: Session) -> None:
    before = register_all(session)
    reach.missed(session, 1, "it was not started")
    session.commit()
    assert register_all(session, version="2") == before
    active = session.scalars(select(Version.address).where(Version.active)).all()
    assert set(active) == {"unix:/greedy-2", "unix:/planner-2", "unix:/random-2"}
    away = session.scalars(select(Version.offline_since).where(Version.active)).all()
    assert away == [None, None, None]
