"""Games and their files: `santiago show`, `santiago selfplay` and `santiago replay`."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from random import Random
from typing import Final, TextIO

import click
from rich.console import Console

from ladder.cli.groups import Commands, LazyGroup, require
from ladder.cli.terminal import stoppable
from ladder.local.guardian import Guardian
from referee.board import draw
from referee.errors import ReplayError
from referee.replay import MAGIC, file_bytes, read, simulate, start, trace, verify
from referee.rules import InvalidTrace, Layout, Position, RulesError, play_out
from referee.rules.playouts import DICE_BY_NAME, trace_out
from referee.rules.trace_reading import read_trace
from referee.wire import replay_pb2

_STDIN: Final = "-"
_MOST_READ: Final = 2**20  # characters of a line: more than any line of a trace may have
_LOOK_EVERY: Final = 0.1  # seconds
_PATH: Final = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("position", nargs=-1, required=True)
@click.option(
    "--at", type=click.IntRange(min=0), help="For a replay: the number of steps; default: all."
)
@click.option("--text", is_flag=True, help="Print the position's line of text instead.")
def show(position: tuple[str, ...], at: int | None, text: bool) -> None:
    """Draw a POSITION: the line of text that `str(position)` makes, `-` for lines from the
    standard input, or a replay file (*.santiago)."""
    console = Console()
    try:
        for found, names in _found(position, at):
            if text:
                click.echo(str(found))
            else:
                console.print(draw(found, names))
    except RulesError as error:
        raise click.ClickException(str(error)) from None


def _found(words: tuple[str, ...], at: int | None) -> Iterator[tuple[Position, Sequence[str]]]:
    """Yield the positions to show, with the players' names if they are known."""
    if words == ("",):
        raise click.UsageError("POSITION is empty: give a line of text, `-`, or a replay file.")
    is_file = words[0].endswith(".santiago") or ("=" not in words[0] and words[0] != _STDIN)
    if is_file and len(words) == 1:
        yield _moment(Path(words[0]), at)
    elif is_file or at is not None:
        raise click.UsageError("Give one replay file (--at belongs to it) or one position.")
    elif words[0] == _STDIN:
        yield from _piped()
    else:
        yield Position.parse(" ".join(words)), ()


def _piped() -> Iterator[tuple[Position, Sequence[str]]]:
    positions = (Position.parse(line) for line in _lines(sys.stdin) if line.strip())
    first = next(positions, None)
    if first is None:
        raise click.ClickException("There is no position in the standard input.")
    yield from ((position, ()) for position in chain([first], positions))


def _lines(file: TextIO) -> Iterator[str]:
    """Yield the lines of a file; one that never ends comes in pieces, which are too long, too."""
    while line := file.readline(_MOST_READ):
        yield line


def _moment(file: Path, at: int | None) -> tuple[Position, Sequence[str]]:
    """Return the position after some steps of a replay, or after the last one.

    The moment that follows the last step is the end of the game, as in the viewer and in analyses.
    """
    try:
        record = read(file_bytes(file))
        position = start(record)
        steps = 0
        for steps, _ in enumerate(simulate(position, record), 1):
            if steps - 1 == at:
                break
        else:
            if at is not None and at > steps + 1:
                raise click.ClickException(f"{file} has {steps} steps, so --at {at} is too far.")
    except ReplayError as error:
        raise click.ClickException(f"{file}: {error}") from None
    return position, [seat.name for seat in record.seats]


