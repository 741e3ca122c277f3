import pytest
from sqlalchemy.orm import Session

from ladder.errors import Invalid
from ladder.model import User, now
from ladder.people import accounts
from ladder.people.accounts import HOUSE


@pytest.mark.parametrize(
    ("typed", "kept"), [("ana", "ana"), (" Ana ", "ana"), ("a1", "a1"), ("x" * 32, "x" * 32)]
)
def test_a_name_is_kept_in_lower_case(typed: str, kept: str) -> None:
    assert accounts.checked_name(typed) == kept


@pytest.mark.parametrize(
    "name",
    [
        "",
        "a",
        "x" * 33,
        "x" * 100_000,
        "-ana",
        "ana luz",
        "a\0na",
        "\u0430na",  # begins with a Cyrillic letter
        "<script>",
        "' OR 1=1 --",
        "\ud800x",
    ],
)
def test_a_name_is_short_and_plain(name: str) -> None:
    with pytest.raises(Invalid) as refused:
        accounts.checked_name(name)
    assert refused.value.field == "name"


@pytest.mark.parametrize("name", [HOUSE, "ARENA", "admin", "adm1n", "planner", "deleted-7"])
def test_some_names_are_the_services_own(name: str) -> None:
    with pytest.raises(Invalid, match="reserved for the service"):
        accounts.checked_name(name)


def test_a_name_is_found_as_it_is_written_else_in_lower_case(session: Session) -> None:
    for name in ("luz", "Rey Sol", "ana", "Ana"):
        session.add(User(name=name, created_at=now(session)))
    session.flush()

    def found(typed: str) -> str | None:
        user = accounts.find_user(session, typed)
        return user.name if user else None

    assert [found(typed) for typed in ("LUZ", " luz ", "Rey Sol", "rey sol")] == [
        "luz",
        "luz",
        "Rey Sol",
        None,
    ]
    assert (found("Ana"), found("ana"), found("ANA")) == ("Ana", "ana", "ana")


@pytest.mark.parametrize("typed", ["a\0na", "\ud800", "", "x" * 100_000, "' OR ''='"])
def test_what_can_be_no_name_finds_nobody(session: Session, typed: str) -> None:
    assert accounts.find_user(session, typed) is None
