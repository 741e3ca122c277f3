"""`santiago ratings`: rebuilding the ratings of a ladder, and reports on its fairness."""

from pathlib import Path
from typing import Final, TypeVar

import click
from rich.table import Table
from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.cli.database import transaction
from ladder.cli.groups import LazyGroup
from ladder.cli.terminal import data_option, print_table, table_console
from ladder.model import Bot, Version
from ladder.ratings import agreement, collusion, fairness, ranks, rebuilding, setbacks
from ladder.ratings.rebuilding import Effect, Rebuilt

_SHOWN: Final = 20  # differences
_ENDS: Final = 5  # rows that are shown from either end of a long table


@click.group(cls=LazyGroup)
def ratings() -> None:
    """The ratings of a ladder, and the ledger that they follow from."""


@ratings.command()
@click.option("--check", is_flag=True, help="Change nothing; exit with 1 if anything differs.")
@data_option
def rebuild(check: bool, data: Path) -> None:
    """Recompute ratings, counts and tallies from all results.

    Prints what was stored differently, and the effect of annulments on ratings.
    """
    with transaction(data) as session:
        with Session(session.get_bind()) as own:  # in many transactions
            rebuilt = rebuilding.check(own) if check else rebuilding.rebuild(own)
        click.echo(f"{rebuilt.results:,} results and {rebuilt.entries:,} other entries folded.")
        _print_differences(rebuilt, outdated=check and rebuilding.is_outdated(session))
        if rebuilt.differences and not check:
            _print_mended(session, len(rebuilt.differences))
        _print_effects(session, rebuilt.effects)
    if rebuilt.unentered or (check and rebuilt.differences):
        raise SystemExit(1)


def _print_differences(rebuilt: Rebuilt, *, outdated: bool) -> None:
    if rebuilt.sound:
        click.echo("Nothing differs: every number that is stored follows from the results.")
    for match_id in rebuilt.unentered[:_SHOWN]:
        click.echo(f"Match {match_id}: marked as annulled, or entered as such, but not both.")
    if outdated and rebuilt.differences:
        click.echo(
            f"Rows that do not follow today's rule of rating yet: {len(rebuilt.differences):,}. "
            "The scheduler folds them anew, or `santiago ratings rebuild` does. Then check again."
        )
        return
    for one in rebuilt.differences[:_SHOWN]:
        key = ", ".join(f"{column} {value}" for column, value in one.key.items())
        click.echo(f"{one.table}: {key}: stored {one.stored}, should be {one.refolded}")
    if len(rebuilt.differences) > _SHOWN:
        click.echo(f"... and {len(rebuilt.differences) - _SHOWN:,} more.")


def _print_mended(session: Session, rows: int) -> None:
    if rebuilding.is_outdated(session):
        click.echo("Not all of it is mended yet: the scheduler goes on, or run this once more.")
    else:
        click.echo(f"Rows mended: {rows:,}.")


def _print_effects(session: Session, effects: tuple[Effect, ...]) -> None:
    if not effects:
        return
    click.echo("What annulments did to ratings:")
    names = _names(session)
    for one in sorted(effects, key=lambda one: (one.seats, names[one.version_id])):
        before, after = one.before_milli / 1000, one.after_milli / 1000
        click.echo(
            f"  {one.seats} seats, {names[one.version_id]}: {before:.3f} -> {after:.3f} "
            f"({after - before:+.3f})"
        )


def _names(session: Session) -> dict[int, str]:
    query = select(Version.id, Bot.name, Version.name).join(Bot, Bot.id == Version.bot_id)
    return {version: f"{bot} {name}" for version, bot, name in session.execute(query)}


Row = TypeVar("Row")


@ratings.command("fairness")
@click.option(
    "--seats", type=click.IntRange(2, 4), help="Which ladder.  [default: that with most games]"
)
@data_option
def show_fairness(seats: int | None, data: Path) -> None:
    """Wins by seat and by the bot before, games, misses, waiting, workers, suspicious pairs."""
    console = table_console(soft_wrap=True)
    with transaction(data) as session:
        seats = seats or ranks.ranks(session).busiest
        console.print(f"Tables of {seats}")
        games = fairness.games_per_bot(session, seats)
        for table in (
            _seats(session, seats),
            _neighbours(session, seats),
            _games(games),
            _misses(session, seats),
            _interruptions(session, seats),
            _workers(session),
            _pairs(session, seats),
        ):
            print_table(console, table)
        console.print(_agreement(session, seats))
        console.print(_waiting(session, seats))


