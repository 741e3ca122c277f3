"""Parts of this machine that sandboxes read: the interpreter, the kit, pip.

They are copied once below the host's folder: other users often cannot read the original, as below
/root, and a copy holds nothing but what bots need. Its name has a hash of what was copied.
"""

import compileall
import fcntl
import hashlib
import os
import py_compile
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from time import time
from typing import Final

from referee.hosting.bubblewrap import Mount

_AT: Final = "/opt"
KIT: Final = f"{_AT}/kit"
"""The kit's folder in a sandbox."""
PIP: Final = f"{_AT}/pip/pip"
"""The path of pip in a sandbox, for builds."""
_SHARED: Final = Path("/usr")
"""An interpreter below it is in every sandbox already."""
_KIT: Final = ("grpcio", "protobuf", "numpy", "typing_extensions", "hpack")
_NOT_FOR_BOTS: Final = {
    *("site-packages", "dist-packages", "test", "tests", "idlelib", "tkinter", "turtledemo"),
    *("ensurepip", "lib2to3", "venv"),
}
"""Folders of Python and of packages that are left out."""
_KEPT: Final = 14 * 86_400.0  # seconds that a copy is kept after a process has last asked for it
_READABLE: Final = 0o444
_ENTERED: Final = 0o555

_Files = Iterator[tuple[str, Path]]
"""Files of a part: the path within it, and the file that is copied."""


def python() -> str:
    """Return the path of the interpreter in a sandbox."""
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return f"{sys.base_prefix}/bin/{name}" if _is_shared() else f"{_AT}/python/bin/{name}"


def mount(name: str, folder: Path) -> tuple[Mount, ...]:
    """Return the mount of the part `python`, `kit` or `pip`, copied below `folder` if need be.

    Raises OSError if it cannot be copied.
    """
    if name == "python" and _is_shared():
        return ()
    return (Mount(_copied(name, folder.absolute()), f"{_AT}/{name}"),)


def _is_shared() -> bool:
    return Path(sys.base_prefix).resolve().is_relative_to(_SHARED)


@cache
def _copied(name: str, folder: Path) -> Path:
    """Copy a part unless it is there; rename it to its place as a whole. Return the folder."""
    files = sorted(PARTS[name]())
    place = folder / "parts" / f"{name}-{_key(files)}"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.parent.chmod(_ENTERED | 0o200)
    with _alone_in(place.parent):
        if place.exists():
            os.utime(place)
        _forget(name, place.parent)
        if not place.exists():
            _copy_all(files, place)
    return place


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Wait until no other process, or thread, copies parts into a folder."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
    finally:
        os.close(opened)


def _copy_all(files: Iterable[tuple[str, Path]], place: Path) -> None:
    made = Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=place.parent))
    try:
        for path, source in files:
            _copy(source, made / path)
        for directory in (made, *(path for path in made.rglob("*") if path.is_dir())):
            directory.chmod(_ENTERED | 0o200)
        for module in made.rglob("*.py"):
            _compile(module)
        made.rename(place)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _forget(name: str, folder: Path) -> None:
    """Remove copies of a part that were not used lately, and what killed processes have begun."""
    old = [copy for copy in folder.glob(f"{name}-*") if time() - copy.stat().st_mtime > _KEPT]
    for copy in (*old, *folder.glob(f".{name}-*")):
        shutil.rmtree(copy, ignore_errors=True)


def _copy(source: Path, target: Path) -> None:
    """Copy a file and its time, which the compiled form of a module names.

    A hard link would do for sandboxes; but who gives the folder to another user, by `chown -R`,
    would give away the originals with it.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)
    runs = source.stat().st_mode & 0o100
    target.chmod((_ENTERED if runs else _READABLE) | 0o200)


def _compile(module: Path) -> None:
    """Compile a module unless it is compiled, or is no Python of ours. Raises OSError.

    `compileall` looks what is compiled already, but hides that a disk is full.
    """
    if not compileall.compile_file(module, quiet=2):
        py_compile.compile(str(module), quiet=2)


def _key(files: list[tuple[str, Path]]) -> str:
    """Return a hash that changes with every file's path, size and time."""
    key = hashlib.sha256()
    for path, source in files:
        stat = source.stat()
        key.update(f"{path}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
    return key.hexdigest()[:16]


def _python() -> _Files:
    """Yield the interpreter, its library and the standard library."""
    prefix, library = Path(sys.base_prefix), Path(sysconfig.get_path("stdlib"))
    own = Path(python()).name
    for name in (own, "python3", "python"):
        yield f"bin/{name}", (prefix / "bin" / own).resolve()
    for shared in prefix.glob("lib/libpython*.so*"):
        yield f"lib/{shared.name}", shared
    for path, file in _below(library):
        yield f"lib/{library.name}/{path}", file


def _kit() -> _Files:
    """Yield the package `referee`, with compiled rules if there are any, and what it needs."""
    root = Path(__file__).parents[2]
    for path, file in _below(root / "referee"):
        yield f"referee/{path}", file
    for library in root.glob("santiago_rules__mypyc*"):  # the compiled rules
        yield library.name, library
    for name in _KIT:
        yield from _distribution(name)


def _distribution(name: str) -> _Files:
    """Yield the files of an installed package; nothing if it is not installed."""
    try:
        installed: Distribution = distribution(name)
    except PackageNotFoundError:
        return
    for file in installed.files or ():
        path = Path(str(installed.locate_file(file)))
        if ".." not in file.parts and not _NOT_FOR_BOTS & set(file.parts) and path.is_file():
            yield str(file), path


def _below(folder: Path) -> _Files:
    for directory, folders, files in os.walk(folder):
        folders[:] = [
            name for name in folders if name not in _NOT_FOR_BOTS and not name.startswith("config-")
        ]
        for name in files:
            path = Path(directory, name)
            if path.is_file():
                yield str(path.relative_to(folder)), path


PARTS: Final[dict[str, Callable[[], _Files]]] = {
    "python": _python,
    "kit": _kit,
    "pip": lambda: _distribution("pip"),
}
"""The files of each part, by its name in a runtime's description."""
