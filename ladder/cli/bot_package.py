"""`santiago bot pack`: the package that an author uploads. Needs nothing but the kit."""

import posixpath
import re
import shlex
from fnmatch import fnmatchcase
from itertools import takewhile
from pathlib import Path
from typing import Final

import click

from ladder.cli.files import check_outputs
from referee.hosting import packages
from referee.hosting.archives import BadPackage, Limits
from referee.hosting.client import BuildFailed
from referee.hosting.packages import MANIFEST, Manifest
from referee.hosting.packing import IGNORE_FILE, SUFFIXES, Survey
from referee.hosting.runtime import installed
from referee.hosting.settings import MB, HostSettings

_MOST_NAMED: Final = 8
_KB: Final = 1 << 10
_MODULES: Final = "node_modules"
_FILE: Final = re.compile(r"(?!-)[^\s:=]+\.[A-Za-z]\w*")
"""A word of a command that names a file; options and variables are none."""
_NO_FILE_AFTER: Final = ("-m", "-c", "-e")
"""Options of interpreters in place of a file: a module, or the program itself."""


@click.command("pack")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The package: a .zip or .tar.gz. Default: NAME-VERSION.zip in the folder where you are.",
)
def pack_folder(folder: Path, output: Path | None) -> None:
    """Pack the FOLDER of a bot for an upload, or say all that would be refused.

    Its santiago.toml names the bot, the runtime and the entry point; `santiago bot new` writes one.
    Left out are .git, __pycache__, .venv and the like, and what a .santiagoignore in FOLDER names.
    The same folder gives the same bytes. With SANTIAGO_PACKAGE_MB, SANTIAGO_UNPACKED_MB and
    SANTIAGO_PACKAGE_FILES in the environment, these are the limits, as a ladder may have others.
    """
    if output is not None:
        if not output.name.endswith(SUFFIXES):
            raise click.BadParameter(
                f"{output} ends neither with .zip nor with .tar.gz.", param_hint="--output"
            )
        check_outputs(output)
    make_package(folder, output)


def make_package(folder: Path, output: Path | None = None, into: Path = Path()) -> Path:
    """Pack a bot's folder as `output`, or as NAME-VERSION.zip `into` a folder; return the file.

    Prints what it is. Raises ClickException with all that would be refused.
    """
    limits = packages.package_limits(HostSettings.from_environment())
    found = packages.survey(folder, output or Path(f"{folder.name}.zip"), limits)
    wrong = list(found.refused)
    manifest = None
    try:
        manifest = _manifest(found)
    except BadPackage as error:
        wrong.append(error)
    if wrong or manifest is None:
        raise click.ClickException(refusal(folder, wrong))
    to = output or into / f"{manifest.name}-{manifest.version}.zip".replace(" ", "-")
    try:
        packages.pack(folder, to, limits)
    except BadPackage as error:
        raise click.ClickException(refusal(folder, [error])) from None
    _print_summary(output or Path(to.name), to.stat().st_size, manifest, found)
    return to


def read_package(package: Path, limits: Limits) -> Manifest:
    """Read a package that is to be uploaded or tried; raises ClickException, which names it."""
    try:
        return packages.read(package, limits)
    except BadPackage as error:
        hint = "`santiago bot pack FOLDER` makes a package of a bot's folder."
        raise click.ClickException(f"{refusal(package, [error])}\n{hint}") from None


def _manifest(survey: Survey) -> Manifest:
    """Read the manifest among the files; raises BadPackage."""
    for file in survey.files:
        if file.name == MANIFEST:
            return packages.manifest_of(file.path.read_bytes())
    raise BadPackage("", f"It has no {MANIFEST}: `santiago bot new` writes one to begin with.")


def refusal(refused: Path, wrong: list[BadPackage]) -> str:
    """Return the sentences that say why a package or folder would be refused."""
    return "\n  ".join([f"{refused} would be refused:", *map(str, wrong)])


def _print_summary(name: Path, size: int, manifest: Manifest, survey: Survey) -> None:
    files = f"{len(survey.files)} files" if len(survey.files) != 1 else "1 file"
    click.echo(
        f"{name}: {manifest.name} {manifest.version} for {manifest.runtime}, {files}, "
        f"{_size(size)} ({_size(survey.size)} unpacked)"
    )
    if survey.left_out:
        more = len(survey.left_out) - _MOST_NAMED
        named = ", ".join(survey.left_out[:_MOST_NAMED]) + (f" and {more} more" * (more > 0))
        click.echo(f"Left out: {named}; {IGNORE_FILE} can name more.")
    usual = installed()
    if manifest.runtime not in usual:
        click.echo(
            f"Careful: {manifest.runtime} is none of the usual runtimes ({', '.join(usual)}); a "
            "ladder takes the package only if one of its hosts has it."
        )
    names = {file.name for file in survey.files}
    if misfit := _misfit(manifest):
        click.echo(f"Careful: {misfit}")
    elif missing := _missing_entry(manifest, names):
        click.echo(f"Careful: {MANIFEST} names {manifest.entry}, but there is no {missing}.")
    if manifest.runtime == "node" and _lacks_modules(names) and _MODULES not in survey.left_out:
        click.echo(
            f"Careful: there is no {_MODULES}. Run `npm install` and pack it again, unless the "
            "ladder's operator keeps what package-lock.json names."
        )


def _lacks_modules(names: set[str]) -> bool:
    """Return True if a package needs modules that npm has not installed in it."""
    return "package-lock.json" in names and not any(n.startswith(f"{_MODULES}/") for n in names)


def _misfit(manifest: Manifest) -> str:
    """Say why the runtime does not start this entry point; nothing if it does, or is unknown."""
    try:
        if (runtime := installed().get(manifest.runtime)) is not None:
            runtime.command(manifest)
    except BuildFailed as error:
        return str(error)
    return ""


def _missing_entry(manifest: Manifest, names: set[str]) -> str:
    """Return the file that a bot would start with, if it is not there and nothing builds it."""
    if manifest.build:
        return ""
    possible: tuple[str, ...] = ()
    if manifest.runtime in ("python", "node"):
        module, colon, _ = manifest.entry.partition(":")
        path = module.replace(".", "/")
        possible = (f"{path}.py", f"{path}/__init__.py") if colon else (manifest.entry,)
    elif manifest.runtime in ("lines", "native") and not _is_built(manifest, names):
        possible = _program_files(shlex.split(manifest.entry))
    return "" if not possible or names.intersection(possible) else possible[0]


def _is_built(manifest: Manifest, names: set[str]) -> bool:
    """Return True if a host builds a package that names no build step, as by its Makefile."""
    steps = installed()[manifest.runtime].defaults
    return any(step.has in names and fnmatchcase(manifest.entry, step.entry) for step in steps)


def _program_files(command: list[str]) -> tuple[str, ...]:
    """Return the files of which a command needs one to start; () if it may be outside."""
    program, *words = command
    if "/" not in program:  # on PATH: what it runs has to be in the package
        own = takewhile(lambda word: word not in _NO_FILE_AFTER, words)
        program = next(filter(_FILE.fullmatch, own), "/")
    path = posixpath.normpath(program)
    outside = path.startswith(("/", ".."))
    return () if outside else (path, f"{path}/__main__.py")


def _size(count: int) -> str:
    return f"{count / MB:.1f} MB" if count >= MB else f"{max(1, count // _KB)} KB"
