"""Give commands the options of clock and folder, the progress bar of games, and signals.

SIGINT, SIGTERM and SIGHUP stop a command between two steps, never in the middle of one. So every
process that it started is ended, and a second Ctrl-C does not disturb the clearing up.
"""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from math import isnan
from pathlib import Path
from time import sleep
from types import FrameType
from typing import Any, Final, Self, TypeVar

import click
from click.core import ParameterSource
from rich.console import Console, ConsoleOptions
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from referee.clock import Clock
from referee.signals import ending_signals

_LINES: Final = 10
_UNBOUNDED: Final = 1000  # characters
_SHORT_WORD: Final = 8  # characters

_PLAIN: Final = str.maketrans({"∞": "inf", "–": "-", "…": "...", "µ": "u"})


class _RowId(click.IntRange):
    """A range that messages call an id: people try a bot's name there."""

    name = "id"


ROW_ID: Final = _RowId(1, 2**31 - 1)
"""The id of a bot, match or tournament, as a column of the database holds it."""

_Command = TypeVar("_Command", bound=Callable[..., Any])
Pause = Callable[[float], None]
"""Wait for some seconds; raise Stopped if the command has to end."""


class Seconds(click.FloatRange):
    """A range of seconds, in which nothing but a number is: a plain range takes `nan`, too."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number of seconds, or end the command with a sentence."""
        seconds: float = super().convert(value, param, ctx)
        if isnan(seconds):
            self.fail(f"{value!r} is not a number of seconds.", param, ctx)
        return seconds


def clock_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a Clock; the command gets it as `clock`."""

    @wraps(command)
    def with_clock(
        *, move_limit: float, bank: float, increment: float, start_up: float, **others: Any
    ) -> Any:
        try:
            clock = Clock(move_limit, bank, increment, start_up)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        return command(clock=clock, **others)

    standard, wrapped = Clock(), with_clock
    for name, default, seconds in (
        ("--start-up", standard.start_up, "Seconds to accept a game, from the first dial."),
        ("--increment", standard.increment, "Seconds that a decision adds to the bank."),
        ("--bank", standard.bank, "Seconds that a bot has for the whole game."),
        ("--move-limit", standard.move_limit, "Seconds that one move may take."),
    ):
        option = click.option(name, type=float, default=default, show_default=True, help=seconds)
        wrapped = option(wrapped)
    return wrapped


def folder_option(summary: str) -> Callable[[_Command], _Command]:
    """Make the option `--data`, a folder; `summary` is its help."""
    return click.option(
        "--data",
        type=click.Path(file_okay=False, path_type=Path),
        default=Path(".santiago"),
        show_default=True,
        envvar="SANTIAGO_DATA",
        show_envvar=True,
        help=summary,
    )


data_option: Final = folder_option("The folder of `santiago up`; ignored if DATABASE_URL is set.")


def confirm(question: str) -> None:
    """Go on only if somebody says yes. Raises Abort."""
    try:
        agreed = click.confirm(question)
    except click.Abort:
        if not sys.stdin.isatty():
            click.echo("\nNobody can be asked here: add --yes to do it all the same.", err=True)
        raise
    if not agreed:
        raise click.Abort


def is_typed(option: str) -> bool:
    """Return True if an option of the running command stands in the command line."""
    source = click.get_current_context().get_parameter_source(option)
    return source is ParameterSource.COMMANDLINE


class Stopped(Exception):
    """A signal asked the command to end; `exit_code` is the one that shells expect then."""

    def __init__(self, number: int) -> None:
        super().__init__(f"Ended by {signal.Signals(number).name}.")
        self.exit_code = 128 + number


class _Stopping:
    """Records a signal; raises Stopped at the next pause, or at once in one."""

    def __init__(self) -> None:
        self._number: int | None = None
        self._pausing = False

    def note(self, number: int, _: FrameType | None = None) -> None:
        self._number = number
        if self._pausing:
            self._pausing = False
            raise Stopped(number)

    def pause(self, seconds: float) -> None:
        self._pausing = True
        try:
            if self._number is not None:
                raise Stopped(self._number)
            sleep(seconds)
        finally:
            self._pausing = False


@contextmanager
def stoppable() -> Iterator[Pause]:
    """Let signals end the block only at a `pause`; then exit with the signal's code."""
    stopping = _Stopping()
    before = {number: signal.signal(number, stopping.note) for number in ending_signals()}
    try:
        yield stopping.pause
    except Stopped as stopped:
        sys.exit(stopped.exit_code)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def table_console(*, soft_wrap: bool = False) -> Console:
    """Return a console that prints every name as it is: `[cup]` is no style, `:cup:` no emoji."""
    return Console(highlight=False, markup=False, emoji=False, soft_wrap=soft_wrap)


def print_table(console: Console, table: Table) -> None:
    """Print a table; outside of a terminal, as wide as it needs to be.

    Where a terminal has no room for it, each cell gets a line of its own, headed by its column.
    """
    unbounded = console.options.update(max_width=_UNBOUNDED)
    if not console.is_terminal:
        console.width = max(console.width, console.measure(table, options=unbounded).maximum)
    elif console.width < _least_width(console, unbounded, table):
        _print_cells(console, table)
        return
    console.print(table)


def _print_cells(console: Console, table: Table) -> None:
    if table.title is not None:
        console.print(table.title)
    for cells in zip(*(column.cells for column in table.columns), strict=True):
        for column, cell in zip(table.columns, cells, strict=True):
            console.print(Text(f"{column.header}: {cell}"))
        console.print()


def _least_width(console: Console, options: ConsoleOptions, table: Table) -> int:
    """Return the width at which columns that may wrap still hold a short word, and others all."""
    width = 1
    for column in table.columns:
        whole = max(
            console.measure(cell, options=options).maximum
            for cell in (column.header, *column.cells)
        )
        width += 3 + (whole if column.no_wrap else min(whole, _SHORT_WORD))
    return width


def printable(text: str) -> str:
    """Return a text as far as the output's encoding has it: `inf` for ∞, `?` for other letters."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_PLAIN).encode(encoding, "replace").decode(encoding)
    return text


class ProgressBar:
    """A progress bar on stderr; if that is no terminal, a line for each tenth."""

    def __init__(self, label: str, total: int, done: int = 0) -> None:
        self._label = label
        self._total = total
        self._said = self._tenths(done)
        self._console = Console(stderr=True, highlight=False, soft_wrap=True)
        self._bar = Progress(
            "{task.description}",
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._task = self._bar.add_task(label, total=total, completed=done)

    def show(self, done: int, note: str = "") -> None:
        """Show how many of the total are done; `note` is shown beside the bar."""
        self._bar.update(self._task, completed=done, description=f"{self._label} {note}".strip())
        tenths = self._tenths(done)
        if not self._console.is_terminal and tenths > self._said:
            self._said = tenths
            self.say(f"{self._label}: {done} of {self._total}")

    def _tenths(self, done: int) -> int:
        return done * _LINES // self._total

    def say(self, sentence: str) -> None:
        """Print something without disturbing the bar."""
        self._console.print(sentence, markup=False)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
