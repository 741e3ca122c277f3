"""Bots that refuse matches of the ladder: three misses are a loss of theirs, and of nobody else."""

from dataclasses import asdict
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from ladder import model
from ladder.jobs import workers
from ladder.matches import reading, results
from ladder.matches.misses import APART, MOST, MissedCall
from ladder.model import (
    Debt,
    LadderPlace,
    Match,
    MatchState,
    MeetingTally,
    Notice,
    RatingChange,
    Seat,
    Version,
)
from ladder.operating import exports, match_control
from ladder.ratings import elo, ledger, rebuilding
from ladder.ratings.elo import Skill
from ladder.ratings.histories import rating_entries
from tests.ladder.contests.test_matchmaking import many_bots, top_up
from tests.ladder.league import claimed, match_ids, ranked
from tests.ladder.ledgers import check_ledger
from tests.ladder.matches.test_debts import OURS, REFUSED, SILENT, come_back, pass_time, refuse
from tests.ladder.ratings.league import organiser
from tests.ladder.ratings.test_fold_script import fold


@pytest.fixture
def match_id(session: Session) -> int:
    """A match of the ladder, some time after the first results: of two bots on SQLite, else of
    three."""
    seats = 3 if model.is_postgresql(session) else 2
    many_bots(session, seats)
    closed = update(model.Ladder).where(model.Ladder.seats != seats)
    session.execute(closed.values(open=False))
    workers.beat(session, "tester", places=1)
    session.commit()
    top_up(session)
    first, *_, last = match_ids(session)
    results.finish(session, claimed(session, first), ranked(*range(1, seats + 1)))
    session.commit()
    return last


def call(session: Session, match_id: int, bot_id: int, how: MissedCall = REFUSED) -> MatchState:
    """Call the bots to the match once, which one does not accept."""
    come_back(session, bot_id)
    return refuse(session, claimed(session, match_id), bot_id, how)


def misses(session: Session) -> int:
    return session.scalars(select(Debt.misses)).one()


def refused(session: Session, match_id: int, seat: int = 1) -> int:
    """The bot in a seat refuses the match until it has lost it; its id."""
    bot_id = session.get_one(Seat, (match_id, seat)).bot_id
    for _ in range(MOST):
        call(session, match_id, bot_id)
        pass_time(session, APART)
    return bot_id


def test_three_misses_ten_minutes_apart_are_a_loss(session: Session, match_id: int) -> None:
    bot_id = session.get_one(Seat, (match_id, 1)).bot_id
    assert call(session, match_id, bot_id) is MatchState.QUEUED
    pass_time(session, APART - timedelta(seconds=5))
    assert call(session, match_id, bot_id) is MatchState.QUEUED
    assert misses(session) == 1
    pass_time(session, timedelta(seconds=5))
    assert call(session, match_id, bot_id) is MatchState.QUEUED
    assert misses(session) == 2
    pass_time(session, APART)
    assert call(session, match_id, bot_id) is MatchState.FINISHED
    row = reading.match(session, match_id)
    assert (row.reason, row.rated, row.has_replay) == ("missed", False, False)
    assert [seat.rank for seat in row.seats][1] == len(row.seats)
    assert [seat.rank for seat in row.seats].count(None) == len(row.seats) - 1
    assert {seat.fault for seat in row.seats} == {None}
    sentence = session.scalars(select(Notice.sentence).order_by(Notice.id.desc())).first()
    assert sentence == (
        f"{row.seats[1].name} has lost ladder match {match_id}: it was called 3 times, "
        "at least ten minutes apart, and did not accept the game."
    )


def test_only_that_bot_is_rated_as_the_last_of_the_table(session: Session, match_id: int) -> None:
    before = skills(session)
    tallied = session.scalars(select(MeetingTally.games)).all()
    bot_id = refused(session, match_id)
    seats = reading.match(session, match_id).seats
    table = [before[seat.bot_id or 0] for seat in seats]
    after = elo.rate_missed(table, 1)
    assert after < before[bot_id]
    assert skills(session) == before | {bot_id: after}
    assert session.scalars(select(MeetingTally.games)).all() == tallied
    games = dict(session.execute(select(LadderPlace.bot_id, LadderPlace.games)).all())
    assert games == dict.fromkeys(before, 1) | {bot_id: 2}
    newest = rating_entries(session, bot_id, len(seats))[0]
    assert (newest.kind, newest.match_id) == ("missed", match_id)


def skills(session: Session) -> dict[int, Skill]:
    place = LadderPlace
    query = select(place.bot_id, place.rating_milli, place.deviation_milli)
    return {bot_id: Skill(*skill) for bot_id, *skill in session.execute(query)}


