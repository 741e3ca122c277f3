import pytest
from sqlalchemy.orm import Session

from ladder.bots import availability, profiles, submitting
from ladder.errors import Invalid, NotFound, NotSignedIn, Refused
from ladder.matches import reading
from ladder.model import Bot, NoticeTone, User
from ladder.people import notices, roles, signing, tickets
from ladder.people.accounts import Account
from ladder.people.notices import notify
from tests.ladder.league import finished, first_match, ranked
from tests.ladder.people.people import PASSWORD, sign_in, sign_up


def author(session: Session) -> Account:
    """The author of the league's bots, who has signed up; committed."""
    user = roles.named(session, "compay")
    tickets.use_reset_link(
        session, tickets.make_reset_link(session, None, user.id).ticket, PASSWORD
    )
    session.commit()
    return user


def leave(session: Session, account: Account) -> None:
    availability.leave(session, account, password=PASSWORD)
    session.commit()


def test_the_name_goes_and_all_that_proves_it(session: Session) -> None:
    ana = sign_up(session)
    secret = sign_in(session)
    token = tickets.make_token(session, ana, name="laptop", scopes=["read"]).token
    link = tickets.make_reset_link(session, None, ana.id).ticket
    notify(session, ana.id, NoticeTone.NEUTRAL, "Hello.")
    session.commit()
    leave(session, ana)
    assert signing.find_signed_in(session, secret) is None
    with pytest.raises(NotSignedIn):
        tickets.bearer(session, token)
    with pytest.raises(NotSignedIn):
        signing.sign_in(session, name="ana", password=PASSWORD)
    with pytest.raises(NotSignedIn):
        signing.sign_in(session, name=f"deleted-{ana.id}", password=PASSWORD)
    with pytest.raises(NotFound):
        tickets.use_reset_link(session, link, PASSWORD)
    assert notices.list_notices(session, ana) == []
    assert roles.list_people(session) == []
    assert session.get_one(User, ana.id).name == f"deleted-{ana.id}"


def test_the_name_is_free_for_another_account(session: Session) -> None:
    ana = sign_up(session)
    leave(session, ana)
    assert sign_up(session).id != ana.id


def test_the_games_stay_and_the_bots_retire(session: Session) -> None:
    match_id = first_match(session)
    finished(session, match_id, ranked(1, 2))
    compay = author(session)
    before = profiles.profile(session, 1)
    leave(session, compay)
    row = reading.match(session, match_id)
    assert row.state == "finished"
    assert {seat.author for seat in row.seats} == {f"deleted-{compay.id}"}
    for seat in row.seats:
        assert session.get_one(Bot, seat.bot_id).state == "retired"
    after = profiles.profile(session, 1)
    assert before.ratings
    assert after.ratings == before.ratings
    assert after.author == f"deleted-{compay.id}"


def test_who_left_a_moment_ago_submits_nothing(session: Session) -> None:
    """As a browser whose request was under way."""
    ana = sign_up(session)
    leave(session, ana)
    with pytest.raises(NotFound, match="no user ana"):
        submitting.submit(session, ana, name="zorro", version="1", address=None)


def test_it_needs_the_password(session: Session) -> None:
    ana = sign_up(session)
    with pytest.raises(Invalid) as refused:
        availability.leave(session, ana, password="wrong")
    session.rollback()
    assert refused.value.field == "password"
    assert sign_in(session)


def test_the_last_admin_cannot_leave(session: Session) -> None:
    boss = sign_up(session, "boss", "admin")
    with pytest.raises(Refused, match="last admin"):
        availability.leave(session, boss, password=PASSWORD)
    session.rollback()
    sign_up(session, "luz", "admin")
    leave(session, boss)
