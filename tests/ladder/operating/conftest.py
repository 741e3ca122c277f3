import pytest
from sqlalchemy.orm import Session

from ladder.model import User
from ladder.people import signing
from ladder.people.accounts import Account


@pytest.fixture
def admin(session: Session) -> Account:
    made = signing.sign_up(session, name="boss", password="seven ships sail")
    session.get_one(User, made.id).role = "admin"
    session.commit()
    return Account(made.id, "boss", "admin")
