"""`santiago tournament`: create and run tournaments of a ladder.

The operator works in the database, an organiser on the site with a token. For a site the extra
`client` is enough.
"""

from collections import Counter
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import click
from rich.table import Table

from ladder.cli.client import SiteClient, site_or_data_options
from ladder.cli.groups import LazyGroup
from ladder.cli.terminal import ROW_ID, Seconds, clock_options, confirm, print_table, table_console
from ladder.cli.tournament_leaders import FINISHED, Organiser, Row, Standings
from ladder.contests.formats import Format
from referee.clock import Clock

if TYPE_CHECKING:
    from ladder.cli.tournament_operator import Operator

Leader: TypeAlias = "Organiser | Operator"
"""An organiser, or the operator: both have the same methods."""

_FORMATS: Final = {word.replace("_", "-"): word for word in Format}


def _leader_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options --data and --site; the command gets a Leader as `leader`."""

    @site_or_data_options(None)
    @wraps(command)
    def with_leader(*, site: SiteClient | None, data: Path, **others: Any) -> Any:
        if site:
            return command(leader=Organiser(site), **others)
        from ladder.cli.tournament_operator import Operator  # needs the extra `ladder`

        return command(leader=Operator(data), **others)

    return with_leader


@click.group(cls=LazyGroup)
def tournament() -> None:
    """The tournaments of a ladder."""


@tournament.command()
@click.argument("bot_ids", nargs=-1, type=ROW_ID, required=True)
@click.option("--name", help="Its name on the site; default: the name of the format.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(list(_FORMATS)),
    default="round-robin",
    show_default=True,
    help="Who meets whom: all, those of about equal score, or the first bot all others.",
)
@click.option(
    "--seats", type=click.IntRange(2, 4), default=2, show_default=True, help="Bots at a table."
)
@click.option(
    "--deals",
    type=click.IntRange(min=1),
    default=4,
    show_default=True,
    help="Layouts that every two bots (Swiss: every table in a round; gauntlet: the first bot and "
    "each other) play together at the least, each in every rotation of the seats.",
)
@click.option(
    "--rounds",
    type=click.IntRange(min=1),
    help="Of a Swiss tournament; else log2 of the bots, but at least 3.",
)
@click.option("--unrated", is_flag=True, help="Let the results not count for the ratings.")
@click.option("--hosted-only", is_flag=True, help="Let only hosted bots enter.")
@click.option("--seed", type=click.IntRange(min=0), help="The luck of pairings and layouts.")
@click.option(
    "--grace",
    type=Seconds(min=0),
    show_default="the ladder's own",
    help="Seconds until a bot that cannot be reached forfeits.",
)
@click.option("--start", is_flag=True, help="Let it be played at once.")
@clock_options
@_leader_options
def create(
    bot_ids: tuple[int, ...],
    name: str | None,
    format_: str,
    seats: int,
    deals: int,
    rounds: int | None,
    unrated: bool,
    hosted_only: bool,
    seed: int | None,
    grace: float | None,
    start: bool,
    clock: Clock,
    leader: Leader,
) -> None:
    """Make a tournament between the bots with these ids (`santiago bot list`)."""
    wish: dict[str, object] = {} if grace is None else {"grace": grace}
    if hosted_only:  # an older site does not know the word
        wish["hosted_only"] = True
    made = leader.create(
        name=name or _title(_FORMATS[format_]),
        format=_FORMATS[format_],
        seats=seats,
        bot_ids=bot_ids,
        deals=deals,
        rounds=rounds,
        clock=clock,
        seed=seed,
        rated=not unrated,
        **wish,
    )
    if start:
        leader.take(made.id, "start")
    then = "they are queued" if start else f"`santiago tournament start {made.id}` lets them begin"
    click.echo(f"Tournament {made.id}: {made.total} matches; {then}.")


def _step(word: str, summary: str, done: str) -> None:
    """Add a command that takes a step with a tournament."""

    @tournament.command(word, help=summary)
    @click.argument("tournament_id", type=ROW_ID)
    @_leader_options
    def command(tournament_id: int, leader: Leader) -> None:
        leader.take(tournament_id, word)
        click.echo(f"Tournament {tournament_id} {done}.")


_step("start", "Let the matches of a tournament be played.", "has started")
_step(
    "pause",
    "Let no further match begin; those under way are played.",
    "is paused; the matches under way are played to their end",
)
_step("resume", "Go on after a pause.", "goes on")
_step(
    "play-forfeits",
    "Let the forfeits of this round be played whose bots are back.",
    "plays the forfeits of the bots that are back",
)


@tournament.command()
@click.argument("tournament_id", type=ROW_ID)
@click.option("--yes", is_flag=True, help="Do not ask.")
@_leader_options
def cancel(tournament_id: int, yes: bool, leader: Leader) -> None:
    """Cancel all matches that have no result yet, for good; results stay."""
    if not yes:
        confirm(f"Cancel tournament {tournament_id} for good?")
    leader.take(tournament_id, "cancel")
    click.echo(f"Tournament {tournament_id} is cancelled.")


@tournament.command()
@click.argument("tournament_id", type=ROW_ID)
@click.argument("bot_id", type=ROW_ID)
@click.option("--annul", is_flag=True, help="Also annul what it has played in the tournament.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@_leader_options
def withdraw(tournament_id: int, bot_id: int, annul: bool, yes: bool, leader: Leader) -> None:
    """Withdraw a bot: what it has still to play is void, and the others play on.

    An author withdraws a bot by `santiago bot withdraw`.
    """
    if not yes:
        also = ", and annul its results" if annul else ""
        confirm(f"Withdraw bot {bot_id} from tournament {tournament_id} for good{also}?")
    before = _annulled(leader, tournament_id) if annul else 0
    leader.withdraw(tournament_id, bot_id, annul=annul)
    click.echo(f"Bot {bot_id} has withdrawn from tournament {tournament_id}.")
    if annul:
        number = _annulled(leader, tournament_id) - before
        matches = "1 match" if number == 1 else f"{number} matches"
        click.echo(f"Annulled: {matches} that it had played there.")


def _annulled(leader: Leader, tournament_id: int) -> int:
    _, progress, _ = leader.show(tournament_id)
    return progress.annulled


@tournament.command("list")
@_leader_options
def list_tournaments(leader: Leader) -> None:
    """List the newest tournaments, newest first."""
    if found := leader.page():
        table = Table("id", "name", "format", "state", box=None)
        for heading in ("seats", "played", "of"):
            table.add_column(heading, justify="right")
        for one in found:
            played = (str(one.seats), str(one.finished), str(one.total))
            table.add_row(str(one.id), one.name, _title(one.format), one.state, *played)
        print_table(table_console(), table)


@tournament.command()
@click.argument("tournament_id", type=ROW_ID)
@_leader_options
def show(tournament_id: int, leader: Leader) -> None:
    """Show how far a tournament is, and its standings."""
    found, progress, table = leader.show(tournament_id)
    rounds = f", round {found.round} of {found.rounds}" if found.rounds > 1 else ""
    annulled = f", {progress.annulled} annulled" if progress.annulled else ""
    click.echo(
        f"{found.name}: {_title(found.format)} at tables of {found.seats}, {found.state}{rounds}\n"
        f"{progress.finished} of {progress.total} matches played, {progress.running} running, "
        f"{progress.failed} failed{annulled}"
    )
    print_table(table_console(), _standings(table, over=found.state == FINISHED))


def _title(format_: str) -> str:
    """Return the format as people write it."""
    return format_.replace("_", " ").capitalize()


def _standings(table: Standings, *, over: bool) -> Table:
    shown = Table(box=None)
    for heading in ("rank", "bot", "points", "share", "matches", "tie decided by", "absent"):
        words = heading in ("bot", "tie decided by", "absent")
        shown.add_column(heading, justify="left" if words else "right")
    named = Counter(row.name for row in table.rows)
    for row in table.rows:
        shown.add_row(
            str(row.rank) if row.games or (over and not row.withdrew) else "-",
            row.name if named[row.name] == 1 else f"{row.name} (bot {row.bot_id})",
            f"{row.points:g}",
            f"{row.share:.1%}",
            str(row.games),
            (row.decided_by or "") if row.games else "",
            _absences(row),
        )
    return shown


def _absences(row: Row) -> str:
    """Say if a bot withdrew, and in how many matches it did not appear."""
    missed = f"in {row.absences}" if row.absences else ""
    return ", ".join(filter(None, (missed, "withdrew" if row.withdrew else "")))
