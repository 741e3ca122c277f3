"""Write a league into a database, with everything that the site shows of it.

Rows are made once for all databases, written past constraints and objects, as fast as the drivers
can; `_bulk` does that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Final

from sqlalchemy.orm import Session

from benchmarks._bulk import Bulk
from benchmarks._site_league import Cup, League, Played
from ladder.matches.states import JOB
from ladder.model import MatchKind
from ladder.people import tickets
from ladder.ratings import fairness
from ladder.ratings.entries import OtherEntries
from ladder.ratings.folding import Fold, fold
from ladder.ratings.refolding import counted_tables
from referee.bot import Bot, Decision
from referee.clock import Clock
from referee.match import Match, Seat, play_table
from referee.replay import write
from referee.rules import Layout, Move
from referee.seats.player import LocalSeat

TICKET: Final = "benchmark"
"""The cookies of a signed-in browser, whose user owns some bots and has notices."""
OWNER: Final = 2
_USERS: Final = 700
_FIRST: Final = datetime(2026, 1, 1, tzinfo=UTC)
_LENGTH: Final = timedelta(days=320)
_NEVER: Final = "2099-01-01 00:00:00.000000"
_GAMES: Final = 300  # that are played, by chance
_REPLAYS: Final = 6_000  # newest matches that have one; of older ones the space would be too much
_RUNNING: Final = 24
_QUEUED: Final = 200
_FAULTS: Final = ("timeout", "illegal_move", "protocol", "closed")
_CLOCK: Final = {"move_limit_ms": 10_000, "bank_ms": 60_000, "increment_ms": 500}
_DONE: Final = {"reason": "ships", "claimed_by": "worker-1", "lag_ms": 2, "attempt": 1}
_COUNTS: Final = {"interruptions": 0, "interruptions_alone": 0, "unreached": 0}


@dataclass(frozen=True, slots=True)
class World:
    """All that is written: a played league, and its fold."""

    league: League
    played: list[Played]
    fold: Fold
    games: dict[int, list[bytes]]

    @classmethod
    def made(cls, bots: int, matches: int) -> World:
        """Play a league; takes minutes."""
        league = League(bots, matches)
        played = list(league.results())
        rated = [one.table for one in played if one.kind != "challenge"]
        others = OtherEntries(tuple(league.entries), frozenset(), frozenset())
        return cls(league, played, fold([rated], others).fold, _games())

    def at(self, match_id: int) -> datetime:
        """Return when a match was created; matches take a minute each."""
        return _FIRST + _LENGTH * (match_id / len(self.played))


def write_world(world: World, bulk: Bulk) -> None:
    """Fill an empty database."""
    _people(world, bulk)
    _cups(world, bulk)
    _matches(world, bulk)
    _seats(world, bulk)
    _waiting(world, bulk)
    _replays(world, bulk)
    for table, rows in counted_tables(world.fold, world.league.annulled).items():
        bulk.copy_table(table, rows.tolist())
    bulk.copy(
        "strengths",
        ("seats", "version_id", "strength_milli", "low_milli", "high_milli", "last_result"),
        _strengths(world),
        {"computed_at": _text(_FIRST + _LENGTH)},
    )
    bulk.execute(f"UPDATE ledger SET last_result = {world.league.last}")


def keep_reports(session: Session) -> None:
    """Compute what the scheduler computes in the background."""
    for seats in (2, 3, 4):
        fairness.refresh(session, seats)
        session.commit()


def _people(world: World, bulk: Bulk) -> None:
    rng = Random(8)
    bots, at = world.league.bots, _text(_FIRST)
    users = [(1, "organiser", "admin"), *((n, f"author {n}", "author") for n in range(2, _USERS))]
    bulk.copy("users", ("id", "name", "role"), users, {"created_at": at})
    owners = [OWNER if bot % 250 == 1 else rng.randrange(2, _USERS) for bot in range(1, bots + 1)]
    named = [(bot, owner, f"Trader {bot}", 900) for bot, owner in enumerate(owners, 1)]
    columns = ("id", "user_id", "name", "usual_think_ms")
    bulk.copy("bots", columns, named, {"created_at": at, "last_match_at": at})
    _versions(world, bulk)
    notices = [(n, OWNER, 1, f"Your bot was paused for the {n}th time.") for n in range(1, 400)]
    bulk.copy("notices", ("id", "user_id", "bot_id", "sentence"), notices, {"created_at": at})
    signed_in = [(tickets.digest(TICKET), OWNER, at, _NEVER)]
    bulk.copy("sign_ins", ("secret_hash", "user_id", "created_at", "expires_at"), signed_in)


def _versions(world: World, bulk: Bulk) -> None:
    newest = {version.bot: version.id for version in world.league.versions}
    versions = [
        (
            *(one.id, one.bot, f"{one.number}.0"),
            "active" if newest[one.bot] == one.id else "superseded",
            *2 * (_text(world.at(one.after)),),
        )
        for one in world.league.versions
    ]
    columns = ("id", "bot_id", "name", "state", "created_at", "activated_at")
    bulk.copy("versions", columns, versions, {"address": "127.0.0.1:1", "language": "Python 3.11"})


def _cups(world: World, bulk: Bulk) -> None:
    finished: dict[int, list[int]] = {cup.id: [] for cup in world.league.cups}
    for match_id, one in enumerate(world.played, 1):
        if one.cup is not None:
            finished[one.cup].append(match_id)
    rows = [_cup(world, cup, finished[cup.id]) for cup in world.league.cups]
    columns = (
        *("id", "name", "format", "seats", "rounds", "round", "state", "total", "settled"),
        *("finished", "created_at", "started_at", "finished_at"),
    )
    bulk.copy("tournaments", columns, rows, {"seed": 1, "created_by": 1, **_CLOCK})
    entries = [
        (cup.id, bot, bot, number)
        for cup in world.league.cups
        for number, bot in enumerate(cup.bots, 1)
    ]
    bulk.copy("tournament_entries", ("tournament_id", "bot_id", "version_id", "number"), entries)


def _cup(world: World, cup: Cup, finished: list[int]) -> tuple[object, ...]:
    begun = _text(world.at(finished[0] if finished else len(world.played)))
    over = _text(world.at(finished[-1])) if finished and not cup.running else None
    left = _QUEUED if cup.running else 0
    state = "finished" if over else "running"
    done = len(finished)
    counts = (state, done + left, done, done, begun, begun, over)
    return (cup.id, cup.name, cup.format, cup.seats, cup.rounds, cup.rounds, *counts)


def _matches(world: World, bulk: Bulk) -> None:
    cups = {one.deal: one.cup for one in world.played}
    deals = ((deal, cups.get(deal), deal) for deal in range(1, world.league.deals + 1))
    bulk.copy("deals", ("id", "tournament_id", "layout_seed"), deals)
    columns = (
        *("id", "tournament_id", "deal_id", "rotation", "kind", "round", "seats", "rated"),
        *("result_number", "created_at", "started_at", "finished_at", "annulled_at"),
    )
    constant = {"state": "finished", **_CLOCK, **_DONE, **_COUNTS}
    bulk.copy("matches", columns, _match_rows(world), constant)


def _match_rows(world: World) -> Iterator[tuple[object, ...]]:
    for match_id, one in enumerate(world.played, 1):
        made = world.at(match_id)
        times = (_text(made), _text(made + timedelta(seconds=9)), _text(made + timedelta(0, 60)))
        number, _, size = one.table[0][:3]
        gone = times[2] if match_id in world.league.annulled else None
        played = (one.rotation, one.kind, one.round, size, one.kind != "challenge")
        yield (match_id, one.cup, one.deal, *played, number, *times, gone)


def _seats(world: World, bulk: Bulk) -> None:
    columns = (
        *("match_id", "seat", "bot_id", "version_id", "rank", "vp", "fault", "fault_sentence"),
        *("tributes", "decisions", "think_ms", "longest_ms"),
    )
    bulk.copy("seats", columns, _seat_rows(world))


def _seat_rows(world: World) -> Iterator[tuple[object, ...]]:
    for match_id, one in enumerate(world.played, 1):
        for seat, (*_, version, bot, rank, faulted, tributes) in enumerate(one.table):
            fault = _FAULTS[(match_id + bot) % 4] if faulted else None
            sentence = "It did not answer in time." if faulted else None
            think = 200 + (match_id * 7919 + bot * 31) % 1_500
            result = (rank, 28 - 4 * rank, fault, sentence, tributes)
            yield (match_id, seat, bot, version, *result, 55, think, think // 9)


def _waiting(world: World, bulk: Bulk) -> None:
    """Add running and waiting matches of the running tournament."""
    cup = next(one for one in world.league.cups if one.running)
    first, deal = len(world.played) + 1, world.league.deals
    ids = range(first, first + _RUNNING + _QUEUED)
    new = [(deal + n, cup.id, deal + n) for n in range(1, len(ids) + 1)]
    bulk.copy("deals", ("id", "tournament_id", "layout_seed"), new)
    at = _text(world.at(first))
    rows, jobs = [], []
    for n, match_id in enumerate(ids, 1):
        runs = n <= _RUNNING
        state = ("running", 1, "worker-1", at) if runs else ("queued", 0, None, None)
        rows.append((match_id, deal + n, *state))
        held = (1, "t", "worker-1", _NEVER) if runs else (0, None, None, None)
        jobs.append((match_id, *held))
    columns = ("id", "deal_id", "state", "attempt", "claimed_by", "started_at")
    constant = {
        **{"tournament_id": cup.id, "rotation": 0, "kind": "tournament", "round": 1, "seats": 2},
        **{"rated": True, "created_at": at},
        **(_CLOCK | _COUNTS),
    }
    bulk.copy("matches", columns, rows, constant)
    bulk.copy(
        "jobs",
        ("subject", "number", "token", "worker", "lease_until"),
        jobs,
        {"kind": JOB, "queue": MatchKind.TOURNAMENT.value},
    )
    rng = Random(9)
    pairs = [rng.sample(cup.bots, 2) for _ in ids]
    seats = [(m, seat, pair[seat], pair[seat]) for m, pair in zip(ids, pairs, strict=True)
             for seat in (0, 1)]  # fmt: skip
    bulk.copy("seats", ("match_id", "seat", "bot_id", "version_id"), seats)


def _replays(world: World, bulk: Bulk) -> None:
    newest = list(enumerate(world.played, 1))[-_REPLAYS:]
    rows = ((match_id, _game_of(world, match_id, len(one.table))) for match_id, one in newest)
    bulk.copy("replays", ("match_id", "data"), rows)


def _game_of(world: World, match_id: int, size: int) -> bytes:
    games = world.games[size]
    return games[match_id % len(games)]


def _strengths(world: World) -> Iterator[tuple[int, ...]]:
    for size, ladder in world.fold.places.items():
        for version, place in ladder.items():
            wide = 20_000 + 600_000 // (1 + place.games)
            middle = place.skill.rating + (version * 7919 % 40_000) - 20_000
            yield (size, version, middle, middle - wide, middle + wide, world.league.last)


class _AnyMove(Bot):
    """Chooses at random."""

    def __init__(self, seed: int) -> None:
        self._rng = Random(seed)

    def choose(self, decision: Decision) -> Move:
        return self._rng.choice(decision.position.legal_moves)


def _games() -> dict[int, list[bytes]]:
    """Replay files by table size."""
    found: dict[int, list[bytes]] = {2: [], 3: [], 4: []}
    for seed in range(_GAMES):
        size = 2 + seed % 3
        match = Match(
            id=str(seed),
            attempt=1,
            layout=Layout.shuffled(Random(seed)),
            dice_seed=seed.to_bytes(32, "big"),
            clock=Clock(),
            seats=tuple(Seat("", f"Trader {n}", "1.0", f"author {n}") for n in range(size)),
        )
        table = [LocalSeat(_AnyMove(seed + seat)) for seat in range(size)]
        found[size].append(write(asyncio.run(play_table(match, table))))
    return found


def _text(at: datetime) -> str:
    """Return the time as SQLite stores it and PostgreSQL reads it."""
    return at.replace(tzinfo=None).isoformat(" ", "microseconds")
