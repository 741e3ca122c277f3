"""Matches of the ladder that bots owe: played first, by the same table, at nobody else's cost."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from sqlalchemy import select, text, update
from sqlalchemy.orm import Session, sessionmaker

from ladder import model
from ladder.bots import reach, versions
from ladder.bots.availability import other_version
from ladder.jobs import attempts, dispatch, workers
from ladder.matches import debts, misses, results
from ladder.matches.job import MATCHES, MatchClaim
from ladder.matches.misses import MissedCall
from ladder.matches.queue import queue_state
from ladder.model import Bot, Debt, Match, MatchKind, MatchState, RatingChange, Seat, Version
from ladder.wiring import KINDS
from tests.ladder.contests.test_matchmaking import claim_all, many_bots, top_up
from tests.ladder.databases import on_postgresql, on_sqlite
from tests.ladder.league import claimed, match_ids, ranked, set_job

REFUSED = MissedCall("it is busy.", answered=True)
SILENT = MissedCall("nobody answers.")
OURS = MissedCall("the gateway does not answer.", ours=True)


@pytest.fixture
def deals(session: Session) -> list[int]:
    """Deals at tables of two, of six bots: the ids of their matches, the first deal's first."""
    many_bots(session, 6)
    session.execute(update(model.Ladder).where(model.Ladder.seats > 2).values(open=False))
    workers.beat(session, "tester", places=8)
    session.commit()
    top_up(session)
    return match_ids(session)


def table(session: Session, match_id: int) -> list[int]:
    query = select(Seat.bot_id).where(Seat.match_id == match_id).order_by(Seat.seat)
    return list(session.scalars(query))


def refuse(
    session: Session, claim: MatchClaim, bot_id: int, call: MissedCall = REFUSED
) -> MatchState:
    """The bot does not accept the match. Committed."""
    seat = [player.bot_id for player in claim.players].index(bot_id)
    state = misses.not_accepted(session, claim, seat, call)
    session.commit()
    return state


def come_back(session: Session, *bot_ids: int) -> None:
    """The bots are found, and whatever waits for a later time may be tried now."""
    for bot_id in bot_ids:
        reach.online(session, active(session, bot_id))
    set_job(session, not_before=None, sent_at=None)


def active(session: Session, bot_id: int) -> int:
    """The version that plays for the bot."""
    return session.scalars(select(Version.id).where(Version.bot_id == bot_id, Version.active)).one()


def pass_time(session: Session, time: timedelta) -> None:
    """As if all that is owed had been missed so much earlier."""
    for debt in session.scalars(select(Debt).execution_options(populate_existing=True)):
        debt.since -= time
        debt.missed_at = debt.missed_at and debt.missed_at - time
    session.commit()


def owed(session: Session) -> list[tuple[int, int, int]]:
    """(match, bot, misses that count) of all debts."""
    query = select(Debt.match_id, Debt.bot_id, Debt.misses).order_by(Debt.match_id, Debt.bot_id)
    return [(row.match_id, row.bot_id, row.misses) for row in session.execute(query)]


def due(session: Session) -> list[int]:
    found = dispatch.due(session, KINDS, MatchKind.LADDER, limit=99, message_age=60)
    session.rollback()
    return found


def playable(session: Session, bot_id: int) -> list[int]:
    """The matches of the bot that may begin now."""
    return [match_id for match_id in due(session) if bot_id in table(session, match_id)]


def play(session: Session, match_id: int, ranks: Sequence[int] = (1, 2)) -> None:
    results.finish(session, claimed(session, match_id), ranked(*ranks))
    session.commit()


def play_all(session: Session) -> None:
    """Whatever may begin now is played."""
    for claim in claim_all(session):
        results.finish(session, claim, ranked(1, 2))
        session.commit()


