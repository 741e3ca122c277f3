"""`santiago play`: a tournament on this machine, without any service."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from random import Random

import click

from ladder.cli import files, play_report
from ladder.cli.terminal import ProgressBar, clock_options, printable, stoppable
from ladder.local.entrants import LocalEntrant, gathered, labels, last_lines_in
from ladder.local.estimates import Hypotheses
from ladder.local.log import MOST_GAMES, GameLog, Terms, opened
from ladder.local.results import Duel, PlayReport, report
from ladder.local.tournament import Pairing, PlannedGame, PlayedGame, games_of, plan, play_all
from referee.clock import Clock

_GAMES = 20
_MAX_DEALS = 5000
_MOST_ELO = 4000  # beyond it a score is 0 or 1 to all digits
_FILE = click.Path(dir_okay=False, path_type=Path)
_OUTPUT = click.Path(dir_okay=False, path_type=Path, allow_dash=True)


@click.command()
@click.argument("bots", nargs=-1, required=True)
@click.option(
    "--seats", type=click.IntRange(2, 4), default=2, show_default=True, help="Bots at a table."
)
@click.option(
    "--games",
    type=click.IntRange(min=1),
    help=f"Games in all.  [default: {_GAMES}; with --sprt as many as it needs]",
)
@click.option(
    "--deals",
    type=click.IntRange(min=1),
    help="Instead of --games: layouts that each line-up plays, in every rotation of the seats.",
)
@click.option(
    "--shared-dice",
    is_flag=True,
    help="The games of a deal have the same dice too; the nonces of bots are left out of them.",
)
@click.option("--gauntlet", is_flag=True, help="The first bot against all others, no round robin.")
@click.option(
    "--sprt",
    nargs=2,
    type=float,
    metavar="ELO0 ELO1",
    help="Play two bots until it is known whether the first is ELO0 or ELO1 stronger.",
)
@click.option(
    "--log", type=_FILE, help="Keep each result in this file; go on there when called again."
)
@play_report.replays_option
@click.option(
    "--bot-output",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write what each bot that is started by a command prints into a file of this folder.",
)
@click.option(
    "--json",
    "json_file",
    type=_OUTPUT,
    help="Write the outcome into this file as JSON; `-` prints it in place of the tables.",
)
@click.option(
    "--csv",
    "csv_file",
    type=_OUTPUT,
    help="Write the table into this file as CSV; `-` prints it in place of the tables.",
)
@click.option(
    "--jobs", type=click.IntRange(1, 64), default=1, show_default=True, help="Games at once."
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="Layouts and seats of another run with this seed; its dice, too, with --shared-dice or "
    "where all bots are installed ones (others send nonces of their own, which go into the dice).",
)
@clock_options
def play(
    bots: tuple[str, ...],
    seats: int,
    games: int | None,
    deals: int | None,
    shared_dice: bool,
    gauntlet: bool,
    sprt: tuple[float, float] | None,
    log: Path | None,
    replays: Path | None,
    bot_output: Path | None,
    json_file: Path | None,
    csv_file: Path | None,
    jobs: int,
    seed: int | None,
    clock: Clock,
) -> None:
    """Play a tournament between BOTS and print how they compare.

    A bot is the name of an installed one (random, greedy, planner, turquino), the address of one
    that runs (HOST:PORT), or a command that starts one, in quotes; with `lines:` before it, the
    command starts a program that reads lines of JSON and prints moves. A bot may be named several
    times, and then has several seats at a table.

    Games come in deals: one layout, played in every rotation of a cyclic order of the bots that
    is drawn anew for each deal.
    """
    pairing = _pairing(bots, seats, gauntlet, sprt)
    total = _total(len(bots), seats, pairing, games, deals)
    files.check_outputs(json_file, csv_file, appended=log)
    if log == files.STDOUT or (log is not None and log.exists() and not log.is_file()):
        raise click.UsageError(f"--log is read again, so it needs a file, not `{log}`.")
    files.prepare_folder(replays, resumed=log is not None and log.exists())
    if bot_output is not None:
        bot_output.mkdir(parents=True, exist_ok=True)
    with gathered(bots, bot_output, clock) as entrants:
        terms = Terms(entrants, seats, pairing, shared_dice, clock)
        with opened(log, terms, seed) as record:
            drawn = plan(len(bots), seats, Random(record.seed), pairing, shared_dice=shared_dice)
            planned = list(islice(drawn, max(total, record.last)))
            duel = None if sprt is None else Duel(Hypotheses(*sprt), seats)
            keeper = _Games(planned, record, duel, replays)
            try:
                _play_on(keeper, entrants, clock, jobs)
            finally:  # report what was played, whatever ended it
                test = None if duel is None else duel.progress
                outcome = report(keeper.played, terms, len(planned), test)
                piped = files.STDOUT in (json_file, csv_file)
                _write_report(outcome, replays, json_file, csv_file, tables=not piped)
                if bot_output is None:
                    click.echo("".join(_printed(keeper.faulted, entrants)), nl=False, err=piped)
                if log is not None and outcome.unfinished:
                    click.echo(f"The same command goes on from here, by {log}.", err=piped)


def _printed(faulted: Sequence[int], entrants: Sequence[LocalEntrant]) -> Iterator[str]:
    """Yield in lines what the first of the `faulted` printed last, if it was started here."""
    logs = ((number, log) for number in faulted if (log := entrants[number].log))
    if (first := next(logs, None)) is None:
        return
    number, log = first
    if lines := last_lines_in(log):
        yield f"{printable(labels(entrants)[number])} printed last:\n"
        yield from (f"  {line}\n" for line in lines)
    yield "With --bot-output FOLDER you can read all that the bots printed.\n"


def _pairing(
    bots: tuple[str, ...], seats: int, gauntlet: bool, sprt: tuple[float, float] | None
) -> Pairing:
    """Return the pairing, or raise UsageError if these bots cannot play it."""
    if sprt is not None:
        if gauntlet or len(bots) != 2 or bots[0] == bots[1]:
            raise click.UsageError("--sprt compares two different bots: name just these.")
        if not sprt[0] < sprt[1]:
            raise click.UsageError("--sprt needs the smaller Elo first, such as --sprt 0 20.")
        if not -_MOST_ELO <= sprt[0] <= sprt[1] <= _MOST_ELO:
            raise click.UsageError(f"--sprt takes Elo from {-_MOST_ELO} to {_MOST_ELO}.")
        return Pairing.DUEL
    if len(bots) < seats:
        enough = shlex.join(islice(cycle(bots), seats))
        raise click.UsageError(
            f"A table of {seats} needs {seats} bots, not {len(bots)}. A bot may be named "
            f"several times: santiago play {enough} --seats {seats}"
        )
    return Pairing.GAUNTLET if gauntlet else Pairing.ROUND_ROBIN


def _total(
    entrants: int, seats: int, pairing: Pairing, games: int | None, deals: int | None
) -> int:
    """Return how many games to play."""
    if games is not None and deals is not None:
        raise click.UsageError("--games and --deals say the same: give one of them.")
    if games is None and deals is None and pairing is Pairing.DUEL:
        deals = _MAX_DEALS
    total = games_of(entrants, seats, pairing, deals) if deals else games or _GAMES
    if total > MOST_GAMES:
        raise click.UsageError(f"These are {total:,} games; one run plays {MOST_GAMES:,} at most.")
    return total


def _write_report(
    outcome: PlayReport,
    replays: Path | None,
    json_file: Path | None,
    csv_file: Path | None,
    *,
    tables: bool,
) -> None:
    """Write the files, then print; whatever fails, the rest comes all the same."""
    with ExitStack() as stack:  # last in, first out
        if tables:
            stack.callback(play_report.print_report, outcome, replays)
        if csv_file is not None:
            stack.callback(play_report.write_csv, csv_file, outcome)
        if json_file is not None:
            stack.callback(play_report.write_json, json_file, outcome)


class _Games:
    """The games of one call: those on record and those still to play.

    Each game that is played goes into the log, a replay file, the report and the test.
    """

    def __init__(
        self,
        planned: Sequence[PlannedGame],
        record: GameLog,
        duel: Duel | None,
        replays: Path | None,
    ) -> None:
        self._record, self._duel, self._replays = record, duel, replays
        self.played: list[PlayedGame] = []
        for game in record.played(planned):
            self._count(game)
        done = {game.planned.number for game in self.played}
        self.left = [game for game in planned if game.number not in done and not self.decided]

    @property
    def decided(self) -> bool:
        """True if no more games are needed."""
        return self._duel is not None and self._duel.decided

    @property
    def note(self) -> str:
        """The state of the test, shown beside the progress bar."""
        return "" if self._duel is None else f"LLR {self._duel.progress.llr:+.2f}"

    @property
    def faulted(self) -> list[int]:
        """The entrants that faulted in this call, by the numbers of their games."""
        numbers = {game.number for game in self.left}
        now = (game for game in self.played if game.planned.number in numbers)
        in_order = sorted(now, key=lambda game: game.planned.number)
        return [game.planned.entrants[seat] for game in in_order for seat, _ in game.faults]

    def keep(self, game: PlayedGame) -> None:
        """Record a game that was played. The replay is written first: a game that is in the log is
        never played again."""
        if self._replays is not None:
            play_report.write_replay(self._replays, game)
        self._record.add(game)
        self._count(replace(game, replay=b""))

    def _count(self, game: PlayedGame) -> None:
        self.played.append(game)
        if self._duel is not None:
            self._duel.add(game)


def _play_on(keeper: _Games, entrants: Sequence[LocalEntrant], clock: Clock, jobs: int) -> None:
    """Play the games that are left, until no more are needed or a signal stops it."""
    if not keeper.left:
        return
    before = len(keeper.played)
    bar = ProgressBar("Games", before + len(keeper.left), before)
    with (
        stoppable() as pause,
        closing(play_all(keeper.left, entrants, clock, jobs, pause)) as games,
        bar,
    ):
        for game in games:
            keeper.keep(game)
            bar.show(len(keeper.played), keeper.note)
            if keeper.decided:
                break
