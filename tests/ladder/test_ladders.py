import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder import ladders
from ladder.accounts import Account
from ladder.database.models import AuditEntry
from ladder.errors import Forbidden, Invalid, NotFound


def test_a_change_is_written_down(session: Session) -> None:
    changed = ladders.change(session, None, 4, share=3)
    session.commit()
    assert ladders.every(session)[2] == changed
    (entry,) = session.scalars(select(AuditEntry))
    assert entry.subject == "ladder of 4"
    assert "share 3" in entry.action


def test_only_admins_change_ladders(session: Session) -> None:
    with pytest.raises(Forbidden):
        ladders.change(session, Account(1, "ana", "organiser"), 2, share=3)


def test_what_cannot_be(session: Session) -> None:
    with pytest.raises(NotFound):
        ladders.change(session, None, 5, share=1)
    with pytest.raises(Invalid):
        ladders.change(session, None, 2, share=-1)
