"""Sealing secrets that must be read again, with a key from outside the database."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.config import SECRET_KEY, Environment
from ladder.errors import SettingsError
from ladder.model import Version, write

_HOW: Final = "`openssl rand -base64 32` prints a good one"
_DERIVED: Final = 32  # bytes


class SecretBox:
    """Seals and opens texts (Fernet: AES-128-CBC with HMAC-SHA256).

    The first key seals; all of them open, so that a key can be changed: put the new one before the
    old one, seal anew what is kept (`reseal`), and take the old one away.
    """

    def __init__(self, keys: str) -> None:
        """`keys`: 32 bytes each in base64, with commas between. Raises SettingsError."""
        urlsafe = keys.replace("+", "-").replace("/", "_")
        texts = [text.strip() for text in urlsafe.split(",") if text.strip()]
        if not texts:
            raise SettingsError(f"{SECRET_KEY} is not set. Set it to a key: {_HOW}.")
        try:
            self._fernet = MultiFernet([Fernet(text) for text in texts])
        except ValueError:
            raise SettingsError(
                f"{SECRET_KEY} holds something that is no key of 32 bytes in base64: {_HOW}"
            ) from None
        self._first = texts[0]

    def __repr__(self) -> str:
        return "SecretBox()"

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> SecretBox:
        """Make a box with the keys in SANTIAGO_SECRET_KEY. Raises SettingsError."""
        return cls(Environment.from_environment(environ).secret_key)

    def seal(self, text: str) -> bytes:
        """Encrypt the text with the first key."""
        return self._fernet.encrypt(text.encode())

    def open(self, sealed: bytes) -> str:
        """Return the text again. Raises SettingsError if none of the keys sealed it."""
        try:
            return self._fernet.decrypt(sealed).decode()
        except InvalidToken:
            raise _other_key() from None

    def rotate(self, sealed: bytes) -> bytes:
        """Seal the same text with the first key. Raises SettingsError as `open` does."""
        try:
            return self._fernet.rotate(sealed)
        except InvalidToken:
            raise _other_key() from None

    def derive(self, purpose: str) -> bytes:
        """Derive a key of 32 bytes for another purpose, by HKDF (RFC 5869) from the first key."""
        hkdf = HKDF(SHA256(), _DERIVED, salt=None, info=f"santiago {purpose}".encode())
        return hkdf.derive(self._first.encode())


def reseal(session: Session, box: SecretBox) -> int:
    """Seal all secrets of the database with the box's first key; return their number.

    The caller commits. Raises SettingsError at the first secret that none of the keys opens.
    """
    write(session)
    sealed = session.scalars(select(Version).where(Version.secret.is_not(None))).all()
    for version in sealed:
        assert version.secret is not None
        version.secret = box.rotate(version.secret)
    session.flush()
    return len(sealed)


def key_of_folder(folder: Path) -> str:
    """Return the key in the data folder of `santiago up`; make one for its owner if needed.

    Raises SettingsError if the file is there and holds no key.
    """
    file = folder / "secret-key"
    if not file.exists():
        _make_key(file)
    key = file.read_text(errors="replace").strip()
    try:
        SecretBox(key)
    except SettingsError:
        raise SettingsError(
            f"The file {file} {'holds no key' if key else 'is empty'}. Restore it from a backup; "
            "without one, remove it, and a new key is made: then authors have to give the secrets "
            "of their bots anew"
        ) from None
    return key


def _make_key(file: Path) -> None:
    """Make a key that only its owner may read; the whole file is there at once, or nothing."""
    unfinished = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as opened:
            opened.write(f"{Fernet.generate_key().decode()}\n")
            opened.flush()
            os.fsync(descriptor)
        with suppress(FileExistsError):  # another process was faster
            os.link(unfinished, file)
    except OSError as error:  # a full disk names no file
        raise OSError(error.errno, error.strerror, str(file)) from None
    finally:
        unfinished.unlink(missing_ok=True)


def _other_key() -> SettingsError:
    return SettingsError(
        f"A secret in the database was sealed with another key than those in {SECRET_KEY}: "
        "add that key after a comma"
    )
