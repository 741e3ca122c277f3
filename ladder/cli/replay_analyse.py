"""`santiago replay analyse`: why a recorded game was won."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from referee.analysis import STANDARD_LOOKS, GameAnalysis, Mark, analyse, document, summaries
from referee.analysis.game import Progress as Report
from referee.errors import ReplayError
from referee.replay import frames, read
from referee.rules import Move, move_text
from referee.wire import replay_pb2

_PATH: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
_MOST_LOOKS: Final = 100_000
_STYLES: Final = {
    Mark.BIG: "bold red",
    Mark.CLEAR: "yellow",
    Mark.SMALL: "dim",
    Mark.ONLY: "green",
    Mark.FIND: "bold cyan",
}
_WORDS: Final = {
    Mark.BIG: "big loss",
    Mark.CLEAR: "clear loss",
    Mark.SMALL: "small loss",
    Mark.ONLY: "only move",
    Mark.FIND: "find",
}
_SHOWN_MOVES: Final = 4  # of a line
_MARKED: Final = (Mark.BIG, Mark.CLEAR, Mark.FIND, Mark.ONLY)
"""The marks whose decisions are listed."""


@click.command("analyse")
@click.argument("file", type=_PATH)
@click.option(
    "--looks",
    type=click.IntRange(1, _MOST_LOOKS),
    default=STANDARD_LOOKS,
    show_default=True,
    help="How often the engine looks further for a decision, on average.",
)
@click.option("--json", "as_json", is_flag=True, help="Print all of it as JSON (docs/analysis.md).")
def analyse_file(file: Path, looks: int, as_json: bool) -> None:
    """Say why a game was won: what decisions cost, luck, and the turning points."""
    try:
        record = read(file.read_bytes())
        with _progress() as report:
            found = analyse(record, looks, report)
    except ReplayError as error:
        raise click.ClickException(f"{file}: {error}") from None
    if as_json:
        sys.stdout.write(json.dumps(document(found), separators=(",", ":")) + "\n")
    else:
        _print(Console(), record, found)
        click.echo(f"Look at a moment: santiago show {file} --at MOMENT")


@contextmanager
def _progress() -> Iterator[Report]:
    """Show how far the analysis is, on a terminal."""
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Analysing")
        yield lambda done, of: bar.update(task, completed=done, total=of)


def _print(console: Console, record: replay_pb2.Replay, found: GameAnalysis) -> None:
    names = [f"{seat} {player.name}" for seat, player in enumerate(record.seats)]
    console.print(_seats(names, list(record.result.ranks), found))
    if turning := _turning(names, record, found):
        console.print(turning)
    console.print(_decisions(names, found))


def _seats(names: list[str], ranks: list[int], found: GameAnalysis) -> Table:
    table = Table(title="Loss and luck, in share of the points", title_justify="left")
    for column in ("seat", "rank", "decisions", "loss", "mean", "luck"):
        table.add_column(column, justify="left" if column == "seat" else "right")
    for name, rank, summary in zip(names, ranks, summaries(found), strict=True):
        losses = summary.all
        numbers = f"{losses.decisions}", f"{losses.loss:.3f}", f"{losses.mean:.4f}"
        table.add_row(Text(name), str(rank), *numbers, f"{summary.luck:+.3f}")
    return table


def _turning(names: list[str], record: replay_pb2.Replay, found: GameAnalysis) -> Table | None:
    """Return the table of turning points: each seat's chance to win before and after."""
    if not found.turning:
        return None
    shown = frames(record)["frames"]
    table = Table(title="Turning points: chances to win", title_justify="left")
    for column in ("moment", "what happened", *names):
        table.add_column(Text(column), justify="right" if column in names else "left")
    for moment in found.turning:
        before, after = found.chances[moment - 1], found.chances[moment]
        changes = (f"{b[0]:.0%} > {a[0]:.0%}" for b, a in zip(before, after, strict=True))
        frame = shown[moment]
        what = frame.get("move", frame["type"])
        table.add_row(str(moment), Text(f"{names[frame['seat']]}: {what}"), *changes)
    return table


def _decisions(names: list[str], found: GameAnalysis) -> Table:
    table = Table(title="Decisions", title_justify="left")
    for column in ("moment", "seat", "move", "cost", "mark", "best line"):
        table.add_column(column, justify="right" if column == "cost" else "left")
    for decision in found.decisions:
        if decision.mark in _MARKED:
            mark = Text(_WORDS[decision.mark], _STYLES[decision.mark])
            table.add_row(
                str(decision.moment),
                Text(names[decision.seat]),
                move_text(decision.move),
                f"{decision.cost:.3f}",
                mark,
                _line(decision.line),
            )
    return table


def _line(moves: tuple[Move, ...]) -> str:
    more = ", ..." if len(moves) > _SHOWN_MOVES else ""
    return ", ".join(map(move_text, moves[:_SHOWN_MOVES])) + more
