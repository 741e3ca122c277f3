import logging

import pytest
from celery import Celery
from celery.beat import ScheduleEntry
from redis import RedisError
from sqlalchemy.exc import OperationalError

from ladder.scheduler import InPlace, schedule


def test_what_is_out_of_reach_is_told_in_a_line(caplog: pytest.LogCaptureFixture) -> None:
    """Duties are done several times a second: their tracebacks would hide all else."""
    troubles = [RedisError("refused"), OperationalError("SELECT 1", {}, Exception("no route"))]

    def look() -> None:
        raise troubles.pop(0)

    app = Celery("test", set_as_current=False)
    schedule(app, {look: 1.0})
    beat = InPlace(app, lazy=True)
    with caplog.at_level(logging.WARNING, "ladder.scheduler"):
        while troubles:
            beat.apply_entry(ScheduleEntry("look", "santiago.look", app=app))
    assert [(line.getMessage(), line.exc_info) for line in caplog.records] == [
        ("look: Redis is out of reach: refused", None),
        ("look: the database does not answer: no route", None),
    ]
