"""`santiago bot serve`: a bot class as a process that the referee can call."""

import sys
from pathlib import Path

import click


@click.command()
@click.argument("bot", metavar="MODULE:CLASS")
@click.option(
    "--address",
    metavar="ADDRESS",
    help="Where to listen: HOST:PORT or unix:/PATH. By default where SANTIAGO_ADDRESS says, else "
    "127.0.0.1:50051.",
)
def serve(bot: str, address: str | None) -> None:
    """Serve games with a bot in Python until Ctrl-C.

    MODULE is looked for in the folder where you are, CLASS derives from referee.bot.Bot.
    """
    from referee.serving import load
    from referee.serving import serve as serve_games

    sys.path.insert(0, str(Path.cwd()))
    serve_games(load(bot), address)
