"""`santiago replay debug`: where a bot would have played otherwise."""

import asyncio
from contextlib import aclosing
from pathlib import Path

import click

from ladder.local.entrants import Entrant, gathered
from ladder.local.second_opinion import Opinion, opinions
from ladder.local.tournament import player
from referee.errors import ReplayError, SeatFault
from referee.replay import read
from referee.rules import move_text
from referee.wire import replay_pb2


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--seat", type=click.IntRange(0, 3), help="Whose decisions, from 0.")
@click.option("--bot", "word", required=True, help="Its name, its address, or its command.")
def debug(file: Path, seat: int | None, word: str) -> None:
    """Put the decisions of a seat to a bot again, and show where it chooses otherwise.

    The game goes on as it was recorded, whatever the bot answers.
    """
    try:
        record = read(file.read_bytes())
        if seat is None:
            seats = ", ".join(f"{n} {player.name}" for n, player in enumerate(record.seats))
            raise click.UsageError(f"Whose decisions? Name one by --seat: {seats}.")
        with gathered([word]) as (entrant,):
            otherwise = asyncio.run(_debug(record, seat, entrant))
        if otherwise:
            click.echo(f"Look at one of them: santiago show {file} --at STEP")
    except ReplayError as error:
        raise click.ClickException(f"{file}: {error}") from None


async def _debug(record: replay_pb2.Replay, seat: int, entrant: Entrant) -> int:
    """Prints where the bot chooses otherwise; returns how often."""
    asked = otherwise = 0
    try:
        async with aclosing(opinions(record, seat, player(entrant))) as given:
            async for opinion in given:
                asked += 1
                if opinion.chosen != opinion.recorded:
                    otherwise += 1
                    click.echo(_line(asked, opinion))
    except SeatFault as fault:
        click.echo(f"Decision {asked + 1}: {entrant.name} faults, and is asked no more. {fault}")
    played = record.seats[seat].name
    click.echo(
        f"{entrant.name} chooses otherwise at {otherwise} of {asked} decisions of seat {seat} "
        f"({played})."
    )
    return otherwise


def _line(number: int, opinion: Opinion) -> str:
    by = " (by the caretaker)" if opinion.by_caretaker else ""
    return (
        f"Decision {number}, step {opinion.step}, turn {opinion.turn}, {opinion.kind}: "
        f"recorded {move_text(opinion.recorded)}{by}, now {move_text(opinion.chosen)}; "
        f"{opinion.legal} legal moves, {1000 * opinion.think:.1f} ms"
    )
