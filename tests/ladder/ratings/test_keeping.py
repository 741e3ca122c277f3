import logging
from threading import Thread

import pytest
from sqlalchemy import update
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from ladder.model import Ledger
from ladder.ratings import elo, strength
from ladder.ratings.strength import keep_current
from referee.signals import Flag
from tests.e2e.processes import until
from tests.ladder.league import finished, match_ids, ranked, start_tournament
from tests.ladder.ratings.league import Sessions
from tests.ladder.ratings.test_strength import stored


def test_strengths_are_kept_until_it_is_stopped(sessions: Sessions) -> None:
    with sessions() as session:
        start_tournament(session)
        first, second = match_ids(session)
        session.commit()
        finished(session, first, ranked(1, 2))
    stopped = Flag()
    keeper = Thread(target=keep_current, args=(sessions, stopped), kwargs={"pause": 0.01})
    keeper.start()
    try:
        until(lambda: newest(sessions) == 1)
        with sessions() as session:
            finished(session, second, ranked(1, 2))
        until(lambda: newest(sessions) == 2)
    finally:
        stopped.set()
        keeper.join(60)
    assert not keeper.is_alive()


def test_ratings_by_an_older_rule_are_folded_before(
    sessions: Sessions, caplog: pytest.LogCaptureFixture
) -> None:
    with sessions() as session:
        start_tournament(session)
        finished(session, match_ids(session)[0], ranked(1, 2))
        session.execute(update(Ledger).values(rule=0))
        session.commit()
        with caplog.at_level(logging.INFO):
            strength._renew(session)
            strength._renew(session)
    assert caplog.text.count(f"folded 1 results by rule {elo.RULE} in ") == 1


def test_an_error_does_not_end_the_thread(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    compute = strength.compute
    failures = iter([ValueError("no strength")])

    def compute_at_second(session: Session, seats: int) -> object:
        if failure := next(failures, None):
            raise failure
        return compute(session, seats)

    monkeypatch.setattr(strength, "compute", compute_at_second)
    with sessions() as session:
        start_tournament(session)
        (first, *_) = match_ids(session)
        session.commit()
        finished(session, first, ranked(1, 2))
    stopped = Flag()
    keeper = Thread(target=keep_current, args=(sessions, stopped), kwargs={"pause": 0.01})
    keeper.start()
    try:
        until(lambda: newest(sessions) == 1)
    finally:
        stopped.set()
        keeper.join(60)
    assert "could not compute the strengths for tables of 2" in caplog.text


def test_a_lost_database_is_told_for_what_each_step_computes(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The new rule of rating is one for tables of all sizes."""
    stopped = Flag()

    def lose(*_: object) -> None:
        stopped.set()
        raise OperationalError("SELECT", None, Exception("terminating connection"))

    monkeypatch.setattr("ladder.ratings.rebuilding.renew", lose)
    keep_current(sessions, stopped)
    (line,) = caplog.messages
    assert line == "could not compute the ratings by the new rule: terminating connection"


def newest(sessions: Sessions) -> int:
    with sessions() as session:
        return max((one.last_result for one in stored(session).values()), default=0)
