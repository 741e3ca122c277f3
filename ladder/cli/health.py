"""`santiago health`: asks a part of the service for its last sign of life.

Health checks call it twice a minute for each container, so it imports what they need alone.
"""

import asyncio
from typing import Final

import click
from sqlalchemy import Engine

from ladder import model, parts
from ladder.cli.database import database_at_hand, database_url
from ladder.parts import Role

_TIMEOUT: Final = 5.0  # seconds that it waits for a statement, for a bot, or for a host
_HOST: Final = "host"
_HOUSE: Final = "house"


@click.command()
@click.argument("role", type=click.Choice([*(role.value for role in Role), _HOUSE, _HOST]))
def health(role: str) -> None:
    """Ask the database when the ROLE on this host gave its last sign of life.

    For health checks: exits with status 1 if that was more than half a minute ago. The house gives
    none: each of its bots is asked to describe itself, by the way on which a worker dials it; one
    that was uploaded is not. A host needs no database: each one in SANTIAGO_HOSTS is asked how it
    is.
    """
    if role == _HOST:
        if trouble := asyncio.run(_host_trouble()):
            raise click.ClickException(trouble)
        return
    url = database_url()
    model.check_schema(url, _TIMEOUT)
    engine = model.engine(url, _TIMEOUT)
    try:
        trouble = _house_trouble(engine) if role == _HOUSE else _trouble(engine, Role(role))
    finally:
        engine.dispose()
    if trouble:
        raise click.ClickException(trouble)


def _trouble(engine: Engine, role: Role) -> str:
    with database_at_hand(), model.session_factory(engine)() as session:
        return parts.trouble(session, role)


def _house_trouble(engine: Engine) -> str:
    """Return why a house bot cannot play; "" if all answer that are dialled."""
    from ladder.embedded import service
    from ladder.local.entrants import installed_bots
    from referee.errors import RefereeError
    from referee.seats.description import describe
    from referee.serving import load
    from referee.ways import hosted_seat

    with database_at_hand(), model.session_factory(engine)() as session:
        addresses = service.house_addresses(session)
    for target in installed_bots().values():
        name = load(target).name
        if name not in addresses:
            return f"The house bot {name} is not registered."
        if hosted_seat(addresses[name]) is not None:
            continue
        try:
            describe(addresses[name], _TIMEOUT)
        except RefereeError as error:
            return str(error)
    return ""


async def _host_trouble() -> str:
    """Return why a host starts no sandboxes; "" if all do."""
    from ladder.config import HOSTS, HostingSettings
    from referee.hosting.client import HostLost, Keys, RemoteHost

    addresses, keys = HostingSettings.from_environment().hosts, Keys.from_environment()
    if not addresses:
        return f"No host is named: set {HOSTS}, such as unix:/run/santiago-host/host.sock."
    for address in addresses:
        host = RemoteHost(address, keys)
        try:
            status = await asyncio.wait_for(host.status(), _TIMEOUT)
        except (HostLost, TimeoutError) as error:
            return str(error) or f"The host at {address} does not answer."
        finally:
            await host.close()
        if status.missing:
            return status.missing
    return ""
