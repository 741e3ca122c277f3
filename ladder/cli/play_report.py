"""The report of `santiago play`: tables and sentences in the terminal, JSON and CSV files."""

import csv
import json
import shlex
from collections.abc import Iterable
from dataclasses import asdict
from io import StringIO
from math import isfinite
from pathlib import Path
from typing import Any, Final

import click
from rich.table import Table

from ladder.cli.files import write_whole
from ladder.cli.terminal import print_table, printable, table_console
from ladder.local.estimates import LOWER, UPPER, Estimate, SprtProgress, Verdict
from ladder.local.results import BotSummary, Comparison, PlayReport, Share
from ladder.local.tournament import PlayedGame

_CERTAIN = 0.999
_TOO_MANY = 100_000
_MAX_FAULTS = 20
_MAX_FILES = 5

replays_option: Final = click.option(
    "--replays",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write one replay file a game into this folder, which must be empty or new.",
)


def print_report(report: PlayReport, replays: Path | None = None) -> None:
    """Print how the bots did, and which `replays` show the games that they did not win."""
    if not report.games:
        return
    console = table_console()
    for table in (_standings(report), _wins(report)):
        print_table(console, table)
    for sentence in sentences(report):
        click.echo(printable(sentence))
    if replays is not None:
        for line in _lost_files(report, replays):
            click.echo(printable(line))


def _lost_files(report: PlayReport, replays: Path) -> Iterable[str]:
    """Yield the replay files of games that a bot did not win, by bot."""
    for bot in report.bots:
        files = [_replay_file(replays, game) for game in report.not_won[bot.name]]
        there = [str(file) for file in files if file.exists()]  # games of a log may have none
        more = f" and {len(there) - _MAX_FILES} more" if len(there) > _MAX_FILES else ""
        if there:
            yield f"{bot.name} did not win {shlex.join(there[:_MAX_FILES])}{more}"


def sentences(report: PlayReport) -> Iterable[str]:
    """Yield the report in words."""
    if waiting := [bot.name for bot in report.bots if not bot.wins.games]:
        when = "yet" if report.unfinished else "in so few games"
        yield f"Not played {when}: {', '.join(waiting)}."
    if report.test is not None:
        yield _test(report.test, report.entrants[0], report.seats)
    yield from map(_pair, report.pairs)
    if any(bot.strength and bot.strength.regularised for bot in report.bots):
        yield (
            "~ regularised: with fewer than 30 deals, or a score near 0 or 1, the interval counts "
            "one won and one lost deal more."
        )
    for fault in report.faults[:_MAX_FAULTS]:
        yield f"Game {fault.game}: {fault.bot} faulted. {fault.sentence}"
    if len(report.faults) > _MAX_FAULTS:
        yield f"… and {len(report.faults) - _MAX_FAULTS} faults more (--json tells all)."


def _standings(report: PlayReport) -> Table:
    of_all = f" of {report.planned}" if report.unfinished else ""
    title = f"{report.games}{of_all} {_word(report.planned, 'game')}"
    table = Table(title=title, title_justify="left")
    table.add_column("bot", overflow="fold")
    for heading in ("Elo", "95 %", "LOS", "score", "mean VP", "faults", "think"):
        table.add_column(heading, justify="right", no_wrap=True)
    for bot in _played(report):
        cells = (
            bot.name,
            *_strength(bot.strength),
            f"{bot.score:.1%}",
            "–" if bot.mean_vp is None else f"{bot.mean_vp:.1f}",
            str(bot.faults),
            "–" if bot.think_ms is None else _time(bot.think_ms),
        )
        table.add_row(*map(printable, cells))
    return table


def _played(report: PlayReport) -> list[BotSummary]:
    """Return the bots that have played: of the others there is nothing to say."""
    return [bot for bot in report.bots if bot.wins.games]


def _time(milliseconds: float) -> str:
    """Format a time with three digits at most, in a suitable unit."""
    for unit, size in (("s", 1000.0), ("ms", 1.0)):
        if milliseconds >= size:
            return f"{milliseconds / size:.3g} {unit}"
    return f"{1000 * milliseconds:.3g} µs"


def _strength(strength: Estimate | None) -> tuple[str, str, str]:
    if strength is None:
        return "–", "–", "–"
    return _elo(strength.elo), _interval(strength), _percent(strength.superiority)


def _wins(report: PlayReport) -> Table:
    """Return the table of first ranks by seat and by the bot that moves before."""
    table = Table()
    table.add_column("wins", overflow="fold")
    table.add_column("all")
    for seat in range(report.seats):
        table.add_column(f"seat {seat}", justify="right")
    before = [bot.name for bot in _played(report)]
    for name in before:
        table.add_column(printable(f"after {name}"), justify="right", overflow="fold")
    for bot in _played(report):
        by_seat = [_share(bot.by_seat.get(seat)) for seat in range(report.seats)]
        behind = [_share(bot.behind.get(name)) for name in before]
        table.add_row(*map(printable, (bot.name, _share(bot.wins), *by_seat, *behind)))
    return table


