import base64
import errno
import os
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from ladder.bots.reach import Look
from ladder.config import SECRET_KEY
from ladder.errors import SettingsError
from ladder.matches.tables import Player
from ladder.people.accounts import Account
from ladder.people.signing import SignedIn
from ladder.people.tickets import NewLink
from ladder.secrets import SecretBox, key_of_folder
from referee.hosting.client import Keys
from referee.joining import Guest
from referee.ways import Ways
from referee.wire import bot_pb2

OLD, NEW = Fernet.generate_key().decode(), Fernet.generate_key().decode()


@pytest.mark.parametrize(
    "made",
    [
        SignedIn(Account(1, "ana", "author"), "hush"),
        NewLink("ana", "hush", datetime.now(UTC)),
        Player(1, 1, "zorro", "1", "ana", "127.0.0.1:5000", b"hush"),
        Look(1, "zorro", "127.0.0.1:5000", b"hush"),
        Keys(b"", b"", b"hush"),
        Guest("127.0.0.1:5000", "127.0.0.1:5001", "hush", 1, bot_pb2.DescribeResponse(), Ways()),
    ],
)
def test_a_secret_is_not_shown_with_what_holds_it(made: object) -> None:
    assert "hush" not in repr(made)


def test_what_is_sealed_can_be_opened() -> None:
    box = SecretBox(OLD)
    sealed = box.seal("azúcar")
    assert box.open(sealed) == "azúcar"
    assert "azúcar".encode() not in sealed
    assert sealed != box.seal("azúcar")


def test_another_key_opens_nothing() -> None:
    sealed = SecretBox(OLD).seal("rum")
    for attempt in (SecretBox(NEW).open, SecretBox(NEW).rotate):
        with pytest.raises(SettingsError, match="another key"):
            attempt(sealed)


def test_what_was_changed_is_not_opened() -> None:
    sealed = bytearray(SecretBox(OLD).seal("rum"))
    sealed[20] ^= 1
    with pytest.raises(SettingsError):
        SecretBox(OLD).open(bytes(sealed))


def test_a_key_is_changed_in_steps() -> None:
    sealed = SecretBox(OLD).seal("rum")
    both = SecretBox(f"{NEW}, {OLD}")
    assert both.open(sealed) == "rum"
    assert SecretBox(NEW).open(both.rotate(sealed)) == "rum"
    assert SecretBox(NEW).open(both.seal("wood")) == "wood"


def test_a_key_as_openssl_prints_it() -> None:
    key = base64.b64encode(b"\xfb\xff\xfe" * 10 + b"xy").decode()
    assert "+" in key
    assert "/" in key
    box = SecretBox.from_environment({SECRET_KEY: f" {key}\n"})
    assert box.open(box.seal("rum")) == "rum"


@pytest.mark.parametrize("value", [None, "", " ", ","])
def test_no_key(value: str | None) -> None:
    with pytest.raises(SettingsError, match=r"SANTIAGO_SECRET_KEY is not set.*openssl"):
        SecretBox.from_environment({} if value is None else {SECRET_KEY: value})


@pytest.mark.parametrize(
    "value",
    ["secret", f"{OLD},x", "x" * 44, "é" * 44, base64.b64encode(b"short").decode()],
    ids=["a word", "one of two", "no bytes", "no base64", "short"],
)
def test_nonsense_for_a_key_is_not_repeated(value: str) -> None:
    with pytest.raises(SettingsError, match="no key of 32 bytes") as refused:
        SecretBox(value)
    assert value not in str(refused.value)


def test_derived_keys_differ_by_purpose_and_key() -> None:
    box = SecretBox(OLD)
    derived = {box.derive("forms"), box.derive("more"), SecretBox(NEW).derive("forms")}
    assert len(derived) == 3
    assert {len(key) for key in derived} == {32}
    assert SecretBox(f"{OLD},{NEW}").derive("forms") == box.derive("forms")
    assert base64.urlsafe_b64decode(OLD) not in derived


def test_the_folders_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        key = key_of_folder(tmp_path)
    finally:
        os.umask(before)
    (file,) = tmp_path.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert key_of_folder(tmp_path) == key
    assert SecretBox(key).seal("rum")
    assert key not in repr(SecretBox(key))


def test_a_disk_that_is_full_leaves_no_empty_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match=r"No space left on device: .*/secret-key"):
        key_of_folder(tmp_path)
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    assert key_of_folder(tmp_path)


@pytest.mark.parametrize(
    ("content", "wrong"), [(b"", "is empty"), (b"notes", "holds no key"), (b"\xff", "holds no key")]
)
def test_a_file_without_a_key_is_named(content: bytes, wrong: str, tmp_path: Path) -> None:
    (tmp_path / "secret-key").write_bytes(content)
    with pytest.raises(SettingsError, match=rf"secret-key {wrong}\. Restore it"):
        key_of_folder(tmp_path)
