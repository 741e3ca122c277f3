"""`santiago play`: a tournament on this machine, without any service."""

import os
import shlex
from itertools import cycle, islice
from pathlib import Path
from random import Random

import click

from ladder.command.clock import clock_options
from ladder.command.play_report import report
from ladder.command.progress import ProgressBar
from ladder.command.stopping import stoppable
from ladder.local.entrants import gathered, labels
from ladder.local.tournament import PlayedGame, plan, play_all
from referee.clock import Clock


@click.command()
@click.argument("bots", nargs=-1, required=True)
@click.option(
    "--seats", type=click.IntRange(2, 4), default=2, show_default=True, help="Bots at a table."
)
@click.option(
    "--games",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Games in all. SEATS games after one another share a layout and rotate the seats.",
)
@click.option(
    "--replays",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write one replay file a game into this folder, which must be empty or new.",
)
@click.option(
    "--jobs", type=click.IntRange(1, 64), default=1, show_default=True, help="Games at once."
)
@click.option("--seed", type=int, help="Lay out and roll as another run with this seed did.")
@clock_options
def play(
    bots: tuple[str, ...],
    seats: int,
    games: int,
    replays: Path | None,
    jobs: int,
    seed: int | None,
    clock: Clock,
) -> None:
    """Play a round robin between BOTS and print how they compare.

    A bot is the name of an installed one (random, greedy, planner), the address of one that runs
    (HOST:PORT), or a command that starts one, in quotes. A bot may be named several times, and
    then has several seats at a table.
    """
    _check_count(bots, seats)
    if replays is not None:
        _prepare(replays)
    planned = list(plan(len(bots), seats, games, Random(os.urandom(16) if seed is None else seed)))
    with gathered(bots) as entrants:
        played: list[PlayedGame] = []
        try:
            with stoppable() as pause, ProgressBar("Games", games) as bar:
                for game in play_all(planned, entrants, clock, jobs, pause):
                    if replays is not None:
                        _write_whole(replays / f"{game.planned.number:05}.santiago", game.replay)
                    played.append(game)
                    bar.show(len(played))
        finally:  # what was played counts, whatever ended it
            report(played, games, labels(entrants))


def _check_count(bots: tuple[str, ...], seats: int) -> None:
    if len(bots) < seats:
        enough = shlex.join(islice(cycle(bots), seats))
        raise click.UsageError(
            f"A table of {seats} needs {seats} bots, and {len(bots)} are named. A bot may be named "
            f"several times: santiago play {enough} --seats {seats}"
        )


def _prepare(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise click.UsageError(f"{folder} is not empty: name a new folder for the replays.")


def _write_whole(path: Path, data: bytes) -> None:
    """Writes the file or leaves none."""
    unfinished = path.with_suffix(".part")
    try:
        unfinished.write_bytes(data)
        unfinished.replace(path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from None
