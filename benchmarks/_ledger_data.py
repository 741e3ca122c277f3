"""Make ladders of any size, fast: random matches, and what the fold computes from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

from sqlalchemy import text
from sqlalchemy.orm import Session, sessionmaker

from benchmarks._bulk import Bulk
from ladder import model
from ladder.model import Bot, EntryKind, Ledger, User, Version
from ladder.ratings.entries import LedgerEntry, OtherEntries, SeatRow
from ladder.ratings.folding import fold
from ladder.ratings.refolding import counted_tables

_NEAR: Final = 50  # opponents are no further apart in strength, in places
_SPREAD: Final = 1.3  # standard deviations of strength in those of luck
_WHEN: Final = "2026-01-01 00:00:00"
_ANNULLED_EVERY: Final = 5_000  # entries


class League:
    """Bots of different strengths, the deals that they play, and random entries of the ledger."""

    def __init__(self, bots: int, matches: int) -> None:
        self.bots = bots
        self.matches = matches
        self.annulled: list[LedgerEntry] = []
        self._rng = Random(1)
        self._queued = 0

    def results(self) -> Iterator[list[SeatRow]]:
        """Yield results by number, each as its seats; every bot has one version."""
        number, match_id = 0, 0
        while match_id < self.matches:
            for table in self._deal():
                number, match_id = number + 1, match_id + 1
                if number % _ANNULLED_EVERY == 0:
                    gone = match_id - self._rng.randrange(1, 1_000)
                    self.annulled.append(LedgerEntry(number, EntryKind.ANNULMENT, gone, 0, 0, 0))
                    number += 1
                yield [(number, match_id, len(table), *seat) for seat in table]

    def table(self) -> list[int]:
        """Draw two to four bots that meet."""
        size = 2 + self._queued % 3
        self._queued += 1
        first = self._rng.randrange(self.bots)
        near = range(max(0, first - _NEAR), min(self.bots, first + _NEAR + 1))
        others = self._rng.sample([bot for bot in near if bot != first], size - 1)
        return [1 + bot for bot in (first, *others)]

    def _deal(self) -> Iterator[list[tuple[int, int, int, bool, str | None]]]:
        bots = self.table()
        for rotation in range(len(bots)):
            yield self._game(bots[rotation:] + bots[:rotation])

    def _game(self, bots: list[int]) -> list[tuple[int, int, int, bool, str | None]]:
        rng = self._rng
        luck = [round(_SPREAD * bot / self.bots * 3.5 + rng.gauss(0, 1), 1) for bot in bots]
        ranks = [1 + sum(other > one for other in luck) for one in luck]
        return [
            (bot, bot, rank, rng.random() < 0.01, self._tributes(len(bots)))
            for bot, rank in zip(bots, ranks, strict=True)
        ]

    def _tributes(self, size: int) -> str | None:
        if self._rng.random() < 0.5:
            return None
        return " ".join(str(self._rng.randrange(3)) for _ in range(size))


def make(url: str, bots: int, matches: int) -> sessionmaker[Session]:
    """Fill an empty database; return its session factory."""
    model.upgrade(url)
    engine = model.engine(url)
    sessions = model.session_factory(engine)
    with sessions.begin() as session:
        model.write(session)
        if engine.dialect.name == "postgresql":  # making takes long, and is no stopped client
            session.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        _people(session, bots)
        league = League(bots, matches)
        results = list(league.results())
        bulk = Bulk(session.connection())
        _matches(bulk, results, {entry.match_id for entry in league.annulled})
        others = OtherEntries(tuple(league.annulled), frozenset(), frozenset())
        folded = fold([results], others).fold
        session.get_one(Ledger, 1).last_result = results[-1][0][0]
        session.flush()
        for table, rows in counted_tables(
            folded, {one.match_id for one in league.annulled}
        ).items():
            bulk.copy_table(table, rows.tolist())
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if engine.dialect.name == "sqlite":  # as a ladder that has grown day by day
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute(text("ANALYZE"))
    return sessions


def _people(session: Session, bots: int) -> None:
    at = model.now(session)
    session.add(User(id=1, name="maker", role="admin", created_at=at))
    session.flush()
    ids = range(1, bots + 1)
    session.add_all(Bot(id=bot, user_id=1, name=f"bot {bot}", created_at=at) for bot in ids)
    session.flush()
    session.add_all(
        Version(id=bot, bot_id=bot, name="1", address="", state="active", created_at=at)
        for bot in ids
    )
    session.flush()


def _matches(bulk: Bulk, results: Sequence[list[SeatRow]], annulled: set[int]) -> None:
    deals, matches, seats = [], [], []
    before: set[int] = set()
    deal, rotation = 0, 0
    for table in results:
        number, match_id, size = table[0][:3]
        sitting = {seat[3] for seat in table}
        deal, rotation = (deal, rotation + 1) if sitting == before else (deal + 1, 0)
        rotation, deal, before = rotation % size, deal + (rotation == size), sitting
        if rotation == 0:
            deals.append((deal, deal))
        gone = _WHEN if match_id in annulled else None
        matches.append((match_id, deal, rotation, size, number, gone))
        for place, seat in enumerate(table):
            fault = "timeout" if seat[6] else None
            seats.append((match_id, place, seat[4], seat[3], seat[5], fault, seat[7]))
    bulk.copy("deals", ("id", "layout_seed"), deals)
    columns = ("id", "deal_id", "rotation", "seats", "result_number", "annulled_at")
    constant = {
        "kind": "ladder", "state": "finished", "rated": True, "move_limit_ms": 1,
        "bank_ms": 1, "increment_ms": 1, "attempt": 1, "interruptions": 0, "unreached": 0,
        "reason": "ships", "claimed_by": "worker", "lag_ms": 0, "created_at": _WHEN,
        "started_at": _WHEN, "finished_at": _WHEN,
    }  # fmt: skip
    bulk.copy("matches", columns, matches, constant)
    seated = ("match_id", "seat", "bot_id", "version_id", "rank", "fault", "tributes")
    bulk.copy("seats", seated, seats, {"vp": 20})
