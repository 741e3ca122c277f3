"""`santiago hosts`: the hosts of a ladder, and what is banned from all of them."""

from collections.abc import Callable
from pathlib import Path

import click
from sqlalchemy.orm import Session

from ladder.bots import bans
from ladder.cli.database import transaction
from ladder.cli.groups import LazyGroup
from ladder.cli.terminal import data_option
from ladder.operating import hosting
from referee.hosting.settings import MB


@click.group(cls=LazyGroup)
def hosts() -> None:
    """The hosts, which build and run uploaded bots; drain one, ban files from all."""


@hosts.command("list")
@data_option
def list_(data: Path) -> None:
    """Print the hosts with their guards, the builds, and what is banned."""
    with transaction(data) as session:
        _print_hosts(hosting.hosts(session))
        for build in hosting.builds(session):
            click.echo(f"Building {build.bot} {build.version} by {build.author}")
        for build in hosting.failed_builds(session):
            click.echo(f"Build of {build.bot} {build.version} failed: {build.reason}")
        for one in bans.bans(session):
            click.echo(f"Banned {one.sha256} ({', '.join(one.bots) or 'no bot'}): {one.reason}")


def _print_hosts(rows: tuple[hosting.Host, ...]) -> None:
    if not rows:
        click.echo("No worker has seen a host: start `santiago host`, and set SANTIAGO_HOSTS.")
        return
    for host in rows:
        click.echo(
            f"{host.name}: {_state(host)}; processors: {host.processors}, sandboxes: "
            f"{host.sandboxes}, builds: {host.builds}, cache: {host.cache_bytes / MB:.1f} MB"
        )
        for line in (*([host.trouble] if host.trouble else ()), *host.guards):
            click.echo(f"  {line}")


def _state(host: hosting.Host) -> str:
    if host.there:
        return "takes work"
    if host.draining and not host.silent:
        return "drains"
    if host.trouble and host.answers:
        return "in trouble"
    return f"not seen since {host.seen_at:%Y-%m-%d %H:%M} UTC"


_Deed = Callable[[Session, None, str, str], None]


def _command(word: str, argument: str, deed: _Deed, summary: str, done: str, needed: bool) -> None:
    """Add a command that does something to a host or to a hash, with a reason for the audit."""

    @hosts.command(word, help=summary)
    @click.argument("what", metavar=argument)
    @click.option("--reason", required=needed, help="It is recorded in the audit log.")
    @data_option
    def command(what: str, reason: str | None, data: Path) -> None:
        with transaction(data) as session:
            deed(session, None, what, reason or "")
        click.echo(done.format(what))


_command(
    "drain",
    "NAME",
    hosting.drain,
    "Give a host no more work; what it plays and builds goes on.",
    "{} gets no more work.",
    False,
)
_command(
    "undrain", "NAME", hosting.undrain, "Give a host work again.", "{} gets work again.", False
)
_command(
    "ban",
    "HASH",
    hosting.ban,
    "Ban a package (with all that was built of it) or a bundle from all hosts, at once.",
    "{} is banned: no host starts it, and where it runs it is ended within seconds.",
    True,
)
_command(
    "unban",
    "HASH",
    hosting.unban,
    "Lift a ban. Authors resume their bots themselves.",
    "{} is banned no longer.",
    False,
)