def _share(share: Share | None) -> str:
    return "–" if share is None else f"{share.won:.4g}/{share.games}"


def _pair(pair: Comparison) -> str:
    where = "tables" if pair.meetings == pair.tables else "meetings"
    shared = f" ({pair.shared} shared)" if pair.shared else ""
    result = f"{pair.name} beats {pair.other} at {pair.won} of {pair.meetings} {where}{shared}"
    strength = f"Elo {_elo(pair.strength.elo)}, 95 %: {_interval(pair.strength)}"
    if pair.strength.low > 0:
        sure = "certain" if pair.strength.superiority >= _CERTAIN else "almost certain"
        return f"{result}, {sure} ({strength})."
    return f"{pair.name} and {pair.other} {_open(pair.games_to_tell)}: {result} ({strength})."


def _open(games: int | None) -> str:
    """Say how many more games are needed to tell two bots apart."""
    if games is None:
        return "are even so far"
    if games > _TOO_MANY:
        return f"need more than {_TOO_MANY:,} more games to tell"
    return f"need about {_rounded(games):,} more {_word(games, 'game')} to tell"


def _rounded(games: int) -> int:
    """Round up to two digits: more are not known."""
    unit: int = 10 ** max(0, len(str(games)) - 2)
    return max(1, -(-games // unit) * unit)


def _test(test: SprtProgress, first: str, seats: int) -> str:
    elo0, elo1 = _elo(test.hypotheses.elo0), _elo(test.hypotheses.elo1)
    deals = f"{test.deals} {_word(test.deals, 'deal')}"
    state = f"LLR {test.llr:+.2f} of {LOWER:.2f} to {UPPER:.2f} after {deals}"
    line_up = {2: "A B", 3: "A B B and B A A", 4: "A A B B"}[seats]
    result = {
        Verdict.H1: f"{first} is nearer to {elo1} Elo than to {elo0} (H1)",
        Verdict.H0: f"{first} is nearer to {elo0} Elo than to {elo1} (H0)",
        Verdict.OPEN: f"whether {first} has {elo0} or {elo1} Elo is open",
    }[test.verdict]
    return f"SPRT: {result}: {state}. Line-up {line_up}, in every rotation; {first} is A."


def _interval(strength: Estimate) -> str:
    mark = "~" if strength.regularised else ""
    return f"{mark}{_elo(strength.low)} to {_elo(strength.high)}"


def _percent(likelihood: float) -> str:
    if likelihood > _CERTAIN:
        return "> 99.9%"
    return "< 0.1%" if likelihood < 1 - _CERTAIN else f"{likelihood:.1%}"


def _word(count: int, one: str) -> str:
    return one if count == 1 else f"{one}s"


def _elo(difference: float) -> str:
    return f"{difference:+.0f}".replace("inf", "∞")


def write_replay(folder: Path, game: PlayedGame) -> None:
    """Write the replay file of a game into the folder of the replays."""
    write_whole(_replay_file(folder, game.planned.number), game.replay)


def _replay_file(folder: Path, game: int) -> Path:
    return folder / f"{game:05}.santiago"


def write_json(path: Path, report: PlayReport) -> None:
    """Write the whole report; infinite numbers become null."""
    text = json.dumps(_finite(asdict(report)), indent=2, ensure_ascii=False)
    write_whole(path, f"{text}\n".encode())


def write_csv(path: Path, report: PlayReport) -> None:
    """Write a line for each bot."""
    rows = [_row(bot, report) for bot in report.bots]
    text = StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    write_whole(path, text.getvalue().encode())


def _row(bot: BotSummary, report: PlayReport) -> dict[str, Any]:
    strength = bot.strength
    formula = bot.name.startswith(("=", "+", "-", "@"))  # for a spreadsheet; a bot names itself
    row: dict[str, Any] = {
        "bot": f"'{bot.name}" if formula else bot.name,
        "elo": strength and strength.elo,
        "elo_low": strength and strength.low,
        "elo_high": strength and strength.high,
        "regularised": strength and strength.regularised,
        "superiority": strength and strength.superiority,
        "score": bot.score,
        "mean_vp": bot.mean_vp,
        "faults": bot.faults,
        "think_ms": bot.think_ms,
        "wins": bot.wins.won,
        "games": bot.wins.games,
    }
    for seat in range(report.seats):
        row |= _share_columns(f"seat_{seat}", bot.by_seat.get(seat))
    for other in (other.name for other in report.bots):
        row |= _share_columns(f"behind_{other}", bot.behind.get(other))
    return row


def _share_columns(name: str, share: Share | None) -> dict[str, float]:
    counted = share or Share()
    return {f"wins_{name}": counted.won, f"games_{name}": counted.games}


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not isfinite(value) else value
