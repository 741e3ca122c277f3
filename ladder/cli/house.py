"""`santiago house`: the sample bots beside a service, until it is asked to end."""

import sys
import tempfile
from pathlib import Path
from typing import Final

import click

from ladder.cli.ladder_data import data_option, transaction
from ladder.cli.stopping import Stopped, stoppable
from ladder.embedded import house_bots
from ladder.embedded.supervisor import Supervisor
from ladder.local.entrants import installed_bots
from ladder.local.guardian import Guardian
from referee.processes import BotProcess
from referee.serving import load

_CHECK_EVERY: Final = 1.0


@click.command()
@click.option(
    "--listen",
    default="127.0.0.1:50061",
    show_default=True,
    help="HOST:PORT of the first bot, the others take the ports that follow; or unix:FOLDER for "
    "sockets, where the workers are on this machine.",
)
@click.option("--host", help="The name by which the workers dial it; that of --listen by default.")
@data_option
def house(listen: str, host: str | None, data: Path) -> None:
    """Run the sample bots for a ladder (DATABASE_URL), until SIGTERM.

    They stand on every ladder, and one of them is its anchor. One such process is enough, however
    many workers there are.
    """
    installed = sorted(installed_bots().items())
    addresses = _addresses(listen, [name for name, _ in installed])
    with (
        stoppable() as pause,
        tempfile.TemporaryDirectory(prefix="santiago-") as logs,
        Guardian() as guardian,
    ):
        supervisor = Supervisor(Path(logs), guardian)
        try:
            for (name, target), own in zip(installed, addresses, strict=True):
                _start(supervisor, name, target, own)
                with transaction(data) as session:
                    bot = load(target)
                    address = f"{host}:{own.rpartition(':')[2]}" if host else own
                    house_bots.register(
                        session, name=bot.name, version=bot.version, address=address
                    )
                click.echo(f"{bot.name} {bot.version} plays at {address}.")
            while True:
                for sentence in supervisor.check():
                    click.echo(sentence, err=True)
                pause(_CHECK_EVERY)
        except Stopped:
            click.echo("Ending.", err=True)
        finally:
            supervisor.stop()


def _addresses(listen: str, names: list[str]) -> list[str]:
    """Where each bot listens. Raises UsageError."""
    if listen.startswith("unix:"):
        folder = Path(listen.removeprefix("unix:")).absolute()
        return [f"unix:{folder / name}.bot" for name in names]
    own, colon, port = listen.rpartition(":")
    if not colon or not port.isdecimal():
        raise click.UsageError("--listen needs HOST:PORT, such as 0.0.0.0:50061, or unix:FOLDER.")
    return [f"{own}:{number}" for number, _ in enumerate(names, int(port))]


def _start(supervisor: Supervisor, name: str, target: str, address: str) -> None:
    command = [sys.executable, "-P", "-m", "referee.serving", target]
    supervisor.add(f"bot-{name}", lambda log: BotProcess(command, address, log))
