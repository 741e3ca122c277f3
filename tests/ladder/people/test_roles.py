import pytest
from sqlalchemy.orm import Session

from ladder.errors import Forbidden, Invalid, NotFound, Refused
from ladder.model import User, now
from ladder.people import notices, roles
from ladder.people.accounts import HOUSE, Account, audit_records
from tests.ladder.people.people import PASSWORD, sign_in, sign_up


def test_an_admin_gives_a_role_and_it_is_audited(session: Session) -> None:
    boss, ana = sign_up(session, "boss", "admin"), sign_up(session)
    given = roles.give_role(session, boss, ana.id, "organiser")
    assert given == Account(ana.id, "ana", "organiser")
    assert given.may_organise
    assert not given.is_admin
    (entry,) = audit_records(session)
    assert (entry.actor, entry.action, entry.subject, entry.reason) == (
        "boss",
        "role",
        f"user {ana.id}",
        "author → organiser",
    )
    (told,) = notices.list_notices(session, ana)
    assert told.sentence == "Your role is now organiser; it was author."


def test_the_role_that_one_has_changes_nothing(session: Session) -> None:
    ana = sign_up(session)
    roles.give_role(session, None, ana.id, "author")
    assert audit_records(session) == []


@pytest.mark.parametrize("role", ["author", "organiser"])
def test_nobody_else_gives_roles(session: Session, role: str) -> None:
    luz = sign_up(session, "luz", role)
    with pytest.raises(Forbidden):
        roles.give_role(session, luz, luz.id, "admin")


@pytest.mark.parametrize("role", ["", "king", "admin' --", "x" * 10_000])
def test_there_is_no_other_role(session: Session, role: str) -> None:
    with pytest.raises(Invalid):
        roles.give_role(session, None, sign_up(session).id, role)


def test_the_last_admin_stays_one(session: Session) -> None:
    boss = roles.create_admin(session, name="boss", password=PASSWORD)
    session.add(User(name="compay", role="admin", created_at=now(session)))  # can't sign in
    session.flush()
    with pytest.raises(Refused, match="last admin"):
        roles.give_role(session, boss, boss.id, "author")
    roles.give_role(session, boss, boss.id, "admin")
    luz = sign_up(session, "luz")
    roles.give_role(session, boss, luz.id, "admin")
    assert roles.give_role(session, boss, boss.id, "author").role == "author"


def test_the_house_bots_user_and_nobody_get_none(session: Session) -> None:
    house = User(name=HOUSE, created_at=now(session))
    session.add(house)
    session.flush()
    with pytest.raises(Refused):
        roles.give_role(session, None, house.id, "admin")
    with pytest.raises(NotFound):
        roles.give_role(session, None, house.id + 1, "admin")


def test_the_first_admin_is_made_by_the_operator(session: Session) -> None:
    made = roles.create_admin(session, name="boss", password=PASSWORD)
    session.commit()
    assert made.is_admin
    assert sign_in(session, "boss")
    (entry,) = audit_records(session)
    assert entry.actor is None


def test_users_are_listed_newest_first_and_found_by_a_part_of_the_name(session: Session) -> None:
    for name in ("ana", "luz_1", "luz-2"):
        sign_up(session, name)
    session.add(User(name="Luz del Sol", created_at=now(session)))
    session.add(User(name="deleted-9", created_at=now(session), deleted_at=now(session)))
    session.commit()

    def names(part: str = "", before: int | None = None) -> list[str]:
        return [row.name for row in roles.list_people(session, part=part, before=before, limit=3)]

    assert names() == ["Luz del Sol", "luz-2", "luz_1"]
    assert names(before=roles.named(session, "luz_1").id) == ["ana"]
    assert names(" LUZ ") == ["Luz del Sol", "luz-2", "luz_1"]
    assert names("z_") == ["luz_1"]
    assert names("%") == names("' OR 1=1 --") == names("\0") == names("\ud800") == []
    assert [row.can_sign_in for row in roles.list_people(session, part="luz")] == [
        False,
        True,
        True,
    ]


def test_who_is_gone_is_not_found_by_name(session: Session) -> None:
    session.add(User(name="deleted-9", created_at=now(session), deleted_at=now(session)))
    session.flush()
    for name in ("deleted-9", "nobody"):
        with pytest.raises(NotFound):
            roles.named(session, name)
