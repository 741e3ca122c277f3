"""Packs a folder as `.tar.gz` or `.zip`: the same folder gives the same bytes on any day.

Left out are what tools leave behind (`.git`, `__pycache__`, `.venv`, ...) and what the folder's own
`.santiagoignore` names: a pattern a line, `#` for comments; `*`, `?` and `[abc]` as in a shell. A
pattern with a slash before its end is for the path from the top of the folder, any other for names
at any depth; a slash at its end is for folders only. A link is packed as what it points to, if that
is in the folder, too.
"""

import gzip
import os
import stat
import tarfile
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import IO, Final

from referee.hosting.archives import PIECE, BadPackage, Limits, Names, TooMany

IGNORE_FILE: Final = ".santiagoignore"
USUAL: Final = (
    *(".git/", ".hg/", ".svn/", ".venv/", "venv/", "__pycache__/", ".mypy_cache/"),
    *(".pytest_cache/", ".ruff_cache/", ".tox/", ".idea/", ".vscode/", "__MACOSX/"),
    *("*.pyc", ".DS_Store", "._*", "Thumbs.db", "desktop.ini", "*.swp", "*~"),
    *(".env", ".packing-*", IGNORE_FILE),
)
"""Patterns of what is left out of any package."""
SUFFIXES: Final = (".zip", ".tar.gz", ".tgz")
"""The ends of the file names of packages."""
_LEVEL: Final = 6  # of gzip; 9 takes three times as long
_FIRST_DATE: Final = (1980, 1, 1, 0, 0, 0)  # zip knows no earlier one


@dataclass(frozen=True, slots=True)
class Found:
    """A file that goes into a package: its name there, and the file itself."""

    name: str
    path: Path
    size: int
    executable: bool


@dataclass(frozen=True, slots=True)
class Survey:
    """The contents of a folder's package, what is left out of it, and what would be refused."""

    files: tuple[Found, ...]
    left_out: tuple[str, ...]
    """The names of files and folders; what is in these folders is not named."""
    refused: tuple[BadPackage, ...]
    size: int
    """Unpacked, in bytes."""


def survey(folder: Path, to: Path, limits: Limits, more: Sequence[str] = ()) -> Survey:
    """Look through a folder; the package `to` itself, if it is in there, is left out.

    `more`: further patterns of what is left out. Raises BadPackage if `.santiagoignore` can't be
    read, or there is no such folder.
    """
    if not folder.is_dir():
        raise BadPackage("", f"{folder} is not a folder.")
    walk = _Walk(folder.resolve(), to.resolve(), (*USUAL, *more, *_patterns(folder)))
    walk.enter(walk.top, "", ())
    walk.refused += _refused_names(walk.files, limits)
    size = sum(file.size for file in walk.files)
    if size > limits.unpacked:
        largest = max(walk.files, key=lambda file: file.size)
        why = f"The files have {size:,} bytes; {limits.unpacked:,} are allowed."
        walk.refused.append(BadPackage("", f"{why} The largest is {largest.name}."))
    return Survey(tuple(walk.files), tuple(walk.left_out), tuple(walk.refused), size)


def _refused_names(files: Sequence[Found], limits: Limits) -> Iterator[BadPackage]:
    """Yield what is wrong with the names of files; that they are too many only once, at the end."""
    names, too_many = Names(limits), ""
    for file in files:
        try:
            names.add(file.name, folder=False)
        except TooMany as error:
            too_many = too_many or error.why
        except BadPackage as error:
            yield error
    if len(files) > limits.files:
        too_many = f"There are {len(files):,} files; {limits.files:,} are allowed."
        inside = Counter(top for top, slash, _ in (f.name.partition("/") for f in files) if slash)
        for folder, count in inside.most_common(1):
            too_many += f" The folder with most of them is {folder} ({count:,})."
    if too_many:
        yield BadPackage("", too_many)


