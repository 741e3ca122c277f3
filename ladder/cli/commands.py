"""All commands of `santiago`. Each is imported only when it is called."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Any, Final

import click

from ladder.cli import INTERRUPTED
from ladder.cli.groups import Commands, LazyGroup, missing_part
from ladder.errors import LadderError
from referee.errors import RefereeError

_COMMANDS: Final[Commands] = {
    "demo": ("up", "Let the sample bots play, and show the ladder site."),
    "up": ("up", "Run the ladder and its site on this machine."),
    "play": ("play", "Play a tournament in this terminal, without the ladder."),
    "replay": ("games", "Verify, print, view and debug replay files."),
    "show": ("games", "Draw a position of the game."),
    "selfplay": ("games", "Play random games, for audit and statistics."),
    "bot": ("bot", "Write, serve and check a bot; register it on a ladder."),
    "tournament": ("tournament", "Make and lead tournaments of a ladder."),
    "match": ("match", "Annul, cancel or play anew a match of a ladder."),
    "ladder": ("operating", "Open, close and mix the ladders."),
    "ratings": ("ratings", "Check the ratings of a ladder, and how fair it was."),
    "admin": ("operating", "Look after people: admins, roles, reset links."),
    "gateway": ("service", "Forward games to bots behind routers (part of the service)."),
    "host": ("host", "Build and run uploaded bots in sandboxes (part of the service)."),
    "worker": ("service", "Play the matches of a ladder (part of the service)."),
    "scheduler": ("service", "Look after the queue of a ladder (part of the service)."),
    "house": ("service", "Run the sample bots for a ladder (part of the service)."),
    "health": ("health", "Ask a part of the service for its last sign of life."),
    "hosts": ("hosts", "List and drain the hosts of a ladder; ban files from all."),
    "db": ("service", "Make or update the tables of a database (part of the service)."),
}


os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
"""Otherwise gRPC prints that a bot has hung up, which the commands report themselves."""


class _Santiago(LazyGroup):
    """All commands; every error in them becomes one message."""

    def main(self, *args: Any, **extra: Any) -> Any:
        _open_closed()
        _print_all_that_can_be()
        return super().main(*args, **extra)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with _errors_as_messages():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _errors_as_messages():
            returned = super().invoke(ctx)
            sys.stdout.flush()
            return returned


@contextmanager
def _errors_as_messages() -> Iterator[None]:
    try:
        yield
    except (KeyboardInterrupt, click.Abort) as stopped:
        if not _is_interrupt(stopped):
            raise
        click.echo(err=True)  # the next prompt stands on a line of its own
        raise SystemExit(INTERRUPTED) from None
    except BrokenPipeError:
        raise  # click ends quietly: the reader of the output has closed it
    except LadderError as error:
        raise click.ClickException(error.sentence) from None
    except RefereeError as error:
        raise click.ClickException(str(error)) from None
    except UnicodeEncodeError as error:
        # it does not show the text, which may be a token
        sentence = f"An argument or a variable of the environment is not in {error.encoding}."
        raise click.ClickException(sentence) from None
    except OSError as error:
        _drop_output()
        raise click.ClickException(_message(error)) from None
    except ModuleNotFoundError as error:
        missing = missing_part(error)
        if missing is None:
            raise
        raise click.ClickException(missing) from None


def _open_closed() -> None:
    """Open what the shell has closed (`>&-`): Python has None for it, which nobody expects."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            nothing = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(nothing, mode, encoding="utf-8"))


def _print_all_that_can_be() -> None:
    """Print `?` for a letter that the output's encoding lacks, instead of a traceback."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _is_interrupt(stopped: BaseException) -> bool:
    """Return True for Ctrl-C; at a question, click makes an Abort of it, as of an answer of no."""
    return isinstance(stopped, KeyboardInterrupt) or isinstance(
        stopped.__context__, KeyboardInterrupt
    )


def _message(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror or error}"


def _drop_output() -> None:
    """Keep Python from trying again, at exit, to write what could not be written."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Print the release, and if the rules are compiled."""
    if not wanted or ctx.resilient_parsing:
        return
    from importlib.metadata import version

    from referee.rules import CORE

    click.echo(f"santiago {version('santiago-arena')}, rules: {CORE}")
    ctx.exit()


@click.group(
    cls=_Santiago, lazy=_COMMANDS, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help="Show the version and exit.",
)
def santiago() -> None:
    """Bots that play Santiago de Cuba: games, tournaments, the ladder, replays."""
