"""Small working bot projects, by language: `santiago bot new` and the site's downloads
copy them.

Their texts name the bot `new-bot`. The kit for Node and the .proto files are
links to their places in this project.
"""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from shutil import rmtree
from typing import Final

from ladder.errors import LadderError

_PLACEHOLDER: Final = "new-bot"
_HERE: Final = Path(__file__).parent
LANGUAGES: Final = ("python", "node", "lines", "cpp")
"""`lines` is for any language, by a program in plain Python; `cpp` speaks by lines, too."""
_PLACES: Final = re.compile(rf"(.*{_PLACEHOLDER}.*?)(   +)(?=# )|{_PLACEHOLDER}")
"""A command with a comment in a column of its own, or the placeholder elsewhere."""
_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9_-]{0,38}[a-z0-9])?")


class InvalidName(LadderError):
    """A new bot cannot have this name, or its folder already exists."""


def write_project(name: str, language: str, parent: Path) -> list[Path]:
    """Write the project `parent/name`, or nothing; return its files, relative to it.

    Raises InvalidName and OSError.
    """
    if not _NAME.fullmatch(name):
        raise InvalidName(
            f"{name!r} cannot be the name of a new bot: take up to 40 small letters, digits "
            "and, between them, - and _, such as my-bot."
        )
    folder = parent / name
    if folder.exists():
        raise InvalidName(f"The folder {folder} exists: choose another name, or remove it.")
    written = []
    with ExitStack() as undoing:
        undoing.callback(rmtree, folder, ignore_errors=True)
        for file, text in project(name, language):
            target = folder / file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
            written.append(file)
        undoing.pop_all()
    return written


def project(name: str, language: str) -> Iterator[tuple[Path, str]]:
    """Yield the files of a project for the bot `name`, each with its text."""
    for file in _files(_HERE / language):
        yield file, _named((_HERE / language / file).read_text(), name)


def _named(text: str, name: str) -> str:
    """Put in the name of the bot; comments that stand in a column stay in it."""

    def put_in(found: re.Match[str]) -> str:
        if not found[1]:
            return name
        command = found[1].replace(_PLACEHOLDER, name)
        return f"{command.ljust(len(found[0]) - 1)} "

    return _PLACES.sub(put_in, text)


def _files(root: Path) -> Iterator[Path]:
    """Yield the files below a folder by name, following links."""
    for path in sorted(root.iterdir()):
        if path.name.startswith((".", "_")) or path.name == "node_modules":
            continue
        if path.is_dir():
            yield from (Path(path.name, inner) for inner in _files(path))
        else:
            yield Path(path.name)
