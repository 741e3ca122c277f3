"""Lead tournaments for `santiago tournament` as an organiser on a site.

The operator (`ladder.cli.tournament_operator`) has the same methods, and gives the commands the
same objects, with as much of a tournament as is printed.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import click

from ladder.cli.client import SiteClient, read
from referee.clock import Clock

FINISHED: Final = "finished"
"""`ladder.model.TournamentState.FINISHED`: the ranks are final, also those without matches."""


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament, as `ladder.contests.tournaments.lookup.Tournament`."""

    id: int
    name: str
    format: str
    seats: int
    rounds: int
    round: int
    state: str
    total: int
    finished: int


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """The number of matches of a tournament in some of their states."""

    total: int
    running: int
    finished: int
    failed: int
    annulled: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """One bot of a tournament, as `ladder.contests.cross_table.Row`."""

    rank: int
    bot_id: int
    name: str
    points: float
    games: int
    share: float
    decided_by: str | None = None
    absences: int = 0
    withdrew: bool = False


@dataclass(frozen=True, slots=True)
class Standings:
    """All bots of a tournament, best first."""

    rows: tuple[Row, ...]


class Organiser:
    """An organiser's credentials for the site. Its methods raise LadderError."""

    def __init__(self, site: SiteClient) -> None:
        self._site = site

    def create(
        self, *, bot_ids: Sequence[int], clock: Clock, seed: int | None, **wish: Any
    ) -> Tournament:
        """Create a tournament; see `ladder.contests.tournaments.creating.create`.

        The site draws its luck.
        """
        if seed is not None:
            raise click.UsageError("The site draws the luck itself: leave --seed out.")
        body = {**wish, "bots": list(bot_ids), "clock": asdict(clock)}
        return read(Tournament, self._site.post("/tournaments", body))

    def take(self, tournament_id: int, step: str) -> None:
        """Take a step: `start`, `pause`, `resume`, `cancel` or `play-forfeits`."""
        self._site.post(f"/tournaments/{tournament_id}/{step}")

    def withdraw(self, tournament_id: int, bot_id: int, *, annul: bool) -> None:
        """Withdraw a bot; with `annul`, also annul what it has played."""
        body = {"bot": bot_id, "annul": annul}
        self._site.post(f"/tournaments/{tournament_id}/withdraw", body)

    def page(self) -> list[Tournament]:
        """Return the newest tournaments."""
        return read(list[Tournament], self._site.get("/tournaments").get("tournaments"))

    def show(self, tournament_id: int) -> tuple[Tournament, MatchCounts, Standings]:
        """Return a tournament, its progress and its standings."""
        path = f"/tournaments/{tournament_id}"
        return (
            read(Tournament, self._site.get(path)),
            read(MatchCounts, self._site.get(f"{path}/progress")),
            read(Standings, self._site.get(f"{path}/cross-table")),
        )
