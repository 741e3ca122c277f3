"""Bots at the gateway, by the database."""

import pytest
from sqlalchemy import create_engine, select
from sqlalchemy.orm import Session, sessionmaker

from ladder.bots import availability, profiles, submitting
from ladder.bots.gateway import Guests
from ladder.bots.submitting import Submission
from ladder.model import Joined, now
from ladder.people.accounts import Account
from referee.errors import InvalidSetting
from tests.ladder.bots.authors import active, author, checked, playing


def behind_gateway(session: Session, account: Account) -> Submission:
    made = submitting.submit(session, account, name="zorro", version="1", address=None)
    session.commit()
    return made


def joined(session: Session) -> set[str]:
    """The versions of all bots that are in."""
    found = set(session.scalars(select(Joined.version)))
    session.commit()
    return found


def test_a_token_names_its_bot(session: Session, sessions: sessionmaker[Session]) -> None:
    ana = author(session)
    made = behind_gateway(session, ana)
    guests = Guests(sessions)
    assert made.gateway_token is not None
    assert guests.name_of(made.gateway_token) == str(made.bot_id)
    assert guests.name_of("") is None
    assert guests.name_of("' OR 1=1 --") is None
    token = submitting.renew_token(session, ana, made.bot_id)
    session.commit()
    assert guests.name_of(made.gateway_token) is None
    assert guests.name_of(token) == str(made.bot_id)
    availability.retire(session, ana, made.bot_id)
    session.commit()
    assert guests.name_of(token) is None


def test_slots_and_version_are_kept(session: Session, sessions: sessionmaker[Session]) -> None:
    made = behind_gateway(session, author(session))
    guests = Guests(sessions)
    guests.watch(str(made.bot_id), 7, "1")
    version = playing(session, made.bot_id)
    assert (version.slots, joined(session), version.offline_since) == (7, {"1"}, None)
    guests.watch(str(made.bot_id), 256, "")  # it states none, which is version 1
    assert playing(session, made.bot_id).slots == 64
    guests.watch(str(made.bot_id), 0, "")
    assert playing(session, made.bot_id).offline_since is not None
    assert joined(session) == set()
    guests.watch("99", 3, "1")


def test_a_new_version_brings_its_slots_when_it_takes_over(
    session: Session, sessions: sessionmaker[Session]
) -> None:
    """Whether it is dialled, or has dialled in while another version was."""
    ana = author(session)
    first = active(session, ana)
    assert playing(session, first.bot_id).slots == 2
    near = submitting.submit(
        session, ana, name="zorro", version="2", address="bot.example:443", slots=8
    )
    session.commit()
    assert playing(session, first.bot_id).slots == 2
    checked(session, near.version_id)
    assert playing(session, first.bot_id).slots == 8
    far = submitting.submit(session, ana, name="zorro", version="3", address=None)
    session.commit()
    Guests(sessions).watch(str(first.bot_id), 5, "3")
    assert playing(session, first.bot_id).slots == 8
    checked(session, far.version_id)
    assert playing(session, first.bot_id).slots == 5


def test_what_a_stranger_tells_is_cut_and_fit_to_be_kept(
    session: Session, sessions: sessionmaker[Session]
) -> None:
    made = behind_gateway(session, author(session))
    Guests(sessions).watch(str(made.bot_id), 2, "1\x00\n" + "9" * 10_000)
    assert joined(session) == {"1??" + "9" * 97}


def test_a_gateway_that_starts_has_nobody_in(
    session: Session, sessions: sessionmaker[Session]
) -> None:
    made = behind_gateway(session, author(session))
    guests = Guests(sessions)
    guests.watch(str(made.bot_id), 2, "1")
    checked(session, made.version_id)
    near = active(session, author(session, "luz"))
    guests.begin()
    assert playing(session, made.bot_id).offline_since is not None
    assert joined(session) == set()
    assert playing(session, near.bot_id).offline_since is None


def test_a_bot_that_plays_at_an_address_may_come_and_go(
    session: Session, sessions: sessionmaker[Session]
) -> None:
    ana = author(session)
    made = active(session, ana)
    second = submitting.submit(session, ana, name="zorro", version="2", address=None)
    session.commit()
    guests = Guests(sessions)
    guests.watch(str(made.bot_id), 9, "2")
    version = playing(session, made.bot_id)
    assert (version.slots, version.offline_since, joined(session)) == (2, None, {"2"})
    guests.watch(str(made.bot_id), 0, "2")
    assert playing(session, made.bot_id).offline_since is None
    guests.watch(str(made.bot_id), 9, "2")
    checked(session, second.version_id)
    assert profiles.profile(session, made.bot_id).version == "2"


def test_a_version_that_joins_in_the_moment_of_its_submission_is_there(session: Session) -> None:
    """The gateway does not see the version yet, and the submission not the line."""
    made = behind_gateway(session, author(session))
    line = Joined(bot_id=made.bot_id, version="1", slots=5, joined_at=now(session))
    session.add(line)
    session.commit()
    assert playing(session, made.bot_id).offline_since is not None
    checked(session, made.version_id)
    version = playing(session, made.bot_id)
    assert (version.state, version.slots, version.offline_since) == ("active", 5, None)


def test_a_version_that_dials_in_is_checked(
    session: Session, sessions: sessionmaker[Session]
) -> None:
    made = behind_gateway(session, author(session))
    Guests(sessions).watch(str(made.bot_id), 2, "1")
    checked(session, made.version_id)
    assert profiles.profile(session, made.bot_id).version == "1"


def test_a_database_out_of_reach() -> None:
    guests = Guests(sessionmaker(create_engine("sqlite:////nowhere/at/all.db")))
    with pytest.raises(InvalidSetting, match="does not answer: unable to open database file"):
        guests.name_of("a token")
    with pytest.raises(InvalidSetting):
        guests.watch("1", 1, "1")