@on_sqlite
def test_a_match_that_a_bot_misses_is_owed_with_its_table_and_layout(
    session: Session, deals: list[int]
) -> None:
    first = deals[0]
    seated, layout = table(session, first), session.get_one(Match, first).deal_id
    assert refuse(session, claimed(session, first), seated[0]) is MatchState.QUEUED
    assert owed(session) == [(first, seated[0], 1)]
    assert table(session, first) == seated
    assert session.get_one(Match, first, populate_existing=True).deal_id == layout
    seat = session.get_one(Seat, (first, 0), populate_existing=True)
    assert (seat.misses, seat.fault_sentence) == (1, "it is busy.")


@on_sqlite
def test_it_is_played_before_all_others_of_that_bot(session: Session, deals: list[int]) -> None:
    first, second = deals[:2]
    debtor, other = table(session, second)
    refuse(session, claimed(session, second), debtor)
    come_back(session, debtor)
    assert session.scalars(select(Bot.id).where(debts.owes())).all() == [debtor]
    assert playable(session, debtor) == [second]
    assert attempts.claim(session, MATCHES, first, "tester", lease=60) is None
    session.rollback()
    top_up(session, luck=3)
    assert all(debtor not in table(session, one) for one in match_ids(session)[len(deals) :])
    play(session, second)
    assert owed(session) == []
    assert first in due(session)
    assert other in table(session, first)


@on_sqlite
def test_it_holds_up_nobody_else(session: Session, deals: list[int]) -> None:
    first = deals[0]
    debtor, other = table(session, first)
    refuse(session, claimed(session, first), debtor)
    play_all(session)
    made = len(match_ids(session))
    top_up(session, luck=2)
    new = match_ids(session)[made:]
    assert any(other in table(session, one) for one in new)
    assert all(debtor not in table(session, one) for one in new)  # it is offline


@on_sqlite
def test_while_another_of_the_table_is_away_the_debtor_plays_others(
    session: Session, deals: list[int]
) -> None:
    first = deals[0]
    debtor, other = table(session, first)
    refuse(session, claimed(session, first), debtor)
    come_back(session, debtor)
    reach.missed(session, active(session, other), "gone")
    session.commit()
    assert first not in due(session)
    play_all(session)
    top_up(session, luck=2)
    assert any(debtor in table(session, one) for one in match_ids(session)[len(deals) :])
    reach.online(session, active(session, other))
    session.commit()
    assert playable(session, debtor) == [first]


@on_sqlite
def test_matches_of_a_bot_that_goes_away_are_owed_too(session: Session, deals: list[int]) -> None:
    bot_id = table(session, deals[0])[0]
    own = [one for one in deals if bot_id in table(session, one)]
    reach.missed(session, active(session, bot_id), "gone")
    debts.tend(session)
    session.commit()
    assert owed(session) == [(one, bot_id, 0) for one in own]
    assert misses.withdraw(session) == 0
    for _ in range(5):
        pass_time(session, timedelta(days=1))
        debts.tend(session)
        session.commit()
    assert session.scalars(select(RatingChange)).all() == []
    come_back(session, bot_id)
    assert playable(session, bot_id)[0] == own[0]


def test_what_is_owed_raises_no_alarm(session: Session, deals: list[int]) -> None:
    """The age of the oldest match tells the operator that workers are missing, not bots."""
    session.execute(update(Match).values(created_at=model.now(session) - timedelta(hours=1)))
    session.commit()
    assert queue_state(session).oldest_waiting >= 3600
    for bot_id in session.scalars(select(Bot.id)).all():
        reach.missed(session, active(session, bot_id), "gone")
    debts.tend(session)
    session.commit()
    assert queue_state(session).oldest_waiting == 0


def test_a_pause_is_no_way_out(session: Session, deals: list[int]) -> None:
    bot_id = table(session, deals[0])[0]
    session.execute(update(Bot).where(Bot.id == bot_id).values(state="paused"))
    session.commit()
    debts.tend(session)
    misses.withdraw(session)
    session.commit()
    assert {bot for _, bot, _ in owed(session)} == {bot_id}
    session.execute(update(Bot).where(Bot.id == bot_id).values(state="active"))
    session.commit()
    assert deals[0] in playable(session, bot_id)


