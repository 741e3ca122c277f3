import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from ladder.model import FairnessReport, LadderPlace, Strength
from ladder.ratings import elo, fairness
from ladder.ratings.agreement import agreement
from ladder.ratings.strength import compute
from tests.ladder.databases import on_sqlite
from tests.ladder.league import finished, match_ids, ranks_by_bot, start_tournament


def play(session: Session, deals: int = 2) -> None:
    start_tournament(session, seats=3, count=4, deals=deals)
    for match_id in match_ids(session):
        result = ranks_by_bot(session, match_id, {1: 1, 2: 2, 3: 3, 4: 3})
        session.commit()
        finished(session, match_id, result)


def test_a_stored_report_is_what_was_made(session: Session) -> None:
    play(session)
    made = fairness.make(session, 3)
    assert made.by_seat == tuple(fairness.by_seat(session, 3))
    assert made.before
    assert made.workers
    session.rollback()
    assert fairness.refresh(session, 3)
    session.commit()
    found = fairness.newest_report(session, 3)
    assert found is not None
    assert found.report == made
    assert {one.author for one in made.games} == {"compay"}
    assert "compay" not in session.get_one(FairnessReport, 3).report


def test_it_compares_the_ratings_with_the_strengths(session: Session) -> None:
    play(session)
    assert fairness.make(session, 3).agreement is None
    session.rollback()
    compute(session, 3)
    ratings = {one.version_id: one.rating_milli for one in session.scalars(select(LadderPlace))}
    session.execute(update(LadderPlace).values(deviation_milli=elo.PLACED))
    for version, apart in ((1, 2 * elo.PLACED), (2, 2 * elo.PLACED + 1), (3, 0)):
        told = update(Strength).where(Strength.version_id == version)
        session.execute(told.values(strength_milli=ratings[version] + apart))
    anchor = update(LadderPlace).where(LadderPlace.version_id == 4)
    session.execute(anchor.values(deviation_milli=0))
    session.commit()
    found = agreement(session, 3)
    assert found is not None
    assert (found.bots, round(found.apart, 1), found.inside) == (3, 122.5, 2)


@on_sqlite
def test_it_is_made_anew_after_a_new_result_alone(session: Session) -> None:
    assert fairness.newest_report(session, 3) is None
    assert not fairness.refresh(session, 3)
    play(session, deals=1)
    assert fairness.refresh(session, 3)
    session.commit()
    assert not fairness.refresh(session, 3)
    start_tournament(session, count=2)
    session.commit()
    finished(
        session, match_ids(session)[-1], ranks_by_bot(session, match_ids(session)[-1], {1: 1, 2: 2})
    )
    assert fairness.refresh(session, 3)


@on_sqlite
def test_of_long_lists_it_has_both_ends(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fairness, "ENDS", 1)
    play(session)
    made = fairness.make(session, 3)
    whole = fairness.games_per_bot(session, 3)
    assert made.games == (whole[0], whole[-1])
    assert made.bots == 4
