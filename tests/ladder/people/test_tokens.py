from datetime import timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.errors import Forbidden, Invalid, NotFound, NotSignedIn, Refused
from ladder.model import ApiToken, User, now
from ladder.people import signing, tickets
from ladder.people.accounts import Account
from ladder.people.notices import list_notices
from ladder.people.tickets import NewToken
from tests.ladder.databases import on_sqlite
from tests.ladder.people.people import PASSWORD, pass_time, sign_up

NEW = "another harbour"


def test_a_token_says_who_calls_and_what_it_may(session: Session) -> None:
    ana = sign_up(session)
    made = tickets.make_token(session, ana, name=" laptop ", scopes=["bots", "read"])
    session.commit()
    assert tickets.bearer(session, made.token) == tickets.Bearer(ana, ("read", "bots"))
    (row,) = tickets.list_tokens(session, ana)
    assert (row.id, row.name, row.scopes) == (made.id, "laptop", ("read", "bots"))


def test_a_token_is_kept_as_a_hash(session: Session) -> None:
    made = tickets.make_token(session, sign_up(session), name="laptop", scopes=["read"])
    row = session.get(ApiToken, made.id)
    assert row is not None
    assert row.token_hash == tickets.digest(made.token)
    assert made.token not in repr(made)
    with pytest.raises(NotSignedIn):
        tickets.bearer(session, row.token_hash)


def make(session: Session, ana: Account, *, name: str = "laptop", days: int = 30) -> NewToken:
    """A token as its user makes it; committed."""
    made = signing.make_token(
        session, ana, password=PASSWORD, name=name, scopes=["read"], days=days
    )
    session.commit()
    return made


def test_a_token_is_made_with_the_password_alone(session: Session) -> None:
    ana = sign_up(session)
    with pytest.raises(Invalid) as refused:
        signing.make_token(session, ana, password="wrong", name="x", scopes=["read"], days=30)
    session.rollback()
    assert refused.value.field == "password"
    assert tickets.list_tokens(session, ana) == []


@on_sqlite
def test_tokens_that_are_over_do_not_pile_up(session: Session) -> None:
    ana, luz = sign_up(session), sign_up(session, "luz")
    made = [tickets.make_token(session, user, name="x", scopes=["read"]) for user in (ana, ana)]
    other = tickets.make_token(session, luz, name="x", scopes=["read"])
    tickets.revoke_token(session, ana, made[0].id)
    tickets.revoke_token(session, luz, other.id)
    session.get_one(ApiToken, made[1].id).expires_at = now(session)
    lasting = tickets.make_token(session, ana, name="x", scopes=["read"])
    assert set(session.scalars(select(ApiToken.id))) == {other.id, lasting.id}


def test_each_new_token_sends_a_notice(session: Session) -> None:
    ana = sign_up(session)
    make(session, ana, name=" lab machine ")
    (notice,) = list_notices(session, ana)
    assert notice.sentence.startswith("A new API token was created: lab machine.")


@on_sqlite
@pytest.mark.parametrize("days", tickets.TOKEN_DAYS)
def test_a_token_ends_by_itself(
    session: Session, monkeypatch: pytest.MonkeyPatch, days: int
) -> None:
    ana = sign_up(session)
    made = make(session, ana, days=days)
    (row,) = tickets.list_tokens(session, ana)
    assert row.expires_at == row.created_at + timedelta(days=days)
    pass_time(monkeypatch, timedelta(days=days, minutes=-1), "tickets")
    assert tickets.bearer(session, made.token).account == ana
    session.commit()
    pass_time(monkeypatch, timedelta(days=days), "tickets")
    with pytest.raises(NotSignedIn, match="expired"):
        tickets.bearer(session, made.token)
    assert tickets.list_tokens(session, ana) == []


@pytest.mark.parametrize("days", [0, 1, 366, -30])
def test_a_token_lasts_no_other_time(session: Session, days: int) -> None:
    with pytest.raises(Invalid) as refused:
        make(session, sign_up(session), days=days)
    assert refused.value.field == "days"


