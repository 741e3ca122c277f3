from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import pytest
from sqlalchemy import select, text, update
from sqlalchemy.orm import Session

from ladder.bots import versions
from ladder.model import (
    EntryKind,
    LadderPlace,
    Ledger,
    Match,
    MeetingTally,
    NeighbourTally,
    RatingChange,
    SeatTally,
)
from ladder.operating import match_control
from ladder.ratings import elo, ledger, rebuilding, standings, stored, tallies
from ladder.ratings.entries import other_entries
from tests.ladder.databases import on_postgresql, on_sqlite
from tests.ladder.league import finished, match_ids, ranked, ranks_by_bot, start_tournament
from tests.ladder.ledgers import check_ledger
from tests.ladder.ratings.league import Sessions, organiser, something_happens

ADA, BELA, CARO = 1, 2, 3


def league(session: Session) -> list[int]:
    """Tournaments at tables of all sizes; the ids of their matches."""
    start_tournament(session, seats=2, count=5, deals=6)
    start_tournament(session, seats=3, count=5, deals=2)
    start_tournament(session, seats=4, count=5)
    start_tournament(session, seats=2, count=3, rated=False)
    ids = match_ids(session)
    session.commit()
    return ids


def ratings_of(session: Session, seats: int = 2) -> dict[str, int]:
    return {one.name: one.rating_milli for one in standings.standings(session, seats)}


@on_sqlite
def test_random_histories_fold_to_the_same_numbers(sessions: Sessions) -> None:
    with sessions() as session:
        ids, account = league(session), organiser(session)
    rng = Random(0)
    for step in range(200):
        something_happens(sessions, rng, account, ids)
        if step == 100:
            with sessions.begin() as session:
                ledger.lock(session)
                ledger.pin(session, CARO)
    with sessions() as session:
        check_ledger(session)
        kinds = set(session.scalars(select(RatingChange.kind)))
        assert kinds == {"result", "inheritance", "annulment", "pin", "missed"}
        known = other_entries(session)
        session.execute(update(RatingChange).values(id=-RatingChange.id))  # they lie the other way
        assert other_entries(session).continues(known)


def test_histories_of_many_at_once_fold_to_the_same_numbers(sessions: Sessions) -> None:
    with sessions() as session:
        ids, account = league(session), organiser(session)

    def act(number: int) -> None:
        rng = Random(number)
        for _ in range(30):
            something_happens(sessions, rng, account, ids)

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(act, range(3)))
    with sessions() as session:
        check_ledger(session)


def test_a_rebuild_mends_what_was_spoilt(session: Session) -> None:
    start_tournament(session, seats=3, count=4)
    for match_id in match_ids(session):
        session.commit()
        finished(session, match_id, ranked(1, 2, 3))
    before = ratings_of(session, 3)
    versions.register(session, name="ada", author="compay", address="host:1", version="2")
    session.execute(update(LadderPlace).where(LadderPlace.bot_id == BELA).values(deviation_milli=1))
    session.execute(update(MeetingTally).where(MeetingTally.bot_id == BELA).values(games=99))
    session.execute(text("DELETE FROM seat_tallies WHERE seat = 0"))
    session.execute(text("DELETE FROM rating_changes WHERE kind = 'result' AND bot_id = 3"))
    session.execute(text("INSERT INTO neighbour_tallies VALUES (2, 1, 2, 5, 60)"))
    session.commit()
    spoilt = rebuilding.check(session)
    session.rollback()
    assert {one.table for one in spoilt.differences} == {
        "ladder_places",
        "meetings",
        "seat_tallies",
        "neighbour_tallies",
        "rating_changes",
    }
    assert rebuilding.rebuild(session).differences == spoilt.differences
    session.commit()
    check_ledger(session)
    session.commit()
    assert ratings_of(session, 3) == before


def test_a_place_and_a_change_that_follow_from_no_result_are_taken_away(session: Session) -> None:
    start_tournament(session, count=3)
    match_id = match_ids(session)[0]
    finished(session, match_id, ranked(1, 2))
    here = set(session.scalars(select(LadderPlace.version_id)))
    (other,) = {ADA, BELA, CARO} - here
    place = {"seats": 2, "version_id": other, "bot_id": other}
    change = {"result_number": 1, "kind": EntryKind.RESULT, "match_id": match_id}
    session.add(LadderPlace(**place, rating_milli=1_900_000, games=9, wins=9))
    session.add(RatingChange(**place, **change, before_milli=1_500_000, after_milli=1_900_000))
    session.commit()
    rebuilding.rebuild(session)
    session.commit()
    assert set(session.scalars(select(LadderPlace.version_id))) == here
    check_ledger(session)


