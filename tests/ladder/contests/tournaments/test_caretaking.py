"""A match of a tournament without a bot that stayed away: a caretaker plays its seat."""

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from ladder.contests.cross_table import CrossTable, Row, cross_table
from ladder.contests.formats import Format
from ladder.contests.tournaments import lookup
from ladder.jobs import attempts, dispatch
from ladder.matches import reading, results
from ladder.matches.job import MATCHES, MatchClaim
from ladder.matches.states import JOB
from ladder.model import Match, MatchKind, RatingChange, Seat
from ladder.wiring import KINDS
from tests.ladder.contests.tournaments.cups import (
    come_back,
    entrants,
    go_away,
    play,
    queued,
    running_cup,
    seats_of,
)
from tests.ladder.databases import on_sqlite
from tests.ladder.league import claimed, ranked
from tests.ladder.ledgers import check_ledger


def give_up(session: Session, match_id: int, *bot_ids: int) -> None:
    """Let a match be played without these bots, as the scheduler decides."""
    which = Seat.match_id == match_id, Seat.bot_id.in_(bot_ids)
    session.execute(update(Seat).where(*which).values(absent=True))
    attempts.bring_forward(session, JOB, match_id)
    session.commit()


def without(session: Session, cup: int, match_id: int, *bot_ids: int) -> MatchClaim:
    """A claim of a match whose bots have stayed away."""
    go_away(session, cup, *bot_ids)
    give_up(session, match_id, *bot_ids)
    return claimed(session, match_id)


def due(session: Session) -> list[int]:
    found = dispatch.due(session, KINDS, MatchKind.TOURNAMENT, limit=99, message_age=60)
    session.rollback()
    return found


def row_of(table: CrossTable, bot: int) -> Row:
    return next(row for row in table.rows if row.bot_id == bot)


@pytest.fixture
def cup(session: Session) -> int:
    return running_cup(session, format=Format.ROUND_ROBIN, count=3, seats=3)


@on_sqlite
def test_a_match_waits_for_an_absent_bot_until_it_is_given_up(session: Session, cup: int) -> None:
    first, *others = queued(session, cup)
    gone = entrants(session, cup)[0]
    go_away(session, cup, gone)
    assert due(session) == []
    assert attempts.claim(session, MATCHES, first, "worker", lease=60) is None
    session.commit()
    give_up(session, first, gone)
    assert due(session) == [first]
    assert first not in others


@on_sqlite
def test_the_absent_seat_is_fixed_when_the_match_is_claimed(session: Session, cup: int) -> None:
    first = queued(session, cup)[0]
    gone = entrants(session, cup)[0]
    claim = without(session, cup, first, gone)
    assert claim.absent == frozenset(seats_of(session, first, gone))
    come_back(session, gone)
    assert attempts.claim(session, MATCHES, first, "other", lease=60) is None


def test_a_bot_that_is_back_plays(session: Session, cup: int) -> None:
    first = queued(session, cup)[0]
    gone = entrants(session, cup)[0]
    go_away(session, cup, gone)
    give_up(session, first, gone)
    come_back(session, gone)
    assert claimed(session, first).absent == frozenset()


@on_sqlite
def test_a_bot_that_has_played_again_is_waited_for_again(session: Session, cup: int) -> None:
    """But in no tournament where it has not played."""
    first, second, _ = queued(session, cup)
    other = queued(session, running_cup(session, format=Format.ROUND_ROBIN, count=3, seats=3))[0]
    gone = entrants(session, cup)[0]
    go_away(session, cup, gone)
    for match_id in (first, second, other):
        give_up(session, match_id, gone)
    come_back(session, gone)
    play(session, first)
    go_away(session, cup, gone)
    assert attempts.claim(session, MATCHES, second, "worker", lease=60) is None
    assert claimed(session, other).absent == frozenset(seats_of(session, other, gone))


@on_sqlite
def test_the_result_counts_once_and_is_not_rated(session: Session, cup: int) -> None:
    first = queued(session, cup)[0]
    gone = entrants(session, cup)[0]
    claim = without(session, cup, first, gone)
    (seat,) = claim.absent
    ranks = [3 if number == seat else 1 + (number == (seat + 1) % 3) for number in range(3)]
    faults = ["absent" if number == seat else None for number in range(3)]
    played = ranked(*ranks, faults=faults)
    number = results.finish(session, claim, played)
    session.commit()
    assert results.finish(session, claim, played) == number  # told twice
    session.commit()
    match = reading.match(session, first)
    assert (match.state, match.reason, match.rated, match.has_replay) == (
        "finished",
        "ships",
        False,
        True,
    )
    assert [one.rank for one in match.seats] == ranks
    assert session.scalars(select(RatingChange)).all() == []
    check_ledger(session)


def test_who_was_there_gets_points_among_themselves(session: Session, cup: int) -> None:
    gone, winner, loser = entrants(session, cup)
    first, second, third = queued(session, cup)
    for match_id in (first, second):
        claim = without(session, cup, match_id, gone)
        ranks = {gone: 3, winner: 1, loser: 2}
        bots = [player.bot_id for player in claim.players]
        faults = ["absent" if bot == gone else None for bot in bots]
        results.finish(session, claim, ranked(*(ranks[bot] for bot in bots), faults=faults))
        session.commit()
    come_back(session, gone)
    play(session, third, {gone: 3, winner: 2, loser: 1})
    table = cross_table(session, cup)
    found = {row.bot_id: (row.points, row.share, row.games, row.absences) for row in table.rows}
    assert found == {
        winner: (3.0, 0.75, 3, 0),  # of two games against the loser alone, and of one for two
        loser: (0.0, 0.0, 3, 0),
        gone: (2.0, 1 / 3, 3, 2),
    }
    tables = lookup.round_of(session, cup, 1).tables
    assert {one.bot_id: points for one, points in tables[0].bots} == {
        winner: 3.0,
        loser: 0.0,
        gone: 2.0,
    }


def test_an_absent_bot_counts_as_missed_still(session: Session, cup: int) -> None:
    """The game says nothing of it: the next one waits for it no longer than this one did."""
    first = queued(session, cup)[0]
    gone = entrants(session, cup)[0]
    claim = without(session, cup, first, gone)
    (seat,) = claim.absent
    faults = ["absent" if number == seat else None for number in range(3)]
    results.finish(session, claim, ranked(*(3 if f else 1 for f in faults), faults=faults))
    session.commit()
    other = queued(session, cup)[0]
    assert attempts.claim(session, MATCHES, other, "worker", lease=60) is None
    assert session.get_one(Match, other).state == "queued"
