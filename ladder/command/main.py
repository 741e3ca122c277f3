"""The entry point of the command `santiago`. Each subcommand is imported only when it is called."""

import importlib
from typing import Final

import click

_COMMANDS: Final = {
    "demo": "demo",
    "up": "up",
    "play": "play",
    "replay": "replay",
    "selfplay": "selfplay",
    "bot": "organising",
    "tournament": "organising",
    "worker": "service",
    "scheduler": "service",
    "db": "service",
}
"""Each command, and the module of this package that holds it under the same name."""


class _Lazy(click.Group):
    """A group whose commands live in modules that are imported on first use."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"ladder.command.{_COMMANDS[cmd_name]}")
        command: click.Command = getattr(module, cmd_name)
        return command


@click.group(cls=_Lazy)
@click.version_option(package_name="santiago-arena", prog_name="santiago")
def main() -> None:
    """Bots that play Santiago de Cuba: games, tournaments, the ladder, replays."""


if __name__ == "__main__":
    main(prog_name="santiago")
