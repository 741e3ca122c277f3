import pytest
from sqlalchemy.orm import Session

from ladder.bots import availability, own, reach, versions
from ladder.errors import Forbidden, Invalid, NotFound, Refused
from ladder.model import Bot, BotState, Version, VersionState, now
from ladder.operating import bot_control
from ladder.people import notices
from ladder.people.accounts import Account, audit_records
from tests.ladder.databases import on_sqlite
from tests.ladder.league import register_bots


def test_pausing_and_resuming_anybodys_bot(session: Session, admin: Account) -> None:
    register_bots(session, 2)
    session.commit()
    assert bot_control.away(session) == ()
    bot_control.pause(session, admin, 1, "it floods the log")
    session.commit()
    (away,) = bot_control.away(session)
    assert (away.id, away.state, away.reason) == (
        1,
        "paused",
        "An admin paused it: it floods the log",
    )
    with pytest.raises(Refused, match="already paused"):
        bot_control.pause(session, admin, 1, "again")
    session.rollback()
    bot_control.resume(session, admin, 1, "mended")
    session.commit()
    assert bot_control.away(session) == ()
    with pytest.raises(Refused, match="already active"):
        bot_control.resume(session, admin, 1, "again")
    session.rollback()
    author = session.get_one(Bot, 1).user
    told = notices.list_notices(session, Account(author.id, author.name, author.role))
    assert [(notice.tone, notice.sentence) for notice in told] == [
        ("good", "An admin resumed ada: mended"),
        ("bad", "ada was paused. An admin paused it: it floods the log"),
    ]
    assert [entry.action for entry in audit_records(session)] == ["resume", "pause"]


@on_sqlite
def test_a_reason_is_not_too_long(session: Session, admin: Account) -> None:
    register_bots(session, 1)
    session.commit()
    with pytest.raises(Invalid, match="at most 500 characters"):
        bot_control.pause(session, admin, 1, "x" * 501)
    bot_control.pause(session, admin, 1, "x" * 500)


def test_only_an_admin_resumes_a_bot_that_is_barred(session: Session, admin: Account) -> None:
    register_bots(session, 2)
    session.commit()
    owner = session.get_one(Bot, 1).user
    author = Account(owner.id, owner.name, owner.role)
    availability.pause(session, author, 1)
    bot_control.bar(session, admin, 1, "it floods the log")
    session.commit()
    why = "An admin paused it, and only an admin can resume it: it floods the log"
    (away,) = bot_control.away(session)
    assert (away.id, away.state, away.reason, away.barred) == (1, "paused", why, True)
    assert (own.bot(session, author, 1).pause_reason, own.bot(session, author, 1).barred) == (
        *(why, True),
    )
    assert notices.list_notices(session, author)[0].sentence == f"ada was paused. {why}"
    for deed in (availability.resume, availability.pause):
        with pytest.raises(Refused, match="only an admin can resume it"):
            deed(session, author, 1)
        session.rollback()
    with pytest.raises(Refused, match="already"):
        bot_control.bar(session, admin, 1, "again")
    session.rollback()
    bot_control.resume(session, admin, 1, "mended")
    session.commit()
    assert not bot_control.bot(session, 1).barred
    availability.pause(session, author, 1)
    availability.resume(session, author, 1)
    assert [entry.action for entry in audit_records(session)] == ["resume", "bar"]


def test_a_new_version_does_not_resume_a_bot_that_is_barred(
    session: Session, admin: Account
) -> None:
    register_bots(session, 1)
    bot_control.bar(session, admin, 1, "it floods the log")
    new = Version(
        bot_id=1, name="2", address="127.0.0.1:5000", state="trial", created_at=now(session)
    )
    session.add(new)
    session.flush()
    versions.take_over(session, new.id)
    session.commit()
    assert session.get_one(Bot, 1).state == "paused"
    owner = session.get_one(Bot, 1).user
    told = notices.list_notices(session, Account(owner.id, owner.name, owner.role))[0].sentence
    assert told == "Version 2 of ada is accepted; it will play once an admin resumes the bot."


def test_a_bot_out_of_reach_is_listed_and_can_be_called_back(
    session: Session, admin: Account
) -> None:
    register_bots(session, 2)
    session.commit()
    reach.missed(session, 2, "nobody answers")
    session.commit()
    (away,) = bot_control.away(session)
    assert (away.id, away.state) == (2, "active")
    assert away.offline_since is not None
    bot_control.resume(session, admin, 2, "it is back")
    assert bot_control.away(session) == ()


def test_a_bot_that_is_not_on_the_ladder_yet_is_not_away(session: Session) -> None:
    register_bots(session, 2)
    session.commit()
    reach.missed(session, 2, "it has not joined")
    session.get_one(Version, 2).state = VersionState.SUBMITTED
    session.commit()
    assert bot_control.away(session) == ()


def test_who_may_not_and_what_is_not_there(session: Session, admin: Account) -> None:
    register_bots(session, 2)
    session.commit()
    with pytest.raises(Forbidden):
        bot_control.pause(session, Account(admin.id, "boss", "organiser"), 1, "mine")
    with pytest.raises(NotFound):
        bot_control.pause(session, admin, 77, "who")
    with pytest.raises(NotFound):
        bot_control.bot(session, 77)
    session.rollback()
    session.get_one(Bot, 1).state = BotState.RETIRED
    session.commit()
    with pytest.raises(Refused, match="retired and can't come back"):
        bot_control.resume(session, admin, 1, "come back")


def test_versions_in_validation(session: Session) -> None:
    register_bots(session, 2)
    session.commit()
    assert bot_control.validation(session) == ()
    version = session.get_one(Version, 2)
    version.state = VersionState.TRIAL
    session.commit()
    (found,) = bot_control.validation(session)
    assert (found.bot, found.version, found.state) == ("bela", "1", "trial")
