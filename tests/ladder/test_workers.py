from datetime import timedelta

from sqlalchemy.orm import Session

from ladder import model
from ladder.jobs import workers


def pass_by(session: Session, name: str, time: timedelta) -> None:
    """As if the worker's last heartbeat had been so long ago."""
    row = session.get_one(model.Worker, name, populate_existing=True)
    row.seen_at -= time
    session.commit()


def test_a_worker_registers_with_its_first_sign_of_life(session: Session) -> None:
    workers.beat(session, "havana:1", places=4)
    workers.beat(session, "trinidad:1", places=8, lag_ms=3)
    workers.beat(session, "havana:1", places=4, lag_ms=12)
    first, second = workers.living(session)
    assert (first.name, first.places, first.lag_ms) == ("havana:1", 4, 12)
    assert (second.name, second.places, second.lag_ms) == ("trinidad:1", 8, 3)
    assert workers.places(session) == 12


def test_without_workers_there_are_no_places(session: Session) -> None:
    assert (workers.living(session), workers.places(session)) == ([], 0)


def test_who_stops_has_no_places_though_it_still_gives_signs(session: Session) -> None:
    workers.beat(session, "havana:1", places=4)
    workers.beat(session, "trinidad:1", places=8)
    workers.sign_off(session, "havana:1")
    workers.beat(session, "havana:1", places=4)
    assert [worker.name for worker in workers.living(session)] == ["trinidad:1"]
    assert workers.places(session) == 8


def test_who_is_silent_is_taken_for_gone_until_it_is_heard_again(session: Session) -> None:
    workers.beat(session, "havana:1", places=4)
    pass_by(session, "havana:1", model.SILENT)
    assert workers.places(session) == 0
    workers.beat(session, "havana:1", places=4)
    assert workers.places(session) == 4


def test_who_is_gone_for_long_is_forgotten(session: Session) -> None:
    for name in ("havana:1", "trinidad:1"):
        workers.beat(session, name, places=4)
    pass_by(session, "havana:1", timedelta(days=2))
    workers.forget(session)
    session.commit()
    assert session.get(model.Worker, "havana:1", populate_existing=True) is None
    assert session.get(model.Worker, "trinidad:1") is not None
