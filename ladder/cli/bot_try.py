"""`santiago bot try`: build a package, check the bot, and play games with it, as a host does.

The bot runs at a host of this process (`ladder.local.hosting`), or outside if there is no sandbox.
"""

import asyncio
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final, TypeAlias

import click

from ladder.cli import files, play_report
from ladder.cli.bot_check import ResultLines, print_summary
from ladder.cli.bot_package import read_package, refusal
from ladder.cli.terminal import ProgressBar, clock_options, stoppable
from ladder.local.entrants import (
    LocalEntrant,
    ended_by,
    gathered,
    guarded,
    guarded_folder,
    last_lines_in,
)
from ladder.local.log import Terms
from ladder.local.output import shortened
from ladder.local.results import report
from ladder.local.tournament import Pairing, plan, play_all
from referee.clock import Clock
from referee.conformance.check import Candidate, CheckResult
from referee.conformance.suite import checks, examine
from referee.errors import InvalidBot, Unreachable
from referee.hosting import packages
from referee.hosting.archives import BadPackage
from referee.hosting.build import build, runtime_of
from referee.hosting.bundles import Built
from referee.hosting.guards import guards
from referee.hosting.packages import Manifest
from referee.hosting.settings import HostSettings
from referee.printing import escaped
from referee.processes import BotProcess

if TYPE_CHECKING:
    from ladder.local.hosting import HostedBot

_Running: TypeAlias = "HostedBot | _Outside"
"""A bot that can be called: both have the same methods."""

DIFFERS: Final = (
    "it has your network, your files and all processors",
    "nothing limits its memory, threads and files",
    "it is not stopped between its decisions",
)
"""How a bot runs without a sandbox, beside one that is hosted."""
_OPPONENTS: Final = ("greedy", "random")
_PAUSE: Final = 1.0  # seconds, in the checks of waiting
_OWN: Final = 0  # its place among those who play


@click.command("try")
@click.argument("package", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--games",
    type=click.IntRange(min=0),
    default=8,
    show_default=True,
    help="Games against greedy and random.",
)
@click.option("--no-check", is_flag=True, help="Leave out the checks.")
@play_report.replays_option
@clock_options
def try_bot(package: Path, games: int, no_check: bool, replays: Path | None, clock: Clock) -> None:
    """Build a PACKAGE, check its bot, and play games with it, as a ladder's host does.

    PACKAGE is what `santiago bot pack` wrote, or a folder, which is packed first. The bot is built
    and plays in the same sandbox and with the same limits as on a host; if this machine has none,
    the command says so, and what differs. The exit code is 0 if all checks have passed and the bot
    has not faulted in a game, else 1.
    """
    files.prepare_folder(replays, resumed=False)
    with _settings() as settings:
        why = guards(settings.uids).missing
        if why:
            click.echo(f"This machine has no sandbox. {why}")
            click.echo(f"The bot runs without one: {'; '.join(DIFFERS)}.")
        packed = _packed(package, settings)
        built = build(packed, settings.folder, settings=settings, say=_say, sandboxed=not why)
        click.echo(f"Built: {built.size:,} bytes, SHA-256 {built.sha256}")
        with _bot_of(built, settings, clock, sandboxed=not why) as bot:
            passed = no_check or print_summary(bot.examine(clock, _PAUSE, ResultLines().show))
            if passed and games:
                try:
                    passed = _play(bot, games, replays, clock)
                except Unreachable as error:
                    raise InvalidBot("\n".join((str(error), *bot.last_words()))) from None
            _print_use(bot, passed)
    if not passed:
        raise SystemExit(1)


@contextmanager
def _settings() -> Iterator[HostSettings]:
    """Yield a host's settings, with a folder of this run that sandboxes can read, also as root."""
    settings = HostSettings.from_environment()
    if settings.folder == HostSettings.folder:
        cache = Path("/var/cache") if os.geteuid() == 0 else Path.home() / ".cache"
        folder = Path(os.environ.get("XDG_CACHE_HOME") or cache, "santiago")
        settings = replace(settings, folder=folder)
    with _own_folder(settings) as folder:
        yield replace(settings, folder=folder)


