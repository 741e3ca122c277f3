"""Head to head: how one bot did against another, by table size and by seat.

By size all rated games are counted, from tallies; by seat the newest ones, from their seats.
"""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Select, bindparam, case, func, select
from sqlalchemy.orm import Session, aliased

from ladder.matches.listing import WINDOW, fewer_first
from ladder.model import Match, MatchState, MeetingTally, Seat
from ladder.ratings.standings import CachedByResult


@dataclass(frozen=True, slots=True)
class MeetingScore:
    """Games of a bot against another: a point for a better rank, half a point for a tie.

    `seat` is its own, from 0; None for all seats together.
    """

    seats: int
    seat: int | None
    games: int
    points: float


_counts: Final = CachedByResult[tuple[MeetingScore, ...]](most=1024)
"""The scores by seat, as long as the two have not met again."""


@dataclass(frozen=True, slots=True)
class Meetings:
    """All rated games of two bots at one table, as the first of them sees them."""

    by_size: tuple[MeetingScore, ...]
    by_seat: tuple[MeetingScore, ...]
    """The same games by its own seat: of the newest matches alone if there are many."""
    complete: bool
    """True if `by_seat` covers all of these games."""

    @property
    def games(self) -> int:
        """The number of games at all table sizes."""
        return sum(score.games for score in self.by_size)

    @property
    def points(self) -> float:
        """The points of the first bot at all table sizes."""
        return sum(score.points for score in self.by_size)


def meetings(session: Session, bot_id: int, opponent_id: int) -> Meetings:
    """Count the rated games of a bot against another, annulled ones left out."""
    both = {"bot": bot_id, "opponent": opponent_id}
    by_size = tuple(
        MeetingScore(seats, None, games, half_points / 2)
        for seats, games, half_points in session.execute(_BY_SIZE, both)
    )
    total = sum(score.games for score in by_size)
    if not total:
        return Meetings((), (), complete=True)

    def count(_total: int) -> tuple[MeetingScore, ...]:
        fewer, _ = fewer_first(session, bot_id, opponent_id)
        counted = session.execute(_BY_SEAT, {**both, "fewer": fewer, "most": WINDOW})
        return tuple(
            MeetingScore(seats, seat, games, half_points / 2)
            for seats, seat, games, half_points in counted
        )

    by_seat = _counts.get(session, (bot_id, opponent_id), count, last=total)
    return Meetings(by_size, by_seat, sum(score.games for score in by_seat) == total)


_OWN: Final = aliased(Seat)
_OTHER: Final = aliased(Seat)
_BY_SIZE: Final = (
    select(MeetingTally.seats, MeetingTally.games, MeetingTally.half_points)
    .where(
        MeetingTally.bot_id == bindparam("bot"),
        MeetingTally.opponent_id == bindparam("opponent"),
        MeetingTally.games > 0,
    )
    .order_by(MeetingTally.seats)
)
_HALF_POINTS: Final = case((_OWN.rank < _OTHER.rank, 2), (_OWN.rank == _OTHER.rank, 1), else_=0)


def _by_seat() -> Select[int, int, int, int]:
    looked = (
        select(Seat.match_id)
        .where(Seat.bot_id == bindparam("fewer"), Seat.rank.is_not(None))
        .order_by(Seat.match_id.desc())
        .limit(bindparam("most"))
        .subquery()
    )
    met = looked.c.match_id
    return (
        select(Match.seats, _OWN.seat, func.count(), func.sum(_HALF_POINTS))
        .select_from(looked)  # the tables in this order: few of these matches are of both
        .join(_OTHER, (_OTHER.match_id == met) & (_OTHER.bot_id == bindparam("opponent")))
        .join(_OWN, (_OWN.match_id == met) & (_OWN.bot_id == bindparam("bot")))
        .join(Match, Match.id == met)
        .where(Match.rated, Match.state == MatchState.FINISHED, Match.annulled_at.is_(None))
        .group_by(Match.seats, _OWN.seat)
        .order_by(Match.seats, _OWN.seat)
    )


_BY_SEAT: Final = _by_seat()
