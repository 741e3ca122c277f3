"""Checks the ratings against the results that they come from, by a rebuild."""

from itertools import pairwise

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.model import Ledger, Match, RatingChange
from ladder.ratings import elo, rebuilding


def check_ledger(session: Session) -> None:
    """Numbers have no gap; ratings, places, meetings and tallies are what the results give.

    The session must be at the beginning of a transaction.
    """
    session.rollback()
    rebuilt = rebuilding.check(session)
    assert rebuilt.differences == ()
    assert rebuilt.unentered == ()
    numbers = set(session.scalars(select(Match.result_number).where(Match.state == "finished")))
    numbers |= set(session.scalars(select(RatingChange.result_number)))
    last = session.scalar(select(Ledger.last_result))
    assert numbers == set(range(1, (last or 0) + 1))
    _check_chain(session)


def before(row: RatingChange) -> tuple[int, int]:
    return row.before_milli, row.before_deviation_milli


def _check_chain(session: Session) -> None:
    """Every row of the ledger begins where the version's row before it ended."""
    query = select(RatingChange).order_by(
        RatingChange.seats, RatingChange.version_id, RatingChange.result_number
    )
    rows = session.scalars(query).all()
    for one, other in pairwise(rows):
        if (one.seats, one.version_id) == (other.seats, other.version_id):
            assert before(other) == (one.after_milli, one.after_deviation_milli)
        else:
            assert before(other) in (elo.NEWCOMER, elo.ANCHOR)
