"""Deals of the ladders in the database, as workers play them."""

from collections import Counter
from datetime import timedelta
from random import Random
from typing import Any
from unittest.mock import create_autospec

import pytest
from celery import Celery
from redis import Redis
from sqlalchemy import event, select, text, update
from sqlalchemy.orm import Session, sessionmaker

from ladder import model
from ladder.config import Settings
from ladder.contests import matchmaking
from ladder.jobs import attempts, dispatch, workers
from ladder.matches import debts, misses, results
from ladder.matches.job import MATCHES, MatchClaim
from ladder.model import Bot, Deal, HostRow, Ladder, Match, MatchKind, Seat, Version, now
from ladder.parts import Part, Role
from ladder.scheduler import Duties
from ladder.wiring import KINDS
from tests.ladder.databases import on_postgresql, on_sqlite, plan
from tests.ladder.league import LEASE, NewBot, add_bots, host, ranked, register_bots
from tests.ladder.test_concurrency import at_once

PLACES = 4


def many_bots(session: Session, count: int, *, slots: int = 100) -> list[int]:
    """Bots of as many owners."""
    new = [NewBot(f"bot{n}", f"author{n}", f"127.0.0.1:{n}") for n in range(count)]
    found = add_bots(session, new, slots)
    session.commit()
    return found


def top_up(session: Session, *, luck: int = 1, **how: float) -> int:
    made = matchmaking.top_up(session, rng=Random(luck), **how)
    session.commit()
    return made


def claim_all(session: Session, most: int = 99) -> list[MatchClaim]:
    """What a worker with so many free places would play."""
    sent = dispatch.due(session, KINDS, MatchKind.LADDER, limit=most, message_age=60)
    session.commit()
    claims = []
    for match_id in sent:
        claims.append(attempts.claim(session, MATCHES, match_id, "player", lease=LEASE))
        session.commit()
    return [claim for claim in claims if claim is not None]


def tables(session: Session) -> dict[int, list[tuple[int, ...]]]:
    """By deal, the bots of its matches by seat, in the order of the rotations."""
    rows = session.execute(
        select(Match.deal_id, Match.rotation, Seat.bot_id)
        .join(Seat, Seat.match_id == Match.id)
        .order_by(Match.deal_id, Match.rotation, Seat.seat)
    )
    found: dict[int, dict[int, list[int]]] = {}
    for deal, rotation, bot_id in rows:
        found.setdefault(deal, {}).setdefault(rotation, []).append(bot_id)
    return {deal: [tuple(of[rotation]) for rotation in sorted(of)] for deal, of in found.items()}


@on_sqlite
def test_a_match_waits_for_each_place(session: Session) -> None:
    workers.beat(session, "player", places=PLACES)
    many_bots(session, 30)
    assert top_up(session) >= 2 * PLACES
    assert top_up(session, luck=2) == 0
    sent = dispatch.due(
        session, KINDS, MatchKind.LADDER, limit=99, message_age=-1
    )  # all over again
    session.commit()
    assert 2 * PLACES <= len(sent) <= 2 * PLACES + 3  # whole deals
    assert top_up(session, luck=3) == 0


@on_sqlite
def test_a_transaction_makes_a_few_deals(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matchmaking, "_MOST", 1)
    workers.beat(session, "player", places=PLACES)
    many_bots(session, 30)
    made = top_up(session)
    assert len(set(session.scalars(select(Match.deal_id)))) == 1
    drawn = session.scalars(select(Bot.id).where(Bot.last_match_at.is_not(None))).all()
    assert len(drawn) == made, "whoever has just played comes last"


def test_who_needs_nothing_holds_up_nobody(sessions: sessionmaker[Session]) -> None:
    with sessions() as session:
        workers.beat(session, "player", places=PLACES)
        many_bots(session, 30)
        assert top_up(session) > 0
    with sessions() as scheduler, sessions.begin() as writer:
        assert matchmaking.top_up(scheduler) == 0
        model.write(writer)  # would wait for the other one
        writer.execute(select(Ladder).with_for_update(nowait=True))


