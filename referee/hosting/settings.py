"""All settings of a host and of the package format, typed; a host needs no others.

The ladder's own settings (which hosts there are, quotas) are in `ladder.config`.
"""

import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Self, get_args, get_type_hints

from referee.errors import InvalidSetting

HOST_CA: Final = "SANTIAGO_HOST_CA"
HOST_CERTIFICATE: Final = "SANTIAGO_HOST_CERTIFICATE"
HOST_KEY: Final = "SANTIAGO_HOST_KEY"
RUNTIMES: Final = "SANTIAGO_RUNTIMES"
PACKAGE_MB: Final = "SANTIAGO_PACKAGE_MB"
UNPACKED_MB: Final = "SANTIAGO_UNPACKED_MB"
PACKAGE_FILES: Final = "SANTIAGO_PACKAGE_FILES"
MB: Final = 1 << 20

_NUMBERS: Final = {int: "a whole number", float: "a number"}


@dataclass(frozen=True, slots=True)
class Variable:
    """The variable of a setting; a number is `least` to `most`."""

    name: str
    least: int = 1
    most: int = 1_000_000


@dataclass(frozen=True)
class HostSettings:
    """The settings of one host; times are in seconds, sizes as their names say."""

    folder: Annotated[Path, Variable("SANTIAGO_HOST_FOLDER")] = Path("santiago-host")
    """Bundles (by hash), copies of runtimes, and the sandboxes' own folders."""
    cache_mb: Annotated[int, Variable("SANTIAGO_HOST_CACHE_MB", most=1_000_000_000)] = 4096
    """Packages and bundles beyond this are dropped, those first that were not used for longest.

    Bundles that are unpacked for sandboxes may take as much again.
    """
    ca: Annotated[str, Variable(HOST_CA)] = ""
    """The file of the certificates (PEM) that sign those of the workers."""
    certificate: Annotated[str, Variable(HOST_CERTIFICATE)] = ""
    key: Annotated[str, Variable(HOST_KEY)] = ""
    runtimes: Annotated[tuple[Path, ...], Variable(RUNTIMES)] = ()
    """Folders of further runtimes, separated by colons."""
    wheelhouse: Annotated[Path | None, Variable("SANTIAGO_WHEELHOUSE")] = None
    """The operator's wheels, for builds of Python packages."""
    npm_cache: Annotated[Path | None, Variable("SANTIAGO_NPM_CACHE")] = None
    """The operator's cache for `npm ci --offline`."""
    uids: Annotated[range, Variable("SANTIAGO_SANDBOX_UIDS")] = range(200_000, 210_000)
    """One for each sandbox, if the host runs as root."""
    processors: Annotated[int, Variable("SANTIAGO_PROCESSORS", least=0)] = 0
    """How many processors hosted bots think on; 0 for all but one (one if there is only one)."""
    sandboxes: Annotated[int, Variable("SANTIAGO_SANDBOXES")] = 32
    """How many sandboxes there may be at once, warm ones included."""
    memory_mb: Annotated[int, Variable("SANTIAGO_SANDBOX_MEMORY_MB")] = 512
    threads: Annotated[int, Variable("SANTIAGO_SANDBOX_THREADS")] = 64
    files_mb: Annotated[int, Variable("SANTIAGO_SANDBOX_FILES_MB")] = 256
    output_kb: Annotated[int, Variable("SANTIAGO_SANDBOX_OUTPUT_KB")] = 64
    """Kept of stdout, and as much of stderr, of each match."""
    build_seconds: Annotated[float, Variable("SANTIAGO_BUILD_SECONDS")] = 300.0
    """For the build step, each of the two times that it runs; workers allow 600 at most."""
    idle: Annotated[float, Variable("SANTIAGO_SANDBOX_IDLE", least=0)] = 120.0
    """How long a sandbox is kept warm for the bot's next match."""
    age: Annotated[float, Variable("SANTIAGO_SANDBOX_AGE")] = 3600.0
    """A sandbox of this age begins no other match."""
    package_mb: Annotated[int, Variable(PACKAGE_MB)] = 30
    unpacked_mb: Annotated[int, Variable(UNPACKED_MB)] = 150
    package_files: Annotated[int, Variable(PACKAGE_FILES)] = 5000

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Self:
        """Read the variables that are set and not blank.

        Raises InvalidSetting that names the variable at fault and says what to give.
        """
        values = {}
        for name, (kind, variable) in cls.variables().items():
            if text := environ.get(variable.name, "").strip():
                values[name] = _read(variable, text, kind)
        return cls(**values)

    @classmethod
    def variables(cls) -> dict[str, tuple[Any, Variable]]:
        """Return the type and the variable of each setting."""
        hints = get_type_hints(cls, include_extras=True)
        return {name: get_args(hint) for name, hint in hints.items()}

    @property
    def thinking(self) -> int:
        """How many hosted bots may think at once, one to each processor."""
        return self.processors or max(1, len(os.sched_getaffinity(0)) - 1)

    def make_folder(self) -> None:
        """Make the folder, and those above it that are missing; others may enter what we make."""
        folder = self.folder.absolute()
        missing = [part for part in (folder, *folder.parents) if not part.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        for part in missing:
            part.chmod(0o711)  # whatever our umask is

    @contextmanager
    def claimed_folder(self) -> Iterator[None]:
        """Make the folder, and keep other hosts out: each would remove what the other uses.

        Raises InvalidSetting if another one has it.
        """
        said = f"Another host uses {self.folder}: end it, or set SANTIAGO_HOST_FOLDER to another."
        self.make_folder()
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InvalidSetting(said) from None
            yield
        finally:
            os.close(folder)


def _read(variable: Variable, text: str, kind: Any) -> Any:
    if kind in _NUMBERS:
        return _number(variable, text, kind)
    if kind is range:
        return _range(variable, text)
    if kind == tuple[Path, ...]:
        return tuple(_existing(variable, part) for part in text.split(":") if part)
    if kind == Path | None:
        return _existing(variable, text)
    return text if kind is str else Path(text).absolute()


def _existing(variable: Variable, text: str) -> Path:
    folder = Path(text).absolute()
    if not folder.is_dir():
        raise InvalidSetting(f"{variable.name} is {text!r}: give a folder that exists")
    return folder


def _number(variable: Variable, text: str, kind: type[int] | type[float]) -> int | float:
    try:
        value = kind(text)
    except ValueError:
        value = -1
    if not variable.least <= value <= variable.most:
        wanted = f"give {_NUMBERS[kind]}, {variable.least} to {variable.most}"
        raise InvalidSetting(f"{variable.name} is {text!r}: {wanted}")
    return value


def _range(variable: Variable, text: str) -> range:
    first, _, last = text.partition("-")
    if not (first.isdecimal() and last.isdecimal() and 0 < int(first) <= int(last) < 2**31):
        raise InvalidSetting(
            f"{variable.name} is {text!r}: give two user ids, such as 200000-209999"
        )
    return range(int(first), int(last) + 1)
