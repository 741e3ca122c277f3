"""Many at the same instant, on both databases."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session, sessionmaker

from ladder.errors import Invalid, LadderError, NotFound, NotSignedIn, Refused
from ladder.model import User
from ladder.people import roles, signing, tickets
from tests.ladder.bots.test_deadlocks import meanwhile
from tests.ladder.databases import on_postgresql
from tests.ladder.people.people import PASSWORD, sign_in, sign_up

MANY = 4


def at_once(
    sessions: sessionmaker[Session], *deeds: Callable[[Session], object]
) -> list[LadderError | None]:
    """Each deed in a thread and transaction of its own; how each ended."""
    start = Barrier(len(deeds))

    def run(deed: Callable[[Session], object]) -> LadderError | None:
        try:
            with sessions() as session:
                start.wait()
                deed(session)
                session.commit()
        except LadderError as error:
            return error
        return None

    with ThreadPoolExecutor(len(deeds)) as pool:
        return list(pool.map(run, deeds))


def refusals(ended: list[LadderError | None], kind: type[LadderError]) -> int:
    """How many were refused, all in this way; the others went well."""
    refused = [error for error in ended if error is not None]
    assert {type(error) for error in refused} <= {kind}
    return len(refused)


def test_one_gets_the_name(sessions: sessionmaker[Session]) -> None:
    def join(session: Session) -> None:
        signing.sign_up(session, name="ana", password=PASSWORD)

    assert refusals(at_once(sessions, *[join] * MANY), Invalid) == MANY - 1


def test_one_uses_the_reset_link(sessions: sessionmaker[Session], session: Session) -> None:
    ticket = tickets.make_reset_link(session, None, sign_up(session).id).ticket
    session.commit()

    def using(number: int) -> Callable[[Session], None]:
        return lambda session: tickets.use_reset_link(session, ticket, f"harbour number {number}")

    ended = at_once(sessions, *map(using, range(MANY)))
    assert refusals(ended, NotFound) == MANY - 1
    assert sign_in(session, "ana", f"harbour number {ended.index(None)}")


def test_of_admins_who_take_the_role_from_one_another_one_stays(
    sessions: sessionmaker[Session], session: Session
) -> None:
    admins = [sign_up(session, f"boss{number}", "admin") for number in range(MANY)]

    def demoting(number: int) -> Callable[[Session], object]:
        actor, other = admins[number], admins[(number + 1) % MANY]
        return lambda session: roles.give_role(session, actor, other.id, "author")

    assert refusals(at_once(sessions, *map(demoting, range(MANY))), Refused) == 1
    left = select(func.count()).select_from(User).where(User.role == "admin")
    assert session.scalar(left) == 1


def test_who_signs_in_while_the_password_changes_is_not_left_inside(
    sessions: sessionmaker[Session], session: Session
) -> None:
    ana = sign_up(session)

    def change(session: Session) -> None:
        signing.change_password(session, ana, old=PASSWORD, new="another harbour")

    inside: list[str] = []

    def enter(session: Session) -> None:
        inside.append(signing.sign_in(session, name="ana", password=PASSWORD).secret)

    refusals(at_once(sessions, change, *[enter] * MANY), NotSignedIn)
    assert [signing.find_signed_in(session, secret) for secret in inside] == [None] * len(inside)


@on_postgresql
@pytest.mark.parametrize("column", ["last_used_at", "revoked_at"])
def test_a_token_is_deleted_while_it_is_used_or_revoked(
    column: str, sessions: sessionmaker[Session], session: Session
) -> None:
    ana = sign_up(session)
    old = tickets.make_token(session, ana, name="old", scopes=["read"])
    session.commit()

    def replace(other: Session) -> None:
        tickets.revoke_token(other, ana, old.id)
        tickets.make_token(other, ana, name="new", scopes=["read"])

    with meanwhile(sessions, "before", f"UPDATE api_tokens SET {column}", replace):
        if column == "last_used_at":
            assert tickets.bearer(session, old.token).account.id == ana.id
        else:
            with pytest.raises(NotFound):
                tickets.revoke_token(session, ana, old.id)
        session.commit()
    assert [token.name for token in tickets.list_tokens(session, ana)] == ["new"]
