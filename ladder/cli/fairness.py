"""`santiago ratings fairness`: how fair a ladder was, in tables."""

from __future__ import annotations

from pathlib import Path
from typing import Final, TypeVar

import click
from rich.console import Console
from rich.table import Table
from sqlalchemy.orm import Session

from ladder.cli.ladder_data import data_option, transaction
from ladder.ratings.collusion import pairs, remarkable
from ladder.ratings.fairness import (
    BotGames,
    by_neighbour,
    by_seat,
    games_per_bot,
    queue_wait,
    workers,
)

Row = TypeVar("Row")

_ENDS: Final = 5  # rows that are shown from either end of a long table


@click.command()
@click.option(
    "--seats", type=click.IntRange(2, 4), default=2, show_default=True, help="Which ladder."
)
@data_option
def fairness(seats: int, data: Path) -> None:
    """Wins by seat and by the bot before, games, waiting, workers, and suspicious pairs."""
    console = Console(highlight=False, soft_wrap=True)
    with transaction(data) as session:
        games = games_per_bot(session, seats)
        for table in (
            _seats(session, seats),
            _neighbours(session, seats),
            _games(games),
            _workers(session),
            _pairs(session, seats, bots=len(games)),
        ):
            console.print(table)
        console.print(_waiting(session, seats))


def _seats(session: Session, seats: int) -> Table:
    table = _table("Wins by seat", "seat", "games", "wins", "if seats were equal")
    for one in by_seat(session, seats):
        table.add_row(str(one.seat), str(one.games), f"{one.wins:.1f}", f"{one.expected:.1f}")
    return table


def _neighbours(session: Session, seats: int) -> Table:
    found = by_neighbour(session, seats) if seats > 2 else []
    table = _table("Wins behind a bot", "bot before", "games", "wins", "expected", "deviations")
    for one in _ends(found):
        table.add_row(
            one.name, str(one.games), f"{one.wins:.1f}", f"{one.expected:.1f}", f"{one.z:+.1f}"
        )
    return table


def _games(games: list[BotGames]) -> Table:
    table = _table("Games per bot", "bot", "author", "games")
    for one in _ends(games):
        table.add_row(one.name, one.author, str(one.games))
    return table


def _workers(session: Session) -> Table:
    table = _table("Workers", "worker", "matches", "faults", "of seats", "worst lag ms")
    for one in workers(session):
        lag = "" if one.lag_ms is None else str(one.lag_ms)
        table.add_row(one.name, str(one.matches), str(one.faults), str(one.seats), lag)
    return table


def _pairs(session: Session, seats: int, *, bots: int) -> Table:
    least = remarkable(bots)
    title = f"The pairs that differ most (look at their games from {least:.1f} deviations on)"
    table = _table(title, "bot", "with", "games", "points", "expected", "deviations")
    for one in pairs(session, seats, limit=2 * _ENDS):
        table.add_row(
            one.name,
            one.opponent,
            str(one.games),
            f"{one.points:.1f}",
            f"{one.expected_points:.1f}",
            f"{one.suspicion:.1f}",
        )
    return table


def _waiting(session: Session, seats: int) -> str:
    wait = queue_wait(session, seats)
    if wait is None:
        return "No match of the ladder has been finished yet."
    return (
        f"The newest {wait.matches:,} matches of the ladder waited {wait.median:.1f} s in the "
        f"median; 95 % of them at most {wait.most:.1f} s."
    )


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", box=None)
    for column in columns:
        left = column in ("bot", "with", "bot before", "author", "worker")
        table.add_column(column, justify="left" if left else "right")
    return table


def _ends(rows: list[Row]) -> list[Row]:
    """All of a short list, the first and the last of a long one."""
    return rows if len(rows) <= 2 * _ENDS else rows[:_ENDS] + rows[-_ENDS:]
