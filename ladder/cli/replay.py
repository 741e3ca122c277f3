"""`santiago replay analyse` and `debug`: why a recorded game was won, and what a bot did in it."""

import asyncio
import json
import shlex
import sys
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from pathlib import Path
from typing import Final

import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from ladder.cli.terminal import print_table
from ladder.local.entrants import LocalEntrant, gathered
from ladder.local.second_opinion import Opinion, no_seat, opinions
from ladder.local.tournament import player, with_last_lines
from referee.analysis import STANDARD_LOOKS, GameAnalysis, Mark, analyse, document, summaries
from referee.analysis.game import Progress as Report
from referee.errors import ReplayError, Unreachable
from referee.fault_reports import FaultReport, fault_reports
from referee.faults import SeatFault
from referee.replay import file_bytes, frames, read
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
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print all of it as JSON; /docs/analysis on a ladder's site has the fields.",
)
def analyse_file(file: Path, looks: int, as_json: bool) -> None:
    """Say why a game was won: what decisions cost, luck, and the turning points."""
    try:
        record = read(file_bytes(file))
        with _progress() as report:
            analysis = analyse(record, looks, report)
    except ReplayError as error:
        raise click.ClickException(f"{file}: {error}") from None
    if as_json:
        sys.stdout.write(json.dumps(document(analysis), separators=(",", ":")) + "\n")
    else:
        _print(Console(), record, analysis)
        click.echo(
            f"Look at a moment: santiago show {_typed(file)} --at MOMENT; the number before it "
            "shows the decision."
        )


def _typed(file: Path) -> str:
    """Return the name of a file as a shell needs it."""
    return shlex.quote(str(file))


@contextmanager
def _progress() -> Iterator[Report]:
    """Show how far the analysis is, on a terminal."""
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Analysing")
        yield lambda done, of: bar.update(task, completed=done, total=of)


def _print(console: Console, record: replay_pb2.Replay, analysis: GameAnalysis) -> None:
    names = [f"{seat} {player.name}" for seat, player in enumerate(record.seats)]
    print_table(console, _seats(names, list(record.result.ranks), analysis))
    if turning := _turning(names, record, analysis):
        print_table(console, turning)
    if any(decision.mark in _MARKED for decision in analysis.decisions):
        print_table(console, _decisions(names, analysis))


def _seats(names: list[str], ranks: list[int], analysis: GameAnalysis) -> Table:
    table = Table(title="Loss and luck, in share of the points", title_justify="left")
    for column in ("seat", "rank", "decisions", "loss", "mean", "luck"):
        table.add_column(column, justify="left" if column == "seat" else "right")
    for name, rank, summary in zip(names, ranks, summaries(analysis), strict=True):
        losses = summary.all
        numbers = f"{losses.decisions}", f"{losses.loss:.3f}", f"{losses.mean:.4f}"
        table.add_row(Text(name), str(rank), *numbers, f"{summary.luck:+.3f}")
    return table


def _turning(names: list[str], record: replay_pb2.Replay, analysis: GameAnalysis) -> Table | None:
    """Return the table of turning points: each seat's chance to win before and after."""
    if not analysis.turning:
        return None
    shown = frames(record)["frames"]
    table = Table(title="Turning points: chances to win", title_justify="left")
    for column in ("moment", "what happened", *names):
        table.add_column(Text(column), justify="right" if column in names else "left")
    for moment in analysis.turning:
        before, after = analysis.chances[moment - 1], analysis.chances[moment]
        changes = (f"{b[0]:.0%} > {a[0]:.0%}" for b, a in zip(before, after, strict=True))
        frame = shown[moment]
        what = frame.get("move", frame["type"])
        table.add_row(str(moment), Text(f"{names[frame['seat']]}: {what}"), *changes)
    return table


def _decisions(names: list[str], analysis: GameAnalysis) -> Table:
    table = Table(title="Decisions", title_justify="left")
    for column in ("moment", "seat", "move", "cost", "mark", "best line"):
        table.add_column(column, justify="right" if column == "cost" else "left")
    for decision in analysis.decisions:
        if decision.mark in _MARKED:
            mark = Text(_WORDS[decision.mark], _STYLES[decision.mark])
            table.add_row(
                str(decision.moment),
                Text(names[decision.seat]),
                move_text(decision.move),
                f"{decision.cost:.3f}",
                mark,
                _best_line(decision.line),
            )
    return table


