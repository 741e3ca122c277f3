"""What a claim reserves: places of its worker, slots of its bots, a process for itself."""

from datetime import timedelta
from functools import partial

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session, sessionmaker

from ladder.casual.answering import ANSWERS
from ladder.casual.playing import ANSWER
from ladder.jobs import attempts, dispatch, workers
from ladder.jobs.attempts import WantsToBeAlone
from ladder.jobs.kinds import ALONE_FROM
from ladder.matches import reading
from ladder.matches.job import MATCHES, MatchClaim, interrupt
from ladder.model import Bot, Job, Match, MatchKind, Version
from ladder.wiring import KINDS
from tests.ladder.bots.authors import house_bot
from tests.ladder.casual.tables import friends
from tests.ladder.databases import on_sqlite
from tests.ladder.league import (
    LEASE,
    as_kind,
    claimed,
    job_of,
    match_ids,
    set_job,
    start_tournament,
)
from tests.ladder.test_concurrency import at_once


@pytest.fixture(autouse=True)
def put_off_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """What finds no room waits until a test lets it go on: a busy machine takes a second, too."""
    monkeypatch.setattr(attempts, "_DELAY", timedelta(minutes=10))


def claim(session: Session, match_id: int, worker: str = "tester") -> MatchClaim | None:
    found = attempts.claim(session, MATCHES, match_id, worker, lease=LEASE)
    session.commit()
    return found


def give_back(session: Session, held: MatchClaim) -> None:
    MATCHES.give_back(session, held)
    session.commit()


def change(session: Session, table: type[Bot | Version | Match], **values: object) -> None:
    session.execute(update(table).values(**values))
    session.commit()


def due(session: Session, kind: MatchKind = MatchKind.TOURNAMENT) -> list[int]:
    found = dispatch.due(session, KINDS, kind, limit=99, message_age=60)
    session.commit()
    return found


@pytest.fixture
def cup(session: Session) -> list[int]:
    """The matches of a tournament of three bots, two at a table."""
    start_tournament(session, count=3, deals=2)
    return match_ids(session)


@on_sqlite
def test_a_bot_plays_no_more_games_than_it_has_slots(session: Session, cup: list[int]) -> None:
    change(session, Version, slots=1)
    held = claimed(session, cup[0])
    same_table = cup[1]
    assert claim(session, same_table) is None
    give_back(session, held)
    set_job(session, not_before=None)
    assert claim(session, same_table) is not None


def test_what_finds_no_slot_waits_a_little_without_a_message(
    session: Session, cup: list[int]
) -> None:
    change(session, Version, slots=1)
    set_job(session, sent_at=session.get_one(Match, cup[0]).created_at)
    claimed(session, cup[0])
    claim(session, cup[1])
    job = job_of(session, cup[1])
    assert job.sent_at is None
    assert job.not_before is not None
    assert reading.match(session, cup[1]).state == "queued"


@on_sqlite
def test_messages_go_out_for_as_many_matches_as_the_slots_allow(
    session: Session, cup: list[int]
) -> None:
    change(session, Version, slots=1)
    (first,) = due(session)  # two of the three bots have no slot left
    assert due(session) == []
    claimed(session, first)
    assert due(session) == []


@on_sqlite
def test_a_match_whose_bots_are_free_is_found_behind_many_that_wait(session: Session) -> None:
    start_tournament(session, count=2, deals=20)
    start_tournament(session, count=4, deals=1)
    change(session, Version, slots=1)
    every = match_ids(session)
    claimed(session, every[0])
    names = {
        seat.name for match_id in due(session) for seat in reading.match(session, match_id).seats
    }
    assert names == {"caro", "dora"}


@on_sqlite
def test_a_worker_plays_no_more_matches_than_it_has_places(
    session: Session, cup: list[int]
) -> None:
    workers.beat(session, "tester", places=2)
    held = [claimed(session, match_id) for match_id in cup[:2]]
    assert claim(session, cup[2]) is None
    assert claim(session, cup[3], "other") is not None
    give_back(session, held[0])
    assert claim(session, cup[4]) is not None


@on_sqlite
def test_a_move_in_a_casual_game_takes_no_place_of_a_match(
    session: Session, cup: list[int]
) -> None:
    workers.beat(session, "tester", places=1)
    game = friends(session, 1, bots=(house_bot(session),))
    claim = partial(attempts.claim, session, worker="tester", lease=LEASE, apart=[ANSWER])
    assert claim(ANSWERS, game.id) is not None
    assert claim(MATCHES, cup[0]) is not None
    assert claim(MATCHES, cup[1]) is None


def test_a_worker_that_stops_claims_nothing(session: Session, cup: list[int]) -> None:
    workers.beat(session, "tester", places=2)
    workers.sign_off(session, "tester")
    assert claim(session, cup[0]) is None


