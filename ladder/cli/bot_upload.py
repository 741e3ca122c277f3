"""`santiago bot submit PACKAGE`: upload a package; follow any version until the bot is ranked.

Its exit codes are for scripts: 0 for uploaded (with --wait: ranked), 1 for refused or rejected,
2 for a wrong use of the command, 3 if it was not ranked in time, or no ladder makes matches for it,
130 after Ctrl-C.
"""

import time
from http import HTTPStatus
from pathlib import Path
from typing import Any, BinaryIO, Final

import click
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

from ladder.cli.bot_answers import Build, OwnVersion, Submission, find_version, public_bot
from ladder.cli.bot_package import read_package
from ladder.cli.client import SiteClient, SiteError, read
from referee.hosting.packages import package_limits
from referee.hosting.settings import HostSettings

NOT_IN_TIME: Final = 3
"""The exit code of a bot that was not ranked in time, or will not be."""
ACTIVE: Final = "active"  # states of bots and versions, as the API names them
REJECTED: Final = "rejected"
_PAUSE: Final = 2.0  # seconds between looks
_BUILDING: Final = "building"
_OVER: Final = (REJECTED, "superseded")
_FOR_A_WHILE: Final = (None, 429, 502, 503, 504)
"""Status codes of a site that does not answer now; None: it can't be reached."""


def upload(site: SiteClient, package: Path) -> Submission:
    """Upload a package. Raises ClickException if the package or the site refuses, SiteError."""
    manifest = read_package(package, package_limits(HostSettings.from_environment()))
    with package.open("rb") as file, _Shown(file, package) as shown:
        try:
            answer = site.upload("/bots/upload", "package", shown, package.name)
        except SiteError as error:
            if error.status not in (None, HTTPStatus.BAD_GATEWAY) or not file.tell():
                raise
            slow = f"A site cuts slow uploads: {site.url}/docs/upload-a-bot says which."
            raise SiteError(f"{error.sentence} {slow}", error.status) from None
    made = read(Submission, answer)
    show_submission(site, made, manifest.name, manifest.version)
    return made


def show_submission(site: SiteClient, made: Submission, name: str, version: str) -> None:
    """Print the state of a version that was submitted, and where its page is."""
    page = f"{site.url}/bots/{made.bot_id}/versions/{made.version_id}"
    click.echo(f"Bot {made.bot_id}: {name} {version} is {made.state}; {page}")


def follow(site: SiteClient, made: Submission, timeout: float, *, built: bool) -> None:
    """Print how a version goes on until it is ranked, for at most `timeout` seconds.

    `built`: hosts build it, since it was uploaded. Raises ClickException if it is rejected,
    SiteError; exits with NOT_IN_TIME.
    """
    plays = made.plays_on != ()
    following = _Following(site, made.bot_id, made.version_id, built=built, plays=plays)
    try:
        following.until_ranked(time.monotonic() + timeout)
    except KeyboardInterrupt:
        goes_on = f"The ladder goes on with it: `santiago bot status {made.bot_id}` tells how."
        click.echo(f"\n{goes_on}", err=True)
        raise


class _Shown:
    """A file whose reading is shown as progress, on a terminal; httpx reads it."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file = file
        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
        console = Console(stderr=True)
        quiet = not console.is_terminal
        self._progress = Progress(*columns, console=console, transient=True, disable=quiet)
        self._task = self._progress.add_task("Uploading", total=path.stat().st_size)

    def __enter__(self) -> Any:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def fileno(self) -> int:
        return self._file.fileno()

    def read(self, size: int = -1) -> bytes:
        piece = self._file.read(size)
        self._progress.advance(self._task, len(piece))
        return piece


class _Following:
    """A version on its way: prints each new state, what it waits for, and its build's lines."""

    def __init__(
        self, site: SiteClient, bot: int, version: int, *, built: bool, plays: bool = True
    ) -> None:
        self._site, self._bot, self._version = site, bot, version
        self._built, self._plays = built, plays
        self._state = ""
        self._why: str | None = None
        self._waits = False
        self._last: int | None = None  # the number of the last line that was printed

    def until_ranked(self, end: float) -> None:
        """Return once the version has a rank; raises ClickException if it is rejected."""
        while time.monotonic() < end:
            if self._is_ranked():
                return
            time.sleep(_PAUSE)
        click.echo("It is not ranked yet; its page tells how it goes on.", err=True)
        raise SystemExit(NOT_IN_TIME)

    def _is_ranked(self) -> bool:
        """Look once; a site that does not answer for a while is asked again. Raises SiteError."""
        try:
            version = self._look()
            ranked = version.state == ACTIVE and self._has_rank(version.name)
            if version.state == ACTIVE and not ranked and not self._waits:
                self._waits = True
                if not self._plays:
                    click.echo("It is not ranked: no ladder makes matches for it now.", err=True)
                    raise SystemExit(NOT_IN_TIME)
                click.echo("It waits for its first rated game, which the ladder draws.")
            return ranked
        except SiteError as error:
            if error.status in _FOR_A_WHILE:
                return False
            raise

    def _look(self) -> OwnVersion:
        """Return the version; print what is new of it. Raises ClickException if it is rejected."""
        version = find_version(self._site, self._bot, lambda one: one.id == self._version)
        if version is None:
            raise click.ClickException(f"Bot {self._bot} has no version {self._version} any more.")
        if version.state != _BUILDING:
            self._print_build()  # its last lines stand above the state that follows from them
        before, self._state = self._state, version.state
        if self._state != before:
            click.echo(f"Version {version.name} is {_said(before, self._state)}.")
        if self._state == _BUILDING:
            self._print_build()
        if self._state in _OVER:
            raise click.ClickException(_why_not(self._bot, version))
        reason, self._why = self._why, version.reason
        if version.reason and version.reason != reason:
            click.echo(version.reason)
        return version

    def _print_build(self) -> None:
        """Print all lines that are new; the site gives some at a time, and the error comes last."""
        path = f"/account/bots/{self._bot}/versions/{self._version}/build"
        over = not self._built
        while not over:
            build = read(Build, self._site.get(path, after=self._last))
            for line in build.lines:
                click.echo(f"    {line.text}")
                self._last = line.number
            over = build.over or not build.lines

    def _has_rank(self, version: str) -> bool:
        """Return True, and print the ranks, once the version has a rated game."""
        bot = public_bot(self._site, self._bot)
        if bot.version != version or not bot.places:
            return False
        click.echo("\n".join(bot.places))
        return True


def _said(before: str, state: str) -> str:
    """Return a state in words; what was built is again `submitted`, until its check begins."""
    match before, state:
        case (_, "trial"):
            return "checked, and plays its trial match"
        case ("building", "submitted"):
            return "built, and waits for its check"
    return state


def _why_not(bot_id: int, version: OwnVersion) -> str:
    """Say why a version does not play, with the checks that it failed."""
    state = f"Version {version.name} is {version.state}"
    if failed := version.failures:
        return "\n".join((f"{state}.", *failed))
    why = f"{state}: {version.reason or 'a newer version has replaced it'}"
    if version.state == REJECTED and version.report:  # of a check that it passed
        why += f"\n`santiago bot log {bot_id}` tells all about the match."
    return why