def _seats(session: Session, seats: int) -> Table:
    table = _table("Wins by seat", "seat", "games", "wins", "if seats were equal")
    for one in fairness.by_seat(session, seats):
        table.add_row(str(one.seat), str(one.games), f"{one.wins:.1f}", f"{one.expected:.1f}")
    return table


def _neighbours(session: Session, seats: int) -> Table:
    found = fairness.by_neighbour(session, seats) if seats > 2 else []
    table = _table("Wins behind a bot", "bot before", "games", "wins", "expected", "deviations")
    for one in _ends(found):
        table.add_row(
            one.name, str(one.games), f"{one.wins:.1f}", f"{one.expected:.1f}", f"{one.z:+.1f}"
        )
    return table


def _games(games: list[fairness.BotGames]) -> Table:
    table = _table("Games per bot", "bot", "author", "games")
    for one in _ends(games):
        table.add_row(one.name, one.author, str(one.games))
    return table


def _misses(session: Session, seats: int) -> Table:
    table = _table("Matches missed", "bot", "matches", "calls", "lost", "still owed")
    for one in setbacks.misses(session, seats):
        table.add_row(one.name, str(one.matches), str(one.calls), str(one.lost), str(one.owed))
    return table


def _interruptions(session: Session, seats: int) -> Table:
    columns = ("bot", "matches", "interrupted", "interruptions", "expected")
    table = _table("Interruptions by the platform", *columns)
    for one in setbacks.interruptions(session, seats, newest_of=fairness.NEWEST):
        counts = (one.matches, one.interrupted, one.interruptions)
        table.add_row(one.name, *map(str, counts), f"{one.expected:.1f}")
    return table


def _workers(session: Session) -> Table:
    table = _table("Workers", "worker", "matches", "faults", "of seats", "worst lag ms")
    for one in fairness.workers(session):
        lag = "" if one.lag_ms is None else str(one.lag_ms)
        table.add_row(one.name, str(one.matches), str(one.faults), str(one.seats), lag)
    return table


def _pairs(session: Session, seats: int) -> Table:
    title = "The pairs whose results differ most, in deviations (the site lists the unusual ones)"
    signs = ("against", "beside", "gifts", "paid")
    columns = ("bot", "helped by", "games", "points", "expected", *signs, "unusual")
    table = _table(title, *columns)
    for one in collusion.pairs(session, seats, limit=2 * _ENDS):
        found = one.against, one.beside, one.gifts, one.paid
        table.add_row(
            one.name,
            one.opponent,
            str(one.games),
            f"{one.points:.1f}",
            f"{one.expected_points:.1f}",
            *("" if sign is None else f"{sign:+.1f}" for sign in found),
            "yes" if one.shown else "by results" if one.noted else "",
        )
    return table


def _agreement(session: Session, seats: int) -> str:
    found = agreement.agreement(session, seats)
    if found is None:
        return "No bot with a rank has a strength by all games yet."
    return (
        f"Elo and the strength by all games are {found.apart:.0f} points apart (root mean square); "
        f"of {found.bots:,} bots with a rank, {found.inside:,} have a strength within twice the ± "
        "of their Elo."
    )


def _waiting(session: Session, seats: int) -> str:
    wait = fairness.queue_wait(session, seats)
    if wait is None:
        return "No match of the ladder has been finished yet."
    return (
        f"The newest {wait.matches:,} matches of the ladder waited {wait.median:.1f} s in the "
        f"median; 95 % of them at most {wait.most:.1f} s."
    )


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", box=None)
    for column in columns:
        left = column in ("bot", "helped by", "bot before", "author", "worker")
        table.add_column(column, justify="left" if left else "right")
    return table


def _ends(rows: list[Row]) -> list[Row]:
    """Return a short list whole, and the first and last rows of a long one."""
    return rows if len(rows) <= 2 * _ENDS else rows[:_ENDS] + rows[-_ENDS:]