@on_sqlite
def test_nothing_is_counted_while_all_ladders_are_closed(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers.beat(session, "player", places=PLACES)
    many_bots(session, 8)
    session.execute(update(Ladder).values(open=False))
    need = create_autospec(matchmaking.need, side_effect=matchmaking.need)
    monkeypatch.setattr(matchmaking, "need", need)
    assert top_up(session) == 0
    assert not need.called
    session.execute(update(Ladder).where(Ladder.seats == 4).values(open=True))
    assert top_up(session) > 0
    assert need.called


def test_without_workers_nothing_is_queued(session: Session) -> None:
    many_bots(session, 30)
    assert top_up(session) == 0


def test_a_deal_is_one_layout_in_all_rotations_of_an_order(session: Session) -> None:
    workers.beat(session, "player", places=PLACES)
    many_bots(session, 30)
    top_up(session)
    for first, *others in tables(session).values():
        assert others == [first[shift:] + first[:shift] for shift in range(1, len(first))]
        assert len(set(first)) == len(first)
    seeds = session.scalars(select(Deal.layout_seed)).all()
    assert len(set(seeds)) == len(seeds) == len(tables(session))
    match = session.scalars(select(Match)).first()
    assert match is not None
    assert (match.kind, match.rated, match.tournament_id) == ("ladder", True, None)


def test_the_clock_is_the_ladders_and_a_closed_ladder_gets_nothing(session: Session) -> None:
    workers.beat(session, "player", places=PLACES)
    many_bots(session, 30)
    session.execute(update(Ladder).values(open=False))
    session.execute(update(Ladder).where(Ladder.seats == 3).values(open=True, bank_ms=7000))
    session.commit()
    top_up(session)
    assert set(session.execute(select(Match.seats, Match.bank_ms))) == {(3, 7000)}


def test_only_bots_that_may_play_are_dealt_in(session: Session) -> None:
    workers.beat(session, "player", places=PLACES)
    every = many_bots(session, 8)
    paused, retired = (Bot.id == bot_id for bot_id in every[:2])
    offline = Version.bot_id == every[2]
    session.execute(update(Bot).where(paused).values(state="paused"))
    session.execute(update(Bot).where(retired).values(state="retired"))
    session.execute(update(Version).where(offline).values(offline_since=Version.created_at))
    session.execute(update(Version).where(Version.bot_id == every[3]).values(state="rejected"))
    session.commit()
    top_up(session)
    assert set(session.scalars(select(Seat.bot_id))) <= set(every[4:])


def test_bots_of_one_owner_meet_only_where_the_ladder_allows_it(session: Session) -> None:
    workers.beat(session, "player", places=PLACES)
    register_bots(session, 6)
    session.commit()
    assert top_up(session) == 0
    session.execute(update(Ladder).where(Ladder.seats == 2).values(one_owner=True))
    session.commit()
    assert top_up(session) > 0


def test_on_a_hosted_only_ladder_only_hosted_bots_play(session: Session) -> None:
    workers.beat(session, "player", places=PLACES)
    every = many_bots(session, 5)
    session.execute(update(Ladder).values(hosted_only=True))
    session.commit()
    assert top_up(session) == 0
    host(session, every[:3])
    at = now(session)
    iron = HostRow(name="iron", address="unix:/iron", processors=2, lanes=4, seen_at=at)
    session.add(iron)
    session.commit()
    assert top_up(session) == 0, "it has no runtime"
    iron.runtimes = '["python"]'
    session.commit()
    assert top_up(session) > 0
    assert set(session.scalars(select(Seat.bot_id))) <= set(every[:3])


def test_what_is_queued_is_played_when_a_ladder_becomes_one_for_hosted_bots(
    session: Session,
) -> None:
    workers.beat(session, "player", places=PLACES)
    many_bots(session, 5)
    waiting = top_up(session)
    session.execute(update(Ladder).values(hosted_only=True))
    session.commit()
    debts.tend(session)
    misses.withdraw(session)
    session.commit()
    assert waiting > 0
    assert top_up(session) == 0
    played = 0
    while running := claim_all(session):
        for claim in running:
            results.finish(session, claim, ranked(*range(1, len(claim.players) + 1)))
        session.commit()
        played += len(running)
    assert played == waiting


@on_sqlite
def test_a_deal_that_waits_for_its_bots_is_finished_before_they_get_another(
    session: Session,
) -> None:
    workers.beat(session, "player", places=PLACES)
    many_bots(session, 2, slots=1)
    assert top_up(session) == 2
    (running,) = claim_all(session)
    assert top_up(session) == 0
    results.finish(session, running, ranked(1, 2))
    session.commit()
    assert top_up(session) == 0
    (running,) = claim_all(session)
    results.finish(session, running, ranked(1, 2))
    session.commit()
    assert top_up(session) == 2


@on_sqlite
def test_a_pace_is_kept(session: Session) -> None:
    many_bots(session, 60)
    workers.beat(session, "player", places=40)
    assert top_up(session, pace=0) == 0
    made = top_up(session, pace=10)
    assert 7 <= made <= 10
    assert top_up(session, pace=10) <= 10 - made


def test_a_slow_pace_still_makes_a_whole_deal_now_and_then(session: Session) -> None:
    many_bots(session, 60)
    workers.beat(session, "player", places=40)
    assert 2 <= top_up(session, pace=1) <= 4
    assert top_up(session, pace=1) == 0


@on_sqlite
def test_matches_from_before_the_clock_was_set_back_hold_up_no_deal(session: Session) -> None:
    many_bots(session, 60)
    workers.beat(session, "player", places=40)
    assert top_up(session, pace=4)
    session.execute(update(Match).values(created_at=now(session) + timedelta(hours=1)))
    assert top_up(session, pace=4)


@on_sqlite
def test_a_pace_that_no_database_can_count_is_no_limit(session: Session) -> None:
    many_bots(session, 60)
    workers.beat(session, "player", places=40)
    assert top_up(session, pace=1e300) >= 2 * 40


@on_sqlite
def test_a_slow_pace_is_true_over_time_though_deals_come_whole(
    session: Session, sessions: sessionmaker[Session]
) -> None:
    """A table of four makes four matches at once: at a pace of one, every four minutes."""
    environ = {"DATABASE_URL": "unused", "REDIS_URL": "unix:///unused", "SANTIAGO_LADDER_PACE": "1"}
    settings = Settings.from_environment(environ)
    duties = Duties(settings, sessions, create_autospec(Redis), Celery(), Part(Role.SCHEDULER))
    many_bots(session, 60)
    session.execute(update(Ladder).where(Ladder.seats != 4).values(open=False))
    session.commit()
    for _ in range(20):  # half a minute each
        workers.beat(session, "player", places=40)
        session.commit()
        duties.match()
        for match in session.scalars(select(Match)):
            match.created_at -= timedelta(seconds=30)
        session.commit()
    made = session.query(Match).count()
    assert made == 12  # one deal at once, then one after each four of the ten minutes


@on_sqlite
def test_while_the_pace_allows_no_deal_nobody_looks_for_one(session: Session) -> None:
    """Who might be dealt in, and who met whom, is asked several times a second otherwise."""
    many_bots(session, 60)
    workers.beat(session, "player", places=40)
    top_up(session, pace=2)
    asked: list[str] = []
    event.listen(session.get_bind(), "before_cursor_execute", lambda *args: asked.append(args[2]))
    assert top_up(session, pace=2) == 0
    assert not any("ladder_places" in statement for statement in asked)


@on_sqlite
def test_the_newest_deals_are_found_without_reading_all_matches(session: Session) -> None:
    many_bots(session, 60)
    workers.beat(session, "player", places=40)
    asked: list[tuple[str, Any]] = []
    event.listen(session.get_bind(), "before_cursor_execute", lambda *args: asked.append(args[2:4]))
    assert top_up(session, pace=100) > 0
    steps = [
        step
        for statement, values in asked
        if statement.startswith("SELECT") and "FROM matches" in statement
        for step in plan(session, statement, values)
    ]
    assert any("ix_matches_ladder_deals" in step for step in steps)
    assert not any("matches" in step and "(kind=?)" in step for step in steps)


@on_postgresql
@pytest.mark.parametrize("pace", [4.0, 1000.0])
def test_every_ladder_gets_its_share_in_a_small_field(session: Session, pace: float) -> None:
    """Whether the pace or the bots are what is short: large tables wait for their turn."""
    many_bots(session, 5, slots=1)
    running: list[MatchClaim] = []
    made: Counter[int] = Counter()
    for luck in range(40):
        workers.beat(session, "player", places=20)
        top_up(session, luck=luck, pace=pace)
        running += claim_all(session)
        for claim in running[:1]:
            running.remove(claim)
            made[len(claim.players)] += 1
            results.finish(session, claim, ranked(*range(1, len(claim.players) + 1)))
            session.commit()
        # Time goes by.
        session.execute(text("UPDATE matches SET created_at = created_at - INTERVAL '4 seconds'"))
        session.commit()
    assert all(made[seats] >= made.total() / 5 for seats in (2, 3, 4)), made


def test_schedulers_that_come_at_once_do_not_fill_the_queue_twice(
    sessions: sessionmaker[Session],
) -> None:
    with sessions() as session:
        workers.beat(session, "player", places=PLACES)
        many_bots(session, 60)

    def act(number: int) -> int:
        with sessions.begin() as session:
            return matchmaking.top_up(session, rng=Random(number))

    assert [made > 0 for made in at_once(act)].count(True) == 1


@on_sqlite
@pytest.mark.parametrize("places", [2, 12])
def test_day_and_night(session: Session, places: int) -> None:
    """Nobody holds more than a quarter of the places, and everyone gets games."""
    every = many_bots(session, 10, slots=3)
    rng = Random(places)
    running: list[MatchClaim] = []
    games: Counter[int] = Counter()
    for _ in range(20):
        workers.beat(session, "player", places=places)
        top_up(session, luck=rng.randrange(99))
        running += claim_all(session, places - len(running))
        held = Counter(player.bot_id for claim in running for player in claim.players)
        assert max(held.values()) <= max(1, places // 4)
        assert len(running) <= places
        ended = rng.sample(running, max(1, len(running) // 2))
        for claim in ended:
            running.remove(claim)
            games.update(player.bot_id for player in claim.players)
            results.finish(session, claim, ranked(*range(1, len(claim.players) + 1)))
            session.commit()
    assert set(games) == set(every)
