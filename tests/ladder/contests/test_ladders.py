from dataclasses import replace

import pytest
from sqlalchemy.orm import Session

from ladder.contests import ladders
from ladder.contests.ladders import LadderSettings
from ladder.errors import Forbidden, Invalid, NotFound
from ladder.people import signing
from ladder.people.accounts import Account, audit_records
from referee.clock import Clock


def test_a_change_is_written_down(session: Session) -> None:
    admin = signing.sign_up(session, name="boss", password="seven ships sail")
    admin = replace(admin, role="admin")
    changed = ladders.change(session, admin, 3, open=False, share=5, clock=Clock(bank=90.0))
    session.commit()
    assert changed == LadderSettings(
        3, open=False, share=5, one_owner=False, clock=Clock(bank=90.0)
    )
    assert ladders.every(session)[1] == changed
    (entry,) = audit_records(session)
    assert (entry.actor, entry.action, entry.subject) == ("boss", "ladder", "ladder 3")
    assert (
        entry.reason
        == "open → closed, share 1 → share 5, clock 10/60/0.5/10 s → clock 10/90/0.5/10 s"
    )


def test_a_ladder_is_for_hosted_bots_alone(session: Session) -> None:
    assert not ladders.is_hosted_only(session, 3)
    ladders.change(session, None, 3, hosted_only=True)
    assert ladders.is_hosted_only(session, 3)
    assert not ladders.is_hosted_only(session, 2)
    assert audit_records(session)[0].reason == "all bots → hosted bots only"


def test_what_changes_nothing_is_not_written_down(session: Session) -> None:
    ladders.change(session, None, 4, open=True, share=1)
    assert audit_records(session) == []


def test_only_admins_change_ladders(session: Session) -> None:
    with pytest.raises(Forbidden):
        ladders.change(session, Account(1, "ana", "organiser"), 2, share=3)


def test_what_cannot_be(session: Session) -> None:
    with pytest.raises(NotFound):
        ladders.change(session, None, 5, share=1)
    for share in (-1, ladders.MOST_SHARE + 1):
        with pytest.raises(Invalid, match="from 0 to 1000"):
            ladders.change(session, None, 2, share=share)
