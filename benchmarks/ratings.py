"""Compare ratings on the same games: `python -m benchmarks ratings`.

Ours (`ladder.ratings.elo`), the former Elo by pairs, and openskill's Plackett-Luce and trueskill,
as they come, which are installed into an environment of their own. Each league of `_leagues` gives
three figures for each; smaller is better:

* error: how far ratings are off the true strengths, in Elo points (root of the mean square), at ten
  moments of the last three quarters of a league. Of bots with 12 games or more; differences from
  their mean.
* loss: the negative logarithm of the chance that the ratings before a game give to its order (ties
  broken at random), in the last nine tenths.
* outside: in how many of its first 48 games a bot that joins late is rated more than 75 points off
  its place among those that were there.

The scales of the others are not Elo's, so each of them has one factor a table size that suits it
best over all worlds, found with the truth (for losses: with the results) that it is compared with.
Ours has none. Intervals of ratios are bootstraps over leagues.

How often our intervals hold the truth differs much from league to league. So the worlds that the
model describes are played 200 times, and rated by ours alone.

`python -m benchmarks.ratings EXPORT ...` takes exported results (JSON lines) instead. These have no
truth, so there is only the loss, and resamples are of 30 spells.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks._leagues import BOTS, KINDS, League, play_league
from benchmarks._rating_figures import Played, Trace, calibrated, scaled
from benchmarks._rating_traces import our_trace, traces
from ladder.ratings.elo import TABLE_SIZES
from ladder.ratings.plackett_luce import Floats

LEAGUES: Final = 24
_MANY: Final = 200
_DESCRIBED: Final = ("walking", "crowded")
"""The worlds that the model describes, whose intervals `_MANY` leagues check."""
_BOOTSTRAPS: Final = 2_000
_FIGURES: Final = {"error": "{:.1f}", "loss": "{:.3f}", "outside": "{:.1f}"}
_SPELLS: Final = 30
_WORSE: Final = 1.02
"""The ratio to the best of the others that intervals must not contain."""


def main() -> None:
    """Print the table for all kinds of worlds and table sizes."""
    print(f"{LEAGUES} leagues a row. Smaller is better; ratio: ours to the best of the others")
    for size in TABLE_SIZES:
        worlds, found = [], []
        for kind in KINDS.values():
            leagues = [play_league(kind, size, seed) for seed in range(LEAGUES)]
            worlds.append(Played(leagues))
            found.append(traces(leagues, BOTS))
        figures = _figures(worlds, found)
        for at, name in enumerate(KINDS):
            inside = worlds[at].inside(found[at]["ours"]).mean()
            print(f"\n{size} seats, {name}: {inside:.1%} inside our 95 % intervals")
            for figure, by_system in figures.items():
                row = {system: values[at] for system, values in by_system.items()}
                print(f"  {_row(figure, row)}; ratio {_interval(_ratio(row))}", flush=True)
        print(f"\n{size} seats, all of these worlds (geometric means)")
        for figure, by_system in figures.items():
            print(f"  {figure:7}: {_pooled(by_system)}", flush=True)
    print(f"\nInside our 95 % intervals in {_MANY} leagues, with twice the standard error")
    for size in TABLE_SIZES:
        for name in _DESCRIBED:
            print(f"  {size} seats, {name}: {_inside(name, size)}", flush=True)


def _inside(name: str, size: int) -> str:
    """Return how often our intervals hold the truth in many leagues of one kind of world."""
    leagues = [play_league(KINDS[name], size, seed) for seed in range(_MANY)]
    inside = Played(leagues).inside(our_trace(leagues, BOTS))
    return f"{inside.mean():.1%} ± {2 * inside.std() / _MANY**0.5:.1%}"


Rows = dict[str, list[Floats]]
"""A figure by system, world and league."""


def _figures(worlds: list[Played], found: list[dict[str, Trace]]) -> dict[str, Rows]:
    """Compute each figure; others than ours have one factor over all worlds for each."""
    figures: dict[str, Rows] = {figure: {} for figure in _FIGURES}
    for system in found[0]:
        raw = [by_system[system] for by_system in found]
        pairs = list(zip(worlds, raw, strict=True))
        right, likely = (raw, raw) if system == "ours" else (scaled(pairs), calibrated(pairs))
        near, probable = zip(worlds, right, strict=True), zip(worlds, likely, strict=True)
        for played, trace in near:
            figures["error"].setdefault(system, []).append(played.error(trace))
            figures["outside"].setdefault(system, []).append(played.outside(trace))
        for played, trace in probable:
            loss: Floats = played.losses(trace).mean(axis=1)
            figures["loss"].setdefault(system, []).append(loss)
    return figures


def _pooled(rows: Rows) -> str:
    """Return the ratio to each other system over all worlds, and what it says of the best."""
    drawn = np.random.default_rng(1).integers(0, LEAGUES, (_BOOTSTRAPS, LEAGUES))
    drawn = np.concatenate([np.arange(LEAGUES)[None], drawn])

    def means(system: str) -> Floats:
        logs = [np.log(values[drawn].mean(axis=1)) for values in rows[system]]
        return np.asarray(np.mean(logs, axis=0))

    ratios = {name: np.exp(means("ours") - means(name)) for name in rows if name != "ours"}
    worst = max(ratios, key=lambda name: float(ratios[name][0]))
    parts = ", ".join(f"to {name} {_interval(ratio)}" for name, ratio in ratios.items())
    return f"{parts}: {_verdict(ratios[worst])}"


def compare_export(path: Path) -> None:
    """Print the loss for each table size of an export; a bot counts as one, of any version."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    results = [line for line in lines if "seats" in line]
    for size in TABLE_SIZES:
        rated = [one for one in results if one["rated"] and len(one["seats"]) == size]
        if len(rated) < 10 * _SPELLS:
            continue
        league, bots = _exported(rated)
        played, found = Played([league]), traces([league], bots)
        likely = {
            name: trace if name == "ours" else calibrated([(played, trace)])[0]
            for name, trace in found.items()
        }
        by_system = {
            name: np.array(
                [part.mean() for part in np.array_split(played.losses(trace)[0], _SPELLS)]
            )
            for name, trace in likely.items()
        }
        ratio = _interval(_ratio(by_system))
        print(f"{path}, {size} seats, {len(league.players)} matches")
        print(f"  {_row('loss', by_system)}; ratio {ratio}", flush=True)


