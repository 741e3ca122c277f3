"""What `santiago play` says at its end: two tables, and plain sentences."""

from collections.abc import Iterable
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from ladder.local.estimates import Estimate
from ladder.local.report import Report
from ladder.local.sprt import LOWER, UPPER, Progress, Verdict
from ladder.local.strength import Comparison, Share

_CERTAIN = 0.999
_TOO_MANY = 100_000
_MOST_FAULTS = 20
_MOST_FILES = 5
_BOUNDLESS = 1000  # characters


def tell(report: Report, replays: Path | None = None) -> None:
    """Prints how the bots did, and which of the `replays` show the games that they did not win."""
    if not report.games:
        return
    console = Console(highlight=False)
    for table in (_standings(report), _wins(report)):
        _print(console, table)
    for sentence in sentences(report):
        click.echo(sentence)
    if replays is not None:
        for line in _lost_files(report, replays):
            click.echo(line)


def _print(console: Console, table: Table) -> None:
    """A table, as wide as it needs to be where no window cuts it."""
    if not console.is_terminal:
        boundless = console.options.update(max_width=_BOUNDLESS)
        console.width = max(console.width, console.measure(table, options=boundless).maximum)
    console.print(table)


def _lost_files(report: Report, replays: Path) -> Iterable[str]:
    """Where to look for what went wrong, by bot."""
    for bot in report.bots:
        files = [replays / f"{game:05}.santiago" for game in report.not_won[bot.name]]
        there = [str(file) for file in files if file.exists()]  # games of a log may have none
        more = f" and {len(there) - _MOST_FILES} more" if len(there) > _MOST_FILES else ""
        if there:
            yield f"{bot.name} did not win {' '.join(there[:_MOST_FILES])}{more}"


def sentences(report: Report) -> Iterable[str]:
    """The report in words."""
    if report.test is not None:
        yield _test(report.test, report.entrants[0], report.seats)
    yield from map(_pair, report.pairs)
    if any(_helped(bot.strength) for bot in report.bots):
        yield (
            "~ regularised: with fewer than 30 deals, or a score near 0 or 1, the interval counts "
            "one won and one lost deal more."
        )
    for fault in report.faults[:_MOST_FAULTS]:
        yield f"Game {fault.game}: {fault.bot} faulted. {fault.sentence}"
    if len(report.faults) > _MOST_FAULTS:
        yield f"… and {len(report.faults) - _MOST_FAULTS} faults more (--json tells all)."


def _standings(report: Report) -> Table:
    of_all = f" of {report.planned}" if report.unfinished else ""
    title = f"{report.games}{of_all} {_word('game', report.planned)}"
    table = Table(title=title, title_justify="left")
    table.add_column("bot", overflow="fold")
    for heading in ("Elo", "95 %", "LOS", "score", "mean VP", "faults", "think"):
        table.add_column(heading, justify="right", no_wrap=True)
    for bot in report.bots:
        table.add_row(
            bot.name,
            *_strength(bot.strength),
            f"{bot.score:.1%}",
            "–" if bot.mean_vp is None else f"{bot.mean_vp:.1f}",
            str(bot.faults),
            "–" if bot.think_ms is None else _time(bot.think_ms),
        )
    return table


def _time(milliseconds: float) -> str:
    """Three digits at most, in the unit that suits."""
    for unit, size in (("s", 1000.0), ("ms", 1.0)):
        if milliseconds >= size:
            return f"{milliseconds / size:.3g} {unit}"
    return f"{1000 * milliseconds:.3g} µs"


def _strength(strength: Estimate | None) -> tuple[str, str, str]:
    if strength is None:
        return "–", "–", "–"
    return _elo(strength.elo), _interval(strength), _percent(strength.superiority)


def _wins(report: Report) -> Table:
    """First ranks by seat and by the bot that moves before."""
    table = Table()
    table.add_column("wins", overflow="fold")
    table.add_column("all")
    for seat in range(report.seats):
        table.add_column(f"seat {seat}", justify="right")
    before = [bot.name for bot in report.bots]
    for name in before:
        table.add_column(f"after {name}", justify="right", overflow="fold")
    for bot in report.bots:
        by_seat = [_share(bot.by_seat.get(seat)) for seat in range(report.seats)]
        behind = [_share(bot.behind.get(name)) for name in before]
        table.add_row(bot.name, _share(bot.wins), *by_seat, *behind)
    return table


def _share(share: Share | None) -> str:
    return "–" if share is None else f"{share.won:.4g}/{share.games}"


def _pair(pair: Comparison) -> str:
    where = "tables" if pair.meetings == pair.tables else "meetings"
    shared = f" ({pair.shared} shared)" if pair.shared else ""
    what = f"{pair.name} beats {pair.other} at {pair.won} of {pair.meetings} {where}{shared}"
    strength = f"Elo {_elo(pair.strength.elo)}, 95 %: {_interval(pair.strength)}"
    if pair.strength.low > 0:
        sure = "certain" if pair.strength.superiority >= _CERTAIN else "almost certain"
        return f"{what}, {sure} ({strength})."
    return f"{pair.name} and {pair.other} {_open(pair.games_to_tell)}: {what} ({strength})."


def _open(games: int | None) -> str:
    """What two bots need of which nobody knows which one is better."""
    if games is None:
        return "are even so far"
    if games > _TOO_MANY:
        return f"need more than {_TOO_MANY:,} more games to tell"
    return f"need about {_rounded(games):,} more {_word('game', games)} to tell"


def _rounded(games: int) -> int:
    """Two digits of it; more would be more than is known."""
    unit: int = 10 ** max(0, len(str(games)) - 2)
    return max(1, -(-games // unit) * unit)


def _test(test: Progress, first: str, seats: int) -> str:
    elo0, elo1 = _elo(test.hypotheses.elo0), _elo(test.hypotheses.elo1)
    state = f"LLR {test.llr:+.2f} of {LOWER:.2f} to {UPPER:.2f} after {test.deals} deals"
    line_up = {2: "A B", 3: "A B B and B A A", 4: "A A B B"}[seats]
    said = {
        Verdict.H1: f"{first} is nearer to {elo1} Elo than to {elo0} (H1)",
        Verdict.H0: f"{first} is nearer to {elo0} Elo than to {elo1} (H0)",
        Verdict.OPEN: f"whether {first} has {elo0} or {elo1} Elo is open",
    }[test.verdict]
    return f"SPRT: {said}: {state}. Line-up {line_up}, in every rotation; {first} is A."


def _helped(strength: Estimate | None) -> bool:
    return strength is not None and strength.regularised


def _interval(strength: Estimate) -> str:
    mark = "~" if strength.regularised else ""
    return f"{mark}{_elo(strength.low)} to {_elo(strength.high)}"


def _percent(likelihood: float) -> str:
    if likelihood > _CERTAIN:
        return "> 99.9%"
    return "< 0.1%" if likelihood < 1 - _CERTAIN else f"{likelihood:.1%}"


def _word(one: str, count: int) -> str:
    return one if count == 1 else f"{one}s"


def _elo(difference: float) -> str:
    return f"{difference:+.0f}".replace("inf", "∞")
