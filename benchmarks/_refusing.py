"""A ladder with bots that refuse matches beside honest twins, on a clock of its own.

Matchmaking, queue, claims, results, debts and ratings are the real ones, on a real database. Only
games are drawn by lot: by strength, by seat and by how a layout suits a bot's code. A round takes
five minutes, in which every bot plays one match, refuses one, or waits.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from math import log
from random import Random
from typing import Any, Final

from sqlalchemy import event, func, select, update
from sqlalchemy.orm import Session, aliased, sessionmaker

import ladder.wiring  # noqa: F401  (sets what follows from a match)
from ladder import model
from ladder.bots import reach, versions
from ladder.contests import matchmaking
from ladder.jobs import attempts, dispatch, workers
from ladder.matches import debts, misses, results
from ladder.matches.job import MATCHES, MatchClaim
from ladder.matches.reading import MISSED
from ladder.matches.results import Result, SeatResult
from ladder.model import Debt, Ladder, LadderPlace, Match, MatchKind, MatchState, Seat, Version
from ladder.ratings import elo
from ladder.wiring import KINDS

STRONG: Final = "planner"
FIELD: Final = {STRONG: 500, "greedy": 250, "zorro": 100, "mojito": 0, "habano": -150, "ron": -300}
"""The others of the ladder, and their strength in Elo points."""
REFUSERS: Final = ("refuser 1", "refuser 2", "refuser 3")
TWINS: Final = ("twin 1", "twin 2", "twin 3")
_OWN: Final = 150  # the strength of refusers and twins, who have the same code
_SEAT: Final = 60  # what each later seat is worth
_LAYOUT: Final = 100  # standard deviation of what a layout is worth to a code
_POINTS: Final = 400 / log(10)  # Elo points in one natural logarithm of odds
_ROUND: Final = timedelta(minutes=5)
_LEASE: Final = 600.0
_WORKER: Final = "worker"
_ANSWERED: Final = misses.MissedCall("UNAVAILABLE: not now", answered=True)


@dataclass(frozen=True, slots=True)
class Invited:
    """What a refuser knows of a match when it is called: its seat, the layout, who sits there.

    `others` are their names, which it gets to know by itself; `seen`: another match of the deal was
    played, whose page names them. `luck` is what seat and layout are worth to it.
    """

    seat: int
    others: frozenset[str]
    seen: bool
    luck: float


Dislikes = Callable[[Invited], bool]


class Clock:
    """The time of the database, which goes on by rounds."""

    def __init__(self) -> None:
        self.at = datetime(2026, 1, 1, tzinfo=UTC)

    def connected(self, connection: Any, _record: object) -> None:
        """Replace the function from which SQLite's clock is made."""
        connection.create_function("strftime", -1, self._now)
        connection.execute("PRAGMA synchronous = OFF")

    def _now(self, *_: object) -> str:
        return self.at.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]


