"""Checking a stream of games, one after the other."""

from collections.abc import Iterable
from typing import cast

from .forfeit import check_fault, check_forfeit
from .game import play
from .lines import check_due, check_result, check_setup
from .names import Setup, Table
from .reader import Divergence, Line, Reader
from .start import table_of


class TraceError(Exception):
    """A trace diverges from the rules; the text says in which line, game and turn, and how."""


def check_stream(stream: Iterable[bytes]) -> tuple[int, int]:
    """Check all games of a stream and return the numbers of games and of lines.

    Raises TraceError at the first divergence, and where there is no game at all.
    """
    reader = Reader(stream)
    games = 0
    while True:
        place = f"game {games + 1}"
        try:
            setup = reader.next_line()
            if setup is None and games > 0:
                return games, reader.number - 1
            table = begin(setup)
        except Divergence as why:
            raise TraceError(f"line {reader.number} ({place}): {why}") from why
        try:
            check_game(reader, cast(Setup, setup), table)
        except Divergence as why:
            at = f"line {reader.number} ({place}, turn {table['turn']})"
            raise TraceError(f"{at}: {why}") from why
        games += 1


def begin(line: Line | None) -> Table:
    """The table of a game that begins with this line."""
    if line is None:
        raise Divergence("the stream should hold a game but is empty.")
    check_setup(line)
    return table_of(cast(Setup, line))


def check_game(reader: Reader, setup: Setup, table: Table) -> None:
    """Check one game from its first roll to its last line."""
    game = play(table, setup)
    try:
        due = next(game)
        faults: dict[int, str] = {}
        begun = False
        while True:
            line = reader.next_line()
            if line is not None and line.get("type") == "forfeit":
                check_forfeit(line, setup["players"], faults)
                return
            if line is not None and line.get("type") == "fault":
                check_fault(line, due, table, faults, begun=begun)
                continue
            begun = True
            due = game.send(check_due(line, due, table))
    except StopIteration as over:
        check_result(reader.next_line(), over.value, table)
