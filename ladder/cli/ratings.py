"""`santiago ratings`: the ledger of a ladder, from the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click
from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.cli.fairness import fairness
from ladder.cli.ladder_data import data_option, transaction
from ladder.model import Bot, Version
from ladder.ratings import rebuilding
from ladder.ratings.rebuilding import Effect, Rebuilt

_SHOWN: Final = 20  # differences


@click.group()
def ratings() -> None:
    """The ratings of a ladder, and the ledger that they follow from."""


ratings.add_command(fairness)


@ratings.command()
@click.option("--check", is_flag=True, help="Change nothing; exit with 1 where anything differs.")
@data_option
def rebuild(check: bool, data: Path) -> None:
    """Fold all results anew: ratings, counts and tallies.

    Prints what was stored otherwise, and what annulments did to ratings.
    """
    with transaction(data) as session:
        rebuilt = rebuilding.check(session) if check else rebuilding.rebuild(session)
        click.echo(f"{rebuilt.results:,} results and {rebuilt.entries:,} other entries folded.")
        _tell_differences(rebuilt, mended=not check)
        _tell_effects(session, rebuilt.effects)
    if rebuilt.unentered or (check and rebuilt.differences):
        raise SystemExit(1)


def _tell_differences(rebuilt: Rebuilt, *, mended: bool) -> None:
    if rebuilt.sound:
        click.echo("Nothing differs: every number that is stored follows from the results.")
    for match_id in rebuilt.unentered[:_SHOWN]:
        click.echo(f"Match {match_id}: marked as annulled, or entered as such, but not both.")
    for one in rebuilt.differences[:_SHOWN]:
        key = ", ".join(f"{column} {value}" for column, value in one.key.items())
        click.echo(f"{one.table}: {key}: stored {one.stored}, should be {one.refolded}")
    if len(rebuilt.differences) > _SHOWN:
        click.echo(f"... and {len(rebuilt.differences) - _SHOWN:,} more rows.")
    if rebuilt.differences and mended:
        click.echo(f"Rows mended: {len(rebuilt.differences):,}.")


def _tell_effects(session: Session, effects: tuple[Effect, ...]) -> None:
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