def test_nor_is_another_version_at_the_door(session: Session, deals: list[int]) -> None:
    claim = claimed(session, deals[0])
    bot_id = claim.players[0].bot_id
    other_version(session, claim, seat=0, why="it is 9.", said="9")
    session.commit()
    assert owed(session) == [(deals[0], bot_id, 1)]
    version_id = claim.players[0].version_id
    assert session.get_one(Version, version_id, populate_existing=True).conduct == "suspended"


@on_sqlite
def test_a_table_that_cannot_meet_for_a_week_is_void(session: Session, deals: list[int]) -> None:
    bot_id = table(session, deals[0])[0]
    own = [one for one in deals if bot_id in table(session, one)]
    reach.missed(session, active(session, bot_id), "gone")
    debts.tend(session)
    session.commit()
    pass_time(session, timedelta(days=8))
    assert debts.tend(session) == len(own)
    session.commit()
    assert owed(session) == []
    match = session.get_one(Match, own[0], populate_existing=True)
    assert match.state is MatchState.CANCELLED
    assert match.reason == "For a week the table could not meet: a bot was away."
    assert debts.tend(session) == 0


@on_sqlite
def test_so_is_that_of_a_bot_that_is_retired(session: Session, deals: list[int]) -> None:
    bot_id = table(session, deals[0])[0]
    session.execute(update(Bot).where(Bot.id == bot_id).values(state="retired"))
    session.commit()
    assert debts.tend(session) > 0
    session.commit()
    assert owed(session) == []
    reasons = session.scalars(select(Match.reason).where(Match.state == MatchState.CANCELLED))
    assert set(reasons) == {"One of its bots was retired."}


def test_a_new_version_inherits_the_debt(session: Session, deals: list[int]) -> None:
    first = deals[0]
    claim = claimed(session, first)  # which keeps its seat from the new version
    debtor = claim.players[0]
    versions.register(
        session, name=debtor.name, author=debtor.author, address="127.0.0.1:99", version="2"
    )
    session.commit()
    refuse(session, claim, debtor.bot_id)
    assert owed(session) == [(first, debtor.bot_id, 0)]  # the old version need not answer
    debts.tend(session)
    session.commit()
    assert owed(session) == [(first, debtor.bot_id, 0)]
    set_job(session, not_before=None)
    again = claimed(session, first)
    assert [player.version for player in again.players] == ["2", "1"]
    assert again.players[0].version_id == session.scalar(
        select(Version.id).where(Version.bot_id == debtor.bot_id, Version.active)
    )


@on_postgresql
def test_a_match_that_is_just_being_claimed_keeps_its_seats(
    session: Session, sessions: sessionmaker[Session], deals: list[int]
) -> None:
    first = deals[0]
    claim = claimed(session, first)
    debtor = claim.players[0]
    versions.register(
        session, name=debtor.name, author=debtor.author, address="127.0.0.1:99", version="2"
    )
    session.commit()
    refuse(session, claim, debtor.bot_id)
    session.execute(select(Match.id).where(Match.id == first).with_for_update())
    with sessions.begin() as other:
        other.execute(text("SET LOCAL lock_timeout = '10s'"))
        debts.tend(other)
    session.commit()
    seated = select(Seat.version_id).where(Seat.match_id == first, Seat.bot_id == debtor.bot_id)
    assert session.scalar(seated) == debtor.version_id


@on_sqlite
def test_two_that_owe_each_other_a_match_play_the_older_one_first(
    session: Session, deals: list[int]
) -> None:
    one, other = table(session, deals[0])
    first, second = (
        match_id for match_id in deals if set(table(session, match_id)) == {one, other}
    )
    both = claimed(session, first), claimed(session, second)
    refuse(session, both[0], other)
    refuse(session, both[1], one)
    come_back(session, one, other)
    assert {(first, other), (second, one)} == {
        (match_id, bot) for match_id, bot, _ in owed(session)
    }
    assert playable(session, one) == [first]
    play(session, first)
    assert playable(session, one) == [second]