@dataclass(slots=True)
class League:
    """A ladder of one table size, and what happened on it so far."""

    sessions: sessionmaker[Session]
    clock: Clock
    seats: int
    dislikes: Dislikes
    stubborn: bool
    """True if a refuser refuses again when the next miss is a loss."""
    rng: Random
    ids: dict[str, int] = field(default_factory=dict)
    refused: int = 0
    seen: set[int] = field(default_factory=set)
    """The layouts of matches that were played: their pages name the table of the whole deal."""
    rounds: int = 0
    elo: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """The ratings of refusers and twins after each round."""

    def play_round(self) -> None:
        """Let five minutes pass."""
        self.clock.at += _ROUND
        with self.sessions.begin() as session:
            workers.beat(session, _WORKER, places=2 * len(self.ids))
        self.rounds += 1
        for tend in (debts.tend, misses.withdraw, self._look, self._top_up):
            with self.sessions.begin() as session:
                tend(session)
        for claim in self._claims():
            with self.sessions.begin() as session:
                self._settle(session, claim)
        with self.sessions() as session:
            self._note_ratings(session)

    def fewest(self) -> int:
        """Return the matches of the refuser that has fewest."""
        with self.sessions() as session:
            return min(session.scalar(_count(self._of((name,)))) or 0 for name in REFUSERS)

    def played(self, names: Collection[str]) -> int:
        """Count the matches that these bots played, or lost by refusing them."""
        with self.sessions() as session:
            return session.scalar(_count(self._of(names))) or 0

    def lost(self) -> int:
        """Count the matches that the refusers lost by refusing them."""
        lost = _count(self._of(REFUSERS)).where(Match.reason == MISSED)
        with self.sessions() as session:
            return session.scalar(lost) or 0

    def met(self, names: Collection[str]) -> dict[str, float]:
        """Return the part of the bots' matches in which each of the field sat at their table."""
        own, other = aliased(Seat), aliased(Seat)
        query = (
            select(other.bot_id, func.count())
            .join(own, own.match_id == other.match_id)
            .join(Match, Match.id == own.match_id)
            .where(own.bot_id.in_(self._of(names)), Match.state == MatchState.FINISHED)
            .where(own.rank.is_not(None))
            .group_by(other.bot_id)
        )
        with self.sessions() as session:
            games = Counter(dict(session.execute(query).all()))
        every = self.played(names)
        return {one: games[self.ids[one]] / every for one in FIELD}

    def _of(self, names: Collection[str]) -> list[int]:
        return [self.ids[name] for name in names]

    def _look(self, session: Session) -> None:
        """Every bot says who it is whenever it is asked."""
        while (look := reach.look(session)) is not None:
            reach.online(session, look.version_id)

    def _top_up(self, session: Session) -> None:
        if self.rounds % 2:  # a deal lasts two rounds at least
            matchmaking.top_up(session, rng=self.rng)

    def _claims(self) -> list[MatchClaim]:
        with self.sessions.begin() as session:
            due = dispatch.due(session, KINDS, MatchKind.LADDER, limit=99, message_age=1)
        found = []
        for match_id in due:
            with self.sessions.begin() as session:
                claim = attempts.claim(session, MATCHES, match_id, _WORKER, lease=_LEASE)
            found += [claim] if claim is not None else []
        return found

    def _settle(self, session: Session, claim: MatchClaim) -> None:
        names = [player.name for player in claim.players]
        luck = [self._luck(name, seat, claim.layout_seed) for seat, name in enumerate(names)]
        for seat, name in enumerate(names):
            if name in REFUSERS and self._refuses(session, claim, seat, names, luck[seat]):
                self.refused += 1
                misses.not_accepted(session, claim, seat, _ANSWERED)
                return
        noisy = [worth / _POINTS - log(-log(self.rng.random())) for worth in luck]
        ranks = [1 + sum(other > own for other in noisy) for own in noisy]
        seats = tuple(SeatResult(rank, 40 - rank) for rank in ranks)
        results.finish(session, claim, Result(seats, "ships", b""))
        self.seen.add(claim.layout_seed)

    def _refuses(
        self, session: Session, claim: MatchClaim, seat: int, names: list[str], luck: float
    ) -> bool:
        invited = Invited(
            seat=seat,
            others=frozenset(names) - {names[seat]},
            seen=claim.layout_seed in self.seen,
            luck=luck - _OWN - _SEAT * (len(names) - 1) / 2,
        )
        if not self.dislikes(invited):
            return False
        debt = session.get(Debt, (claim.match_id, self.ids[names[seat]]), populate_existing=True)
        return self.stubborn or debt is None or debt.misses < misses.MOST - 1

    def _luck(self, name: str, seat: int, layout: int) -> float:
        """Return what a bot is worth in this seat on this layout, in Elo points."""
        code = name if name in FIELD else "own"
        suits = Random(f"{code} {layout}").gauss(0, _LAYOUT)
        return FIELD.get(name, _OWN) + _SEAT * seat + suits

    def _note_ratings(self, session: Session) -> None:
        rated = select(LadderPlace.bot_id, LadderPlace.rating_milli)
        ratings = dict(session.execute(rated).all())
        for name in (*REFUSERS, *TWINS):
            self.elo[name].append(ratings.get(self.ids[name], elo.NEWCOMER.rating) / 1000)


def league(url: str, seats: int, dislikes: Dislikes, *, stubborn: bool, seed: int) -> League:
    """Make a ladder in an empty SQLite database."""
    model.upgrade(url)
    engine, clock = model.engine(url), Clock()
    event.listen(engine, "connect", clock.connected)
    made = League(model.session_factory(engine), clock, seats, dislikes, stubborn, Random(seed))
    with made.sessions.begin() as session:
        for name in (*FIELD, *REFUSERS, *TWINS):
            made.ids[name] = versions.register(
                session, name=name, author=f"{name}'s", address=f"unix:/none/{name}", version="1"
            ).id
        session.execute(update(Version).values(slots=1))
        session.execute(update(Ladder).values(open=Ladder.seats == seats))
    return made


def _count(bot_ids: Collection[int]) -> Any:
    """Select the number of seats of these bots with a rank."""
    return (
        select(func.count())
        .select_from(Seat)
        .join(Match, Match.id == Seat.match_id)
        .where(Seat.bot_id.in_(bot_ids), Seat.rank.is_not(None), Match.state == MatchState.FINISHED)
    )
