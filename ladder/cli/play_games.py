"""The games of one call of `santiago play`: those on record, and those that it plays."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from ladder.cli.play_files import write_whole
from ladder.cli.progress import ProgressBar
from ladder.cli.stopping import stoppable
from ladder.local.duel import Duel
from ladder.local.entrants import Entrant
from ladder.local.log import GameLog
from ladder.local.plan import PlannedGame
from ladder.local.tournament import PlayedGame, play_all
from referee.clock import Clock


class GameKeeper:
    """Keeps what is played: in the log, as replays, for the report and for the test."""

    def __init__(
        self,
        planned: Sequence[PlannedGame],
        record: GameLog,
        duel: Duel | None,
        replays: Path | None,
    ) -> None:
        self._record, self._duel, self._replays = record, duel, replays
        self.played: list[PlayedGame] = []
        for game in record.played(planned):
            self._count(game)
        done = {game.planned.number for game in self.played}
        self.left = [game for game in planned if game.number not in done and not self.decided]

    @property
    def decided(self) -> bool:
        """Whether no more games are needed."""
        return self._duel is not None and self._duel.decided

    @property
    def note(self) -> str:
        """How far the test is, beside the progress bar."""
        return "" if self._duel is None else f"LLR {self._duel.progress.llr:+.2f}"

    def keep(self, game: PlayedGame) -> None:
        """A game that has just been played. The replay is written first: what the log holds is
        never played again."""
        if self._replays is not None:
            write_whole(self._replays / f"{game.planned.number:05}.santiago", game.replay)
        self._record.add(game)
        self._count(replace(game, replay=b""))

    def _count(self, game: PlayedGame) -> None:
        self.played.append(game)
        if self._duel is not None:
            self._duel.add(game)


def play_on(keeper: GameKeeper, entrants: Sequence[Entrant], clock: Clock, jobs: int) -> None:
    """Plays what is left, or until nothing more is needed; a signal ends it before."""
    if not keeper.left:
        return
    before = len(keeper.played)
    bar = ProgressBar("Games", before + len(keeper.left), before)
    with (
        stoppable() as pause,
        closing(play_all(keeper.left, entrants, clock, jobs, pause)) as games,
        bar,
    ):
        for game in games:
            keeper.keep(game)
            bar.show(len(keeper.played), keeper.note)
            if keeper.decided:
                break
