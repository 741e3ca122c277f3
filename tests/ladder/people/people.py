"""Accounts for tests, and a clock that can be set."""

from datetime import datetime, timedelta

import pytest
from sqlalchemy.orm import Session

from ladder import model
from ladder.model import User
from ladder.people import signing
from ladder.people.accounts import Account

PASSWORD = "seven ships sail"


def sign_up(session: Session, name: str = "ana", role: str = "author") -> Account:
    """A new account; committed."""
    made = signing.sign_up(session, name=name, password=PASSWORD)
    row = session.get(User, made.id)
    assert row is not None
    row.role = role
    session.commit()
    return Account(made.id, made.name, role)


def sign_in(session: Session, name: str = "ana", password: str = PASSWORD) -> str:
    """The ticket of a browser; committed."""
    secret = signing.sign_in(session, name=name, password=password).secret
    session.commit()
    return secret


def pass_time(monkeypatch: pytest.MonkeyPatch, by: timedelta, *modules: str) -> None:
    """Put the clock forward, as these modules of `ladder.people` see it."""

    def later(session: Session) -> datetime:
        return model.now(session) + by

    for module in modules:
        monkeypatch.setattr(f"ladder.people.{module}.now", later)
