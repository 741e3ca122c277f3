"""`santiago play`: a tournament on this machine, without any service."""

import shlex
from itertools import cycle, islice
from pathlib import Path
from random import Random

import click

from ladder.cli.clock import clock_options
from ladder.cli.play_files import (
    check_folder_of,
    make_folder,
    prepare_folder,
    write_csv,
    write_json,
)
from ladder.cli.play_games import GameKeeper, play_on
from ladder.cli.play_report import tell
from ladder.local.duel import Duel
from ladder.local.entrants import gathered
from ladder.local.log import Terms, opened
from ladder.local.plan import Pairing, games_of, plan
from ladder.local.report import Report, report
from ladder.local.sprt import Hypotheses
from referee.clock import Clock

_GAMES = 20
_MOST_DEALS = 5000
_FILE = click.Path(dir_okay=False, path_type=Path)


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
@click.option(
    "--replays",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write one replay file a game into this folder, which must be empty or new.",
)
@click.option(
    "--bot-output",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write what each bot that is started by a command prints into a file of this folder.",
)
@click.option("--json", "json_file", type=_FILE, help="Write the outcome into this file as JSON.")
@click.option("--csv", "csv_file", type=_FILE, help="Write the table into this file as CSV.")
@click.option(
    "--jobs", type=click.IntRange(1, 64), default=1, show_default=True, help="Games at once."
)
@click.option(
    "--seed",
    type=int,
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

    A bot is the name of an installed one (random, greedy, planner), the address of one that runs
    (HOST:PORT), or a command that starts one, in quotes. A bot may be named several times, and
    then has several seats at a table.

    Games come in deals: one layout, played in every rotation of a cyclic order of the bots that
    is drawn anew for each deal.
    """
    pairing = _pairing(bots, seats, gauntlet, sprt)
    total = _total(len(bots), seats, pairing, games, deals)
    check_folder_of(log, json_file, csv_file)
    prepare_folder(replays, resumed=log is not None and log.exists())
    make_folder(bot_output)
    with gathered(bots, bot_output) as entrants:
        terms = Terms(entrants, seats, pairing, shared_dice, clock)
        with opened(log, terms, seed) as record:
            drawn = plan(len(bots), seats, Random(record.seed), pairing, shared_dice=shared_dice)
            planned = list(islice(drawn, max(total, record.last)))
            duel = None if sprt is None else Duel(Hypotheses(*sprt), seats)
            keeper = GameKeeper(planned, record, duel, replays)
            try:
                play_on(keeper, entrants, clock, jobs)
            finally:  # what was played counts, whatever ended it
                test = None if duel is None else duel.progress
                told = report(keeper.played, terms, len(planned), test)
                _hand_out(told, replays, json_file, csv_file)
                if log is not None and told.unfinished:
                    click.echo(f"The same command goes on from here, by {log}.")


def _pairing(
    bots: tuple[str, ...], seats: int, gauntlet: bool, sprt: tuple[float, float] | None
) -> Pairing:
    """Who meets whom, where that is possible."""
    if sprt is not None:
        if gauntlet or len(bots) != 2 or bots[0] == bots[1]:
            raise click.UsageError("--sprt compares two different bots: name just these.")
        if not sprt[0] < sprt[1]:
            raise click.UsageError("--sprt needs the smaller Elo first, such as --sprt 0 20.")
        return Pairing.DUEL
    if len(bots) < seats:
        enough = shlex.join(islice(cycle(bots), seats))
        raise click.UsageError(
            f"A table of {seats} needs {seats} bots, and {len(bots)} are named. A bot may be named "
            f"several times: santiago play {enough} --seats {seats}"
        )
    return Pairing.GAUNTLET if gauntlet else Pairing.ROUND_ROBIN


def _total(
    entrants: int, seats: int, pairing: Pairing, games: int | None, deals: int | None
) -> int:
    """How many games to play."""
    if games is not None and deals is not None:
        raise click.UsageError("--games and --deals say the same: give one of them.")
    if games is None and deals is None and pairing is Pairing.DUEL:
        deals = _MOST_DEALS
    return games_of(entrants, seats, pairing, deals) if deals else games or _GAMES


def _hand_out(
    told: Report, replays: Path | None, json_file: Path | None, csv_file: Path | None
) -> None:
    tell(told, replays)
    if json_file is not None:
        write_json(json_file, told)
    if csv_file is not None:
        write_csv(csv_file, told)
