"""The command `santiago host`: run uploaded bots in sandboxes, for the workers of a ladder."""

import asyncio
import gc
import logging
from contextlib import suppress

import click

from referee.errors import InvalidSetting
from referee.hosting.guards import guards
from referee.hosting.host import Host
from referee.hosting.listening import run_host
from referee.hosting.processors import go_first, keep_off
from referee.hosting.settings import HostSettings
from referee.printing import LogHandler
from referee.signals import ending_signals
from referee.variables import check_listens

_log = logging.getLogger(__name__)


@click.command()
@click.option(
    "--listen",
    required=True,
    metavar="ADDRESS",
    help="unix:/path for workers of this machine, or HOST:PORT with mutual TLS.",
)
def host(listen: str) -> None:
    """Build and run uploaded bots in sandboxes, for workers, until SIGTERM.

    Needs neither a database nor a queue. The settings are in docs/operate.md.
    """
    logging.basicConfig(level=logging.INFO, format="%(message)s", handlers=[LogHandler()])
    check_listens(listen)
    settings = HostSettings.from_environment()
    with settings.claimed_folder():
        _run(settings, listen)


def _run(settings: HostSettings, listen: str) -> None:
    served = Host(settings)
    keep_off(served.processors.numbers)  # before the thread begins that starts all sandboxes
    held = guards(settings.uids)
    if held.missing:
        raise InvalidSetting(f"This machine runs no sandboxes: {held.missing}")
    for line in held.lines():
        _log.info(line)
    go_first()  # here, since it holds for the whole process
    gc.freeze()
    asyncio.run(_until_asked(served, listen))


async def _until_asked(served: Host, address: str) -> None:
    """Serve until a signal asks to end; then end all sandboxes."""
    serving = asyncio.create_task(run_host(served, address, lambda: _say(served, address)))
    for number in ending_signals():
        asyncio.get_running_loop().add_signal_handler(number, _cancel, serving)
    with suppress(asyncio.CancelledError):
        await serving


def _cancel(serving: asyncio.Task[None]) -> None:
    """Cancel it once: a second signal is not to interrupt the end."""
    if not serving.cancelling():
        serving.cancel()


def _say(served: Host, address: str) -> None:
    processors = len(served.processors.numbers)
    bots = f"{processors} bots think" if processors > 1 else "1 bot thinks"
    _log.info("Waiting for workers on %s; %s at a time.", address, bots)
