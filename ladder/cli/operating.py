"""`santiago admin` and `ladder`: the accounts and the ladders, in the database."""

import sys
from dataclasses import replace
from pathlib import Path

import click

from ladder import secrets
from ladder.cli.client import LOCAL_SITE, SITE
from ladder.cli.database import transaction
from ladder.cli.groups import LazyGroup
from ladder.cli.terminal import data_option
from ladder.config import PUBLIC_URL, Environment
from ladder.contests import ladders
from ladder.contests.ladders import LadderSettings
from ladder.people import passwords, roles, tickets
from ladder.people.accounts import ROLES
from ladder.secrets import SecretBox
from ladder.variables import site_url
from referee.clock import Clock


@click.group(cls=LazyGroup)
def admin() -> None:
    """The accounts of a ladder: admins, roles, reset links."""


@admin.command()
@click.argument("name")
@data_option
def create(name: str, data: Path) -> None:
    """Make an account with the role admin.

    Asks for its password, or reads it from standard input if that is no terminal.
    """
    password = _new_password()
    with transaction(data) as session:
        made = roles.create_admin(session, name=name, password=password)
    click.echo(f"User {made.id}: {made.name} is an admin and can sign in.")


@admin.command()
@click.argument("name")
@click.argument("new_role", metavar="ROLE", type=click.Choice(ROLES))
@data_option
def role(name: str, new_role: str, data: Path) -> None:
    """Give a user a ROLE: author, organiser or admin."""
    with transaction(data) as session:
        user = roles.named(session, name)
        changed = roles.give_role(session, None, user.id, new_role)
    click.echo(f"User {changed.id}: {changed.name} has the role {changed.role}.")


def _site_url(_context: click.Context, _option: click.Parameter, text: str) -> str:
    """Return the URL that reset links begin with. Raises BadParameter, which names the option."""
    try:
        return site_url(text)
    except ValueError as error:
        raise click.BadParameter(f"{text!r}: {error}") from None


@admin.command("reset-link")
@click.argument("name")
@click.option(
    "--site",
    default=lambda: Environment.from_environment().public_url or LOCAL_SITE,
    show_default=f"{PUBLIC_URL}, or {LOCAL_SITE}",
    envvar=SITE,
    callback=_site_url,
    show_envvar=True,
    help="The URL of the site.",
)
@data_option
def reset_link(name: str, site: str, data: Path) -> None:
    """Print a link with which a user can set a new password: once, within a day."""
    with transaction(data) as session:
        link = tickets.make_reset_link(session, None, roles.named(session, name).id)
    click.echo(f"{site}/reset/{link.ticket}")


@admin.command("list")
@click.option("--role", "only", type=click.Choice(ROLES), help="Only users with this role.")
@data_option
def list_people(only: str | None, data: Path) -> None:
    """Print the users, with their ids and roles."""
    before = None
    with transaction(data) as session:
        while page := roles.list_people(session, before=before):
            for row in page:
                if only in (None, row.role):
                    sign = "" if row.can_sign_in else "  (cannot sign in)"
                    click.echo(f"{row.id:4}  {row.role:9}  {row.name}{sign}")
            before = page[-1].id


@admin.command()
@data_option
def reseal(data: Path) -> None:
    """Seal bots' secrets with the first key, so that the others can go.

    The keys are those of SANTIAGO_SECRET_KEY, or of the file `secret-key` in the folder.
    """
    given = Environment.from_environment()
    with transaction(data) as session:
        of_folder = not given.secret_key and not given.database_url
        keys = secrets.key_of_folder(data) if of_folder else given.secret_key
        count = secrets.reseal(session, SecretBox(keys))
    click.echo(f"Secrets sealed with the first key: {count}.")


def _new_password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    label = f"Password (at least {passwords.MIN_LENGTH} characters)"
    password: str = click.prompt(label, hide_input=True, confirmation_prompt=True)
    return password


@click.group(cls=LazyGroup)
def ladder() -> None:
    """The ladders, one for each table size."""


@ladder.command("list")
@data_option
def list_(data: Path) -> None:
    """Print the settings of each ladder."""
    with transaction(data) as session:
        for one in ladders.every(session):
            _print(one)


@ladder.command("set")
@click.argument("seats", type=click.IntRange(2, 4))
@click.option("--open/--closed", "open_", default=None, help="Make matches for it, or not.")
@click.option(
    "--share",
    type=click.IntRange(0, ladders.MOST_SHARE),
    help="Its part of the matches: 2 gets twice as many as 1.",
)
@click.option(
    "--one-owner/--owners-apart", default=None, help="Let two bots of one owner meet, or not."
)
@click.option(
    "--hosted-only/--all-bots", default=None, help="Let only hosted bots play on it, or all."
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
    hosted_only: bool | None,
    data: Path,
    **seconds: float | None,
) -> None:
    """Change the given settings, for matches that are made from now on."""
    changes = {name: value for name, value in seconds.items() if value is not None}
    with transaction(data) as session:
        before = next(one.clock for one in ladders.every(session) if one.seats == seats)
        changed = ladders.change(
            session,
            None,
            seats,
            open=open_,
            share=share,
            one_owner=one_owner,
            hosted_only=hosted_only,
            clock=_clock(before, changes) if changes else None,
        )
    _print(changed)


def _clock(before: Clock, changes: dict[str, float]) -> Clock:
    try:
        return replace(before, **changes)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _print(ladder: LadderSettings) -> None:
    clock = ladder.clock
    click.echo(
        f"Tables of {ladder.seats}: {'open' if ladder.open else 'closed'}, share {ladder.share}, "
        f"bots of one owner {'meet' if ladder.one_owner else 'do not meet'}"
        f"{', hosted bots only' if ladder.hosted_only else ''}; "
        f"move limit {clock.move_limit:g} s, bank {clock.bank:g} s, "
        f"increment {clock.increment:g} s, start-up {clock.start_up:g} s"
    )
