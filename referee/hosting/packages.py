"""Packages, which authors upload, and the manifest in each.

The manifest, `santiago.toml`, stands at the top of the archive, or in the only folder there:

    name = "my-bot"           # of the bot
    version = "1.0"
    runtime = "python"        # python, node, native, lines, or one that the operator has added
    entry = "bot:MyBot"       # what the runtime starts
    build = "make"            # optional: a command for the shell, or a list of words
    language = "Python"       # optional: what the pages say

`archives` says what may be in an archive. What macOS and Windows add by themselves (`__MACOSX`,
`._NAME`, `.DS_Store`, `Thumbs.db`) is left out.
"""

import os
import re
import secrets
import shlex
import shutil
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final

from referee.hosting import packing
from referee.hosting.archives import LONGEST_PART, ArchiveEntry, BadPackage, Limits
from referee.hosting.packing import Survey
from referee.hosting.settings import MB, HostSettings
from referee.hosting.tars import tar_entries
from referee.hosting.zips import zip_entries

MANIFEST: Final = "santiago.toml"
_LARGEST: Final = 1 << 14
"""Bytes of a manifest, at most."""
_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 ._+-]{0,38}[A-Za-z0-9])?")
"""The form of names of bots and versions on a ladder."""
_RUNTIME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
_LANGUAGE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 .#+-]{0,29}")
_LONGEST_COMMAND: Final = 2000  # characters
_NEEDED: Final = ("name", "version", "runtime", "entry")

_LEFT_OUT: Final = frozenset((".DS_Store", "Thumbs.db", "desktop.ini"))
_LEFT_OUT_FOLDER: Final = "__MACOSX"
_ATTRIBUTES: Final = "._"  # of a file or folder, as tar of macOS puts them beside it


@dataclass(frozen=True, slots=True)
class Manifest:
    """The contents of a `santiago.toml`."""

    name: str
    version: str
    runtime: str
    entry: str
    build: tuple[str, ...] = ()
    """The command of the build step; empty if there is none."""
    language: str | None = None


def manifest_of(data: bytes, name: str = MANIFEST) -> Manifest:
    """Read a manifest; raises BadPackage with all that is wrong, for the entry of this `name`."""
    try:
        fields = tomllib.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise BadPackage(name, f"It is not TOML in UTF-8: {error}.") from None
    wrong = []
    if missing := [key for key in _NEEDED if key not in fields]:
        wrong.append(f"It lacks {_listed(missing)}.")
    if unknown := [repr(key) for key in sorted(fields.keys() - _READERS.keys())]:
        are = "is" if len(unknown) == 1 else "are"
        wrong.append(f"It has {_listed(unknown)}, which {are} not known here.")
    values: dict[str, Any] = {}
    for key in [key for key in _READERS if key in fields]:
        try:
            values[key] = _READERS[key](key, fields[key])
        except _BadValue as error:
            wrong.append(str(error))
    if wrong:
        raise BadPackage(name, " Also: ".join(wrong))
    return Manifest(**values)


def package_limits(settings: HostSettings) -> Limits:
    """Return what a package may hold by the settings of a host; a bundle, too."""
    return Limits(settings.package_mb * MB, settings.unpacked_mb * MB, settings.package_files)


def read(package: Path | BinaryIO, limits: Limits | None = None) -> Manifest:
    """Check a package from its first byte to its last, and write nothing. Raises BadPackage."""
    with _opened(package) as file:
        return _read(file, limits or Limits(), None)


def unpack(package: Path | BinaryIO, into: Path, limits: Limits | None = None) -> Manifest:
    """Unpack a package into a folder that does not exist, or is empty; executables stay so.

    An entry point such as `./bot` is executable in any case: archives of Windows do not say so.

    Raises BadPackage, and OSError (such as a full disk); then nothing is left behind.
    """
    into.parent.mkdir(parents=True, exist_ok=True)
    scratch = into.parent / f".unpacking-{secrets.token_hex(8)}"
    scratch.mkdir(mode=0o700)
    try:
        with _opened(package) as file:
            manifest = _read(file, limits or Limits(), scratch)
        top = scratch if (scratch / MANIFEST).is_file() else next(scratch.iterdir())
        for path, _, _ in os.walk(top):
            Path(path).chmod(0o755)
        _let_run(top, manifest.entry)
        top.rename(into)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return manifest


def pack(folder: Path, to: Path, limits: Limits | None = None) -> Manifest:
    """Pack a folder as `to` (`.zip` or `.tar.gz`): the same folder, the same bytes.

    Raises BadPackage for the first thing that would be refused, and OSError; then `to` is as it
    was. `survey` finds all that would be refused.
    """
    limits = limits or Limits()
    surveyed = survey(folder, to, limits)
    if surveyed.refused:
        raise surveyed.refused[0]
    scratch = to.with_name(f".packing-{secrets.token_hex(8)}")
    try:
        packing.write(surveyed.files, scratch, to.name)
        manifest = read(scratch, limits)
        scratch.replace(to)
    except OSError as error:
        if error.filename in (None, str(scratch)):  # which nobody has named; None: it is full
            raise OSError(error.errno, error.strerror, str(to)) from None
        raise
    finally:
        scratch.unlink(missing_ok=True)
    return manifest


