"""The files and folders that commands write: checked before the work, written whole or not."""

import os
from itertools import count
from pathlib import Path
from typing import Final

import click

from referee.files import replace_file

STDOUT: Final = Path("-")
"""The name of a file that stands for the standard output."""


def prepare_folder(folder: Path | None, *, resumed: bool) -> None:
    """Make the folder of the replays. It must be empty, unless an old log is resumed."""
    if folder is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    if not resumed and any(folder.iterdir()):
        raise click.UsageError(
            f"{folder} is not empty, and games of two runs are not to be mixed. Name a new folder, "
            f"such as --replays {_unused(folder)}, or remove the old one first."
        )


def _unused(folder: Path) -> Path:
    """Return the folder's name with the first free number; inside it if it has none, as `.`."""
    named = folder if folder.name.strip(".") else folder / "games"
    numbered = (named.with_name(f"{named.name}-{number}") for number in count(2))
    return next(path for path in numbered if not path.exists())


def check_outputs(*replaced: Path | None, appended: Path | None = None) -> None:
    """Find what is wrong with the path of a file before the work, not after.

    A file that is there is replaced by a new one of its folder, or what is written is appended.
    """
    named = [file for file in (appended, *replaced) if file is not None]
    for file in named:
        if not file.parent.is_dir():
            raise click.UsageError(f"{file.parent} is no folder: {file} cannot be written.")
        if not file.name:  # click takes an empty word, such as a variable that is not set
            raise click.UsageError("The name of a file to be written is empty.")
        is_made = not file.exists() or (file.is_file() and file != appended)
        if file != STDOUT and is_made and not os.access(file.parent, os.W_OK):
            raise click.UsageError(f"You may not write into {file.parent}, so not {file} either.")
        if named.count(file) > 1:
            raise click.UsageError(f"Only one output can go to {file}: name different files.")


def write_whole(path: Path, data: bytes) -> None:
    """Write the whole file, or none. A link is followed, a device or a pipe written as it is."""
    try:
        if path == STDOUT:
            click.echo(data, nl=False)
        elif path.exists() and not path.is_file():
            path.write_bytes(data)
        else:
            replace_file(Path(os.path.realpath(path)), data)  # of a link to itself, too
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
