"""A ladder whose ratings an older release folded by another rule."""

from collections.abc import Iterator

import pytest
from sqlalchemy import select, update

from ladder import model
from ladder.model import LadderPlace, Ledger, RatingChange
from ladder.operating import match_control
from ladder.ratings import elo, ledger, rebuilding
from tests.ladder.league import finished, match_ids, ranked, start_tournament
from tests.ladder.ledgers import check_ledger
from tests.ladder.ratings.league import Sessions, organiser

ADA = 1


@pytest.fixture
def older(database_url: str) -> Iterator[Sessions]:
    """The sessions of a ladder with four entries, as an older release leaves it."""
    engine = model.engine(database_url)
    sessions = model.session_factory(engine)
    with sessions() as session:
        start_tournament(session, seats=3, count=3, deals=2)
        first, second, *_ = match_ids(session)
        session.commit()
        finished(session, first, ranked(1, 2, 3))
        ledger.lock(session)
        ledger.pin(session, ADA)
        session.commit()
        finished(session, second, ranked(1, 2, 2))
        match_control.annul(session, organiser(session), first, "a wrong clock")
        session.execute(update(RatingChange).values(before_milli=1, after_milli=1))
        session.execute(update(LadderPlace).values(rating_milli=1))
        session.commit()
    engine.dispose()
    model.downgrade(database_url, "r0024")
    model.upgrade(database_url, regardless=True)
    yield sessions
    engine.dispose()


def test_it_is_folded_anew_and_no_result_is_lost_meanwhile(
    older: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    with older() as session:
        _, _, third, fourth, *_ = match_ids(session)
        assert session.scalar(select(Ledger.rule)) == 0
        places = {one.bot_id: one for one in session.scalars(select(LadderPlace))}
        assert places.pop(ADA).deviation_milli == 0
        assert not any(
            elo.is_placed(elo.Skill(one.rating_milli, one.deviation_milli))
            for one in places.values()
        )
        session.commit()
        finished(session, third, ranked(3, 1, 2))  # before the ledger is folded anew

    late = [fourth]

    def finish_late(_: float) -> None:
        while late:
            with older() as other:
                finished(other, late.pop(), ranked(2, 3, 1))

    monkeypatch.setattr(rebuilding, "sleep", finish_late)
    with older() as session:
        assert rebuilding.renew(session) == 4
        assert rebuilding.renew(session) is None
    with older() as session:
        assert session.scalar(select(Ledger.rule)) == elo.RULE
        check_ledger(session)
