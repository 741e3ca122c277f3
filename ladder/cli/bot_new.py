"""`santiago bot new`: a small working bot to begin with."""

from pathlib import Path
from typing import Final

import click

from ladder.cli.starters import LANGUAGES, write_project

_NEXT: Final = {
    "python": ("santiago play random 'python bot.py'",),
    "node": ("npm install", "santiago play random 'node bot.js'"),
}
"""What to type first, by language."""


@click.command()
@click.argument("name")
@click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    default=LANGUAGES[0],
    show_default=True,
    help="What it is written in.",
)
def new(name: str, language: str) -> None:
    """Write a small working bot into the new folder NAME.

    Its README tells how to run it, try it and check it.
    """
    for file in write_project(name, language, Path()):
        click.echo(f"{name}/{file}")
    click.echo(" && ".join(("Next: cd " + name, *_NEXT[language])))
