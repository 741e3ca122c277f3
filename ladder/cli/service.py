"""The parts of the service, set by the environment: worker, scheduler, db, gateway, house."""

import logging
import re
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from functools import partial, wraps
from pathlib import Path
from time import monotonic
from typing import Final, ParamSpec

import click

from ladder import model
from ladder.bots.gateway import Guests
from ladder.cli.database import database_at_hand, database_url, transaction
from ladder.cli.groups import LazyGroup
from ladder.cli.terminal import Pause, Stopped, data_option, stoppable
from ladder.config import Environment, Settings
from ladder.embedded import service
from ladder.embedded.hosting import compiled_core
from ladder.embedded.settings import listening
from ladder.embedded.supervisor import ServiceError, Supervisor
from ladder.errors import LadderError
from ladder.local.entrants import installed_bots
from ladder.local.guardian import Guardian
from ladder.operating import logs
from ladder.parts import Part, Role, SignsOfLife
from referee.errors import InvalidSetting, RefereeError
from referee.gateway.credentials import tokens_of
from referee.gateway.server import Calls, run_gateway
from referee.printing import say
from referee.processes import BotProcess
from referee.serving import CERTIFICATE_VARIABLE, KEY_VARIABLE, WAITS, load, server_credentials
from referee.variables import check_listens
from referee.ways import ALLOW_PLAIN, GATEWAY_KEY, Ways, is_on_this_machine

_CHECK_EVERY: Final = 1.0  # seconds
_ASK_EVERY: Final = 0.03
_LISTENS_WITHIN: Final = 60.0  # seconds
_TIMEOUT: Final = 5.0  # seconds that the gateway waits for a statement
_FAMILY: Final = re.compile("^(ipv4|ipv6|dns):")
_Given = ParamSpec("_Given")

_log = logging.getLogger(__name__)


def _part(command: Callable[_Given, None]) -> Callable[_Given, None]:
    """Let a command log in the form that the environment asks for, also why it ends."""

    @wraps(command)
    def run(*positional: _Given.args, **named: _Given.kwargs) -> None:
        logs.log_to_stderr()
        try:
            Environment.from_environment()  # what is wrong is told before anything begins
            command(*positional, **named)
        except (LadderError, RefereeError, OSError, click.ClickException) as error:
            if not logs.as_json():
                raise
            logs.end(str(error))

    return run


def _say(sentence: str, *, err: bool = False) -> None:
    if logs.as_json():
        _log.info("%s", sentence)
    else:
        say(sentence, err=err)


@click.command()
@_part
def worker() -> None:
    """Play matches from the queue (REDIS_URL, DATABASE_URL) until SIGTERM.

    It then gives back the matches that it plays, and others play them.
    """
    from ladder.analyses.engine import run_engine, run_solver
    from ladder.worker import Skills, run_worker

    Ways.from_environment().check_ca_file()  # what is wrong is told at once, not at each match
    core = compiled_core()
    skills = Skills(
        analyse=partial(run_engine, environment=core), solve=partial(run_solver, environment=core)
    )
    with database_at_hand():
        sys.exit(run_worker(Settings.from_environment(), skills))


@click.command()
@_part
def scheduler() -> None:
    """Queue matches, and take back those whose worker is gone, until SIGTERM.

    Needs REDIS_URL and DATABASE_URL. Any number may run at once.
    """
    from ladder.scheduler import run_scheduler

    run_scheduler(Settings.from_environment())


@click.group(cls=LazyGroup)
def db() -> None:
    """The database (DATABASE_URL)."""


@db.command()
@click.option(
    "--regardless",
    is_flag=True,
    help="Go on while parts of another release are alive: they end as soon as they notice.",
)
@_part
def upgrade(regardless: bool) -> None:
    """Make the tables of the database, or bring them up to date.

    Refuses while parts of another release are alive.
    """
    logging.getLogger("alembic").setLevel(logging.WARNING)
    with database_at_hand():
        model.upgrade(database_url(), regardless=regardless)