@contextmanager
def _own_folder(settings: HostSettings) -> Iterator[Path]:
    """Make a folder for this run, in which the copies of runtimes are those of all runs.

    If no other run is under way, remove first what killed ones have left.
    """
    parts, runs = (settings.folder.absolute() / name for name in ("parts", "runs"))
    for folder in (parts, runs):
        replace(settings, folder=folder).make_folder()
    with runs.with_suffix(".lock").open("w") as lock:
        with suppress(OSError):  # if another one is, or no file of this disk can be locked
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for left in runs.iterdir():
                shutil.rmtree(left, ignore_errors=True)
        with suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_SH)
        with tempfile.TemporaryDirectory(dir=runs) as made:
            own = Path(made)
            own.chmod(0o755)
            (own / "parts").symlink_to(parts)
            yield own


def _packed(package: Path, settings: HostSettings) -> Path:
    """Return a package, made of a folder if it is one. Raises ClickException, which names it."""
    limits = packages.package_limits(settings)
    if not package.is_dir():
        read_package(package, limits)
        return package
    packed = settings.folder / "package.tar.gz"
    try:
        packages.pack(package, packed, limits)
    except BadPackage as error:
        raise click.ClickException(refusal(package, [error])) from None
    return packed


def _play(bot: _Running, games: int, replays: Path | None, clock: Clock) -> bool:
    """Play games under the name of the package, as on a ladder; return False if it faulted."""
    with gathered(_OPPONENTS) as others:
        terms = Terms([bot.entrant, *others], 2, Pairing.GAUNTLET, shared_dice=False, clock=clock)
        planned = list(islice(plan(len(terms.bots), 2, Random(), Pairing.GAUNTLET), games))
        played = []
        bar = ProgressBar("Games", games, 0)
        with (
            stoppable() as pause,
            closing(play_all(planned, terms.bots, clock, 1, pause)) as games_played,
            bar,
        ):
            for game in games_played:
                played.append(game)
                if replays is not None:
                    play_report.write_replay(replays, game)
                bar.show(len(played), "")
    play_report.print_report(report(played, terms, games), replays)
    return not any(
        game.planned.entrants[seat] == _OWN for game in played for seat, _ in game.faults
    )


def _say(line: str) -> None:
    """Print a line of the build's log, which may be a stranger's."""
    click.echo(escaped(line.expandtabs()))


def _print_use(bot: _Running, passed: bool) -> None:
    if used := bot.used():
        click.echo(used)
    if not passed and (lines := bot.last_words()):
        click.echo("\n".join(["The last lines that the bot printed:", *lines]))


def _bot_of(
    built: Built, settings: HostSettings, clock: Clock, *, sandboxed: bool
) -> AbstractContextManager[_Running]:
    """Let the bot of a bundle be called within a block. Raises InvalidBot and InvalidSetting.

    What it needs is left in `settings.folder`.
    """
    manifest = packages.read(built.path, packages.package_limits(settings))
    if not sandboxed:
        return _outside(built, manifest, settings, clock)
    from ladder.local.hosting import hosted  # it needs the extra `hosting`

    return hosted(built, manifest, settings)


@contextmanager
def _outside(
    built: Built, manifest: Manifest, settings: HostSettings, clock: Clock
) -> Iterator["_Outside"]:
    folder, log = settings.folder / "bot", settings.folder / "bot.log"
    runtime = runtime_of(manifest, settings)
    packages.unpack(built.path, folder, packages.package_limits(settings))
    with guarded_folder() as (sockets, guardian):
        address, variables = f"unix:{sockets / 'bot'}", runtime.environment_outside(folder)
        command = runtime.command_outside(manifest)
        process = BotProcess(command, address, log, variables, folder, clock)
        with shortened(log), guarded(process, guardian):
            yield _Outside(process, manifest, log)


class _Outside:
    """A bot without a sandbox."""

    def __init__(self, process: BotProcess, manifest: Manifest, log: Path) -> None:
        self._log, self._process = log, process
        try:
            process.wait_until_ready()
        except InvalidBot as error:
            raise InvalidBot("\n".join((str(error), *self.last_words()))) from None
        self.entrant = LocalEntrant(
            "package", manifest.name, manifest.version, "", address=process.address
        )

    def examine(
        self, clock: Clock, pause: float, show: Callable[[CheckResult], None]
    ) -> list[CheckResult]:
        """Run the checks."""
        candidate = Candidate(self.entrant.address or "", clock, pause)
        gone = partial(ended_by, process=self._process)
        return asyncio.run(examine(candidate, checks(), show, gone))

    def last_words(self) -> list[str]:
        """Return the last lines that it has printed."""
        return last_lines_in(self._log)

    def used(self) -> str:
        """Return nothing: nobody counts what it uses."""
        return ""
