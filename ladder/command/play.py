"""`santiago play`: a tournament on this machine, without any service."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Table

from ladder.errors import Refused
from ladder.local.entrants import gathered
from ladder.local.strength import comparisons, summaries
from ladder.local.tournament import PlayedGame, plan, play_all
from referee.clock import Clock
from referee.errors import RefereeError


@click.command()
@click.argument("bots", nargs=-1, required=True)
@click.option("--seats", type=click.IntRange(2, 4), default=2, show_default=True)
@click.option("--games", type=click.IntRange(min=1), default=20, show_default=True)
@click.option(
    "--replays",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write one replay file a game into this folder, which must be empty or new.",
)
@click.option("--jobs", type=click.IntRange(1, 64), default=1, help="Games at once.")
@click.option("--seed", type=int, help="Lay out and roll as another run with this seed did.")
@click.option("--move-limit", type=float, default=10.0, show_default=True, help="Seconds a move.")
@click.option("--bank", type=float, default=60.0, show_default=True, help="Seconds a game.")
@click.option("--increment", type=float, default=0.5, show_default=True, help="Seconds a decision.")
def play(
    bots: tuple[str, ...],
    seats: int,
    games: int,
    replays: Path | None,
    jobs: int,
    seed: int | None,
    move_limit: float,
    bank: float,
    increment: float,
) -> None:
    """Play a round robin between BOTS: names of installed bots (random, greedy, planner),
    addresses (host:port), or commands that start a bot."""
    console = Console()
    try:
        clock = Clock(move_limit, bank, increment)
        if replays is not None:
            _prepare(replays)
        with gathered(bots) as entrants:
            rng = Random(seed if seed is not None else os.urandom(16))
            planned = list(plan(len(entrants), seats, games, rng))
            played = _shown(console, play_all(planned, entrants, clock, jobs), len(planned))
            finished = list(_kept(played, replays))
            _report(console, finished, [entrant.name for entrant in entrants])
    except (RefereeError, Refused, ValueError, OSError) as error:
        raise click.ClickException(str(error)) from None


def _prepare(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise click.ClickException(f"{folder} is not empty: name a new folder for the replays.")


def _shown(console: Console, games: Iterator[PlayedGame], total: int) -> Iterator[PlayedGame]:
    """Passes games on and shows how many there are; Ctrl-C ends it with what there is."""
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress("Playing", *columns, console=console, transient=True) as progress:
        bar = progress.add_task("games", total=total)
        try:
            for game in games:
                progress.advance(bar)
                yield game
        except KeyboardInterrupt:
            console.print("Stopped; what was played counts.")


def _kept(games: Iterable[PlayedGame], folder: Path | None) -> Iterator[PlayedGame]:
    for game in games:
        if folder is not None:
            _write_whole(folder / f"{game.planned.number:05}.santiago", game.replay)
        yield game


def _write_whole(path: Path, data: bytes) -> None:
    """Writes the file or leaves none."""
    try:
        path.write_bytes(data)
    except OSError:
        path.unlink(missing_ok=True)
        raise


def _report(console: Console, games: Sequence[PlayedGame], names: Sequence[str]) -> None:
    table = Table("bot", title=f"{len(games)} games", title_justify="left")
    for heading in ("games", "wins", "mean VP", "score", "faults"):
        table.add_column(heading, justify="right")
    for bot in summaries(games, names):
        table.add_row(
            bot.name,
            str(bot.games),
            f"{bot.wins:g}",
            f"{bot.mean_vp:.1f}",
            f"{bot.score:.1%}",
            str(bot.faults),
        )
    console.print(table)
    for pair in comparisons(games, names):
        console.print(
            f"{pair.name} against {pair.other}: {pair.score:.1%} of {pair.pairs} pairs, "
            f"Elo {pair.elo:+.0f} (95 %: {pair.low:+.0f} to {pair.high:+.0f})",
            highlight=False,
        )
    for game in games:
        for seat, sentence in game.faults:
            name = names[game.planned.entrants[seat]]
            console.print(f"game {game.planned.number}: {name} faulted. {sentence}", markup=False)
