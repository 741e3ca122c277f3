"""The report of a local tournament, for the terminal and for files."""

from collections.abc import Sequence
from dataclasses import dataclass

from ladder.local.entrants import labels
from ladder.local.log import Terms
from ladder.local.sprt import Progress, Verdict
from ladder.local.strength import BotSummary, Comparison, comparisons, summaries
from ladder.local.tournament import PlayedGame


@dataclass(frozen=True, slots=True)
class BotFault:
    """A bot's fault in one game."""

    game: int
    bot: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Report:
    """The results of a tournament that has ended or was interrupted."""

    seats: int
    pairing: str
    shared_dice: bool
    games: int
    planned: int
    bots: list[BotSummary]
    """The best bot first."""
    pairs: list[Comparison]
    test: Progress | None
    """A duel's, of the first entrant against the other."""
    entrants: list[str]
    """Labels, in the order of the command line."""
    faults: list[BotFault]
    not_won: dict[str, list[int]]
    """Numbers of the games in which another bot ranked before it, by bot."""

    @property
    def unfinished(self) -> bool:
        """True if planned games are missing that are still needed."""
        decided = self.test is not None and self.test.verdict is not Verdict.OPEN
        return self.games < self.planned and not decided


def report(
    games: Sequence[PlayedGame], terms: Terms, planned: int, test: Progress | None = None
) -> Report:
    """Report on the games played out of `planned`; `test` is the state of a duel's test."""
    names = labels(terms.bots)
    return Report(
        seats=terms.seats,
        pairing=terms.pairing.value,
        shared_dice=terms.shared_dice,
        games=len(games),
        planned=planned,
        bots=summaries(games, names),
        pairs=comparisons(games, names),
        test=test,
        entrants=names,
        faults=[
            BotFault(game.planned.number, names[game.planned.entrants[seat]], sentence)
            for game in sorted(games, key=lambda game: game.planned.number)
            for seat, sentence in game.faults
        ],
        not_won=_not_won(games, names),
    )


def _not_won(games: Sequence[PlayedGame], names: Sequence[str]) -> dict[str, list[int]]:
    numbers: dict[str, list[int]] = {name: [] for name in names}
    for game in games:
        sat = {names[entrant] for entrant in game.planned.entrants}
        won = {
            names[entrant]
            for entrant, rank in zip(game.planned.entrants, game.ranks, strict=True)
            if rank == 1
        }
        for name in sat - won:
            numbers[name].append(game.planned.number)
    return {name: sorted(games) for name, games in numbers.items()}