def _exported(results: list[dict[str, Any]]) -> tuple[League, int]:
    """Return the rated results of one table size, and the number of its bots."""
    played = [one["seats"] for one in results if not one["annulled"]]
    numbers: dict[int, int] = {}
    players = [[numbers.setdefault(seat["bot_id"], len(numbers)) for seat in one] for one in played]
    pinned = {numbers[seat["bot_id"]] for one in played for seat in one if seat["pinned"]}
    table = np.array(players, np.int64)
    ranks = np.array([[seat["rank"] for seat in one] for one in played], np.int64)
    truth = np.zeros((len(played), len(numbers)))
    nobody = np.zeros(0, np.int64)
    return League(table, ranks, truth, nobody, min(pinned, default=None)), len(numbers)


def _ratio(by_system: dict[str, Floats]) -> Floats:
    """Return the ratio of ours to the best of the others: of all leagues, then of resamples."""
    ours = by_system["ours"]
    best = min((by_system[name] for name in by_system if name != "ours"), key=np.mean)
    drawn = np.random.default_rng(1).integers(0, len(ours), (_BOOTSTRAPS, len(ours)))
    ratios = ours[drawn].mean(axis=1) / best[drawn].mean(axis=1)
    return np.concatenate([[ours.mean() / best.mean()], ratios])


def _row(figure: str, by_system: dict[str, Floats]) -> str:
    values = (
        f"{name} {_FIGURES[figure].format(found.mean())}" for name, found in by_system.items()
    )
    return f"{figure:7}: {', '.join(values)}"


def _interval(ratio: Floats) -> str:
    low, high = np.quantile(ratio[1:], [0.025, 0.975])
    return f"{ratio[0]:.3f} ({low:.3f} to {high:.3f})"


def _verdict(ratio: Floats) -> str:
    high = float(np.quantile(ratio[1:], 0.975))
    return "not 2 % worse" if high < _WORSE else "may be 2 % worse"


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        compare_export(Path(argument))
    if not sys.argv[1:]:
        main()
