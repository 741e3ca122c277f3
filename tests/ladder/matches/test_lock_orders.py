"""In which order locks are taken on PostgreSQL: so nobody waits for one who waits for him."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from random import Random
from typing import Any

import pytest
from sqlalchemy import select, text, update
from sqlalchemy.orm import Session, sessionmaker

from ladder import model
from ladder.bots.gateway import Guests
from ladder.contests import matchmaking
from ladder.contests.formats import Format
from ladder.contests.tournaments import forfeits, lifecycle
from ladder.jobs import workers
from ladder.matches import debts
from ladder.model import Bot, Match, Seat, Tournament, Version
from ladder.ratings import ledger
from tests.e2e.processes import until
from tests.ladder.conftest import create_postgres
from tests.ladder.contests.test_matchmaking import PLACES, many_bots
from tests.ladder.contests.tournaments.cups import play, queued, running_cup
from tests.ladder.databases import waits
from tests.ladder.league import match_ids, start_tournament

Sessions = sessionmaker[Session]
Deed = Callable[[Session], object]


@pytest.fixture
def sessions(postgres_url: str, postgres_template: str) -> Iterator[Sessions]:
    """SQLite has one lock for all."""
    engine = model.engine(create_postgres(postgres_url, postgres_template))
    yield model.session_factory(engine)
    engine.dispose()


@contextmanager
def made_to_wait(sessions: Sessions, deed: Deed, blocker: Deed) -> Iterator[Session]:
    """While the deed waits for what the blocker has locked; then both go on to their ends."""
    with ThreadPoolExecutor(1) as pool:
        with sessions() as blocking, sessions() as watching:
            blocking.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
            blocker(blocking)
            done: Future[Any] = pool.submit(run, sessions, deed)
            until(lambda: done.done() or waits(sessions))
            assert not done.done(), done.result()
            yield watching
        done.result()


def run(sessions: Sessions, deed: Deed) -> None:
    with sessions.begin() as session:
        deed(session)


def hold(row_id: int, table: type[Bot | Version] = Bot) -> Deed:
    """As a claim does that has got no further yet."""
    return lambda session: session.execute(
        select(table.id).where(table.id == row_id).with_for_update(key_share=True)
    )


def free(session: Session, table: type[Bot | Version | Match | Tournament]) -> set[int]:
    """The ids of the rows that nobody has locked."""
    query = select(table.id).with_for_update(key_share=True, skip_locked=True)
    found = set(session.scalars(query))
    session.rollback()
    return found


def test_bots_that_are_dealt_in_are_locked_by_their_ids(sessions: Sessions) -> None:
    with sessions() as session:
        workers.beat(session, "player", places=PLACES)
        every = many_bots(session, 12)
        top_up(session)
        dealt = select(Bot.id).where(Bot.last_match_at.is_not(None))
        first = min(session.scalars(dealt))
        session.rollback()
    with made_to_wait(sessions, top_up, hold(first)) as session:
        assert free(session, Bot) == {*every} - {first}


def top_up(session: Session) -> int:
    return matchmaking.top_up(session, rng=Random(5))


def test_a_gateway_that_begins_locks_versions_by_their_ids(sessions: Sessions) -> None:
    with sessions() as session:
        many_bots(session, 3)
        first, *others = session.scalars(select(Version.id).order_by(Version.id))
        for version_id in (first, *others):
            own = update(Version).where(Version.id == version_id)
            session.execute(own.values(address=f"gateway:{version_id}/1"))
        # A row that is changed moves behind the others: now the first one lies last.
        session.execute(update(Version).where(Version.id == first).values(slots=1))
        session.commit()

    def begin(_: Session) -> None:
        Guests(sessions).begin()

    with made_to_wait(sessions, begin, hold(first, Version)) as session:
        assert free(session, Version) == {*others}


def test_a_forfeit_locks_matches_before_versions(sessions: Sessions) -> None:
    with sessions() as session:
        start_tournament(session, seats=2, count=3)
        missed, _, paused = session.scalars(select(Version.id).order_by(Version.id))
        of_paused = select(Seat.match_id).where(Seat.version_id == paused)
        match_id = min(set(match_ids(session)) - set(session.scalars(of_paused)))
        session.execute(update(Tournament).values(grace_ms=0))
        away = select(Version.bot_id).where(Version.id.in_([missed, paused]))
        session.execute(update(Bot).where(Bot.id.in_(away)).values(state="paused"))
        since = update(Version).where(Version.id == missed)
        session.execute(since.values(unreached_since=Version.created_at))
        session.commit()
    with made_to_wait(sessions, forfeits.decide, hold(paused, Version)) as session:
        assert match_id not in free(session, Match)


@pytest.mark.parametrize("step", [lifecycle.pause, lifecycle.resume])
def test_a_step_of_a_tournament_waits_for_results_before_it_locks_it(
    sessions: Sessions, step: Callable[[Session, int], None]
) -> None:
    with sessions() as session:
        tournament_id = start_tournament(session)
        if step is lifecycle.resume:
            lifecycle.pause(session, tournament_id)
        session.commit()

    def take(session: Session) -> None:
        step(session, tournament_id)

    with made_to_wait(sessions, take, ledger.lock) as session:
        assert free(session, Tournament) == {tournament_id}


def test_debts_are_noted_after_others_have_settled_their_matches(sessions: Sessions) -> None:
    """An author who retires a bot cancels some of the same, in another order."""
    with sessions() as session:
        workers.beat(session, "player", places=PLACES)
        many_bots(session, 4)
        top_up(session)
        session.execute(update(Bot).values(state="paused"))
        session.commit()
        every = match_ids(session)
    with made_to_wait(sessions, debts.tend, ledger.lock) as session:
        assert free(session, Match) == {*every}


def test_while_a_tournament_waits_for_a_bot_no_result_waits(sessions: Sessions) -> None:
    """To find the matches that hang on it takes a while in a large tournament."""
    with sessions() as session:
        start_tournament(session)
        session.execute(update(Bot).values(state="paused"))
        session.execute(update(Version).values(unreached_since=Version.created_at))
        session.commit()
    with sessions() as writing, sessions() as session:
        ledger.lock(writing)
        session.execute(text("SET LOCAL lock_timeout = '1s'"))
        assert forfeits.decide(session) == []


def test_who_has_the_ledger_waits_for_no_round_that_is_made(sessions: Sessions) -> None:
    """The round is inserted before the ledger is locked."""
    with sessions() as session:
        cup = running_cup(session, format=Format.SWISS, count=4, rounds=2)
        for match_id in queued(session, cup):
            play(session, match_id)
    make = partial(lifecycle.go_on, tournament_id=cup)
    with made_to_wait(sessions, make, ledger.lock) as session:
        assert free(session, Bot) == set(session.scalars(select(Bot.id)))
        assert free(session, Version) == set(session.scalars(select(Version.id)))
        assert free(session, Tournament) == {cup}
    with sessions() as session:
        assert len(queued(session, cup)) == 4