def _best_line(moves: tuple[Move, ...]) -> str:
    more = ", ..." if len(moves) > _SHOWN_MOVES else ""
    return ", ".join(map(move_text, moves[:_SHOWN_MOVES])) + more


@click.command()
@click.argument("file", type=_PATH)
@click.option("--seat", type=click.IntRange(0, 3), help="Whose decisions, from 0.")
@click.option("--bot", "word", help="Its name, its address, or its command.")
def debug(file: Path, seat: int | None, word: str | None) -> None:
    """Ask a bot the decisions of a seat again, and show where it chooses otherwise.

    The game goes on as it was recorded, whatever the bot answers. Without --bot, print the fault
    of the seat: what it was asked, and what was received.
    """
    try:
        record = read(file_bytes(file))
        if seat is None:
            seats = ", ".join(f"{n} {player.name}" for n, player in enumerate(record.seats))
            raise click.UsageError(f"Whose decisions? Name one by --seat: {seats}.")
        if word is None:
            _print_fault(record, seat)
            return
        with gathered([word]) as (entrant,):
            otherwise = asyncio.run(_debug(record, seat, entrant))
        if otherwise:
            click.echo(f"Look at one of them: santiago show {_typed(file)} --at STEP")
    except ReplayError as error:
        raise click.ClickException(f"{file}: {error}") from None


def _print_fault(record: replay_pb2.Replay, seat: int) -> None:
    if seat >= len(record.seats):
        raise no_seat(record, seat)
    faults = [report for report in fault_reports(record) if report.seat == seat]
    for line in fault_lines(faults[0]) if faults else [f"Seat {seat} did not fault."]:
        click.echo(line)
    click.echo("--bot NAME|ADDRESS|COMMAND asks a bot the decisions of this seat again.")


def fault_lines(fault: FaultReport) -> Iterator[str]:
    """Yield the lines that tell an author all about a fault."""
    yield f"{fault.code} at step {fault.step}, turn {fault.turn}: {fault.sentence}"
    if fault.decision_id is not None:
        yield f"  asked: decision {fault.decision_id}, {fault.kind}, with these legal moves:"
        yield from (f"    {index}  {move}" for index, move in enumerate(fault.legal))
        yield f"  clock: {_clock_line(fault)}"
    if fault.received not in fault.sentence:  # what ended the stream stands in both
        yield f"  received: {fault.received}"
        yield f"  as bytes: {fault.received_hex}"


def _clock_line(fault: FaultReport) -> str:
    """Return the clock of a seat when it faulted, in seconds."""
    taken = "" if fault.think_ms is None else f"{fault.think_ms / 1000:.3f} s taken of "
    left, bank = (fault.time_left_ms or 0) / 1000, (fault.bank_left_ms or 0) / 1000
    return f"{taken}{left:.3f} s for the move; {bank:.3f} s in the bank"


async def _debug(record: replay_pb2.Replay, seat: int, entrant: LocalEntrant) -> int:
    """Print the decisions where the bot chooses otherwise; return how many."""
    count = otherwise = 0
    try:
        async with aclosing(opinions(record, seat, player(entrant))) as stream:
            async for opinion in stream:
                await asyncio.sleep(0)  # for Ctrl-C: an installed bot thinks without any pause
                count += 1
                if opinion.chosen != opinion.recorded:
                    otherwise += 1
                    click.echo(_opinion_line(count, opinion))
    except Unreachable as error:
        raise with_last_lines(error, entrant) from None
    except SeatFault as fault:
        click.echo(f"Decision {count + 1}: {entrant.name} faults, and is asked no more. {fault}")
    whose = f"seat {seat} ({record.seats[seat].name})"
    click.echo(f"{entrant.name} chooses otherwise at {otherwise} of {count} decisions of {whose}.")
    return otherwise


def _opinion_line(number: int, opinion: Opinion) -> str:
    by = " (by the caretaker)" if opinion.by_caretaker else ""
    recorded = "" if opinion.recorded is None else f"recorded {move_text(opinion.recorded)}{by}"
    return (
        f"Decision {number}, step {opinion.step}, turn {opinion.turn}, {opinion.kind}: "
        f"{recorded or f'it faulted here ({opinion.fault})'}, now {move_text(opinion.chosen)}; "
        f"{opinion.legal} legal moves, {1000 * opinion.think:.1f} ms"
    )
