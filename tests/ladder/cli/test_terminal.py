"""Signals end a command at a pause, and nowhere else."""

import os
import signal
from collections.abc import Callable, Iterator
from io import StringIO
from threading import Timer
from unittest.mock import patch

import click
import pytest
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ladder.cli.terminal import Seconds, Stopped, print_table, stoppable


def send(number: signal.Signals) -> None:
    os.kill(os.getpid(), number)


def exit_code(command: Callable[[], None]) -> object:
    with pytest.raises(SystemExit) as ended:
        command()
    return ended.value.code


@pytest.fixture
def hang_up(request: pytest.FixtureRequest) -> Iterator[None]:
    """What SIGHUP does, outside a command: by default as without nohup."""
    before = signal.signal(signal.SIGHUP, getattr(request, "param", signal.SIG_DFL))
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("hang_up")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_between_pauses_waits_for_the_next(number: signal.Signals) -> None:
    steps = []

    def command() -> None:
        with stoppable() as pause:
            pause(0)
            send(number)
            send(number)
            steps.append("the step is done")
            pause(600)
            steps.append("never")

    assert exit_code(command) == 128 + number
    assert steps == ["the step is done"]


def test_a_signal_in_a_pause_ends_it_at_once() -> None:
    def command() -> None:
        with stoppable() as pause:
            Timer(0.05, send, [signal.SIGTERM]).start()
            pause(600)

    assert exit_code(command) == 128 + signal.SIGTERM


@pytest.mark.usefixtures("hang_up")
@pytest.mark.parametrize("hang_up", [signal.SIG_IGN], indirect=True)
def test_a_command_by_nohup_outlives_its_terminal() -> None:
    with stoppable() as pause:
        send(signal.SIGHUP)
        pause(0)


def test_clearing_up_is_not_interrupted() -> None:
    steps = []

    def command() -> None:
        with stoppable() as pause:
            try:
                send(signal.SIGINT)
                pause(0)
            finally:
                send(signal.SIGINT)
                steps.append("cleared up")

    assert exit_code(command) == 128 + signal.SIGINT
    assert steps == ["cleared up"]


def test_only_the_first_signal_interrupts_a_pause() -> None:
    """Else one that comes before the pause has ended would let a third one raise, at any place."""
    steps = []

    def interrupted(_: float) -> None:
        with pytest.raises(Stopped):
            send(signal.SIGTERM)
        send(signal.SIGTERM)
        steps.append("the second is noted")

    with patch("ladder.cli.terminal.sleep", interrupted), stoppable() as pause:
        pause(600)
    assert steps == ["the second is noted"]


def test_a_command_may_end_well_by_a_signal() -> None:
    with stoppable() as pause:
        send(signal.SIGTERM)
        with pytest.raises(Stopped, match="SIGTERM"):
            pause(0)


def test_afterwards_signals_mean_what_they_meant() -> None:
    before = signal.getsignal(signal.SIGINT)
    with stoppable():
        assert signal.getsignal(signal.SIGINT) != before
    assert signal.getsignal(signal.SIGINT) == before


@pytest.mark.parametrize("typed", ["nan", "-1", "soon", "inf"])
def test_seconds_are_numbers_of_their_range(typed: str) -> None:
    assert Seconds(min=0).convert("1.5", None, None) == 1.5
    with pytest.raises(click.BadParameter):
        Seconds(min=0, max=60).convert(typed, None, None)


@pytest.mark.parametrize("title", ["3 games", None])
@pytest.mark.parametrize("width", [23, 24])
def test_a_terminal_too_narrow_for_a_table_gets_each_cell_on_a_line(
    width: int, title: str | None
) -> None:
    table = Table("bot", title=title)
    table.add_column("95 %", no_wrap=True)
    table.add_row(Text("[red]-bot-1"), "-20 to 20")
    output = StringIO()
    console = Console(file=output, force_terminal=True, width=width, color_system=None)
    print_table(console, table)
    printed = output.getvalue()
    if width == 23:
        assert printed == f"{title}\n" * bool(title) + "bot: [red]-bot-1\n95 %: -20 to 20\n\n"
    else:
        assert "│ [red]-b… │ -20 to 20 │" in printed
