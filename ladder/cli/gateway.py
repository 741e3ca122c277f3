"""`santiago gateway`, `santiago bot join`, `santiago bot token`: for bots behind routers."""

import logging
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Final

import click
from sqlalchemy import Engine

import ladder.wiring  # noqa: F401  (sets what follows from a match)
from ladder import model
from ladder.bots.reach import Guests
from ladder.config import Environment
from ladder.local.entrants import last_lines
from referee.errors import InvalidBot, InvalidSetting
from referee.gateway.credentials import NAME, new_token, token_hash, tokens_of
from referee.gateway.server import run_gateway
from referee.joining import TOKEN_VARIABLE, join, join_from
from referee.processes import BotProcess
from referee.serving import CERTIFICATE_VARIABLE, KEY_VARIABLE, load, server_credentials
from referee.ways import ALLOW_PLAIN, GATEWAY_KEY, Ways, is_on_this_machine

_TARGET: Final = ":"  # in `module:Class`; a command that is one word has none
_LAST_LINES: Final = 15


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
def gateway(listen: str, tokens: Path | None, certificate: str, key: str) -> None:
    """Let bots that cannot be dialled dial in, and forward their games.

    Workers authenticate with the key in SANTIAGO_GATEWAY_KEY, which they share with the gateway.
    """
    ways = Ways.from_environment()
    if not ways.gateway_key:
        raise InvalidSetting(f"{GATEWAY_KEY} is needed: `openssl rand -hex 32` makes one.")
    credentials = server_credentials(certificate, key)
    if credentials is None and not (is_on_this_machine(listen) or ways.allow_plain):
        raise InvalidSetting(
            f"Tokens would go over the network in the open: give --certificate and --key, or set "
            f"{ALLOW_PLAIN}=1 where the gateway stands behind a proxy that speaks TLS."
        )
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    if tokens is not None:
        run_gateway(listen, tokens_of(tokens), ways.gateway_key, credentials)
        return
    engine = _ladder()
    guests = Guests(model.session_factory(engine))
    try:
        guests.begin()
        run_gateway(listen, guests.name_of, ways.gateway_key, credentials, guests.watch)
    finally:
        engine.dispose()


def _ladder() -> Engine:
    url = Environment.from_environment().database_url
    if not url:
        raise InvalidSetting("Whose tokens are good? Set DATABASE_URL, or give --tokens FILE.")
    model.check_schema(url)
    return model.engine(url)


@click.command("join")
@click.argument("address", metavar="GATEWAY")
@click.argument("bot", nargs=-1, required=True)
@click.option(
    "--token",
    envvar=TOKEN_VARIABLE,
    show_envvar=True,
    required=True,
    help="The bot's token. The variable does not show it to other users of this machine.",
)
@click.option(
    "--slots",
    type=click.IntRange(1, 256),
    default=4,
    show_default=True,
    help="Games that it plays at once.",
)
def join_gateway(address: str, bot: tuple[str, ...], token: str, slots: int) -> None:
    """Play at the GATEWAY (HOST:PORT) with BOT, until Ctrl-C.

    BOT is a bot of the Python kit (module:Class; the module is looked for in the folder where you
    are), or a command that starts any bot.
    """
    if not address.rpartition(":")[2].isdecimal():
        raise click.UsageError("GATEWAY is HOST:PORT, such as gateway.example:50052.")
    words = shlex.split(bot[0]) if len(bot) == 1 else list(bot)
    if len(words) == 1 and _TARGET in words[0] and "/" not in words[0]:
        sys.path.insert(0, str(Path.cwd()))
        join(load(words[0]), address, token, slots)
        return
    with tempfile.TemporaryDirectory(prefix="santiago-") as folder:
        log = Path(folder, "log")
        try:
            with BotProcess(words, f"unix:{Path(folder, 'bot')}", log) as process:
                process.wait_until_ready()
                join_from(process.address, address, token, slots, lambda: _alive(process))
        except InvalidBot as error:
            raise InvalidBot("\n".join([str(error), *last_lines(log, _LAST_LINES)])) from None


def _alive(process: BotProcess) -> None:
    if process.exit_code is not None:
        raise InvalidBot(f"The bot ended by itself, with exit code {process.exit_code}.")


@click.command("token")
@click.argument("name")
def make_token(name: str) -> None:
    """Make a token for the bot NAME, and the line that the gateway's file of tokens needs."""
    if not NAME.fullmatch(name):
        raise click.UsageError("A name has letters, digits, '_', '.' and '-', at most 100 of them.")
    token = new_token()
    click.echo(f"For the bot's author ({TOKEN_VARIABLE}): {token}")
    click.echo(f"For the file of tokens: {name} {token_hash(token)}")
