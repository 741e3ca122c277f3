"""`santiago admin` on the database of a folder."""

import shlex
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptography.fernet import Fernet
from sqlalchemy.orm import Session

from ladder import model
from ladder.bots import versions
from ladder.cli.commands import santiago
from ladder.config import PUBLIC_URL, SECRET_KEY
from ladder.errors import NotSignedIn
from ladder.model import User, Version
from ladder.people import signing, tickets
from ladder.people.accounts import HOUSE
from ladder.secrets import SecretBox
from tests.ladder.cli.terminal import Typed, fails, run, shell, succeeds
from tests.ladder.databases import new_ladder, session_on

PASSWORD = "seven ships sail"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The folder of a ladder without users."""
    new_ladder(tmp_path / "ladder.db")
    return tmp_path


def ladder(data: Path) -> AbstractContextManager[Session]:
    """A session on the folder's database."""
    return session_on(f"sqlite:///{data}/ladder.db")


def create(data: Path, name: str, password: str = PASSWORD) -> str:
    """What `santiago admin create` prints, on stdout or stderr."""
    return run("admin", "create", name, "--data", str(data), typed=f"{password}\n").output


@pytest.mark.usefixtures("forked_python")
def test_the_first_admin_and_roles(data: Path) -> None:
    where = ("--data", str(data))
    line = f"echo {shlex.quote(PASSWORD)} | santiago admin create boss --data {data}"
    assert shell(line, DATABASE_URL="").stdout == "User 1: boss is an admin and can sign in.\n"
    with ladder(data) as session:
        assert signing.sign_in(session, name="boss", password=PASSWORD).account.is_admin
        signing.sign_up(session, name="ana", password=PASSWORD)
        session.commit()
    assert succeeds("admin", "role", "ana", "organiser", *where) == (
        "User 2: ana has the role organiser.\n"
    )
    assert succeeds("admin", "list", *where).splitlines() == [
        "   2  organiser  ana",
        "   1  admin      boss",
    ]
    assert succeeds("admin", "list", "--role", "admin", *where) == "   1  admin      boss\n"


def test_a_password_comes_from_standard_input_and_is_checked(data: Path) -> None:
    assert "Error: A password has 10" in create(data, "boss", "short")
    assert create(data, "arena").startswith("Error: The name arena is reserved")
    assert "unexpected extra argument" in fails(
        "admin", "create", "boss", PASSWORD, "--data", str(data), code=2
    )
    assert succeeds("admin", "list", "--data", str(data)) == ""


def test_at_a_terminal_a_password_is_asked_for_twice(data: Path) -> None:
    words = ["admin", "create", "boss", "--data", str(data)]
    typed = "\n".join((PASSWORD, "another", PASSWORD, PASSWORD, "")).encode()
    told = CliRunner().invoke(santiago, words, input=Typed(typed, at_a_terminal=True)).output
    assert told.endswith("User 1: boss is an admin and can sign in.\n")
    assert told.count("Password (at least 10 characters): ") == 2
    assert PASSWORD not in told


def test_a_reset_link(data: Path) -> None:
    where = ("--data", str(data))
    create(data, "boss")
    link = succeeds("admin", "reset-link", "boss", "--site", "https://ladder.example/", *where)
    assert link.startswith("https://ladder.example/reset/")
    with ladder(data) as session:
        tickets.use_reset_link(session, link.strip().rpartition("/")[2], "another harbour")
        session.commit()
        assert signing.sign_in(session, name="boss", password="another harbour")


def test_a_reset_link_leads_to_the_public_url(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    where = ("--data", str(data))
    create(data, "boss")
    monkeypatch.delenv("SANTIAGO_SITE", raising=False)
    assert succeeds("admin", "reset-link", "boss", *where).startswith("http://127.0.0.1:8000/reset")
    monkeypatch.setenv(PUBLIC_URL, "https://ladder.example/")
    link = succeeds("admin", "reset-link", "boss", *where)
    assert link.startswith("https://ladder.example/reset/")


@pytest.mark.parametrize("text", ["foo", "ladder.example", "https://ladder.example/arena", " "])
def test_a_reset_link_leads_to_nothing_but_a_site(
    data: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    create(data, "boss")
    where = ("admin", "reset-link", "boss", "--data", str(data))
    for wrong in ((*where, "--site", text), where):
        message = fails(*wrong, code=2)
        assert "'--site' (env var: 'SANTIAGO_SITE')" in message
        assert "give a URL without a path, as https://ladder.example" in message
        monkeypatch.setenv("SANTIAGO_SITE", text)


@pytest.mark.parametrize("command", [("role", "nobody", "admin"), ("reset-link", "nobody")])
def test_nobody_of_that_name(data: Path, command: tuple[str, ...]) -> None:
    assert "There is no user nobody" in fails("admin", *command, "--data", str(data))


def test_the_house_bots_user_gets_no_password_and_no_role(data: Path) -> None:
    with ladder(data) as session, session.begin():
        versions.register(session, name="random", author=HOUSE, version="1", address="127.0.0.1:1")
    where = ("--data", str(data))
    assert "nobody can sign in" in fails("admin", "reset-link", HOUSE, *where)
    assert "it can't have a role" in fails("admin", "role", HOUSE, "admin", *where)
    assert "(cannot sign in)" in succeeds("admin", "list", *where)
    with ladder(data) as session, pytest.raises(NotSignedIn):
        signing.sign_in(session, name=HOUSE, password="")


@pytest.mark.parametrize("in_folder", [True, False])
def test_secrets_are_sealed_with_the_new_key(data: Path, *, in_folder: bool) -> None:
    """The keys stand in the variable, or as those of `santiago up` in its folder."""
    old, new = (Fernet.generate_key().decode() for _ in range(2))
    with ladder(data) as session, session.begin():
        versions.register(session, name="ana", author="compay", version="1", address="127.0.0.1:1")
        versions.register(session, name="luz", author="compay", version="1", address="127.0.0.1:2")
        session.get_one(Version, 1).secret = SecretBox(old).seal("rum")
    keys = f"{new},{old}"
    if in_folder:
        (data / "secret-key").write_text(f"{keys}\n")
    done = run("admin", "reseal", "--data", str(data), **{SECRET_KEY: "" if in_folder else keys})
    assert done.stdout == "Secrets sealed with the first key: 1.\n"
    with ladder(data) as session:
        sealed = session.get_one(Version, 1).secret
        assert sealed is not None
        assert SecretBox(new).open(sealed) == "rum"
    (data / "secret-key").unlink(missing_ok=True)
    without = run("admin", "reseal", "--data", str(data), **{SECRET_KEY: ""})
    assert "another key" in without.stderr


def test_the_list_has_no_end_before_the_last(data: Path) -> None:
    with ladder(data) as session, session.begin():
        for number in range(120):
            session.add(User(name=f"u{number}", created_at=model.now(session)))
    lines = succeeds("admin", "list", "--data", str(data)).splitlines()
    assert len(set(lines)) == 120
