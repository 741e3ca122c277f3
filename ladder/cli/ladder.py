"""`santiago ladder`: which ladders are open, with which share of the matches and which clock."""

from dataclasses import replace
from pathlib import Path

import click

from ladder.cli.ladder_data import data_option, transaction
from ladder.contests import ladders
from ladder.contests.ladders import LadderSettings
from referee.clock import Clock


@click.group()
def ladder() -> None:
    """The ladders, one for each table size."""


@ladder.command("list")
@data_option
def list_(data: Path) -> None:
    """What each ladder is set to."""
    with transaction(data) as session:
        for one in ladders.every(session):
            _tell(one)


@ladder.command("set")
@click.argument("seats", type=click.IntRange(2, 4))
@click.option("--open/--closed", "open_", default=None, help="Whether matches are made for it.")
@click.option(
    "--share",
    type=click.IntRange(0, ladders.MOST_SHARE),
    help="Its part of the matches: 2 gets twice as many as 1.",
)
@click.option(
    "--one-owner/--owners-apart", default=None, help="Whether two bots of one owner may meet."
)
@click.option("--move-limit", type=float, help="Seconds that one move may take.")
@click.option("--bank", type=float, help="Seconds that a bot has for the whole game.")
@click.option("--increment", type=float, help="Seconds that a decision adds to the bank.")
@click.option("--start-up", type=float, help="Seconds to accept a game, from the first dial.")
@data_option
def set_(
    seats: int,
    open_: bool | None,
    share: int | None,
    one_owner: bool | None,
    data: Path,
    **seconds: float | None,
) -> None:
    """Change what is given, for the matches that are made from now on."""
    given = {name: value for name, value in seconds.items() if value is not None}
    with transaction(data) as session:
        before = next(one.clock for one in ladders.every(session) if one.seats == seats)
        changed = ladders.change(
            session,
            None,
            seats,
            open=open_,
            share=share,
            one_owner=one_owner,
            clock=_clock(before, given) if given else None,
        )
    _tell(changed)


def _clock(before: Clock, given: dict[str, float]) -> Clock:
    try:
        return replace(before, **given)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _tell(one: LadderSettings) -> None:
    clock = one.clock
    click.echo(
        f"Tables of {one.seats}: {'open' if one.open else 'closed'}, share {one.share}, "
        f"bots of one owner {'meet' if one.one_owner else 'do not meet'}; "
        f"move limit {clock.move_limit:g} s, bank {clock.bank:g} s, "
        f"increment {clock.increment:g} s, start-up {clock.start_up:g} s"
    )
