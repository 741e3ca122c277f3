"""The log of a bot: what the referee saw of it in each match, for its author alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from ladder.bots.owned import own_bot
from ladder.model import MATCH_OVER, Bot, Match, MatchState, Seat, Version, submitted_name
from ladder.people.accounts import Account

MOST: Final = 200
"""Entries that one page holds."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One match that is over. What was not measured, or did not happen, is None.

    `seat` counts from 0; `opponents` are the others at the table, by seat, with their versions.
    `fault` is the stable code, `fault_sentence` what the referee said, or why the bot could not be
    reached, `received` the first bytes of what it had received, as text. `think_ms` is for all
    `decisions` together, `longest_ms` the longest of them, by the referee's clock.
    """

    match_id: int
    kind: str
    state: MatchState
    rated: bool
    reason: str | None
    version: str
    seat: int
    rank: int | None
    vp: int | None
    fault: str | None
    fault_sentence: str | None
    received: str | None
    decisions: int | None
    think_ms: int | None
    longest_ms: int | None
    finished_at: datetime | None
    opponents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LogPage:
    """Entries, newest first; `next_before` asks for the page after it, None on the last."""

    entries: tuple[LogEntry, ...]
    next_before: int | None


def log(
    session: Session,
    account: Account,
    bot_id: int,
    *,
    before: int | None = None,
    limit: int = 50,
    faults_only: bool = False,
) -> LogPage:
    """The newest matches of an own bot with a lower id than `before`. Raises NotFound."""
    bot = own_bot(session, account, bot_id)
    limit = max(1, min(limit, MOST))
    query = (
        select(
            Seat.match_id,
            Match.kind,
            Match.state,
            Match.rated,
            Match.reason,
            Version.name.label("version"),
            Seat.seat,
            Seat.rank,
            Seat.vp,
            Seat.fault,
            Seat.fault_sentence,
            Seat.received,
            Seat.decisions,
            Seat.think_ms,
            Seat.longest_ms,
            Match.finished_at,
        )
        .join(Match, Match.id == Seat.match_id)
        .join(Version, Version.id == Seat.version_id)
        .where(Seat.bot_id == bot.id, Match.state.in_(MATCH_OVER))
        .order_by(Seat.match_id.desc())
        .limit(limit + 1)
    )
    if before is not None:
        query = query.where(Seat.match_id < before)
    if faults_only:
        query = query.where(Seat.fault.is_not(None))
    found = session.execute(query).all()
    others = _others(session, bot.id, [row.match_id for row in found[:limit]])
    shown = tuple(
        LogEntry(
            **{**row._mapping, "version": submitted_name(row.version)},
            opponents=tuple(others[row.match_id]),
        )
        for row in found[:limit]
    )
    return LogPage(shown, shown[-1].match_id if len(found) > limit else None)


def _others(session: Session, bot_id: int, match_ids: Sequence[int]) -> dict[int, list[str]]:
    """By match, who else sat at the table."""
    query = (
        select(Seat.match_id, Bot.name, Version.name.label("version"))
        .join(Bot, Bot.id == Seat.bot_id)
        .join(Version, Version.id == Seat.version_id)
        .where(Seat.match_id.in_(match_ids), Seat.bot_id != bot_id)
        .order_by(Seat.match_id, Seat.seat)
    )
    found: defaultdict[int, list[str]] = defaultdict(list)
    for row in session.execute(query):
        found[row.match_id].append(f"{row.name} {submitted_name(row.version)}")
    return found
