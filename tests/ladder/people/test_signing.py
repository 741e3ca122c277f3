from collections.abc import Callable
from datetime import timedelta

import pytest
from argon2 import PasswordHasher
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session, sessionmaker

from ladder.errors import Invalid, NotSignedIn
from ladder.model import SignIn, User, now
from ladder.people import passwords, signing, tickets
from ladder.people.accounts import HOUSE, Account
from tests.ladder.databases import on_sqlite
from tests.ladder.people.people import PASSWORD, sign_in, sign_up

NEW = "another harbour"


def test_a_new_account_is_an_authors(session: Session) -> None:
    made = signing.sign_up(session, name="Ana", password=PASSWORD)
    assert made == Account(made.id, "ana", "author")
    assert not made.may_organise
    assert not made.is_admin
    row = session.get(User, made.id)
    assert row is not None
    assert PASSWORD not in str(row.password_hash)


def test_a_name_is_given_once(session: Session) -> None:
    sign_up(session, "ana")
    with pytest.raises(Invalid, match="taken"):
        signing.sign_up(session, name="ANA", password=PASSWORD)
    assert signing.sign_up(session, name="luz", password=PASSWORD).name == "luz"


def test_nobody_takes_over_an_author_whom_the_operator_registered(session: Session) -> None:
    session.add(User(name="compay", created_at=now(session)))
    session.commit()
    with pytest.raises(Invalid, match="taken"):
        signing.sign_up(session, name="compay", password=PASSWORD)


def test_of_two_at_the_same_time_one_gets_the_name(sessions: sessionmaker[Session]) -> None:
    with sessions() as one, sessions() as two:
        signing.sign_up(one, name="ana", password=PASSWORD)
        one.commit()
        with pytest.raises(Invalid, match="taken"):
            signing.sign_up(two, name="ana", password=NEW)
        two.commit()
        assert sign_in(one)


def test_who_signs_in_is_known_until_signing_out(session: Session) -> None:
    ana = sign_up(session)
    secret = sign_in(session)
    assert signing.find_signed_in(session, secret) == ana
    assert signing.find_signed_in(session, secret + "x") is None
    signing.sign_out(session, secret)
    session.commit()
    assert signing.find_signed_in(session, secret) is None
    signing.sign_out(session, secret)


def test_the_secret_is_kept_as_a_hash(session: Session) -> None:
    sign_up(session)
    secret = sign_in(session)
    assert session.scalars(select(SignIn.secret_hash)).all() == [tickets.digest(secret)]
    assert signing.find_signed_in(session, tickets.digest(secret)) is None


@on_sqlite
@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("ana", "wrong"),
        ("nobody", PASSWORD),
        ("compay", ""),
        (HOUSE, ""),
        ("", ""),
        ("a\0", "\0"),
        ("\ud800", "\ud800"),
        ("' OR 1=1 --", "' OR 1=1 --"),
    ],
)
def test_all_that_is_wrong_is_answered_alike(session: Session, name: str, password: str) -> None:
    sign_up(session)
    session.add(User(name="compay", created_at=now(session)))
    session.add(User(name=HOUSE, created_at=now(session)))
    session.commit()
    with pytest.raises(NotSignedIn) as refused:
        signing.sign_in(session, name=name, password=password)
    assert str(refused.value) == "wrong name or password"


def test_a_sign_in_expires(session: Session) -> None:
    ana = sign_up(session)
    secret = sign_in(session)
    ((since, until),) = signing.browsers(session, ana)
    assert until - since == signing.SIGN_IN_LIFETIME
    for left, is_valid in ((timedelta(minutes=1), True), (timedelta(seconds=-1), False)):
        session.execute(update(SignIn).values(expires_at=now(session) + left))
        session.commit()
        assert (signing.find_signed_in(session, secret) is not None) is is_valid
    sign_in(session)
    assert session.scalar(select(func.count()).select_from(SignIn)) == 1, "the old one is gone"


def test_signing_out_elsewhere(session: Session) -> None:
    ana = sign_up(session)
    sign_up(session, "luz")
    here, there, other = sign_in(session), sign_in(session), sign_in(session, "luz")
    assert len(signing.browsers(session, ana)) == 2
    signing.sign_out_elsewhere(session, ana, here)
    session.commit()
    assert signing.find_signed_in(session, here) == ana
    assert signing.find_signed_in(session, there) is None
    assert signing.find_signed_in(session, other)


@on_sqlite
def test_one_browser_too_many_signs_out_the_first_one(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signing, "MOST_BROWSERS", 2)
    sign_up(session)
    sign_up(session, "luz")
    other = sign_in(session, "luz")
    first, second, third = (sign_in(session) for _ in range(3))
    assert signing.find_signed_in(session, first) is None
    assert all(signing.find_signed_in(session, held) for held in (second, third, other))


def test_a_changed_password_ends_all_sign_ins(session: Session) -> None:
    ana = sign_up(session)
    before = [sign_in(session), sign_in(session)]
    signed = signing.change_password(session, ana, old=PASSWORD, new=NEW)
    session.commit()
    assert [signing.find_signed_in(session, secret) for secret in before] == [None, None]
    assert signing.find_signed_in(session, signed.secret) == ana
    with pytest.raises(NotSignedIn):
        signing.sign_in(session, name="ana", password=PASSWORD)
    assert sign_in(session, "ana", NEW)


@pytest.mark.parametrize(
    ("old", "new", "field"), [("wrong", NEW, "old"), (PASSWORD, "short", "password")]
)
def test_a_change_needs_the_old_password_and_a_good_new_one(
    session: Session, old: str, new: str, field: str
) -> None:
    ana = sign_up(session)
    with pytest.raises(Invalid) as refused:
        signing.change_password(session, ana, old=old, new=new)
    session.rollback()
    assert refused.value.field == field
    assert sign_in(session)


def test_a_hash_with_older_parameters_is_renewed_at_the_sign_in(session: Session) -> None:
    ana = sign_up(session)
    row = session.get(User, ana.id)
    assert row is not None
    row.password_hash = older = PasswordHasher(1, 8, 1).hash(PASSWORD)
    session.commit()
    sign_in(session)
    session.expire_all()
    assert row.password_hash != older
    assert sign_in(session)


def test_no_connection_is_held_while_a_password_waits_for_its_turn(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There are fewer connections than people who may sign in at once."""
    ana = sign_up(session)
    held = []
    for name in ("verify", "hash_password"):
        slow = getattr(passwords, name)

        def noting(*given: str, slow: Callable[..., object] = slow) -> object:
            held.append(session.in_transaction())
            return slow(*given)

        monkeypatch.setattr(passwords, name, noting)
    sign_in(session)
    signing.find_signed_in(session, "a browser's ticket")
    signing.change_password(session, ana, old=PASSWORD, new=NEW)
    signing.make_token(session, ana, password=NEW, name="laptop", scopes=["read"], days=30)
    session.commit()
    ticket = tickets.make_reset_link(session, None, ana.id).ticket
    session.commit()
    tickets.use_reset_link(session, ticket, PASSWORD)
    assert held == [False] * 5
