"""`santiago replay debug`: a bot in a recorded game, its fault, and what it would do now."""

import asyncio
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Final

import click

from ladder.local.entrants import LocalEntrant, gathered
from ladder.local.second_opinion import Opinion, no_seat, opinions
from ladder.local.tournament import player
from referee.errors import ReplayError
from referee.fault_reports import FaultReport, fault_reports
from referee.faults import SeatFault
from referee.replay import read
from referee.rules import move_text
from referee.wire import replay_pb2

_PATH: Final = click.Path(exists=True, dir_okay=False, path_type=Path)


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
        record = read(file.read_bytes())
        if seat is None:
            seats = ", ".join(f"{n} {player.name}" for n, player in enumerate(record.seats))
            raise click.UsageError(f"Whose decisions? Name one by --seat: {seats}.")
        if word is None:
            _print_fault(record, seat)
            return
        with gathered([word]) as (entrant,):
            otherwise = asyncio.run(_debug(record, seat, entrant))
        if otherwise:
            click.echo(f"Look at one of them: santiago show {file} --at STEP")
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
        yield f"  clock: {clock_line(fault)}"
    if fault.received:
        yield f"  received: {fault.received}"
        yield f"  as bytes: {fault.received_hex}"


def clock_line(fault: FaultReport) -> str:
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
                count += 1
                if opinion.chosen != opinion.recorded:
                    otherwise += 1
                    click.echo(_line(count, opinion))
    except SeatFault as fault:
        click.echo(f"Decision {count + 1}: {entrant.name} faults, and is asked no more. {fault}")
    whose = f"seat {seat} ({record.seats[seat].name})"
    click.echo(f"{entrant.name} chooses otherwise at {otherwise} of {count} decisions of {whose}.")
    return otherwise


def _line(number: int, opinion: Opinion) -> str:
    by = " (by the caretaker)" if opinion.by_caretaker else ""
    recorded = "" if opinion.recorded is None else f"recorded {move_text(opinion.recorded)}{by}"
    return (
        f"Decision {number}, step {opinion.step}, turn {opinion.turn}, {opinion.kind}: "
        f"{recorded or f'it faulted here ({opinion.fault})'}, now {move_text(opinion.chosen)}; "
        f"{opinion.legal} legal moves, {1000 * opinion.think:.1f} ms"
    )
