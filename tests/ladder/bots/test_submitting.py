"""What may be submitted, by whom, and what is kept of it."""

from typing import Any

import pytest
from sqlalchemy.orm import Session

from ladder.bots import availability, submitting
from ladder.config import ALLOW_PRIVATE
from ladder.errors import Invalid, NotFound, Refused
from ladder.model import Version
from ladder.secrets import SecretBox
from referee.gateway.credentials import token_hash
from tests.ladder.bots.authors import (
    BAD,
    SECRET,
    active,
    author,
    bot_row,
    checked,
    state,
    submitted,
)
from tests.ladder.databases import on_sqlite


def given(**others: Any) -> dict[str, Any]:
    return {
        "name": "zorro",
        "version": "1",
        "address": "bot.example:443",
        "secret": SECRET,
        **others,
    }


def test_a_bot_with_an_address(session: Session) -> None:
    made = submitted(session, author(session))
    version = session.get_one(Version, made.version_id)
    assert (made.state, made.gateway_token) == ("submitted", None)
    assert (version.name, version.address, version.state) == ("1", "bot.example:443", "submitted")
    assert version.secret is not None
    assert SECRET.encode() not in version.secret
    assert SecretBox.from_environment().open(version.secret) == SECRET


def test_a_bot_behind_the_gateway(session: Session) -> None:
    made = submitting.submit(session, author(session), **given(address=None, secret=None))
    bot = bot_row(session, made.bot_id)
    assert made.gateway_token is not None
    assert made.gateway_token not in repr(made)
    assert bot.gateway_token_hash == token_hash(made.gateway_token)
    assert bot.versions[0].address == f"gateway:{bot.id}/1"
    assert bot.versions[0].offline_since is not None


def test_a_new_token_makes_the_old_one_void(session: Session) -> None:
    ana = author(session)
    made = submitting.submit(session, ana, **given(address=None, secret=None))
    token = submitting.renew_token(session, ana, made.bot_id)
    session.commit()
    assert token != made.gateway_token
    assert bot_row(session, made.bot_id).gateway_token_hash == token_hash(token)


@on_sqlite
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("name", "  "),
        ("name", "z" * 41),
        ("name", "z" * 100_000),
        ("name", "<script>alert(1)</script>"),
        ("name", "zorro\n"[:5] + "\x00"),
        ("name", "z\u202eorro"),
        ("name", "-zorro"),
        ("version", ""),
        ("version", "1" * 41),
        ("version", "1; DROP TABLE bots"),
        ("language", "x" * 31),
        ("language", "<b>"),
        ("slots", 0),
        ("slots", 65),
        ("address", "unix:/tmp/bot"),
        ("address", "dns:bot.example:443"),
        ("address", "gateway:1"),
        ("address", "127.0.0.1:443"),
        ("address", "[::1]:443"),
        ("address", ""),
        ("secret", "x" * 15),
        ("secret", "x" * 201),
        ("secret", "0123456789abcde\n"),
        ("secret", None),
    ],
)
def test_what_is_refused(session: Session, field: str, value: object) -> None:
    with pytest.raises(Invalid) as raised:
        submitting.submit(session, author(session), **given(**{field: value}))
    assert raised.value.field == field
    assert len(str(raised.value)) < 400


@on_sqlite
@pytest.mark.parametrize(("slots", "secret"), [(1, "x" * 16), (64, "x" * 200)])
def test_what_is_just_allowed(session: Session, slots: int, secret: str) -> None:
    made = submitting.submit(session, author(session), **given(slots=slots, secret=secret))
    assert session.get_one(Version, made.version_id).slots == slots


def test_private_addresses_by_the_operators_setting(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ALLOW_PRIVATE, "1")
    made = submitting.submit(session, author(session), **given(address="127.0.0.1:5001"))
    assert session.get_one(Version, made.version_id).address == "127.0.0.1:5001"


@on_sqlite
def test_a_new_version_keeps_the_secret_and_the_bot(session: Session) -> None:
    ana = author(session)
    first = active(session, ana)
    second = submitting.submit(session, ana, **given(version="2", secret=None))
    assert second.bot_id == first.bot_id
    secret = session.get_one(Version, second.version_id).secret
    assert secret is not None
    assert SecretBox.from_environment().open(secret) == SECRET


def test_one_version_of_a_bot_at_a_time(session: Session) -> None:
    ana = author(session)
    made = submitted(session, ana)
    with pytest.raises(Refused, match="still being checked"):
        submitting.submit(session, ana, **given(version="2"))
    submitting.withdraw(session, ana, made.bot_id, made.version_id)
    submitting.submit(session, ana, **given(version="2"))
    with pytest.raises(Refused, match="no longer being checked"):
        submitting.withdraw(session, ana, made.bot_id, made.version_id)


@on_sqlite
def test_a_version_is_submitted_once_unless_it_was_rejected(session: Session) -> None:
    ana = author(session)
    first = submitted(session, ana)
    checked(session, first.version_id, BAD)
    again = submitted(session, ana)
    names = [version.name for version in bot_row(session, first.bot_id).versions]
    assert names == ["1", f"1 (rejected {first.version_id})"]
    checked(session, again.version_id)
    with pytest.raises(
        Refused, match="zorro already has a version 1: change the version here and in the bot"
    ):
        submitting.submit(session, ana, **given())


def test_two_authors_may_use_one_name(session: Session) -> None:
    assert submitted(session, author(session)).bot_id != (
        submitted(session, author(session, "luz")).bot_id
    )


@on_sqlite
def test_not_too_many_bots(session: Session) -> None:
    ana = author(session)
    made = [submitted(session, ana, f"zorro {number}") for number in range(20)]
    with pytest.raises(Refused, match="already have 20 bots: retire one first"):
        submitting.submit(session, ana, **given())
    availability.retire(session, ana, made[0].bot_id)
    submitting.submit(session, ana, **given())


def test_a_retired_bot_gets_no_new_version_and_no_token(session: Session) -> None:
    ana = author(session)
    made = submitted(session, ana)
    availability.retire(session, ana, made.bot_id)
    session.commit()
    assert state(session, made.version_id) == "rejected"
    assert session.get_one(Version, made.version_id).secret is None
    with pytest.raises(Refused, match="retired"):
        submitting.submit(session, ana, **given(version="2"))
    with pytest.raises(Refused, match="retired"):
        submitting.renew_token(session, ana, made.bot_id)


def test_anothers_bot_is_as_one_that_is_not_there(session: Session) -> None:
    ana, luz = author(session), author(session, "luz")
    made = submitted(session, ana)
    told = set()
    for bot_id in (made.bot_id, 99):
        for act in (
            availability.pause,
            availability.resume,
            availability.retire,
            submitting.renew_token,
        ):
            with pytest.raises(NotFound) as raised:
                act(session, luz, bot_id)
            told.add(str(raised.value).replace(str(bot_id), "N"))
        with pytest.raises(NotFound) as raised:
            submitting.withdraw(session, luz, bot_id, made.version_id)
        told.add(str(raised.value).replace(str(bot_id), "N"))
    assert told == {"you have no bot N"}