def test_a_rebuild_gives_the_same(session: Session, match_id: int) -> None:
    refused(session, match_id)
    check_ledger(session)
    session.execute(update(RatingChange).where(RatingChange.kind == "missed").values(after_milli=7))
    session.execute(update(LadderPlace).values(rating_milli=7))
    session.commit()
    spoilt = skills(session)
    session.rollback()
    rebuilding.rebuild(session)
    session.commit()
    assert skills(session) != spoilt
    check_ledger(session)


def test_an_annulment_takes_it_back(session: Session, match_id: int) -> None:
    before = skills(session)
    refused(session, match_id)
    match_control.annul(session, organiser(session), match_id, "our own router")
    session.commit()
    assert skills(session) == before
    check_ledger(session)


def test_the_export_has_it(session: Session, match_id: int) -> None:
    bot_id = refused(session, match_id)
    *_, newest = exports.results(session, after=0, limit=9)
    assert (newest.match_id, newest.reason, newest.rated) == (match_id, "missed", False)
    rated = [seat for seat in newest.seats if seat.rating_after is not None]
    assert [(seat.bot_id, seat.rank) for seat in rated] == [(bot_id, len(newest.seats))]
    replays = exports.replays(session, after=0, limit=9)
    assert replays[-1].replay is None


def test_the_export_is_folded_with_others_whose_ratings_changed_without_a_match(
    session: Session, match_id: int, tmp_path: Path
) -> None:
    """The loss follows from all ratings at the table, of which one was pinned before it played."""
    ledger.lock(session)
    ledger.pin(session, session.get_one(Seat, (match_id, 0)).bot_id)
    session.commit()
    refused(session, match_id)
    results = [asdict(one) for one in exports.results(session, after=0, limit=9)]
    assert [seat["pinned"] for seat in results[-1]["seats"]][:2] == [True, False]
    assert fold(results, tmp_path / "results.jsonl").endswith("results that differ: none\n")


def test_a_bot_that_is_offline_owes_without_loss(session: Session, match_id: int) -> None:
    bot_id = session.get_one(Seat, (match_id, 1)).bot_id
    for _ in range(5):
        assert call(session, match_id, bot_id, SILENT) is MatchState.QUEUED
        pass_time(session, APART)
    assert misses(session) == 0


def test_failures_of_ours_never_count(session: Session, match_id: int) -> None:
    bot_id = session.get_one(Seat, (match_id, 1)).bot_id
    for _ in range(5):
        assert call(session, match_id, bot_id, OURS) is MatchState.QUEUED
        pass_time(session, APART)
    assert misses(session) == 0
    own = select(model.Version).where(model.Version.bot_id == bot_id)
    version = session.scalars(own, execution_options={"populate_existing": True}).one()
    assert version.offline_since is not None  # so nothing new is begun
    assert version.unreached_since is None
    assert session.get_one(Seat, (match_id, 1), populate_existing=True).misses == 0


@pytest.mark.parametrize(("worker", "counts"), [("tester", 1), ("another", 0)])
def test_a_game_that_it_played_meanwhile_shows_that_it_was_there(
    session: Session, match_id: int, worker: str, counts: int
) -> None:
    bot_id = session.get_one(Seat, (match_id, 1)).bot_id
    claim = claimed(session, match_id)
    played = update(Match).where(Match.state == "finished")
    session.execute(played.values(finished_at=model.now(session), claimed_by=worker))
    session.commit()
    refuse(session, claim, bot_id, SILENT)
    assert misses(session) == counts


def test_a_version_that_was_replaced_misses_nothing(session: Session, match_id: int) -> None:
    bot_id = session.get_one(Seat, (match_id, 1)).bot_id
    claim = claimed(session, match_id)
    session.execute(update(Version).where(Version.bot_id == bot_id).values(state="superseded"))
    session.commit()
    refuse(session, claim, bot_id)
    assert misses(session) == 0


def test_what_is_played_in_the_end_costs_nothing(session: Session, match_id: int) -> None:
    bot_id = session.get_one(Seat, (match_id, 1)).bot_id
    for _ in range(MOST - 1):
        call(session, match_id, bot_id)
        pass_time(session, APART)
    come_back(session, bot_id)
    seats = len(reading.match(session, match_id).seats)
    results.finish(session, claimed(session, match_id), ranked(*range(1, seats + 1)))
    session.commit()
    assert set(session.scalars(select(RatingChange.kind))) == {"result"}
    assert session.scalars(select(Debt)).all() == []
    assert session.get_one(Seat, (match_id, 1), populate_existing=True).misses == MOST - 1
