"""Rate leagues by ours, by the former Elo by pairs, by openskill and by trueskill."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from venv import create

import numpy as np

from benchmarks import _pairwise
from benchmarks._leagues import League
from benchmarks._rating_figures import Trace
from ladder.ratings import elo
from ladder.ratings.elo import POINTS
from ladder.ratings.plackett_luce import Floats

PEERS: Final = ("openskill", "trueskill")
_FOLDER: Final = Path(__file__).parent.parent / "build" / "rating-peers"
_PROBE: Final = Path(__file__).parent / "_ratings_probe.py"


def traces(leagues: Sequence[League], bots: int) -> dict[str, Trace]:
    """Rate the leagues by each system; `ours` comes first."""
    found = {"ours": our_trace(leagues, bots), "by pairs": _by_pairs(leagues, bots)}
    for name, ratings in zip(PEERS, _of_peers(leagues, bots), strict=True):
        found[name] = Trace(ratings)
    return found


def our_trace(leagues: Sequence[League], bots: int) -> Trace:
    """Rate the leagues by ours alone."""
    found = []
    for league in leagues:
        skills = [elo.ANCHOR if bot == league.anchor else elo.NEWCOMER for bot in range(bots)]
        found.append([list(skills)])
        for table, ranks in zip(league.players.tolist(), league.ranks.tolist(), strict=True):
            rated = elo.rate([skills[bot] for bot in table], ranks)
            for bot, skill in zip(table, rated, strict=True):
                skills[bot] = skill
            found[-1].append(list(skills))
    ratings, deviations = np.moveaxis(np.array(found) / POINTS, 3, 0)
    return Trace(ratings, deviations)


def _by_pairs(leagues: Sequence[League], bots: int) -> Trace:
    found = []
    for league in leagues:
        ratings, games = [_pairwise.START] * bots, [0] * bots
        found.append([list(ratings)])
        for table, ranks in zip(league.players.tolist(), league.ranks.tolist(), strict=True):
            gains = _pairwise.changes(
                [ratings[bot] for bot in table], ranks, [games[bot] for bot in table]
            )
            for bot, gain in zip(table, gains, strict=True):
                ratings[bot] += 0 if bot == league.anchor else gain
                games[bot] += 1
            found[-1].append(list(ratings))
    return Trace(np.array(found) / POINTS)


def _of_peers(leagues: Sequence[League], bots: int) -> Floats:
    """Return the ratings by each of `PEERS`, (peers, leagues, matches + 1, bots)."""
    lines = [
        json.dumps(
            {"bots": bots, "players": league.players.tolist(), "ranks": league.ranks.tolist()}
        )
        for league in leagues
    ]
    run = subprocess.run(
        [_python(), _PROBE], input="\n".join(lines).encode(), stdout=subprocess.PIPE, check=True
    )
    shape = (len(leagues), len(PEERS), len(leagues[0].players) + 1, bots)
    found = np.frombuffer(run.stdout, np.float32).reshape(shape).astype(np.float64)
    return np.moveaxis(found, 1, 0)


def _python() -> Path:
    """Return the interpreter of the peers' environment; install it if it is not there yet."""
    python = _FOLDER / "bin" / "python"
    if not (_FOLDER / "ready").exists():
        create(_FOLDER, with_pip=True, clear=True)
        pip = [
            str(python),
            "-m",
            "pip",
            "--disable-pip-version-check",
            "install",
            "--quiet",
            *PEERS,
        ]
        subprocess.run(pip, check=True)
        (_FOLDER / "ready").touch()
    return python
