from datetime import timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session, sessionmaker

from ladder.errors import Forbidden, Invalid, NotFound, NotSignedIn, Refused
from ladder.model import ResetLink, User, now
from ladder.people import notices, signing, tickets
from ladder.people.accounts import HOUSE, Account, audit_records
from tests.ladder.databases import meanwhile, on_sqlite
from tests.ladder.people.people import PASSWORD, pass_time, sign_in, sign_up

NEW = "another harbour"


@pytest.fixture
def ana(session: Session) -> Account:
    return sign_up(session)


@pytest.fixture
def boss(session: Session) -> Account:
    return sign_up(session, "boss", "admin")


def link(session: Session, admin: Account | None, user: Account) -> str:
    """The ticket of a new reset link; committed."""
    ticket = tickets.make_reset_link(session, admin, user.id).ticket
    session.commit()
    return ticket


def test_a_link_sets_a_new_password_and_signs_all_out(
    session: Session, ana: Account, boss: Account
) -> None:
    before = sign_in(session)
    token = tickets.make_token(session, ana, name="laptop", scopes=["read"]).token
    ticket = link(session, boss, ana)
    assert tickets.link_owner(session, ticket) == "ana"
    assert signing.find_signed_in(session, before) == ana, "so far nothing has changed"
    tickets.use_reset_link(session, ticket, NEW)
    session.commit()
    assert signing.find_signed_in(session, before) is None
    assert sign_in(session, "ana", NEW)
    with pytest.raises(NotSignedIn):
        signing.sign_in(session, name="ana", password=PASSWORD)
    assert tickets.bearer(session, token).account == ana
    (told,) = notices.list_notices(session, ana)
    assert "reset link" in told.sentence


def test_a_link_is_good_once(session: Session, ana: Account, boss: Account) -> None:
    ticket = link(session, boss, ana)
    tickets.use_reset_link(session, ticket, NEW)
    session.commit()
    with pytest.raises(NotFound):
        tickets.link_owner(session, ticket)
    with pytest.raises(NotFound):
        tickets.use_reset_link(session, ticket, PASSWORD)
    assert sign_in(session, "ana", NEW)


def test_of_two_who_use_a_link_at_once_one_is_refused(
    sessions: sessionmaker[Session], session: Session, ana: Account, boss: Account
) -> None:
    ticket = link(session, boss, ana)
    with sessions() as other:
        assert tickets.link_owner(other, ticket) == "ana"
        tickets.use_reset_link(session, ticket, NEW)
        session.commit()
        with pytest.raises(NotFound):
            tickets.use_reset_link(other, ticket, PASSWORD)
    assert sign_in(session, "ana", NEW)


def test_a_link_expires(
    session: Session, ana: Account, boss: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticket = link(session, boss, ana)
    pass_time(monkeypatch, tickets.LINK_LIFETIME - timedelta(minutes=1), "tickets")
    assert tickets.link_owner(session, ticket) == "ana"
    pass_time(monkeypatch, tickets.LINK_LIFETIME + timedelta(minutes=1), "tickets")
    with pytest.raises(NotFound):
        tickets.use_reset_link(session, ticket, NEW)


def test_a_newer_link_and_a_changed_password_void_it(
    session: Session, ana: Account, boss: Account
) -> None:
    first, second = link(session, boss, ana), link(session, boss, ana)
    with pytest.raises(NotFound):
        tickets.link_owner(session, first)
    signing.change_password(session, ana, old=PASSWORD, new=NEW)
    with pytest.raises(NotFound):
        tickets.link_owner(session, second)


def test_of_two_links_made_at_once_the_later_one_is_valid(
    sessions: sessionmaker[Session], session: Session, ana: Account, boss: Account
) -> None:
    first = tickets.make_reset_link(session, boss, ana.id).ticket
    second = meanwhile(
        sessions, session, lambda other: tickets.make_reset_link(other, None, ana.id).ticket
    )
    with pytest.raises(NotFound):
        tickets.link_owner(session, first)
    assert tickets.link_owner(session, second) == "ana"


def test_a_weak_password_does_not_use_it_up(session: Session, ana: Account, boss: Account) -> None:
    ticket = link(session, boss, ana)
    with pytest.raises(Invalid):
        tickets.use_reset_link(session, ticket, "short")
    session.rollback()
    tickets.use_reset_link(session, ticket, NEW)


def test_the_link_is_kept_as_a_hash_and_audited(
    session: Session, ana: Account, boss: Account
) -> None:
    ticket = link(session, boss, ana)
    assert session.scalars(select(ResetLink.token_hash)).all() == [tickets.digest(ticket)]
    (entry,) = audit_records(session)
    assert (entry.actor, entry.action, entry.subject) == ("boss", "reset link", f"user {ana.id}")


def test_only_admins_and_the_operator_make_them(session: Session, ana: Account) -> None:
    organiser = sign_up(session, "luz", "organiser")
    for other in (ana, organiser):
        with pytest.raises(Forbidden):
            tickets.make_reset_link(session, other, ana.id)
    assert link(session, None, ana)


def test_none_for_the_house_bots_user_nor_for_who_is_gone(session: Session, boss: Account) -> None:
    house = User(name=HOUSE, created_at=now(session))
    gone = User(name="deleted-7", created_at=now(session), deleted_at=now(session))
    session.add_all([house, gone])
    session.commit()
    with pytest.raises(Refused):
        tickets.make_reset_link(session, boss, house.id)
    for nobody in (gone.id, gone.id + 1):
        with pytest.raises(NotFound, match="there is no user"):
            tickets.make_reset_link(session, boss, nobody)


@on_sqlite
@pytest.mark.parametrize("ticket", ["", "x", "\0", "\ud800", "' OR 1=1 --", "x" * 10_000])
def test_another_word_is_no_link(
    session: Session, ana: Account, boss: Account, ticket: str
) -> None:
    link(session, boss, ana)
    with pytest.raises(NotFound, match="this link is invalid"):
        tickets.use_reset_link(session, ticket, NEW)
