"""`santiago admin`: the accounts of a ladder, for its operator."""

import sys
from pathlib import Path

import click

from ladder import secrets
from ladder.cli.database import data_option, transaction
from ladder.people import passwords, roles, tickets
from ladder.people.accounts import ROLES
from ladder.secrets import SecretBox


@click.group()
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
        given = roles.give_role(session, None, user.id, new_role)
    click.echo(f"User {given.id}: {given.name} has the role {given.role}.")


@admin.command("reset-link")
@click.argument("name")
@click.option(
    "--site",
    default="http://127.0.0.1:8000",
    show_default=True,
    envvar="SANTIAGO_SITE",
    show_envvar=True,
    help="The URL of the site.",
)
@data_option
def reset_link(name: str, site: str, data: Path) -> None:
    """Print a link with which a user can set a new password: once, within a day."""
    with transaction(data) as session:
        link = tickets.make_reset_link(session, None, roles.named(session, name).id)
    click.echo(f"{site.rstrip('/')}/reset/{link.ticket}")


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
    """Seal bots' secrets with the first key of SANTIAGO_SECRET_KEY, so that the others can go."""
    box = SecretBox.from_environment()
    with transaction(data) as session:
        count = secrets.reseal(session, box)
    click.echo(f"Secrets sealed with the first key: {count}.")


def _new_password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    label = f"Password (at least {passwords.MIN_LENGTH} characters)"
    password: str = click.prompt(label, hide_input=True, confirmation_prompt=True)
    return password
