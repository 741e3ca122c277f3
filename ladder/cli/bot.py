"""`santiago bot`: an author's bot from its first file to a place on the ladder."""

import shlex
import sys
from pathlib import Path
from typing import Final

import click

from ladder.cli.groups import Commands, LazyGroup
from ladder.cli.starters import LANGUAGES, write_project
from ladder.local.entrants import guarded, guarded_folder, installed_bots
from referee import serving
from referee.bot import Bot
from referee.errors import InvalidBot
from referee.gateway.credentials import NAME, new_token, token_hash
from referee.hosting import lines
from referee.joining import TOKEN_VARIABLE, join, join_from
from referee.processes import BotProcess
from referee.variables import MAX_PORT, is_host_and_port, is_target

_TARGET: Final = ":"  # in `module:Class`; a command that is one word has none
_STDERR: Final = 2
_NEXT: Final = {
    "python": ("santiago play random 'python bot.py'",),
    "node": ("npm install", "santiago play random 'node bot.js'"),
    "lines": ("santiago play random 'lines:python3 bot.py'",),
    "cpp": ("c++ -O2 -std=c++17 -o bot bot.cpp", "santiago play random lines:./bot"),
}
"""The first commands to type, by language."""


_ELSEWHERE: Final[Commands] = {
    "pack": (
        "bot_package",
        "Pack the FOLDER of a bot for an upload, or say what is wrong with it.",
    ),
    "check": ("bot_check", "Check that a bot keeps to the protocol, in every situation."),
    "try": ("bot_try", "Build a PACKAGE, check its bot, and play games with it, as a host does."),
    "add": ("bot_register", "Register the bot that listens at ADDRESS; it must be running."),
    "list": ("bot_register", "Print the bots of the ladder, with their ids."),
    "submit": ("bot_site", "Upload a PACKAGE, or submit a VERSION of a bot that you run."),
    "retry": ("bot_site", "Submit a rejected VERSION of your bot again, as it was."),
    "status": ("bot_site", "Print your bots, or one bot with its places, versions and checks."),
    "log": ("bot_site", "Print the newest matches of your bot as the referee saw it in them."),
    "pause": ("bot_site", "Stop your bot from playing until you resume it."),
    "resume": ("bot_site", "Let your bot play again."),
    "open-to-people": ("bot_site", "Let people play casual games with your bot."),
    "close-to-people": ("bot_site", "Let nobody begin a casual game with your bot any more."),
    "retire": ("bot_site", "Take your bot from the ladder for good; its games stay."),
    "withdraw": ("bot_site", "Withdraw your bot from a tournament."),
    "gateway-token": ("bot_site", "Make a new token with which your bot joins the gateway."),
    "challenge": ("bot_site", "Let your bot play an unrated match now."),
}
"""The commands that need a database or a site, and the check."""


@click.group(cls=LazyGroup, lazy=_ELSEWHERE)
def bot() -> None:
    """Write, serve and check a bot; the bots of a ladder."""


@bot.command()
@click.argument("name")
@click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    default=LANGUAGES[0],
    show_default=True,
    help="The programming language; `lines` is for any program that reads and prints lines.",
)
def new(name: str, language: str) -> None:
    """Write a small working bot into the new folder NAME.

    Its README explains how to run it, try it and check it.
    """
    for file in write_project(name, language, Path()):
        click.echo(f"{name}/{file}")
    click.echo(" && ".join(("Next: cd " + name, *_NEXT[language])))


@bot.command()
@click.argument("bot", metavar="NAME|MODULE:CLASS|lines:COMMAND")
@click.option(
    "--address",
    metavar="ADDRESS",
    help="Where to listen: HOST:PORT or unix:/PATH. Default: SANTIAGO_ADDRESS, or else "
    "127.0.0.1:50051.",
)
def serve(bot: str, address: str | None) -> None:
    """Serve games with a bot until Ctrl-C.

    NAME is an installed bot. MODULE is imported from the current folder, CLASS derives from
    referee.bot.Bot. After `lines:` stands a command, in quotes: it starts a program that reads
    lines of JSON and prints moves.
    """
    if bot.startswith(lines.PREFIX):
        lines.main(lines.program_of(bot.removeprefix(lines.PREFIX)), address)
        return
    serving.serve(_load(bot), address)


@bot.command("join")
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

    BOT is the name of an installed bot, a bot of the Python kit (module:Class; the module is looked
    for in the folder where you are), a command that starts any bot, or `lines:` and a command that
    starts a program which reads lines of JSON and prints moves. What the bot prints goes to
    standard error.
    """
    if not is_host_and_port(address):
        raise click.UsageError(
            f"GATEWAY is HOST:PORT with a port of 1 to {MAX_PORT}, such as gateway.example:50052."
        )
    words = lines.split_command(bot[0]) if len(bot) == 1 else list(bot)
    if not words or not words[0]:
        raise click.UsageError("BOT is empty: give module:Class or a command that starts a bot.")
    if words[0].startswith(lines.PREFIX):
        words = lines.command_for(shlex.join(words).removeprefix(lines.PREFIX))
    elif len(words) == 1 and (words[0].startswith("unix:/") or is_target(words[0])):
        raise click.UsageError(
            f"{words[0]!r} is an address, but join starts the bot itself: give its command."
        )
    elif len(words) == 1 and _names_class(words[0]):
        join(_load(words[0]), address, token, slots)
        return
    with guarded_folder() as (folder, guardian):
        process = BotProcess(words, f"unix:{folder / 'bot'}", _STDERR)
        with guarded(process, guardian):
            process.wait_until_ready()
            join_from(process.address, address, token, slots, lambda: _alive(process))


def _alive(process: BotProcess) -> None:
    """Raise InvalidBot if the bot's process has ended."""
    if process.exit_code is not None:
        raise InvalidBot(f"The bot ended by itself, with exit code {process.exit_code}.")


@bot.command("token")
@click.argument("name")
def make_token(name: str) -> None:
    """Make a token for the bot NAME, and the line that the gateway's file of tokens needs."""
    if not NAME.fullmatch(name):
        raise click.UsageError("A name has letters, digits, '_', '.' and '-', at most 100 of them.")
    token = new_token()
    click.echo(f"For the bot's author ({TOKEN_VARIABLE}): {token}")
    click.echo(f"For the file of tokens: {name} {token_hash(token)}")


def _names_class(word: str) -> bool:
    """Return True for an installed bot and for `module:Class`; other words are commands."""
    return word in installed_bots() or (_TARGET in word and "/" not in word)


def _load(word: str) -> type[Bot]:
    """Import a bot that is installed, or in the current folder. Raises InvalidBot."""
    installed = installed_bots()
    if word in installed:
        return serving.load(installed[word])
    if _TARGET not in word:
        raise InvalidBot(
            f"{word!r} is not an installed bot ({', '.join(sorted(installed))}); one of your own "
            "is MODULE:CLASS, such as bot:MyBot for the class MyBot in bot.py."
        )
    sys.path.insert(0, str(Path.cwd()))
    return serving.load(word)
