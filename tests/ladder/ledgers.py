"""Checks the ratings against the results that they come from, by a rebuild."""

from collections import Counter, defaultdict
from itertools import groupby
from operator import itemgetter

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder import elo
from ladder.database.models import LadderPlace, Ledger, Match, RatingChange, Seat

Key = tuple[int, int]  # table size and bot


def check_ledger(session: Session) -> None:
    """Result numbers have no gap; ledger, ratings and counts are what the ranks give."""
    numbers = select(Match.result_number).where(Match.state == "finished")
    found = sorted(number for number in session.scalars(numbers) if number is not None)
    assert found == list(range(1, len(found) + 1))
    assert session.scalar(select(Ledger.last_result)) == len(found)
    ratings, games = rebuild(session)
    places = session.scalars(select(LadderPlace)).all()
    assert {(place.seats, place.bot_id): place.rating_milli for place in places} == ratings
    assert {(place.seats, place.bot_id): place.games for place in places} == games
    assert sum(place.rating_milli for place in places) == elo.START * len(places)


def rebuild(session: Session) -> tuple[dict[Key, int], dict[Key, int]]:
    """Ratings and games from the ranks of all finished matches, checked against the ledger."""
    ratings: defaultdict[Key, int] = defaultdict(lambda: elo.START)
    games: Counter[Key] = Counter()
    ledger = changes_in_the_ledger(session)
    rows = session.execute(
        select(Match.result_number, Seat.bot_id, Seat.rank)
        .join(Seat, Seat.match_id == Match.id)
        .where(Match.state == "finished", Match.rated)
        .order_by(Match.result_number, Seat.seat)
    )
    for number, seats in groupby(rows, key=itemgetter(0)):
        table = [(bot, rank) for _, bot, rank in seats if rank is not None]
        keys = [(len(table), bot) for bot, _ in table]
        before = [ratings[key] for key in keys]
        gains = elo.changes(before, [rank for _, rank in table])
        for key, old, gain in zip(keys, before, gains, strict=True):
            ratings[key] = old + gain
            games[key] += 1
            assert ledger.pop((number, key[1])) == (old, old + gain)
    assert not ledger
    return dict(ratings), dict(games)


def changes_in_the_ledger(session: Session) -> dict[tuple[int, int], tuple[int, int]]:
    """Before and after, by result number and bot."""
    return {
        (change.result_number, change.bot_id): (change.before_milli, change.after_milli)
        for change in session.scalars(select(RatingChange))
    }
