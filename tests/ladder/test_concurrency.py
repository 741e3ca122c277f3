"""Many who want the same at the same time."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from random import Random
from threading import Barrier
from typing import TypeVar

from sqlalchemy.orm import Session, sessionmaker

from ladder.analyses.job import ANALYSES, ANALYSIS
from ladder.contests.tournaments import lifecycle, lookup
from ladder.errors import Stale
from ladder.jobs import attempts, workers
from ladder.matches import job, reading, results
from ladder.matches.job import MATCHES, MatchClaim
from ladder.matches.results import Result, SeatResult
from tests.ladder.databases import meanwhile
from tests.ladder.league import (
    LEASE,
    claimed,
    finished,
    first_match,
    match_ids,
    ranked,
    start_tournament,
)
from tests.ladder.ledgers import check_ledger

THREADS = 4
Sessions = sessionmaker[Session]
T = TypeVar("T")


def at_once(what: Callable[[int], T], threads: int = THREADS) -> list[T]:
    """Call it with 0, 1, 2 ... in threads that begin together."""
    together = Barrier(threads)

    def call(number: int) -> T:
        together.wait(60)
        return what(number)

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(call, range(threads)))


def claim(sessions: Sessions, match_id: int, worker: str) -> MatchClaim | None:
    with sessions.begin() as session:
        return attempts.claim(session, MATCHES, match_id, worker, lease=LEASE)


def finish(sessions: Sessions, claim: MatchClaim, result: Result) -> int | None:
    """The result's number; None for a zombie."""
    try:
        with sessions.begin() as session:
            return results.finish(session, claim, result)
    except Stale:
        return None


def random_result(rng: Random, seats: int) -> Result:
    ranks = [rng.randint(1, seats) for _ in range(seats)]
    return Result(tuple(SeatResult(rank, 10) for rank in ranks), "ships", b"replay")


def test_one_of_many_gets_the_match(sessions: Sessions) -> None:
    with sessions() as session:
        match_id = first_match(session)
    got = at_once(lambda number: claim(sessions, match_id, f"worker {number}"))
    assert [one is None for one in got].count(False) == 1


def test_a_result_that_is_told_many_times_at_once_counts_once(sessions: Sessions) -> None:
    with sessions() as session:
        held = claimed(session, first_match(session))
    assert at_once(lambda _: finish(sessions, held, ranked(1, 2))) == [1] * THREADS
    with sessions() as session:
        check_ledger(session)


def test_results_that_come_at_once_have_numbers_without_a_gap(sessions: Sessions) -> None:
    with sessions() as session:
        start_tournament(session, seats=2, count=4, deals=2)
        start_tournament(session, seats=3, count=4, deals=1)
        every = match_ids(session)

    def play(number: int) -> None:
        rng = Random(number)
        mine = every[number % 2 :]  # two threads want the same matches
        for match_id in mine:
            held = claim(sessions, match_id, f"worker {number}")
            if held is not None:
                finish(sessions, held, random_result(rng, len(held.players)))

    at_once(play)
    with sessions() as session:
        assert all(reading.match(session, match_id).state == "finished" for match_id in every)
        check_ledger(session)


def test_zombies_setbacks_and_a_reaper_lose_no_match_and_count_none_twice(
    sessions: Sessions,
) -> None:
    with sessions() as session:
        tournament_id = start_tournament(session, seats=4, count=5, deals=1)
        every = match_ids(session)

    def play(number: int) -> None:
        rng = Random(number)
        for match_id in rng.sample(every, len(every)):
            lease = rng.choice((LEASE, 0.0))
            with sessions.begin() as session:
                held = attempts.claim(session, MATCHES, match_id, "worker", lease=lease)
            if held is not None:
                befall(rng, sessions, held)
            with sessions.begin() as session:
                attempts.reap(session, MATCHES)

    for _ in range(3):
        at_once(play)
    with sessions() as session:
        progress = lookup.progress(session, tournament_id)
        ended = lookup.tournament(session, tournament_id)
        assert ended.finished == progress.finished
        assert ended.settled == progress.finished + progress.failed
        assert progress.finished > 0
        check_ledger(session)


def befall(rng: Random, sessions: Sessions, held: MatchClaim) -> None:
    """Something that may happen to an attempt, perhaps after its lease has passed."""
    try:
        match rng.randrange(4):
            case 0:
                with sessions.begin() as session:
                    job.interrupt(session, held, "of this test")
            case 1:
                with sessions.begin() as session:
                    MATCHES.give_back(session, held)
            case _:
                finish(sessions, held, random_result(rng, len(held.players)))
    except Stale:
        pass


def test_cancelling_amid_results(sessions: Sessions) -> None:
    with sessions() as session:
        tournament_id = start_tournament(session, count=4, deals=2)
        held = [claimed(session, match_id) for match_id in match_ids(session)]

    def act(number: int) -> None:
        if number == 0:
            with sessions.begin() as session:
                lifecycle.cancel(session, tournament_id)
        for one in held[number::THREADS]:
            finish(sessions, one, ranked(1, 2))

    at_once(act)
    with sessions() as session:
        ended = lookup.tournament(session, tournament_id)
        progress = lookup.progress(session, tournament_id)
        assert ended.state == "cancelled"
        assert (ended.settled, ended.finished) == (ended.total, progress.finished)
        assert progress.finished + progress.cancelled == progress.total
        check_ledger(session)


def test_a_job_whose_subject_has_no_state_is_claimed_once(sessions: Sessions) -> None:
    """A match cannot be taken twice, as it runs; that a game is analysed only its job knows."""
    with sessions() as session:
        match_id = first_match(session)
        finished(session, match_id, ranked(1, 2))
        attempts.enqueue(session, ANALYSIS, ANALYSIS, [match_id])
        for name in ("first", "second"):
            workers.beat(session, name, places=100)  # there is room for both
        session.commit()
        first, second = (
            partial(attempts.claim, kind=ANALYSES, subject=match_id, worker=name, lease=LEASE)
            for name in ("first", "second")
        )
        assert first(session) is not None
        assert meanwhile(sessions, session, second) is None