@click.command()
@click.option(
    "--players", type=click.IntRange(2, 4), default=4, show_default=True, help="Seats of each game."
)
@click.option("--games", type=click.IntRange(min=1), default=1, show_default=True, help="How many.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="The same seed, the same games.",
)
@click.option(
    "--dice",
    type=click.Choice(list(DICE_BY_NAME)),
    default="fair",
    show_default=True,
    help="heavy-zero loads the dice towards 0, so that the rare rulings come up.",
)
@click.option("--trace", is_flag=True, help="Print the trace of each game as JSON lines.")
def selfplay(players: int, games: int, seed: int, dice: str, trace: bool) -> None:
    """Play games in which every choice is random among the legal moves."""
    rng, roll = Random(seed), DICE_BY_NAME[dice]
    for number in range(1, games + 1):
        position = Position.start(Layout.shuffled(rng), players)
        if trace:
            for line in trace_out(position, rng, roll):
                sys.stdout.write(json.dumps(line, separators=(",", ":")) + "\n")
        else:
            play_out(position, rng, roll)
            vp = " ".join(str(score.vp) for score in position.scores())
            sys.stdout.write(f"game {number}: {position.turn} turns, VP by seat {vp}\n")


_ELSEWHERE: Final[Commands] = {
    "analyse": ("replay", "Say why a game was won: decisions, luck, turning points."),
    "debug": ("replay", "Ask a bot the decisions of a seat again."),
    "download": ("bot_site", "Save the replay files of matches as match-N.santiago."),
}


@click.group(cls=LazyGroup, lazy=_ELSEWHERE)
def replay() -> None:
    """Look into replay files (*.santiago)."""


@replay.command("verify")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=_PATH)
def verify_files(files: tuple[Path, ...]) -> None:
    """Replay each game by the rules: moves, dice and result must all be right."""
    wrong = 0
    for file in files:
        try:
            record = read(file_bytes(file))
            verify(record)
        except (ReplayError, OSError) as error:
            click.echo(f"{file}: {error}", err=True)
            wrong += 1
        else:
            click.echo(f"{file}: right. {_in_short(record)}")
    if wrong:
        sys.exit(1)


@replay.command("trace")
@click.argument("file", type=_PATH)
def trace_file(file: Path) -> None:
    """Print the game as JSON lines: setup, rolls, decisions with the legal moves, result."""
    try:
        for line in trace(read(file_bytes(file))):
            sys.stdout.write(json.dumps(line, separators=(",", ":")) + "\n")
    except ReplayError as error:
        raise click.ClickException(f"{file}: {error}") from None


@replay.command("check-trace")
@click.argument("file", metavar="FILE|-", type=click.File(encoding="utf-8", errors="replace"))
def check_trace(file: TextIO) -> None:
    """Play the games of a trace again by the rules: every line must be right."""
    games = choices = 0
    try:
        for game in read_trace(_lines_of_trace(file)):
            games += 1
            choices += len(game.choices)
    except InvalidTrace as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"The trace is right. Games: {games}, choices: {choices}.")


def _lines_of_trace(file: TextIO) -> Iterator[str]:
    for line in _lines(file):
        if line.startswith(MAGIC.decode()):
            said = f"{file.name} is a replay file, not a trace: `santiago replay verify` checks it."
            raise click.ClickException(said)
        yield line


def _in_short(record: replay_pb2.Replay) -> str:
    ranks = zip(record.seats, record.result.ranks, strict=True)
    return "Ranks: " + ", ".join(f"{seat.name} {rank}" for seat, rank in ranks)


@replay.command()
@click.argument("file", type=_PATH)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="Listen on this port of 127.0.0.1.  [default: any free one]",
)
@click.option("--open", "show", is_flag=True, help="Open the browser at once.")
def view(file: Path, port: int, show: bool) -> None:
    """Show a game in the site's own viewer, until Ctrl-C."""
    require("flask")
    # The viewer belongs to the site, which the ladder may start but not import.
    command = [sys.executable, "-P", "-m", "web.viewer.local", str(file.absolute()), str(port)]
    if show:
        command.append("--open")
    with stoppable() as pause, Guardian() as guardian:
        with subprocess.Popen(command, start_new_session=True) as viewer:
            guardian.guard(viewer.pid)
            try:
                while viewer.poll() is None:
                    pause(_LOOK_EVERY)
            finally:
                viewer.terminate()
        guardian.forget(viewer.pid)
    sys.exit(viewer.returncode)
