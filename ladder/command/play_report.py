"""What `santiago play` says at its end."""

from collections.abc import Sequence
from math import isinf

import click
from rich.console import Console
from rich.table import Table

from ladder.local.strength import Comparison, comparisons, summaries
from ladder.local.tournament import PlayedGame


def report(games: Sequence[PlayedGame], planned: int, names: Sequence[str]) -> None:
    """Prints how the bots did in these games; `names` by entrant."""
    if not games:
        return
    Console(highlight=False).print(_table(games, planned, names))
    for pair in comparisons(games, names):
        click.echo(_sentence(pair))
    for game in sorted(games, key=lambda game: game.planned.number):
        for seat, sentence in game.faults:
            name = names[game.planned.entrants[seat]]
            click.echo(f"Game {game.planned.number}: {name} faulted. {sentence}")


def _table(games: Sequence[PlayedGame], planned: int, names: Sequence[str]) -> Table:
    of_all = f" of {planned}" if len(games) < planned else ""
    title = f"{len(games)}{of_all} {_word('game', planned)}"
    table = Table("bot", title=title, title_justify="left")
    for heading in ("seats", "wins", "mean VP", "score", "faults"):
        table.add_column(heading, justify="right")
    for bot in summaries(games, names):
        table.add_row(
            bot.name,
            str(bot.seats),
            f"{bot.wins:g}",
            "–" if bot.mean_vp is None else f"{bot.mean_vp:.1f}",
            f"{bot.score:.1%}",
            str(bot.faults),
        )
    return table


def _sentence(pair: Comparison) -> str:
    start = f"{pair.name} against {pair.other}: {pair.score:.1%} of {pair.pairs} "
    start += _word("meeting", pair.pairs)
    if isinf(pair.low) and isinf(pair.high):
        return f"{start}; too few games to say more."
    return f"{start}, Elo {_elo(pair.elo)} (95 %: {_elo(pair.low)} to {_elo(pair.high)})"


def _word(one: str, count: int) -> str:
    return one if count == 1 else f"{one}s"


def _elo(difference: float) -> str:
    return f"{difference:+.0f}".replace("inf", "∞")
