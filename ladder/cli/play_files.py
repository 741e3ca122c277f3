"""The files that `santiago play` writes: replays, JSON, CSV."""

import csv
import json
from dataclasses import asdict
from io import StringIO
from itertools import count
from math import isfinite
from pathlib import Path
from typing import Any

import click

from ladder.local.report import Report
from ladder.local.strength import BotSummary, Share


def prepare_folder(folder: Path | None, *, resumed: bool) -> None:
    """Makes the folder of the replays. It must be empty, unless an old log is gone on with."""
    if folder is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    if not resumed and any(folder.iterdir()):
        raise click.UsageError(
            f"{folder} is not empty, and games of two runs are not to be mixed. Name a new folder, "
            f"such as --replays {_unused(folder)}, or remove the old one first."
        )


def _unused(folder: Path) -> Path:
    """The folder's name with the first number that is free."""
    numbered = (folder.with_name(f"{folder.name}-{number}") for number in count(2))
    return next(path for path in numbered if not path.exists())


def make_folder(folder: Path | None) -> None:
    """Makes a folder, if one is wanted and is not there."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)


def check_folder_of(*files: Path | None) -> None:
    """Finds a slip of the pen before the games are played, not after."""
    for file in files:
        if file is not None and not file.parent.is_dir():
            raise click.UsageError(f"{file.parent} is no folder: {file} cannot be written.")


def write_whole(path: Path, data: bytes) -> None:
    """Writes the file or leaves none."""
    unfinished = path.with_name(path.name + ".part")
    try:
        unfinished.write_bytes(data)
        unfinished.replace(path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from None


def write_json(path: Path, report: Report) -> None:
    """The whole report; what is infinite is null."""
    text = json.dumps(_finite(asdict(report)), indent=2, ensure_ascii=False)
    write_whole(path, f"{text}\n".encode())


def write_csv(path: Path, report: Report) -> None:
    """A line for each bot."""
    rows = [_row(bot, report) for bot in report.bots]
    text = StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    write_whole(path, text.getvalue().encode())


def _row(bot: BotSummary, report: Report) -> dict[str, Any]:
    strength = bot.strength
    row: dict[str, Any] = {
        "bot": bot.name,
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
        row |= _share(f"seat_{seat}", bot.by_seat.get(seat))
    for other in (other.name for other in report.bots):
        row |= _share(f"behind_{other}", bot.behind.get(other))
    return row


def _share(what: str, share: Share | None) -> dict[str, float]:
    counted = share or Share()
    return {f"wins_{what}": counted.won, f"games_{what}": counted.games}


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not isfinite(value) else value
