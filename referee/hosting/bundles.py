"""Bundles: what a build makes of a package, as an archive of which there is only one form.

The same files give the same bytes: names are sorted, times and owners are left out, a file can be
run or not. So a bundle's SHA-256 names what is in it.
"""

import hashlib
import os
import posixpath
import stat
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Final, NoReturn

from referee.hosting.archives import DEEPEST, Limits, printable
from referee.hosting.client import BuildFailed
from referee.hosting.output import open_below
from referee.hosting.packing import write_tar

_FIRST: Final = 10  # differences that are named
_NAMED: Final = 20  # of what is left out


@dataclass(frozen=True, slots=True)
class Built:
    """A bundle: the file `path`, whose name is its SHA-256, of `size` bytes.

    `differences` has a sentence for each file that was another one when it was built again.
    """

    sha256: str
    size: int
    path: Path
    differences: tuple[str, ...] = ()


class _Tree:
    """The files below an open folder, which may hold anything but changes no more."""

    def __init__(self, root: int, limits: Limits, say: Callable[[str], None]) -> None:
        self.files: dict[str, tuple[int, bool]] = {}
        """The size of each file, and if it can be run, by its path."""
        self._links: dict[str, str] = {}
        self._root, self._limits, self._say = root, limits, say
        self._left, self._left_out = limits.unpacked, 0
        for path, folders, names, folder in os.fwalk(".", onerror=_unreadable, dir_fd=root):
            if path.count("/") > DEEPEST:
                raise BuildFailed(f"{printable(path)}: more than {DEEPEST} folders in each other.")
            folders[:] = sorted(name for name in folders if self._is_folder(path, name, folder))
            for name in sorted(names):
                self._add(posixpath.normpath(f"{path}/{name}"), name, folder)
        self._resolve()

    def _is_folder(self, path: str, name: str, folder: int) -> bool:
        if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            self._links[posixpath.normpath(f"{path}/{name}")] = ""
            return False
        return True

    def _add(self, path: str, name: str, folder: int) -> None:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISLNK(status.st_mode):
            self._links[path] = os.readlink(name, dir_fd=folder)
        elif stat.S_ISREG(status.st_mode):
            self._count(path, status.st_size, bool(status.st_mode & 0o100))
        else:
            self._leave_out(f"{printable(path)}, which is no file.")

    def _count(self, path: str, size: int, executable: bool) -> None:
        if not path.isprintable():
            raise BuildFailed(f"{printable(path)}: its name has characters that can't be printed.")
        self.files[path] = size, executable
        self._left -= size
        if self._left < 0:
            raise BuildFailed(f"The bundle has more than {self._limits.unpacked:,} bytes.")
        if len(self.files) > self._limits.files:
            raise BuildFailed(f"The bundle has more than {self._limits.files:,} files.")

    def _resolve(self) -> None:
        """Put what a link leads to in its place, if it is a file of the tree."""
        self.copies: dict[str, str] = {}
        for path, target in self._links.items():
            place = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
            if place in self.files and place not in self._links:
                self.copies[path] = place
            else:
                self._leave_out(f"{printable(path)}, a link to no file of the bundle.")
        for path, place in self.copies.items():
            self._count(path, *self.files[place])
        if self._left_out > _NAMED:
            self._say(f"Left out: {self._left_out - _NAMED:,} more.")

    def _leave_out(self, what: str) -> None:
        self._left_out += 1
        if self._left_out <= _NAMED:
            self._say(f"Left out: {what}")

    def __iter__(self) -> Iterator[tuple[str, int, bool, IO[bytes]]]:
        for path, (size, executable) in sorted(self.files.items()):
            yield path, size, executable, self._open(path)

    def _open(self, path: str) -> IO[bytes]:
        """Open a file; no part of its path may have become a link."""
        try:
            return os.fdopen(open_below(self._root, self.copies.get(path, path)), "rb")
        except OSError as error:
            _unreadable(error)


def _unreadable(error: OSError) -> NoReturn:
    raise BuildFailed(f"The bundle cannot be read: {error}.") from None


def write_bundle(root: int, to: Path, limits: Limits, say: Callable[[str], None]) -> Built:
    """Write the files below the open folder `root` as a bundle into the folder `to`.

    A link to another of the files becomes a copy of it; what else is no file is left out. Raises
    BuildFailed if that is more than the limits allow.
    """
    try:
        tree = _Tree(root, limits, say)
    except OSError as error:  # such as that of a folder that its build has closed
        _unreadable(error)
    with NamedTemporaryFile(dir=to, prefix=".bundle-", delete=False) as made:
        try:
            write_tar(made, tree)
            made.flush()
            sha256 = file_hash(Path(made.name))
            size = Path(made.name).stat().st_size
            if size > limits.packed:
                raise BuildFailed(f"The bundle is larger than {limits.packed:,} bytes, packed.")
            return Built(sha256, size, Path(made.name).rename(to / sha256))
        except BaseException:
            Path(made.name).unlink(missing_ok=True)
            raise


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def differences(first: Path, second: Path) -> tuple[str, ...]:
    """Return a sentence for each file in which two bundles differ; none if they are the same.

    Both are bundles that `write_bundle` wrote.
    """
    one, other = _digests(first), _digests(second)
    lines = []
    for path in sorted({*one, *other}):
        if path not in other:
            lines.append(f"{path} is only in the first.")
        elif path not in one:
            lines.append(f"{path} is only in the second.")
        elif one[path] != other[path]:
            sizes = f"{one[path][0]:,} and {other[path][0]:,} bytes"
            lines.append(f"{path} differs ({sizes}).")
    more = len(lines) - _FIRST
    return tuple(lines) if more <= 0 else (*lines[:_FIRST], f"{more} more files differ.")


def _digests(bundle: Path) -> dict[str, tuple[int, int, str]]:
    digests = {}
    with tarfile.open(bundle) as tar:
        for entry in tar:
            file = tar.extractfile(entry)
            assert file is not None  # a bundle has files only
            digest = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
            digests[entry.name] = entry.size, entry.mode, digest
    return digests