def survey(folder: Path, to: Path, limits: Limits) -> Survey:
    """Look through a folder that is to be packed as `to`; older packages at its top are left out.

    Raises BadPackage if there is no such folder, or its `.santiagoignore` can't be read.
    """
    try:
        name = manifest_of((folder / MANIFEST).read_bytes()).name.replace(" ", "-")
    except (OSError, BadPackage):
        return packing.survey(folder, to, limits)
    older = [f"/{name}-*{suffix}" for suffix in packing.SUFFIXES]
    return packing.survey(folder, to, limits, older)


class _BadValue(Exception):
    """A field of a manifest has a bad value; the message is a sentence about it."""


def _text(form: re.Pattern[str], taken: str, key: str, value: object) -> str:
    if not isinstance(value, str):
        raise _BadValue(f'{key} is not a text: put it in quotes, as {key} = "1.0".')
    if not form.fullmatch(value):
        raise _BadValue(f"{key} is {value[:60]!r}: take {taken}")
    return value


def _command(key: str, value: object) -> str:
    if isinstance(value, str) and not value.strip():
        raise _BadValue(f"{key} is empty.")
    if not isinstance(value, str) or not value.isprintable():
        raise _BadValue(f"{key} is not a line of text.")
    if len(value) > _LONGEST_COMMAND:
        raise _BadValue(f"{key} is longer than {_LONGEST_COMMAND:,} characters.")
    return value.strip()


def _entry(key: str, value: object) -> str:
    """Return an entry point that a shell could split, and whose parts can be names of files."""
    command = _command(key, value)
    try:
        shlex.split(command)
    except ValueError:
        raise _BadValue(f"{key} is {command[:60]!r}: a quote in it has no end.") from None
    if any(len(part.encode()) > LONGEST_PART for part in re.split(r"[\s/]", command)):
        raise _BadValue(f"{key} has a name of more than {LONGEST_PART} bytes: no file has.")
    return command


def _build(key: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return ("sh", "-c", _command(key, value))
    if not isinstance(value, list):
        raise _BadValue(f"{key} is neither a text nor a list of texts.")
    return tuple(_command(key, word) for word in value)


_named: Final = partial(_text, _NAME, "up to 40 letters, digits and, between them, ._+-")
_READERS: Final[Mapping[str, Callable[[str, object], Any]]] = {
    "name": _named,
    "version": _named,
    "runtime": partial(_text, _RUNTIME, "up to 40 small letters, digits and, after them, ._-"),
    "entry": _entry,
    "build": _build,
    "language": partial(_text, _LANGUAGE, "up to 30 letters, digits and, after them, .#+-"),
}
"""How the value of each field is read."""


def _listed(words: Sequence[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


@contextmanager
def _opened(package: Path | BinaryIO) -> Iterator[BinaryIO]:
    if isinstance(package, Path):
        with package.open("rb") as file:
            yield file
    else:
        yield package


def _read(file: BinaryIO, limits: Limits, into: Path | None) -> Manifest:
    """Read a whole archive; write its files below `into` if that is given."""
    tops: set[str] = set()
    manifests: dict[str, bytes] = {}
    for entry in _entries(file, limits):
        parts = entry.name.split("/")
        if not entry.name or parts[0] == _LEFT_OUT_FOLDER or parts[-1] in _LEFT_OUT:
            continue
        if parts[-1].startswith(_ATTRIBUTES):
            continue
        tops.add(parts[0] if len(parts) > 1 or entry.folder else "")
        if parts[-1] == MANIFEST and len(parts) <= 2:
            manifests[entry.name] = _whole(entry)
            entry = replace(entry, pieces=iter((manifests[entry.name],)))
        if into is not None:
            _write(entry, into)
    name, data = _found(manifests, tops)
    return manifest_of(data, name)


def _entries(file: BinaryIO, limits: Limits) -> Iterator[ArchiveEntry]:
    size = file.seek(0, os.SEEK_END)
    if size > limits.packed:
        raise BadPackage("", f"It has {size:,} bytes; {limits.packed:,} are allowed.")
    file.seek(0)
    start = file.read(4)
    file.seek(0)
    if start == b"PK\3\4":
        return zip_entries(file, limits)
    if start[:2] == b"\x1f\x8b":
        return tar_entries(file, limits)
    raise BadPackage("", "It is neither a .zip nor a .tar.gz.")


def _found(manifests: dict[str, bytes], tops: set[str]) -> tuple[str, bytes]:
    """Return the name and the bytes of the manifest at the top, or in the only folder there."""
    name = MANIFEST if MANIFEST in manifests else f"{next(iter(tops), '')}/{MANIFEST}"
    if name not in manifests or (name != MANIFEST and len(tops) != 1):
        raise BadPackage(
            "", f"It has no {MANIFEST} at its top: `santiago bot new` writes one to begin with."
        )
    return name, manifests[name]


def _whole(entry: ArchiveEntry) -> bytes:
    if entry.size > _LARGEST:
        raise BadPackage(entry.name, f"It has more than {_LARGEST:,} bytes.")
    return b"".join(entry.pieces)


def _write(entry: ArchiveEntry, into: Path) -> None:
    """Write a file or folder; its name is good, and there are no links below `into`."""
    target = into / entry.name
    if entry.folder:
        target.mkdir(parents=True, exist_ok=True)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("xb") as file:
        for piece in entry.pieces:
            file.write(piece)
    target.chmod(0o755 if entry.executable else 0o644)


def _let_run(folder: Path, entry: str) -> None:
    """Make an entry point such as `./bot` executable."""
    program = folder / entry.split()[0]
    if entry.startswith("./") and ".." not in program.parts and program.is_file():
        program.chmod(0o755)
