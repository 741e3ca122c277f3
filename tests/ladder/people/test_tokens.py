from datetime import timedelta

import pytest
from sqlalchemy.orm import Session

from ladder.errors import Forbidden, Invalid, NotFound, NotSignedIn, Refused
from ladder.model import ApiToken, User
from ladder.people import tickets, tokens
from ladder.people.account import Account
from tests.ladder.people.people import pass_time, sign_up


def test_a_token_says_who_calls_and_what_it_may(session: Session) -> None:
    ana = sign_up(session)
    made = tokens.make(session, ana, name=" laptop ", scopes=["bots", "read"])
    session.commit()
    assert tokens.bearer(session, made.token) == tokens.Bearer(ana, ("read", "bots"))
    (row,) = tokens.listing(session, ana)
    assert (row.id, row.name, row.scopes) == (made.id, "laptop", ("read", "bots"))


def test_a_token_is_kept_as_a_hash(session: Session) -> None:
    made = tokens.make(session, sign_up(session), name="laptop", scopes=["read"])
    row = session.get(ApiToken, made.id)
    assert row is not None
    assert row.token_hash == tickets.digest(made.token)
    assert made.token not in repr(made)
    with pytest.raises(NotSignedIn):
        tokens.bearer(session, row.token_hash)


@pytest.mark.parametrize("token", ["", "santiago_", "x" * 10_000, "' OR 1=1 --", "\0", "\ud800"])
def test_another_word_is_no_token(session: Session, token: str) -> None:
    tokens.make(session, sign_up(session), name="laptop", scopes=["read"])
    with pytest.raises(NotSignedIn):
        tokens.bearer(session, token)


def test_a_revoked_token_is_no_token(session: Session) -> None:
    ana = sign_up(session)
    made = tokens.make(session, ana, name="laptop", scopes=["read"])
    tokens.revoke(session, ana, made.id)
    session.commit()
    assert tokens.listing(session, ana) == []
    with pytest.raises(NotSignedIn):
        tokens.bearer(session, made.token)
    with pytest.raises(NotFound):
        tokens.revoke(session, ana, made.id)


def test_anothers_token_can_neither_be_seen_nor_revoked(session: Session) -> None:
    ana, luz = sign_up(session), sign_up(session, "luz")
    made = tokens.make(session, ana, name="laptop", scopes=["read"])
    assert tokens.listing(session, luz) == []
    with pytest.raises(NotFound) as not_hers:
        tokens.revoke(session, luz, made.id)
    with pytest.raises(NotFound) as not_there:
        tokens.revoke(session, luz, made.id + 1)
    assert str(not_hers.value).replace(f" {made.id}", "") == str(not_there.value).replace(
        f" {made.id + 1}", ""
    )
    assert tokens.bearer(session, made.token).account == ana


@pytest.mark.parametrize(
    ("role", "most"),
    [("author", "bots"), ("organiser", "tournaments"), ("admin", "admin")],
)
def test_a_token_has_no_more_rights_than_its_user(session: Session, role: str, most: str) -> None:
    user = sign_up(session, role=role)
    end = tokens.SCOPES.index(most) + 1
    made = tokens.make(session, user, name="all", scopes=tokens.SCOPES[:end])
    assert tokens.bearer(session, made.token).scopes == tokens.SCOPES[:end]
    for beyond in tokens.SCOPES[end:]:
        with pytest.raises(Forbidden):
            tokens.make(session, user, name="more", scopes=["read", beyond])


def test_who_loses_a_role_loses_it_for_the_tokens_too(session: Session) -> None:
    user = sign_up(session, role="admin")
    made = tokens.make(session, user, name="all", scopes=tokens.SCOPES)
    row = session.get(User, user.id)
    assert row is not None
    row.role = "author"
    session.commit()
    called = tokens.bearer(session, made.token)
    assert called == tokens.Bearer(Account(user.id, "ana", "author"), ("read", "bots"))


@pytest.mark.parametrize("name", ["", " ", "x" * 61, "a\0b", "a\nb", "\ud800"])
def test_the_name_is_checked(session: Session, name: str) -> None:
    with pytest.raises(Invalid) as refused:
        tokens.make(session, sign_up(session), name=name, scopes=["read"])
    assert refused.value.field == "name"


@pytest.mark.parametrize("scopes", [[], ["all"], ["read", "x" * 1000]])
def test_the_scopes_are_checked(session: Session, scopes: list[str]) -> None:
    with pytest.raises(Invalid) as refused:
        tokens.make(session, sign_up(session), name="laptop", scopes=scopes)
    assert refused.value.field == "scopes"


def test_a_user_has_not_too_many(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MOST", 2)
    ana, luz = sign_up(session), sign_up(session, "luz")
    first, _ = (tokens.make(session, ana, name="laptop", scopes=["read"]) for _ in range(2))
    with pytest.raises(Refused, match="revoke"):
        tokens.make(session, ana, name="laptop", scopes=["read"])
    tokens.make(session, luz, name="laptop", scopes=["read"])
    tokens.revoke(session, ana, first.id)
    tokens.make(session, ana, name="laptop", scopes=["read"])


def test_the_last_use_is_noted_once_a_minute(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana = sign_up(session)
    token = tokens.make(session, ana, name="laptop", scopes=["read"]).token

    def used() -> object:
        tokens.bearer(session, token)
        session.commit()
        return tokens.listing(session, ana)[0].last_used_at

    assert tokens.listing(session, ana)[0].last_used_at is None
    first = used()
    assert first is not None
    pass_time(monkeypatch, timedelta(seconds=30), "tokens")
    assert used() == first
    pass_time(monkeypatch, timedelta(seconds=90), "tokens")
    assert used() != first
