"""Reads archives that strangers send: zip, and tar with gzip. Everything odd in them is refused.

Python's own `tarfile` and `zipfile` believe what an archive says: they read headers of any length
into memory, honour sparse files, links and devices, and differ from one release of Python to the
next. `zips` and `tars` read the plain parts of both formats and nothing else, in constant memory;
what counts is what came out, not what a header promised.

Names are relative, in UTF-8, with `/` between their parts. Two names that differ in case or in
Unicode's normal form alone clash, since on some machines they would be one. Links are refused, also
those that stay inside: `santiago bot pack` packs what they point to.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from referee.errors import RefereeError
from referee.hosting.settings import MB
from referee.printing import escaped

PIECE: Final = 1 << 16
"""Bytes that are read and unpacked at a time."""
DEEPEST: Final = 32
"""Folders in one another, at most."""
LONGEST_PART: Final = 255
"""Bytes of one part of a name, at most."""
LONGEST_NAME: Final = 1000
"""Bytes of a whole name, at most."""
_DRIVE: Final = re.compile(r"[A-Za-z]:")
_CUT: Final = 120  # characters of a name in an error


class BadPackage(RefereeError):
    """An upload is refused: the name of its `entry`, or "", and `why` (a sentence)."""

    def __init__(self, entry: str, why: str) -> None:
        super().__init__(entry, why)
        self.entry = printable(entry)
        self.why = why

    def __str__(self) -> str:
        return f"{self.entry}: {self.why}" if self.entry else self.why


class TooMany(BadPackage):
    """A package has more files or folders than it may have; raised for each beyond the limit."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that a package may hold: bytes packed and unpacked, files, and as many folders."""

    packed: int = 30 * MB
    unpacked: int = 150 * MB
    files: int = 5_000


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """A file or folder of an archive. Read all `pieces` before you ask for the next entry."""

    name: str
    folder: bool
    executable: bool
    size: int
    """In bytes, as the archive says; `pieces` raises BadPackage if it is not true."""
    pieces: Iterator[bytes]


def printable(name: str) -> str:
    """Return a name as an error may show it: cut, without control characters or line breaks."""
    shown = escaped(name)
    return shown if len(shown) <= _CUT else shown[: _CUT - 1] + "…"


def decoded(name: bytes) -> str:
    """Return a name as text; raises BadPackage if it is not UTF-8."""
    try:
        return name.decode()
    except UnicodeDecodeError:
        raise BadPackage(name.decode(errors="backslashreplace"), "Its name is not UTF-8.") from None


class Names:
    """The names of an archive so far; refuses those that are odd, or clash with an earlier one."""

    def __init__(self, limits: Limits) -> None:
        self._most = limits.files
        self._keys: dict[str, bytes] = {"": b""}  # of folders
        self._folders: dict[bytes, str] = {b"": ""}
        self._listed: set[str] = set()
        self._files: dict[bytes, str] = {}

    def add(self, name: str, *, folder: bool) -> str:
        """Return the name without `./` before it and `/` after it; raises BadPackage."""
        parts = _parts(name)
        above = ""
        for part in parts if folder else parts[:-1]:
            above = self._enter(above, part, name)
        plain = "/".join(parts)
        if folder:
            if plain in self._listed:
                raise BadPackage(name, "It is in the archive twice.")
            self._listed.add(plain)
            return plain
        key = _key(self._keys[above], parts[-1]) if parts else b""
        self._refuse_clash(self._files, key, plain)
        self._refuse_clash(self._folders, key, plain)
        self._files[key] = plain
        if len(self._files) > self._most:
            raise TooMany(name, f"There are more than {self._most:,} files.")
        return plain

    def _enter(self, above: str, part: str, name: str) -> str:
        """Note a folder that a name lies in, and return it."""
        folder = f"{above}/{part}" if above else part
        if folder in self._keys:
            return folder
        key = _key(self._keys[above], part)
        if key in self._files:
            raise BadPackage(name, f"It is in {printable(folder)}, which is a file.")
        if (other := self._folders.setdefault(key, folder)) != folder:
            clash = f"The folders {printable(folder)} and {printable(other)} clash."
            raise BadPackage(name, clash)
        self._keys[folder] = key
        if len(self._folders) > self._most + 1:
            raise TooMany(name, f"There are more than {self._most:,} folders.")
        return folder

    @staticmethod
    def _refuse_clash(names: dict[bytes, str], key: bytes, name: str) -> None:
        other = names.get(key)
        if other == name:
            raise BadPackage(name, "It is in the archive twice.")
        if other is not None:
            raise BadPackage(
                name, f"It clashes with {printable(other)}: some machines see one name in both."
            )


def _key(folder: bytes, part: str) -> bytes:
    """Return what two names have in common if a machine may take them for one.

    Windows drops the dots at the end of a part. `folder` is the key of what the part is in. The key
    is a hash: one character in a name may stand for eighteen, and to look at whole names again in
    each folder took half a minute.
    """
    folded = unicodedata.normalize("NFKC", part).casefold()
    for one in unicodedata.normalize("NFKC", folded).rstrip(".").split("/"):
        folder = blake2b(folder + one.encode(), digest_size=16).digest()
    return folder


def _parts(name: str) -> list[str]:
    """Split a name at its slashes; raises BadPackage if it is odd or leads out of the archive."""
    if not all(character.isprintable() for character in name):
        raise BadPackage(name, "Its name has a character that can't be printed.")
    if "\\" in name:
        raise BadPackage(name, "Its name has a backslash: put / between folders.")
    if name.startswith("/") or _DRIVE.match(name):
        raise BadPackage(name, "Its name is absolute.")
    parts = name.removesuffix("/").split("/")
    while parts and parts[0] == ".":
        del parts[0]
    if ".." in parts:
        raise BadPackage(name, "Its name leads out of the archive.")
    if any(part in ("", ".") or part != part.strip() for part in parts):
        raise BadPackage(name, "Its name has an empty part, or a space before or after a part.")
    _refuse_long(name, parts)
    return parts


def _refuse_long(name: str, parts: list[str]) -> None:
    if len(parts) > DEEPEST:
        raise BadPackage(name, f"It is more than {DEEPEST} folders deep.")
    if len(name.encode()) > LONGEST_NAME or any(len(p.encode()) > LONGEST_PART for p in parts):
        raise BadPackage(
            name, f"Its name is longer than {LONGEST_NAME} bytes, or a part than {LONGEST_PART}."
        )


class Budget:
    """Counts the bytes that came out of an archive."""

    def __init__(self, limits: Limits) -> None:
        self._most = limits.unpacked
        self._left = limits.unpacked

    def spend(self, name: str, size: int) -> None:
        """Take so many bytes for an entry; raises BadPackage if fewer are left."""
        self._left -= size
        if self._left < 0:
            raise BadPackage(name, f"Unpacked, the files have more than {self._most:,} bytes.")
