"""The operator, who leads the tournaments in the database (the extra `ladder`)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from sqlalchemy.orm import Session

from ladder.cli.client import read
from ladder.cli.database import transaction
from ladder.cli.tournament_leaders import MatchCounts, Standings, Tournament
from ladder.contests.cross_table import cross_table
from ladder.contests.tournaments import correcting, creating, lifecycle, lookup
from referee.clock import Clock

_STEPS: Final[Mapping[str, Callable[[Session, int], object]]] = {
    "start": lifecycle.start,
    "pause": lifecycle.pause,
    "resume": lifecycle.resume,
    "cancel": lifecycle.cancel,
    "play-forfeits": correcting.play_forfeits,
}


class Operator:
    """The operator, who has the database. Its methods are those of an Organiser."""

    def __init__(self, data: Path) -> None:
        self._data = data

    def create(
        self, *, bot_ids: Sequence[int], clock: Clock, seed: int | None, **wish: Any
    ) -> Tournament:
        """Create a tournament; see `creating.create`."""
        with transaction(self._data) as session:
            made = creating.create(session, None, bot_ids=bot_ids, clock=clock, seed=seed, **wish)
        return read(Tournament, asdict(made))

    def take(self, tournament_id: int, step: str) -> None:
        """Take a step."""
        with transaction(self._data) as session:
            _STEPS[step](session, tournament_id)

    def withdraw(self, tournament_id: int, bot_id: int, *, annul: bool) -> None:
        """Withdraw a bot; see `correcting.withdraw`."""
        with transaction(self._data) as session:
            correcting.withdraw(session, tournament_id, bot_id, annul=annul)

    def page(self) -> list[Tournament]:
        """Return the newest tournaments."""
        with transaction(self._data) as session:
            return read(list[Tournament], [asdict(one) for one in lookup.page(session)])

    def show(self, tournament_id: int) -> tuple[Tournament, MatchCounts, Standings]:
        """Return a tournament, its progress and its standings."""
        with transaction(self._data) as session:
            return (
                read(Tournament, asdict(lookup.tournament(session, tournament_id))),
                read(MatchCounts, asdict(lookup.progress(session, tournament_id))),
                read(Standings, asdict(cross_table(session, tournament_id))),
            )