@click.command()
@click.option("--listen", default="127.0.0.1:50052", show_default=True, help="HOST:PORT.")
@click.option(
    "--tokens",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A file of lines NAME HASH, as `santiago bot token NAME` prints them. Without it the "
    "bots of the ladder in DATABASE_URL may dial in.",
)
@click.option(
    "--certificate",
    default="",
    envvar=CERTIFICATE_VARIABLE,
    show_envvar=True,
    help="A file (PEM), for TLS.",
)
@click.option("--key", default="", envvar=KEY_VARIABLE, show_envvar=True, help="Its key (PEM).")
@_part
def gateway(listen: str, tokens: Path | None, certificate: str, key: str) -> None:
    """Let bots that cannot be dialled dial in, and forward their games.

    Workers authenticate with the key in SANTIAGO_GATEWAY_KEY, which they share with the gateway.
    """
    ways = Ways.from_environment()
    if not ways.gateway_key:
        raise InvalidSetting(f"{GATEWAY_KEY} is needed: `openssl rand -hex 32` makes one.")
    check_listens(listen)
    credentials = server_credentials(certificate, key)
    if credentials is None and not (is_on_this_machine(listen) or ways.allow_plain):
        raise InvalidSetting(
            f"Tokens would go over the network in the open: give --certificate and --key, or set "
            f"{ALLOW_PLAIN}=1 where the gateway stands behind a proxy that speaks TLS."
        )
    environment = Environment.from_environment()
    proxies = 0 if credentials else environment.proxies  # whoever speaks TLS here is the caller
    if tokens is not None:
        calls = Calls(tokens_of(tokens), ways.gateway_key, proxies=proxies)
        run_gateway(listen, calls, credentials)
        return
    url = environment.database_url
    if not url:
        raise InvalidSetting("Whose tokens are good? Set DATABASE_URL, or give --tokens FILE.")
    model.check_schema(url)
    engine = model.engine(url, _TIMEOUT)
    sessions = model.session_factory(engine)
    guests = Guests(sessions)
    try:
        guests.begin()
        with closing(SignsOfLife(Part(Role.GATEWAY), sessions)):
            calls = Calls(guests.name_of, ways.gateway_key, guests.watch, proxies)
            run_gateway(listen, calls, credentials)
    finally:
        engine.dispose()


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
@_part
def house(listen: str, host: str | None, data: Path) -> None:
    """Run the sample bots for a ladder (DATABASE_URL), until SIGTERM.

    They play on every ladder, and one of them is its anchor. One such process is enough for any
    number of workers.
    """
    installed = sorted(installed_bots().items())
    addresses = _addresses(listen, [name for name, _ in installed])
    with (
        stoppable() as pause,
        tempfile.TemporaryDirectory(prefix="santiago-") as logs,
        Guardian() as guardian,
    ):
        supervisor = Supervisor(Path(logs), guardian)
        supervisor.starting = True
        try:
            for (name, target), own in zip(installed, addresses, strict=True):
                _start(supervisor, name, target, own)
            for (name, target), own in zip(installed, addresses, strict=True):
                _wait(supervisor, Path(logs, f"bot-{name}.log"), pause)
                with transaction(data) as session:
                    bot = load(target)
                    address = f"{host}:{own.rpartition(':')[2]}" if host else own
                    service.register(session, name=bot.name, version=bot.version, address=address)
                _say(f"{bot.name} {bot.version} plays at {address}.")
            supervisor.starting = False
            while True:
                _look_after(supervisor)
                pause(_CHECK_EVERY)
        except Stopped:
            _say("Ending.", err=True)
        finally:
            supervisor.stop()


def _wait(supervisor: Supervisor, log: Path, pause: Pause) -> None:
    """Wait until a bot says in its log that it listens. Raises ServiceError."""
    until = monotonic() + _LISTENS_WITHIN
    while WAITS.encode() not in log.read_bytes():
        _look_after(supervisor)  # it may find its port taken meanwhile
        if monotonic() > until:  # on a full disk it listens, but cannot say so
            raise ServiceError(f"{log} does not say that the bot listens: is the disk full?")
        pause(_ASK_EVERY)


def _look_after(supervisor: Supervisor) -> None:
    """Start the bots again that have ended. Raises ServiceError."""
    for sentence in supervisor.check():
        _say(sentence, err=True)


def _addresses(listen: str, names: list[str]) -> list[str]:
    """Return the address of each bot. Raises UsageError."""
    if listen.startswith("unix:"):
        folder = Path(listen.removeprefix("unix:")).absolute()
        if not folder.is_dir():
            raise click.UsageError(f"--listen is {listen!r}: give a folder that exists.")
        addresses = [f"unix:{folder / name}.bot" for name in names]
    else:
        own, colon, port = listen.rpartition(":")
        if not colon or not port.isdecimal():
            raise click.UsageError(
                "--listen needs HOST:PORT, such as 0.0.0.0:50061, or unix:FOLDER."
            )
        addresses = [f"{own}:{number}" for number, _ in enumerate(names, int(port))]
    for address in addresses:
        _check_free(address)
    return addresses


def _check_free(address: str) -> None:
    """Raise UsageError unless a bot can listen there: what is registered is dialled."""
    try:
        check_listens(address)
        if not address.startswith("unix:"):
            host, _, port = address.rpartition(":")
            listening(_FAMILY.sub("", host).strip("[]"), int(port)).close()
    except (InvalidSetting, OSError) as error:
        why = f"nothing can listen on {address}: {error}" if isinstance(error, OSError) else error
        raise click.UsageError(f"--listen is wrong: {why}") from None


def _start(supervisor: Supervisor, name: str, target: str, address: str) -> None:
    command = [sys.executable, "-P", "-m", "referee.serving", target]
    supervisor.add(f"bot-{name}", lambda log: BotProcess(command, address, log, compiled_core()))
