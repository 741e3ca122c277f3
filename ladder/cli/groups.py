"""Groups of commands that are imported when they are called, and what to install if one can't be.

Installed bare, this distribution has what an author needs to write, check and play a bot. A
command that needs more raises ModuleNotFoundError at its first import; `missing_part` makes of it
the sentence that names the extra to install.
"""

import gc
import importlib
from collections.abc import Mapping
from importlib.util import find_spec
from types import MappingProxyType, ModuleType, TracebackType
from typing import Any, Final

import click

_OURS: Final = ("ladder", "referee", "web")
_LADDER: Final = "ladder"
_EXTRAS: Final = {"httpx": "client", "hpack": "hosting", "pyseccomp": "hosting"}
"""The extras that bring a module, except for those of the service."""

Commands = Mapping[str, tuple[str, str]]
"""Commands by name: the module of `ladder.cli` that holds each, and its summary.

The summary is repeated, so that `--help` imports none of the modules.
"""

_NONE: Final[Commands] = MappingProxyType({})


class LazyGroup(click.Group):
    """A group that imports the module of a command when that is called.

    Commands that were added as usual stand beside those. `--help` shows each summary whole.
    """

    def __init__(self, *, lazy: Commands = _NONE, **options: Any) -> None:
        super().__init__(**options)
        self._lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order of the table if all are lazy."""
        usual = super().list_commands(ctx)
        return sorted((*usual, *self._lazy)) if usual else list(self._lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; raises ModuleNotFoundError if a part of it is not installed."""
        if cmd_name not in self._lazy:
            return super().get_command(ctx, cmd_name)
        module = _imported(f"ladder.cli.{self._lazy[cmd_name][0]}")
        found = (thing for thing in vars(module).values() if isinstance(thing, click.Command))
        return next(command for command in found if command.name == cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the names and summaries, without an import."""
        summaries = {name: summary for name, (_, summary) in self._lazy.items()}
        for name, command in self.commands.items():
            summaries[name] = command.get_short_help_str(100)
        with formatter.section("Commands"):
            formatter.write_dl([(name, summaries[name]) for name in self.list_commands(ctx)])


def missing_part(error: ModuleNotFoundError) -> str | None:
    """Return what to install if one of our own modules could not import `error.name`.

    None if the import stands elsewhere, such as in the bot of the user.
    """
    if _importer(error.__traceback__) not in _OURS or not error.name:
        return None
    return _needs(error.name.partition(".")[0])


def require(module: str) -> None:
    """Raise ClickException if a command that starts another process would lack a module there."""
    if find_spec(module) is None:
        raise click.ClickException(_needs(module))


def _needs(module: str) -> str:
    extra = _EXTRAS.get(module, _LADDER)
    return (
        f"This command needs {module}, which is not installed: "
        f"pip install 'santiago-arena[{extra}]'"
    )


def _importer(traceback: TracebackType | None) -> str:
    """Return the package of the module where an import failed."""
    name = ""
    while traceback is not None:
        name = str(traceback.tb_frame.f_globals.get("__name__", ""))
        traceback = traceback.tb_next
    return name.partition(".")[0]


def _imported(module: str) -> ModuleType:
    """Import a module without looking for garbage meanwhile: that took a seventh of a start."""
    gc.disable()
    try:
        return importlib.import_module(module)
    finally:
        gc.enable()