@on_sqlite
def test_who_was_interrupted_twice_is_played_alone(session: Session, cup: list[int]) -> None:
    beside, alone, later = cup[:3]
    for _ in range(ALONE_FROM):
        interrupt(session, claimed(session, alone), "the worker ran out of memory")
    session.commit()
    with pytest.raises(WantsToBeAlone):
        attempts.claim(session, MATCHES, alone, "tester", lease=LEASE, alone=False)
    held = attempts.claim(session, MATCHES, beside, "tester", lease=LEASE, alone=False)
    assert held is not None
    assert not held.held.alone
    assert claim(session, alone) is None
    give_back(session, held)
    set_job(session, not_before=None)
    assert claimed(session, alone).held.alone
    assert claim(session, later) is None
    assert claim(session, later, "other") is None  # it waits a moment, wherever there is room
    set_job(session, not_before=None)
    assert claim(session, later, "other") is not None


def test_a_bot_out_of_reach_is_not_called_again(session: Session, cup: list[int]) -> None:
    at = session.get_one(Match, cup[0]).created_at
    change(session, Version, offline_since=at)
    assert due(session) == []
    assert claim(session, cup[0]) is None
    change(session, Version, offline_since=None)
    assert due(session, MatchKind.TOURNAMENT) == cup[1:]


@on_sqlite
@pytest.mark.parametrize(("places", "at_most"), [(2, 1), (8, 2), (40, 10)])
def test_on_the_ladder_a_bot_holds_a_quarter_of_the_places_at_most(
    session: Session, places: int, at_most: int
) -> None:
    start_tournament(session, count=2, deals=10)
    as_kind(session, "ladder")
    workers.beat(session, "tester", places=places)
    every = match_ids(session)
    assert len(due(session, MatchKind.LADDER)) == at_most
    assert [claim(session, match_id) is None for match_id in every].count(False) == at_most


@on_sqlite
def test_ladder_matches_are_not_played_by_bots_that_have_left(
    session: Session, cup: list[int]
) -> None:
    as_kind(session, "ladder")
    change(session, Bot, state="paused")
    assert due(session, MatchKind.LADDER) == []
    assert claim(session, cup[0]) is None


@pytest.mark.parametrize(
    ("kind", "places", "at_most"),
    [
        (MatchKind.VALIDATION, 4, 1),
        (MatchKind.VALIDATION, 20, 2),
        (MatchKind.CHALLENGE, 2, 1),
        (MatchKind.CHALLENGE, 8, 2),
    ],
)
def test_trials_have_a_tenth_and_challenges_a_quarter_of_the_places(
    session: Session, cup: list[int], kind: MatchKind, places: int, at_most: int
) -> None:
    """So neither holds up a tournament."""
    workers.beat(session, "tester", places=places)
    as_kind(session, kind)
    sent = due(session, kind)
    assert len(sent) == at_most
    for match_id in sent:
        claimed(session, match_id)
    assert due(session, kind) == []


def test_messages_that_grow_old_in_a_full_queue_give_challenges_no_more_places(
    session: Session, cup: list[int]
) -> None:
    workers.beat(session, "tester", places=8)
    as_kind(session, MatchKind.CHALLENGE)
    sent = []
    for _ in range(3):
        sent += due(session, MatchKind.CHALLENGE)
        long_ago = session.get_one(Match, cup[0]).created_at - timedelta(hours=1)
        session.execute(update(Job).where(Job.sent_at.is_not(None)).values(sent_at=long_ago))
        session.commit()
    assert len(set(sent)) == 6
    assert [claim(session, match_id) is None for match_id in sent].count(False) == 2


@on_sqlite
def test_messages_of_the_ladder_do_not_hold_slots_against_a_tournament(session: Session) -> None:
    start_tournament(session)
    as_kind(session, "ladder")
    start_tournament(session)
    change(session, Version, slots=1)
    (of_ladder,) = due(session, MatchKind.LADDER)
    (of_tournament,) = due(session, MatchKind.TOURNAMENT)
    claimed(session, of_tournament)
    assert claim(session, of_ladder) is None


@pytest.mark.parametrize("places", [1, 3])
def test_many_who_claim_at_once_share_places_and_slots(
    sessions: sessionmaker[Session], places: int
) -> None:
    with sessions() as session:
        start_tournament(session, count=4, deals=2)
        every = match_ids(session)
        workers.beat(session, "tester", places=places)
        change(session, Version, slots=2)

    def take(number: int) -> int:
        order = every[number:] + every[:number]
        with_sessions = (claim_in(sessions, match_id) for match_id in order)
        return sum(one is not None for one in with_sessions)

    assert sum(at_once(take)) == places


def test_bots_that_are_wanted_crosswise_at_once_are_not_overbooked(
    sessions: sessionmaker[Session],
) -> None:
    with sessions() as session:
        start_tournament(session, seats=4, count=6, deals=1)
        every = match_ids(session)
        change(session, Version, slots=1)

    def take(number: int) -> list[int]:
        order = every[number::4]
        return [match_id for match_id in order if claim_in(sessions, match_id, f"w{number}")]

    taken = [match_id for some in at_once(take) for match_id in some]
    assert len(taken) == 1  # two tables of four out of six bots always share one


def claim_in(
    sessions: sessionmaker[Session], match_id: int, worker: str = "tester"
) -> MatchClaim | None:
    with sessions.begin() as session:
        return attempts.claim(session, MATCHES, match_id, worker, lease=LEASE)
