from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from ladder.bots import versions
from ladder.contests.tournaments import creating, lifecycle
from ladder.model import Match, RatingChange, Strength
from ladder.operating import match_control
from ladder.ratings import standings, strength
from ladder.ratings.strength import Computed, compute
from referee.clock import Clock
from tests.ladder.databases import on_sqlite
from tests.ladder.league import finished, match_ids, ranked, ranks_by_bot, start_tournament
from tests.ladder.ratings.league import Sessions, organiser

ADA, BELA, CARO = 1, 2, 3


def play_all(session: Session, ranks: dict[int, int]) -> None:
    for match_id in match_ids(session):
        result = ranks_by_bot(session, match_id, ranks)
        session.commit()
        finished(session, match_id, result)


def stored(session: Session) -> dict[int, Strength]:
    """By version; committed, so that what follows has a transaction for itself."""
    rows = session.scalars(select(Strength), execution_options={"populate_existing": True}).all()
    session.commit()
    return {row.version_id: row for row in rows}


def computed(session: Session, seats: int) -> Computed | None:
    found = compute(session, seats)
    session.commit()
    return found


def test_who_wins_is_stronger_and_the_mean_is_that_of_elo(session: Session) -> None:
    start_tournament(session, seats=3, count=3, deals=3)
    play_all(session, {ADA: 1, BELA: 2, CARO: 3})
    assert computed(session, 3) == Computed(versions=3, matches=9)
    ada, bela, caro = (stored(session)[version] for version in (ADA, BELA, CARO))
    assert ada.strength_milli > bela.strength_milli > caro.strength_milli
    assert ada.low_milli < ada.strength_milli < ada.high_milli
    mean = sum(one.strength_milli for one in (ada, bela, caro)) / 3
    ratings = [one.rating_milli for one in standings.standings(session, 3)]
    assert mean == pytest.approx(sum(ratings) / 3, abs=1)
    assert ada.last_result == 9


@on_sqlite
def test_nothing_new_is_not_computed_again(session: Session) -> None:
    start_tournament(session)
    first, second = match_ids(session)
    session.commit()
    assert computed(session, 2) is None
    finished(session, first, ranked(1, 2))
    assert computed(session, 2) == Computed(2, 1)
    assert computed(session, 2) is None
    finished(session, second, ranked(1, 2))
    assert computed(session, 2) == Computed(2, 2)


@on_sqlite
def test_what_is_annulled_does_not_count(session: Session) -> None:
    start_tournament(session)
    first, second = match_ids(session)
    session.commit()
    finished(session, first, ranked(1, 2))
    finished(session, second, ranked(1, 1))
    computed(session, 2)
    match_control.annul(session, organiser(session), first, "reason")
    session.commit()
    assert computed(session, 2) == Computed(2, 1)
    assert len({one.strength_milli for one in stored(session).values()}) == 1
    match_control.annul(session, organiser(session), second, "reason")
    session.commit()
    assert computed(session, 2) == Computed(0, 0)
    assert stored(session) == {}


def test_a_missed_match_lowers_one_strength_alone(session: Session) -> None:
    start_tournament(session, seats=3, count=3, deals=3)
    play_all(session, {ADA: 1, BELA: 2, CARO: 3})
    computed(session, 3)
    before = {version: one.strength_milli for version, one in stored(session).items()}
    last = session.get_one(Match, match_ids(session)[-1])
    session.execute(delete(RatingChange).where(RatingChange.match_id == last.id))
    last.rated, last.reason = False, "missed"
    for seat in last.table:
        seat.rank = 3 if seat.version_id == ADA else None
    session.execute(update(Strength).values(last_result=0))
    session.commit()
    computed(session, 3)
    after = {version: one.strength_milli for version, one in stored(session).items()}
    assert after[ADA] < before[ADA] - 10_000
    assert after[BELA] == pytest.approx(before[BELA], abs=20_000)


def test_unrated_matches_and_other_table_sizes_do_not_count(session: Session) -> None:
    start_tournament(session, rated=False)
    finished(session, match_ids(session)[0], ranked(1, 2))
    start_tournament(session, seats=3, count=3)
    three = session.scalars(select(Match.id).where(Match.seats == 3)).first()
    session.commit()
    assert three is not None
    finished(session, three, ranked(1, 2, 3))
    assert computed(session, 2) is None
    assert computed(session, 3) == Computed(3, 1)


def test_a_version_has_a_strength_of_its_own_and_the_mean_is_over_the_active(
    session: Session,
) -> None:
    start_tournament(session, deals=2)
    *before, last = match_ids(session)
    session.commit()
    for match_id in before:
        finished(session, match_id, ranked(1, 2))
    versions.register(session, name="ada", author="compay", address="host:1", version="2")
    again = creating.create(
        session, None, name="Otra", seats=2, bot_ids=[ADA, BELA], deals=1, clock=Clock(), seed=1
    )
    lifecycle.start(session, again.id)
    newest = match_ids(session)[-1]
    session.commit()
    finished(session, last, ranked(1, 2))
    finished(session, newest, ranked(1, 2))
    computed(session, 2)
    found = stored(session)
    active = {one.bot_id: one.rating_milli for one in standings.standings(session, 2)}
    assert len(found) == 3
    mean = sum(active.values()) / 2
    assert sum(found[version].strength_milli for version in (2, 3)) / 2 == pytest.approx(
        mean, abs=1
    )


@on_sqlite
def test_of_too_many_versions_the_active_ones_count(session: Session) -> None:
    start_tournament(session, count=3, deals=2)
    for match_id in match_ids(session)[:6]:
        session.commit()
        finished(session, match_id, ranked(1, 2))
    versions.register(session, name="ada", author="compay", address="host:1", version="2")
    session.commit()
    for match_id in match_ids(session)[6:]:
        finished(session, match_id, ranked(1, 2))
    compute(session, 2, most=2)
    session.commit()
    assert set(stored(session)) == {BELA, CARO}  # the first version of ada is superseded


def test_two_schedulers_may_compute_at_once(sessions: Sessions) -> None:
    with sessions() as session:
        start_tournament(session, deals=5)
        play_all(session, {ADA: 1, BELA: 2})

    def act(_: int) -> None:
        with sessions() as session:
            computed(session, 2)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(act, range(4)))
    with sessions() as session:
        assert stored(session)[1].last_result == 10


def test_strengths_from_fewer_results_replace_none_from_more(session: Session) -> None:
    start_tournament(session)
    play_all(session, {ADA: 1, BELA: 2})
    computed(session, 2)
    before = {version: row.strength_milli for version, row in stored(session).items()}
    strength._store(session, 2, 1, np.array([1, 2]), np.zeros((2, 3)))
    session.commit()
    assert {version: row.strength_milli for version, row in stored(session).items()} == before