def write(files: Sequence[Found], to: Path, like: str) -> None:
    """Write the archive `to` in the format that the file name `like` ends with."""
    ordered = sorted(files, key=lambda file: file.name)
    if like.endswith(".zip"):
        _write_zip(ordered, to)
    elif like.endswith(SUFFIXES):
        with to.open("wb") as raw:
            write_tar(raw, ((f.name, f.size, f.executable, f.path.open("rb")) for f in ordered))
    else:
        raise BadPackage("", f"{like} ends neither with .zip nor with .tar.gz.")


class _Walk:
    """Goes through a folder by name."""

    def __init__(self, top: Path, to: Path, patterns: Sequence[str]) -> None:
        self.top = top
        self._to = to
        self._patterns = patterns
        self.files: list[Found] = []
        self.left_out: list[str] = []
        self.refused: list[BadPackage] = []

    def enter(self, folder: Path, name: str, above: tuple[Path, ...]) -> None:
        """Go through a folder that stands in the package as `name`; `above` are those around it."""
        for path in sorted(folder.iterdir()):
            inner = f"{name}/{path.name}" if name else path.name
            if path.resolve() == self._to:
                continue
            if _is_ignored(inner, path.is_dir(), self._patterns):
                self.left_out.append(inner)
                continue
            try:
                self._look(path, inner, (*above, folder.resolve()))
            except BadPackage as error:
                self.refused.append(error)

    def _look(self, path: Path, name: str, above: tuple[Path, ...]) -> None:
        if path.is_symlink():
            self._check_link(path, name, above)
        mode = path.stat()
        if stat.S_ISDIR(mode.st_mode):
            self.enter(path, name, above)
        elif not stat.S_ISREG(mode.st_mode):
            raise BadPackage(name, "It is neither a file nor a folder.")
        elif not os.access(path, os.R_OK):
            raise BadPackage(name, "You may not read it.")
        else:
            executable = bool(mode.st_mode & stat.S_IXUSR)
            self.files.append(Found(name, path, mode.st_size, executable))

    def _check_link(self, path: Path, name: str, above: tuple[Path, ...]) -> None:
        try:
            target = path.resolve(strict=True)
        except (OSError, RuntimeError):  # RuntimeError: a link to itself, before Python 3.13
            raise BadPackage(name, "It is a link to nothing.") from None
        if not target.is_relative_to(self.top):
            raise BadPackage(name, f"It is a link out of the folder, to {path.readlink()}.")
        if target in above:
            raise BadPackage(name, "It is a link to a folder that it lies in.")


def _patterns(folder: Path) -> Iterator[str]:
    try:
        lines = (folder / IGNORE_FILE).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return
    except ValueError:
        raise BadPackage(IGNORE_FILE, "It is not UTF-8.") from None
    for line in map(str.strip, lines):
        if line.startswith("!"):
            raise BadPackage(IGNORE_FILE, f"It has {line!r}: patterns with ! are not known here.")
        if line and not line.startswith("#"):
            yield line


def _is_ignored(name: str, folder: bool, patterns: Sequence[str]) -> bool:
    parts = name.split("/")
    for pattern in patterns:
        if pattern.endswith("/") and not folder:
            continue
        plain = pattern.removesuffix("/")
        compared = parts if "/" in plain else parts[-1:]
        path = plain.removeprefix("/").split("/")
        if len(compared) == len(path) and all(map(fnmatchcase, compared, path)):
            return True
    return False


def write_tar(raw: IO[bytes], files: Iterable[tuple[str, int, bool, IO[bytes]]]) -> None:
    """Write a `.tar.gz` of files: name, size, if it can be run, and the open file, which it closes.

    The same files give the same bytes: times and owners are left out.
    """
    with (
        gzip.GzipFile("", "wb", _LEVEL, fileobj=raw, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name, size, executable, data in files:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = size, 0o755 if executable else 0o644
            with data:
                archive.addfile(entry, data)


def _write_zip(files: Sequence[Found], to: Path) -> None:
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            entry = zipfile.ZipInfo(file.name, _FIRST_DATE)
            entry.create_system = 3  # Unix, also on Windows: its mode is what is read
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (stat.S_IFREG | (0o755 if file.executable else 0o644)) << 16
            entry.file_size = file.size
            with file.path.open("rb") as data, archive.open(entry, "w") as packed:
                while piece := data.read(PIECE):
                    packed.write(piece)
