import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ladder.bots import versions
from ladder.errors import Forbidden, Invalid, NotFound, Refused
from ladder.matches import reading
from ladder.model import AuditEntry, LadderPlace, Match, MeetingTally, SeatTally
from ladder.operating import match_control
from ladder.people.accounts import Account
from ladder.ratings import elo, standings
from ladder.ratings.ledger import carriers
from tests.ladder.databases import on_sqlite
from tests.ladder.league import claimed, finished, match_ids, ranked, start_tournament
from tests.ladder.ledgers import check_ledger
from tests.ladder.ratings.league import organiser

ADA, BELA = 1, 2


def played(session: Session) -> int:
    """A match whose seat 0 has won, the other one having faulted; its id."""
    start_tournament(session)
    first = match_ids(session)[0]
    session.commit()
    finished(session, first, ranked(1, 2, faults=[None, "timeout"]))
    return first


def test_the_change_is_taken_back_and_nothing_is_counted(session: Session) -> None:
    match_id, account = played(session), organiser(session)
    match_control.annul(session, account, match_id, " The clock was wrong. ")
    session.commit()
    standings = session.scalars(select(LadderPlace)).all()
    assert [(one.rating_milli, one.games, one.wins, one.faults) for one in standings] == [
        (elo.NEWCOMER.rating, 0, 0, 0)
    ] * 2
    assert {one.deviation_milli for one in standings} == {elo.NEWCOMER.deviation}
    for table in (MeetingTally, SeatTally):
        assert session.scalar(select(func.count()).select_from(table)) == 0
    match = session.get_one(Match, match_id)
    assert (match.state, match.annulled_by, match.annul_reason) == (
        "finished",
        account.id,
        "The clock was wrong.",
    )
    assert reading.replay(session, match_id) == b"replay"
    check_ledger(session)


def test_it_stands_in_the_audit(session: Session) -> None:
    match_id, account = played(session), organiser(session)
    match_control.annul(session, account, match_id, "The clock was wrong.")
    entry = session.scalars(select(AuditEntry).where(AuditEntry.action == "annul")).one()
    assert (entry.user_id, entry.action, entry.subject, entry.reason) == (
        account.id,
        "annul",
        f"match {match_id}",
        "The clock was wrong.",
    )


@on_sqlite
def test_later_results_stay_as_they_were_rated(session: Session) -> None:
    match_id, account = played(session), organiser(session)
    second = match_ids(session)[1]
    session.commit()
    finished(session, second, ranked(2, 1))
    before = reading.match(session, second)
    session.commit()
    match_control.annul(session, account, match_id, "reason")
    session.commit()
    assert reading.match(session, second) == before
    check_ledger(session)


@on_sqlite
def test_a_version_that_inherited_the_change_gives_it_back(session: Session) -> None:
    match_id, account = played(session), organiser(session)
    versions.register(session, name="ada", author="compay", address="host:1", version="2")
    session.commit()
    assert {one.rating_milli for one in standings.standings(session, 2)} != {elo.NEWCOMER.rating}
    session.commit()
    match_control.annul(session, account, match_id, "reason")
    session.commit()
    assert {one.rating_milli for one in standings.standings(session, 2)} == {elo.NEWCOMER.rating}
    check_ledger(session)


@on_sqlite
def test_an_unrated_match_is_only_marked(session: Session) -> None:
    start_tournament(session, rated=False)
    first = match_ids(session)[0]
    session.commit()
    finished(session, first, ranked(1, 2))
    match_control.annul(session, organiser(session), first, "reason")
    session.commit()
    assert session.get_one(Match, first).annulled_at is not None
    check_ledger(session)


@on_sqlite
def test_authors_do_not_annul(session: Session) -> None:
    match_id = played(session)
    with pytest.raises(Forbidden):
        match_control.annul(session, Account(1, "compay", "author"), match_id, "I lost")


@on_sqlite
def test_only_a_finished_match_is_annulled_and_only_once(session: Session) -> None:
    match_id, account = played(session), organiser(session)
    running = claimed(session, match_ids(session)[1]).match_id
    with pytest.raises(Refused, match="is running"):
        match_control.annul(session, account, running, "reason")
    session.rollback()
    match_control.annul(session, account, match_id, "reason")
    session.commit()
    with pytest.raises(Refused, match="already"):
        match_control.annul(session, account, match_id, "reason")
    session.rollback()
    with pytest.raises(NotFound, match="no match 99"):
        match_control.annul(session, account, 99, "reason")


@on_sqlite
@pytest.mark.parametrize("reason", ["", "  ", "x" * 1001])
def test_a_reason_is_needed(session: Session, reason: str) -> None:
    match_id, account = played(session), organiser(session)
    with pytest.raises(Invalid, match="at most 1000 characters"):
        match_control.annul(session, account, match_id, reason)
    match_control.annul(session, account, match_id, "x" * 1000)


@on_sqlite
def test_a_reason_holds_no_controls(session: Session) -> None:
    match_id = played(session)
    typed = "\0The h\u00f6st\x1b[2J stood\u00a0still.\r\nTwice.\x9b"
    match_control.annul(session, organiser(session), match_id, typed)
    told = reading.match(session, match_id).annul_reason
    assert told == "The h\u00f6st[2J stood\u00a0still.\nTwice."


@pytest.mark.parametrize(
    ("inheritances", "expected"),
    [
        ([], {1}),
        ([(1, 2), (2, 3)], {1, 2, 3}),
        ([(2, 3)], {1}),
        ([(1, 2), (2, 1)], {1, 2}),  # back to the first, which holds the change still
        ([(2, 1)], set()),  # a late result of the first, over which another rating was put
        ([(2, 1), (1, 2)], set()),
    ],
)
def test_who_holds_a_change(inheritances: list[tuple[int, int]], expected: set[int]) -> None:
    assert set(carriers(1, inheritances)) == expected
