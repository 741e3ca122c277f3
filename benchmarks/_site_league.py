"""Draw years of a large ladder: new bots and versions, tournaments, skew, faults."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, combinations, cycle, islice
from random import Random
from typing import Final

from ladder.model import EntryKind
from ladder.ratings.entries import LedgerEntry, SeatRow

_SPREAD: Final = 4.5  # between the best bot and the worst, in standard deviations of luck
_SKEW: Final = 0.6  # the bot that plays r-th most plays as often as the first by r to this power
_NEAR: Final = 60  # places in strength between those who mostly meet
_ANYWHERE: Final = 0.3  # of the seats are for bots of any strength
_LATE: Final = 0.4  # of the bots come later than the first match
_VERSIONS: Final = (1, 1, 2, 2, 3, 4, 6)
_CHALLENGE_EVERY: Final = 90  # deals
_ANNULLED_EVERY: Final = 5_000  # entries
_ANNULLED_AFTER: Final = 300  # entries
_FAULTS: Final = 0.01


@dataclass(frozen=True, slots=True)
class Cup:
    """A tournament: its bots, the number of its deals, and the share of all matches before it."""

    id: int
    name: str
    format: str
    seats: int
    bots: tuple[int, ...]
    deals: int
    rounds: int
    begins: float
    running: bool = False


@dataclass(frozen=True, slots=True)
class Played:
    """A match with a result: its seats, and the values of its own row."""

    table: list[SeatRow]
    deal: int
    rotation: int
    kind: str
    cup: int | None = None
    round: int | None = None


@dataclass(frozen=True, slots=True)
class Version:
    """A version: its id, bot, number from 1, and after how many matches it became active."""

    id: int
    bot: int
    number: int
    after: int


class League:
    """A league of the given size; `results` yields all of it once, always the same.

    Then `versions`, `entries` and `annulled` (matches) hold what happened beside, `last` is the
    newest result number, `left` how many deals each cup still has.
    """

    def __init__(self, bots: int, matches: int) -> None:
        self.bots, self.matches = bots, matches
        self.entries: list[LedgerEntry] = []
        self.annulled: set[int] = set()
        self.last = self.deals = 0
        self._rng = rng = Random(7)
        ranks = rng.sample(range(1, bots + 1), bots)
        self._weight = [0.0, *accumulate(rank**-_SKEW for rank in ranks)]
        self._born = [0.95 * rng.random() if rng.random() < _LATE else 0.0 for _ in ranks]
        self._active = list(range(bots + 1))  # version by bot, both from 1
        self._seen: set[int] = set()
        self._doomed: tuple[int, int] | None = None  # result number and match
        self.versions = [Version(bot, bot, 1, 0) for bot in range(1, bots + 1)]
        self._coming = sorted(
            (
                (born + rng.random() * (1 - born), bot, number)
                for bot, born in enumerate(self._born, 1)
                for number in range(2, rng.choice(_VERSIONS) + 1)
            ),
            reverse=True,
        )
        self.cups = list(_cups(rng, bots, matches))
        self.left = {cup.id: cup.deals for cup in self.cups}

    def results(self) -> Iterator[Played]:
        """Yield all matches with a result, in the order of their numbers; ids count from 1."""
        waiting, running = self.cups[::-1], list[tuple[Cup, Iterator[tuple[int, ...]]]]()
        match_id = turn = 0
        while match_id < self.matches:
            share, turn = match_id / self.matches, turn + 1
            while waiting and waiting[-1].begins <= share:
                cup = waiting.pop()
                running.append((cup, _tables(self._rng, cup)))
            self._renew(share, match_id)
            for played in self._deal(turn, share, running):
                match_id += 1
                yield self._numbered(played, match_id)

    def _deal(
        self, turn: int, share: float, running: list[tuple[Cup, Iterator[tuple[int, ...]]]]
    ) -> Iterator[Played]:
        self.deals += 1
        if running and turn % 2:
            cup, tables = running[turn // 2 % len(running)]
            done = cup.deals - self.left[cup.id]
            self.left[cup.id] -= 1
            if self.left[cup.id] <= (cup.deals // 5 if cup.running else 0):
                running.remove((cup, tables))
            number = 1 + done * cup.rounds // cup.deals
            yield from self._rotations(next(tables), "tournament", cup.id, number)
        elif turn % _CHALLENGE_EVERY == 0:
            yield next(self._rotations(self._seated(turn, share), "challenge"))
        else:
            yield from self._rotations(self._seated(turn, share), "ladder")

    def _rotations(
        self, bots: Sequence[int], kind: str, cup: int | None = None, number: int | None = None
    ) -> Iterator[Played]:
        for rotation in range(len(bots)):
            table = self._game([*bots[rotation:], *bots[:rotation]])
            yield Played(table, self.deals, rotation, kind, cup, number)

    def _game(self, bots: list[int]) -> list[SeatRow]:
        rng = self._rng
        self._seen.update(bots)
        luck = [round(_SPREAD * bot / self.bots + rng.gauss(0, 1), 1) for bot in bots]
        ranks = [1 + sum(other > one for other in luck) for one in luck]
        return [
            (0, 0, len(bots), self._active[bot], bot, rank, rng.random() < _FAULTS, taken)
            for bot, rank, taken in zip(bots, ranks, self._tributes(len(bots)), strict=True)
        ]

    def _tributes(self, size: int) -> list[str | None]:
        if self._rng.random() < 0.5:
            return [None] * size
        one = " ".join(str(self._rng.randrange(3)) for _ in range(size))
        return [one, *[None] * (size - 1)]

    def _seated(self, turn: int, share: float) -> list[int]:
        """Draw a table: one bot by how often bots play, the others mostly near it in strength."""
        size, bots = 2 + turn % 3, list[int]()
        low, high = 0, self.bots
        while len(bots) < size:
            bot = self._drawn(low, high)
            if bot in bots or self._born[bot - 1] > share:
                continue
            bots.append(bot)
            near = self._rng.random() > _ANYWHERE
            low = max(0, bots[0] - _NEAR) if near else 0
            high = min(self.bots, bots[0] + _NEAR) if near else self.bots
        return bots

    def _drawn(self, low: int, high: int) -> int:
        weight = self._rng.uniform(self._weight[low], self._weight[high])
        return min(max(bisect(self._weight, weight), low + 1), high)

    def _renew(self, share: float, after: int) -> None:
        """Add new versions that are due; they inherit if the bot has played."""
        while self._coming and self._coming[-1][0] <= share:
            _, bot, number = self._coming.pop()
            made = Version(len(self.versions) + 1, bot, number, after)
            self.versions.append(made)
            if bot in self._seen:
                self.last += 1
                old = self._active[bot]
                self.entries.append(
                    LedgerEntry(self.last, EntryKind.INHERITANCE, 0, bot, old, made.id)
                )
            self._active[bot] = made.id

    def _numbered(self, played: Played, match_id: int) -> Played:
        if self._doomed and self.last > self._doomed[0] + _ANNULLED_AFTER:
            self.last += 1
            gone = self._doomed[1]
            self.entries.append(LedgerEntry(self.last, EntryKind.ANNULMENT, gone, 0, 0, 0))
            self.annulled.add(gone)
            self._doomed = None
        self.last += 1
        if self.last % _ANNULLED_EVERY == 0 and played.kind == "ladder":
            self._doomed = (self.last, match_id)
        table = [(self.last, match_id, *seat[2:]) for seat in played.table]
        return replace(played, table=table)


def _cups(rng: Random, bots: int, matches: int) -> Iterator[Cup]:
    """Return three tournaments of the largest size, one of them running, and many small ones."""
    most = min(20_000, matches // 50)
    everyone = range(1, bots + 1)
    large = (
        ("Gran Copa", "round_robin", 2, 40, 1, 0.5, False),
        ("Suizo de La Habana", "swiss", 4, 128, 30, 0.7, False),
        ("Copa abierta", "round_robin", 2, 40, 1, 0.93, True),
    )
    small = [
        (f"Copa {number}", "round_robin", 2 + number % 3, 12, 1, number / 60, False)
        for number in range(1, 58)
    ]
    for number, one in enumerate(sorted((*large, *small), key=lambda one: one[5]), 1):
        name, format_, seats, field, rounds, begins, running = one
        size = most if field > 12 else most // 20
        yield Cup(
            id=number,
            name=name,
            format=format_,
            seats=seats,
            bots=tuple(rng.sample(everyone, min(field, bots))),
            deals=max(5 * rounds, size // seats // rounds * rounds),
            rounds=rounds,
            begins=begins,
            running=running,
        )


def _tables(rng: Random, cup: Cup) -> Iterator[tuple[int, ...]]:
    """Yield the bots of each deal."""
    if cup.format == "swiss":
        while True:
            order = rng.sample(cup.bots, len(cup.bots))
            yield from zip(*[iter(order)] * cup.seats, strict=False)
    tables = list(islice(combinations(cup.bots, cup.seats), 20_000))
    rng.shuffle(tables)
    yield from cycle(tables)
