import pytest
from sqlalchemy.orm import Session

from ladder import accounts
from ladder.accounts import Account
from ladder.database.models import User


@pytest.fixture
def admin(session: Session) -> Account:
    made = accounts.sign_up(session, name="boss", password="seven ships sail")
    session.get_one(User, made.id).role = "admin"
    session.commit()
    return Account(made.id, "boss", "admin")
