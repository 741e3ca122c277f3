"""Folding the ledger anew by another rule, while results come and whatever is killed."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from sqlalchemy import select, text
from sqlalchemy.orm import Session

from ladder.model import Ledger
from ladder.operating import match_control
from ladder.ratings import elo, rebuilding, stored, tallies
from ladder.ratings.rebuilding import renew
from tests.ladder.databases import on_sqlite
from tests.ladder.league import match_ids, start_tournament
from tests.ladder.ledgers import check_ledger
from tests.ladder.ratings.league import Sessions, organiser, something_happens

_OLDER = (
    "UPDATE rating_changes SET before_milli = before_milli + 1, after_deviation_milli = 7",
    "UPDATE ladder_places SET rating_milli = rating_milli - 9, deviation_milli = 90000",
    "UPDATE meetings SET expected_milli = expected_milli + 5",
    "UPDATE ledger SET rule = 0",
)
_Meanwhile = Callable[[Callable[[], object]], None]


class Killed(Exception):
    """The process is killed between two transactions."""


class Life:
    """What happens on a ladder, by the rule of today."""

    def __init__(self, sessions: Sessions) -> None:
        with sessions() as session:
            for seats in (2, 3, 4):
                start_tournament(session, seats=seats, count=5, deals=1 if seats == 4 else 2)
            self._ids = match_ids(session)
            session.commit()
            self._account = organiser(session)
        self._sessions, self._rng = sessions, Random(4)

    def goes_on(self, steps: int) -> None:
        """Results, and now and then another entry of the ledger."""
        for _ in range(steps):
            something_happens(self._sessions, self._rng, self._account, self._ids)

    def annul_the_first_result(self) -> None:
        with self._sessions() as session:
            query = text("SELECT min(match_id) FROM rating_changes WHERE kind = 'result'")
            match_control.annul(session, self._account, session.scalar(query), "a wrong clock")
            session.commit()


@pytest.fixture
def life(sessions: Sessions) -> Life:
    """A ladder with some history that an older rule has folded."""
    made = Life(sessions)
    made.goes_on(60)
    with sessions.begin() as session:
        for statement in _OLDER:
            session.execute(text(statement))
    return made


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> _Meanwhile:
    """Has something done after each transaction that changes the ledger; slices are small."""
    monkeypatch.setattr(rebuilding, "_SLICE", 3)

    def do(what: Callable[[], object]) -> None:
        monkeypatch.setattr(rebuilding, "sleep", lambda _: what())

    do(lambda: None)
    return do


def rule_of(sessions: Sessions) -> int:
    with sessions() as session:
        return session.scalars(select(Ledger.rule)).one()


def check(sessions: Sessions) -> None:
    assert rule_of(sessions) == elo.RULE
    with sessions() as session:
        check_ledger(session)


def test_a_new_ledger_follows_the_rule_of_today(sessions: Sessions) -> None:
    assert rule_of(sessions) == elo.RULE


def test_whatever_comes_between_two_slices_is_neither_lost_nor_counted_twice(
    sessions: Sessions, life: Life, meanwhile: _Meanwhile
) -> None:
    rules: list[int] = []

    def happen() -> None:
        rules.append(rule_of(sessions))
        if len(rules) == 2:
            life.annul_the_first_result()  # it takes back what an unmended row says
        if len(rules) < 30:
            life.goes_on(1)

    meanwhile(happen)
    with sessions() as session:
        assert renew(session)
        assert renew(session) is None
    *during, last = rules
    assert len(during) > 20
    assert len(set(during)) == 1
    assert during[0] < 0 < last == elo.RULE
    check(sessions)


@on_sqlite
def test_a_run_that_was_killed_anywhere_is_finished_by_the_next(
    sessions: Sessions, life: Life, meanwhile: _Meanwhile
) -> None:
    for transactions in (1, 2, 9, 20):
        left = iter(range(transactions - 1))

        def end(left: Any = left) -> None:
            if next(left, None) is None:
                raise Killed

        meanwhile(end)
        with sessions() as session, pytest.raises(Killed):
            renew(session)
        assert rule_of(sessions) < 0  # nothing that is half mended bears a rule
        life.goes_on(3)
    meanwhile(lambda: None)
    with sessions() as session:
        assert renew(session)
    check(sessions)


@on_sqlite
def test_a_transaction_mends_a_few_entries_or_rows(
    sessions: Sessions, life: Life, meanwhile: _Meanwhile, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[int] = [0]
    replace, correct = stored.replace, tallies.correct

    def count_entries(session: Session, table: Any, before: Any, after: Any) -> None:
        if table is stored.CHANGES:
            written[-1] += len({*before[:, 0], *after[:, 0]})
        replace(session, table, before, after)

    def count_rows(session: Session, tally: Any, rows: Any) -> None:
        written[-1] += len(rows)
        correct(session, tally, rows)

    monkeypatch.setattr(stored, "replace", count_entries)
    monkeypatch.setattr(tallies, "correct", count_rows)
    meanwhile(lambda: written.append(0))
    with sessions() as session:
        renew(session)
    assert max(written) == 3
    assert sum(written) > 60
    check(sessions)


def test_of_two_runs_the_later_one_finishes(
    sessions: Sessions, life: Life, meanwhile: _Meanwhile
) -> None:
    begun: list[int | None] = []

    def begin_another() -> None:
        if not begun:
            begun.append(0)
            with sessions() as other:
                begun[0] = renew(other)

    meanwhile(begin_another)
    with sessions() as session:
        assert renew(session) is None
    assert begun[0]
    check(sessions)
