"""The chaos in small; `make chaos` runs it in full."""

import pytest

from ladder import model
from tests.chaos.running import Wish, run
from tests.chaos.worker import POINTS
from tests.e2e.santiago import own_folder
from tests.ladder.conftest import create_postgres

SMALL = Wish(matches=20, acts=10, mines=1, think=0.002, patience=1500.0, seed=1)


@pytest.fixture
def url(postgres_url: str) -> str:
    """A PostgreSQL database with the newest schema: tests/ladder/test_service.py has SQLite."""
    made = create_postgres(postgres_url, template="template1")
    model.upgrade(made)
    return made


@pytest.mark.usefixtures("forked_python")
@pytest.mark.timeout(1800)  # half a minute on a machine that has nothing else to do
def test_whatever_ends_or_sleeps_every_match_counts_once(url: str) -> None:
    with own_folder() as folder:
        report = run(folder, url, SMALL)
    assert len(report.acts) == SMALL.acts  # each of another kind
    assert set(report.mines) == set(POINTS)
