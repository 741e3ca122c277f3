"""Long random play in which every moment is checked: `make soak`, or python -m tests.rules.soak.

Exit code 0: nothing wrong. 1: a game broke an invariant; its number is told, from which all of it
follows, and how to play it again.
"""

import argparse
import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from random import Random
from time import monotonic
from typing import Final

from referee.rules import Layout, Move, Position, parse_move
from referee.rules.playouts import Roll, roll_dice, roll_heavy_zero
from tests.rules.invariants import check_copies, check_end, check_moment, check_text

GAMES: Final = 100_000
_BATCH: Final = 50  # games that a process plays between two reports
_REPORT_EVERY: Final = 5.0  # seconds
_CLOSER_LOOK: Final = 16  # every so many moments, texts and copies are checked
_MOST_MOMENTS: Final = 20_000  # no game comes near
_IDLE: Final = [parse_move(text) for text in ("drive 1", "lower", "visit harbour-office", "pass")]


@dataclass(frozen=True)
class Report:
    """What came of some games: how many ended for which reason, or what was wrong with one."""

    endings: Counter[str]
    moments: int = 0
    wrong: str | None = None


class Broken(Exception):
    """A game broke an invariant; the text says which game, where and how."""


def play(number: int) -> tuple[str, int]:
    """Plays one game with checks, by its number. Returns why it ended and how many moments it had.

    Raises Broken.
    """
    luck = Random(number)
    position = Position.start(Layout.shuffled(luck), 2 + number % 3)
    style = number // 3 % 10
    roll = roll_heavy_zero if style in (1, 4, 7) else roll_dice
    try:
        moments = _play(position, luck, roll, idle=style == 9)
        check_end(position)
    except Exception:
        again = f"To play it again: make soak ARGS='--first {number} --games 1'"
        what = f"Game {number}, in {position}:\n{traceback.format_exc()}{again}"
        raise Broken(what) from None
    outcome = position.outcome()
    assert outcome is not None
    return outcome.reason.value, moments


def _play(position: Position, luck: Random, roll: Roll, *, idle: bool) -> int:
    for moment in range(_MOST_MOMENTS):
        check_moment(position)
        if moment % _CLOSER_LOOK == 0 or position.is_over:
            check_text(position)
            check_copies(position, luck)
        if position.is_over:
            return moment + 1
        if not position.legal_moves:
            position.roll(roll(luck))
        elif idle:
            position.step(_idle_choice(position, luck))
        else:
            position.step(luck.choice(position.legal_moves))
    raise AssertionError(f"The game did not end within {_MOST_MOMENTS} moments.")


def _idle_choice(position: Position, luck: Random) -> Move:
    """Crawls, delivers nothing and lowers the value, so that some games come to turn 300 (H7)."""
    wish = next((wish for wish in _IDLE if wish in position.legal_moves), None)
    return luck.choice(position.legal_moves) if wish is None or luck.random() < 0.01 else wish


def play_batch(numbers: range) -> Report:
    """Plays games up to the first that is wrong."""
    endings: Counter[str] = Counter()
    moments = 0
    for number in numbers:
        try:
            reason, more = play(number)
        except Broken as wrong:
            return Report(endings, moments, str(wrong))
        endings[reason] += 1
        moments += more
    return Report(endings, moments)


def soak(first: int, games: int) -> int:
    """Plays games on all cores, tells how it goes, and returns the exit code."""
    batches = [
        range(start, min(start + _BATCH, first + games))
        for start in range(first, first + games, _BATCH)
    ]
    began = told = monotonic()
    endings: Counter[str] = Counter()
    moments = 0
    for report in _reports(batches):
        endings += report.endings
        moments += report.moments
        played, now = endings.total(), monotonic()
        if report.wrong is not None:
            print(f"{report.wrong}\nAfter {played:,} games without fault.")
            return 1
        if now - told > _REPORT_EVERY:
            told = now
            print(
                f"{played:,} of {games:,} games, {played / (now - began):.0f} a second", flush=True
            )
    ends = ", ".join(f"{count:,} by {reason}" for reason, count in sorted(endings.items()))
    print(
        f"All right: {games:,} games of 2, 3 and 4 players ({ends}), {moments:,} moments, "
        f"{monotonic() - began:.0f} s."
    )
    return 0


def _reports(batches: list[range]) -> Iterator[Report]:
    with ProcessPoolExecutor() as processes:
        try:
            yield from processes.map(play_batch, batches)
        finally:
            processes.shutdown(cancel_futures=True)


def main(arguments: list[str]) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.rules.soak", description=__doc__)
    parser.add_argument("--games", type=int, default=GAMES, help="how many; %(default)s")
    parser.add_argument("--first", type=int, default=0, help="number of the first; %(default)s")
    chosen = parser.parse_args(arguments)
    return soak(chosen.first, chosen.games)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
