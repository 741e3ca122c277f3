"""A bot at a glance, for its author: places, trends, the last results, and what it waits for."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ladder.bots import profiles
from ladder.bots.profiles import LadderPlace
from ladder.matches.listing import list_bot_matches
from ladder.matches.reading import ABSENT, MISSED, MatchRow, SeatRow
from ladder.model import Match, MatchState, Seat
from ladder.ratings.histories import trends

RESULTS: Final = 10
"""How many of a bot's newest results are shown."""
_OPEN: Final = (MatchState.QUEUED, MatchState.RUNNING)
_MOST_OPEN: Final = 2_000
"""How many of the newest open matches are looked through."""


@dataclass(frozen=True, slots=True)
class RecentResult:
    """A match that a bot has played to its end: its own seat, and the best of the others.

    `sentence` is the referee's explanation of the bot's fault; None if it made none.
    """

    match: MatchRow
    own: SeatRow
    best: SeatRow | None
    sentence: str | None

    @property
    def faulted(self) -> bool:
        """True if the bot faulted, or lost because it did not accept the game."""
        missed = self.match.reason == MISSED and self.own.rank is not None
        return missed or (self.own.fault is not None and self.own.fault != ABSENT)


@dataclass(frozen=True, slots=True)
class Glance:
    """A bot as its author sees it first.

    `trends` holds ratings (milli-Elo) by table size; `open` counts the matches that wait or are
    being played, by kind. Results with a fault come first, then the newest.
    """

    places: tuple[LadderPlace, ...]
    trends: Mapping[int, Sequence[int]]
    results: tuple[RecentResult, ...]
    open: Mapping[str, int]


def glances(session: Session, bot_ids: Sequence[int]) -> dict[int, Glance]:
    """Return the bots at a glance, by id."""
    waiting = _open(session, bot_ids)
    return {bot_id: _glance(session, bot_id, waiting[bot_id]) for bot_id in bot_ids}


def _glance(session: Session, bot_id: int, waiting: Mapping[str, int]) -> Glance:
    places = profiles.places(session, bot_id)
    changes = {place.seats: trends(session, place.seats, [bot_id]) for place in places}
    return Glance(
        places=places,
        trends={seats: found.get(bot_id, ()) for seats, found in changes.items()},
        results=_results(session, bot_id),
        open=waiting,
    )


def _results(session: Session, bot_id: int) -> tuple[RecentResult, ...]:
    page = list_bot_matches(session, bot_id, limit=RESULTS, state=MatchState.FINISHED)
    told = select(Seat.match_id, Seat.fault_sentence).where(
        Seat.bot_id == bot_id, Seat.match_id.in_([match.id for match in page.matches])
    )
    sentences = dict(session.execute(told).all())
    found = [_result(match, bot_id, sentences.get(match.id)) for match in page.matches]
    return tuple(sorted(found, key=lambda result: not result.faulted))


def _result(match: MatchRow, bot_id: int, sentence: str | None) -> RecentResult:
    own = next(seat for seat in match.seats if seat.bot_id == bot_id)
    others = [seat for seat in match.seats if seat is not own and seat.rank is not None]
    best = min(others, key=lambda seat: seat.rank or 0, default=None)
    return RecentResult(match, own, best, sentence if own.fault else None)


def _open(session: Session, bot_ids: Sequence[int]) -> Mapping[int, Mapping[str, int]]:
    """Count the bots' matches that wait or are being played, by bot and kind."""
    newest = (
        select(Match.id, Match.kind)
        .where(Match.state.in_(_OPEN))
        .order_by(Match.id.desc())
        .limit(_MOST_OPEN)
        .subquery()
    )
    query = (
        select(Seat.bot_id, newest.c.kind, func.count())
        .join(newest, newest.c.id == Seat.match_id)
        .where(Seat.bot_id.in_(bot_ids))
        .group_by(Seat.bot_id, newest.c.kind)
    )
    found: defaultdict[int, dict[str, int]] = defaultdict(dict)
    for bot_id, kind, count in session.execute(query):
        found[bot_id][kind] = count
    return found