@on_postgresql
def test_who_holds_the_ledger_may_not_take_its_time(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server ends a rebuild that is stopped: results would wait for it for ever."""
    start_tournament(session)
    finished(session, match_ids(session)[0], ranked(1, 2))
    session.execute(update(LadderPlace).values(wins=9))
    session.execute(update(MeetingTally).values(games=9))
    limit = text("SHOW idle_in_transaction_session_timeout")
    usual = session.scalar(limit)
    session.commit()
    limits = []

    def looking(write: Callable[..., None]) -> Callable[..., None]:
        def look(*given: Any) -> None:
            limits.append(session.scalar(limit))
            write(*given)

        return look

    monkeypatch.setattr(stored, "replace", looking(stored.replace))
    monkeypatch.setattr(tallies, "correct", looking(tallies.correct))
    rebuilding.rebuild(session)
    assert set(limits) == {usual}
    assert usual != "0"
    check_ledger(session)


def test_a_check_changes_nothing(session: Session) -> None:
    start_tournament(session)
    finished(session, match_ids(session)[0], ranked(1, 2))
    session.execute(update(LadderPlace).values(rating_milli=1))
    session.commit()
    assert not rebuilding.check(session).sound
    session.commit()
    assert set(ratings_of(session).values()) == {1}


def test_a_mark_without_an_entry_is_told(session: Session) -> None:
    start_tournament(session)
    first = match_ids(session)[0]
    finished(session, first, ranked(1, 2))
    session.execute(update(Match).values(annulled_at=Match.created_at))
    session.commit()
    told = rebuilding.check(session)
    assert told.unentered == (first,)
    assert not told.sound


def test_an_heir_on_another_ladder_holds_nothing_of_an_annulled_match(session: Session) -> None:
    start_tournament(session, count=2)
    first = match_ids(session)[0]
    finished(session, first, ranked(1, 2))
    start_tournament(session, seats=3, count=4)
    for match_id in match_ids(session)[2:]:
        finished(session, match_id, ranked(1, 2, 3))
    before = ratings_of(session, 3)
    versions.register(session, name="caro", author="compay", address="host:1", version="2")
    match_control.annul(session, organiser(session), first, "reason")
    session.commit()
    check_ledger(session)
    assert ratings_of(session, 3) == before
    assert set(ratings_of(session).values()) == {elo.NEWCOMER.rating}


def test_the_effect_of_an_annulment_is_told(session: Session) -> None:
    start_tournament(session, count=3)
    ids = match_ids(session)
    for match_id in ids:
        result = ranks_by_bot(session, match_id, {ADA: 1, BELA: 2, CARO: 3})
        session.commit()
        finished(session, match_id, result)
    stood = ratings_of(session)
    account = organiser(session)
    match_control.annul(session, account, ids[0], "a wrong clock")
    session.commit()
    rebuilt = rebuilding.check(session)
    assert rebuilt.sound
    assert len(rebuilt.effects) == 2
    names = {ADA: "ada", BELA: "bela", CARO: "caro"}
    for one in rebuilt.effects:
        assert one.before_milli == stood[names[one.bot_id]]
        assert one.after_milli == ratings_of(session)[names[one.bot_id]]
    session.commit()


@on_sqlite
def test_numbers_have_no_gap(session: Session) -> None:
    start_tournament(session)
    first, second = match_ids(session)
    session.commit()
    versions.register(session, name="ada", author="compay", address="host:1", version="2")
    session.commit()  # nothing to inherit yet
    finished(session, first, ranked(1, 2))
    versions.register(session, name="bela", author="compay", address="host:1", version="2")
    session.commit()
    match_control.annul(session, organiser(session), first, "no reason")
    session.commit()
    assert finished(session, second, ranked(1, 2)) == 4
    assert session.scalar(select(Ledger.last_result)) == 4
    session.commit()
    check_ledger(session)


def test_the_anchor_stays_where_it_is_pinned(session: Session) -> None:
    start_tournament(session)
    first, second = match_ids(session)
    session.commit()
    finished(session, first, ranked(1, 2))
    ledger.lock(session)
    ledger.pin(session, ADA)
    pinned = ledger.newest(session)
    ledger.pin(session, ADA)
    assert ledger.newest(session) == pinned
    session.commit()
    finished(session, second, ranked(1, 2))
    ada = session.scalars(select(LadderPlace).where(LadderPlace.bot_id == ADA)).one()
    assert (ada.rating_milli, ada.deviation_milli) == elo.ANCHOR
    assert ratings_of(session)["bela"] != elo.NEWCOMER.rating
    session.commit()
    check_ledger(session)


def test_every_result_is_counted_by_seat_and_by_the_bot_before(session: Session) -> None:
    start_tournament(session, seats=3, count=3)
    for match_id in match_ids(session):
        session.commit()
        finished(session, match_id, ranked(1, 1, 3))
    seats = session.scalars(select(SeatTally).order_by(SeatTally.seat, SeatTally.bot_id)).all()
    assert [(one.games, one.win_twelfths) for one in seats] == [(1, 6)] * 6 + [(1, 0)] * 3
    before = session.scalars(select(NeighbourTally)).all()
    assert len(before) == 3  # in a cyclic order each bot has one bot before it
    assert {(one.games, one.win_twelfths) for one in before} == {(3, 12)}