def test_a_token_from_before_tokens_had_an_end_has_none(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana = sign_up(session)
    made = make(session, ana)
    session.get_one(ApiToken, made.id).expires_at = None
    session.commit()
    pass_time(monkeypatch, timedelta(days=9999), "tickets")
    assert tickets.bearer(session, made.token).account == ana


@on_sqlite
@pytest.mark.parametrize("end_tokens", [False, True])
def test_a_change_of_password_ends_tokens_if_their_user_wants(
    session: Session, end_tokens: bool
) -> None:
    ana, luz = sign_up(session), sign_up(session, "luz")
    mine, hers = make(session, ana), make(session, luz)
    signing.change_password(session, ana, old=PASSWORD, new=NEW, end_tokens=end_tokens)
    assert bool(tickets.list_tokens(session, ana)) is not end_tokens
    ticket = tickets.make_reset_link(session, None, luz.id).ticket
    tickets.use_reset_link(session, ticket, NEW, end_tokens=end_tokens)
    assert bool(tickets.list_tokens(session, luz)) is not end_tokens
    for made in (mine, hers):
        if end_tokens:
            with pytest.raises(NotSignedIn):
                tickets.bearer(session, made.token)


@on_sqlite
@pytest.mark.parametrize("token", ["", "santiago_", "x" * 10_000, "' OR 1=1 --", "\0", "\ud800"])
def test_another_word_is_no_token(session: Session, token: str) -> None:
    tickets.make_token(session, sign_up(session), name="laptop", scopes=["read"])
    with pytest.raises(NotSignedIn):
        tickets.bearer(session, token)


def test_a_revoked_token_is_no_token(session: Session) -> None:
    ana = sign_up(session)
    made = tickets.make_token(session, ana, name="laptop", scopes=["read"])
    tickets.revoke_token(session, ana, made.id)
    session.commit()
    assert tickets.list_tokens(session, ana) == []
    with pytest.raises(NotSignedIn):
        tickets.bearer(session, made.token)
    with pytest.raises(NotFound):
        tickets.revoke_token(session, ana, made.id)


def test_anothers_token_can_neither_be_seen_nor_revoked(session: Session) -> None:
    ana, luz = sign_up(session), sign_up(session, "luz")
    made = tickets.make_token(session, ana, name="laptop", scopes=["read"])
    assert tickets.list_tokens(session, luz) == []
    with pytest.raises(NotFound) as not_hers:
        tickets.revoke_token(session, luz, made.id)
    with pytest.raises(NotFound) as not_there:
        tickets.revoke_token(session, luz, made.id + 1)
    assert str(not_hers.value).replace(f" {made.id}", "") == str(not_there.value).replace(
        f" {made.id + 1}", ""
    )
    assert tickets.bearer(session, made.token).account == ana


@pytest.mark.parametrize(
    ("role", "most"), [("author", "bots"), ("organiser", "tournaments"), ("admin", "admin")]
)
def test_a_token_has_no_more_rights_than_its_user(session: Session, role: str, most: str) -> None:
    user = sign_up(session, role=role)
    end = tickets.SCOPES.index(most) + 1
    made = tickets.make_token(session, user, name="all", scopes=tickets.SCOPES[:end])
    assert tickets.bearer(session, made.token).scopes == tickets.SCOPES[:end]
    for beyond in tickets.SCOPES[end:]:
        with pytest.raises(Forbidden):
            tickets.make_token(session, user, name="more", scopes=["read", beyond])


def test_who_loses_a_role_loses_it_for_the_tokens_too(session: Session) -> None:
    user = sign_up(session, role="admin")
    made = tickets.make_token(session, user, name="all", scopes=tickets.SCOPES)
    row = session.get(User, user.id)
    assert row is not None
    row.role = "author"
    session.commit()
    called = tickets.bearer(session, made.token)
    assert called == tickets.Bearer(Account(user.id, "ana", "author"), ("read", "bots"))


@pytest.mark.parametrize("name", ["", " ", "x" * 61, "a\0b", "a\nb", "\ud800"])
def test_the_name_is_checked(session: Session, name: str) -> None:
    with pytest.raises(Invalid) as refused:
        tickets.make_token(session, sign_up(session), name=name, scopes=["read"])
    assert refused.value.field == "name"


@pytest.mark.parametrize("scopes", [[], ["all"], ["read", "x" * 1000]])
def test_the_scopes_are_checked(session: Session, scopes: list[str]) -> None:
    with pytest.raises(Invalid) as refused:
        tickets.make_token(session, sign_up(session), name="laptop", scopes=scopes)
    assert refused.value.field == "scopes"


def test_a_user_has_not_too_many(session: Session) -> None:
    ana, luz = sign_up(session), sign_up(session, "luz")
    first, *_ = (
        tickets.make_token(session, ana, name="laptop", scopes=["read"]) for _ in range(20)
    )
    with pytest.raises(Refused, match="already have 20 tokens: revoke one"):
        tickets.make_token(session, ana, name="laptop", scopes=["read"])
    tickets.make_token(session, luz, name="laptop", scopes=["read"])
    tickets.revoke_token(session, ana, first.id)
    tickets.make_token(session, ana, name="laptop", scopes=["read"])


def test_the_last_use_is_noted_once_a_minute(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana = sign_up(session)
    token = tickets.make_token(session, ana, name="laptop", scopes=["read"]).token

    def used() -> object:
        tickets.bearer(session, token)
        session.commit()
        return tickets.list_tokens(session, ana)[0].last_used_at

    assert tickets.list_tokens(session, ana)[0].last_used_at is None
    first = used()
    assert first is not None
    pass_time(monkeypatch, timedelta(seconds=30), "tickets")
    assert used() == first
    pass_time(monkeypatch, timedelta(seconds=90), "tickets")
    assert used() != first
