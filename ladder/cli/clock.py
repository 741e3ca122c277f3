"""The options for the clock: how long bots may think."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from referee.clock import Clock


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
