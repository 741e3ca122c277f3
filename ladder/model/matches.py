"""Tournaments and their entry lists, deals, matches with their seats, and replays."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, Session, mapped_column, relationship

from ladder.errors import NotFound, Phrase, Refused
from ladder.model import states
from ladder.model.base import Base, index_where, sql_list, stored
from ladder.model.bots import Bot, Version
from ladder.model.engine import execute
from ladder.model.states import EntryState, MatchKind, MatchState, TournamentState, TournamentStep

LADDER_DEAL: Final = sa.text(f"kind = '{MatchKind.LADDER}' AND rotation = 0")
"""The condition that a match is the first one of a deal of the ladder; it has an index."""


class Tournament(Base):
    """Some bots, and all the matches that they play with one another.

    `round` is the newest of its `rounds` whose matches have been made. A bot that cannot be reached
    for `grace_ms` forfeits. `made` counts the matches of the rounds so far, `settled` those of them
    that are finished, failed or cancelled, so that pages and the end of the tournament need no
    count over the matches.
    """

    __tablename__ = "tournaments"
    __table_args__ = (
        sa.CheckConstraint("seats BETWEEN 2 AND 4", "seats"),
        sa.CheckConstraint(f"state IN {sql_list(TournamentState)}", "state"),
        sa.CheckConstraint("format IN ('round_robin', 'gauntlet', 'swiss')", "format"),
        sa.CheckConstraint("settled BETWEEN 0 AND total", "settled"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    format: Mapped[str] = mapped_column(server_default="round_robin")
    seats: Mapped[int]
    deals: Mapped[int] = mapped_column(server_default="1")
    rounds: Mapped[int] = mapped_column(server_default="1")
    round: Mapped[int] = mapped_column(server_default="1")
    rated: Mapped[bool] = mapped_column(server_default=sa.text("true"))
    hosted_only: Mapped[bool] = mapped_column(server_default=sa.text("false"))
    """True if only hosted bots may enter: all play on equal hardware."""
    seed: Mapped[int | None] = mapped_column(sa.BigInteger)
    move_limit_ms: Mapped[int] = mapped_column(server_default="10000")
    bank_ms: Mapped[int] = mapped_column(server_default="60000")
    increment_ms: Mapped[int] = mapped_column(server_default="500")
    start_up_ms: Mapped[int] = mapped_column(server_default="10000")
    grace_ms: Mapped[int] = mapped_column(server_default="300000")
    created_by: Mapped[int | None] = mapped_column(sa.ForeignKey("users.id"))
    state: Mapped[TournamentState] = mapped_column(stored(TournamentState))
    total: Mapped[int]
    made: Mapped[int] = mapped_column(default=0, server_default="0")
    settled: Mapped[int] = mapped_column(default=0)
    finished: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    waiting_since: Mapped[datetime | None]
    """When it began or last went on: only from then on does it wait for missing bots."""
    finished_at: Mapped[datetime | None]


class Entry(Base):
    """A bot's place on the entry list: `number` from 1, and the version that plays."""

    __tablename__ = "tournament_entries"
    __table_args__ = (
        sa.UniqueConstraint("tournament_id", "number"),
        sa.CheckConstraint(f"state IN {sql_list(EntryState)}", "state"),
    )

    tournament_id: Mapped[int] = mapped_column(sa.ForeignKey("tournaments.id"), primary_key=True)
    bot_id: Mapped[int] = mapped_column(sa.ForeignKey("bots.id"), primary_key=True)
    version_id: Mapped[int] = mapped_column(sa.ForeignKey("versions.id"))
    number: Mapped[int]
    state: Mapped[EntryState] = mapped_column(stored(EntryState), server_default=EntryState.ENTERED)


class Deal(Base):
    """A layout that each rotation of the seats plays; the dice are fresh in each attempt."""

    __tablename__ = "deals"
    __table_args__ = (sa.Index(None, "tournament_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    tournament_id: Mapped[int | None] = mapped_column(sa.ForeignKey("tournaments.id"))
    layout_seed: Mapped[int] = mapped_column(sa.BigInteger)


class Match(Base):
    """One game at one table, from queue to result.

    While it waits or is played it has a row in `jobs`, which says who may play it. An attempt is
    one try to play it: `attempt` is the number of the newest, `claimed_by` its worker, and `lag_ms`
    the longest that the loop of that worker stood still in a game that it played to its end. A
    match of the kind `validation` is the trial of a new version, a `challenge` was asked for by an
    author; neither is rated.
    """

    __tablename__ = "matches"
    __table_args__ = (
        sa.CheckConstraint("seats BETWEEN 2 AND 4", "seats"),
        sa.CheckConstraint(f"state IN {sql_list(MatchState)}", "state"),
        sa.CheckConstraint(f"kind IN {sql_list(MatchKind)}", "kind"),
        sa.CheckConstraint(
            f"(state = '{MatchState.FINISHED}') = (result_number IS NOT NULL)", "result"
        ),
        sa.UniqueConstraint("deal_id", "rotation"),
        sa.Index(None, "tournament_id", "state"),
        sa.Index(None, "state", "id"),
        sa.Index(None, "kind", "state", "id"),
        index_where(
            sa.text("tournament_id IS NOT NULL"), "ix_matches_of_tournaments", "tournament_id", "id"
        ),
        index_where(sa.text("round IS NOT NULL"), "ix_matches_of_rounds", "tournament_id", "round"),
        index_where(sa.text("annulled_at IS NOT NULL"), "ix_matches_annulled", "tournament_id"),
        index_where(LADDER_DEAL, "ix_matches_ladder_deals", "seats", "id", "created_at"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    tournament_id: Mapped[int | None] = mapped_column(sa.ForeignKey("tournaments.id"))
    deal_id: Mapped[int] = mapped_column(sa.ForeignKey("deals.id"))
    rotation: Mapped[int]
    kind: Mapped[str] = mapped_column(server_default=MatchKind.TOURNAMENT)
    round: Mapped[int | None]
    asked_by: Mapped[int | None] = mapped_column(sa.ForeignKey("users.id"))
    seats: Mapped[int]
    state: Mapped[MatchState] = mapped_column(stored(MatchState))
    rated: Mapped[bool]

    move_limit_ms: Mapped[int]
    bank_ms: Mapped[int]
    increment_ms: Mapped[int]
    start_up_ms: Mapped[int] = mapped_column(server_default="10000")

    attempt: Mapped[int] = mapped_column(default=0)
    claimed_by: Mapped[str | None]
    interruptions: Mapped[int] = mapped_column(default=0)
    interruptions_alone: Mapped[int] = mapped_column(default=0, server_default="0")
    unreached: Mapped[int] = mapped_column(default=0)

    result_number: Mapped[int | None] = mapped_column(unique=True)
    reason: Mapped[str | None]
    lag_ms: Mapped[int | None]
    annulled_at: Mapped[datetime | None]
    annulled_by: Mapped[int | None] = mapped_column(sa.ForeignKey("users.id"))
    annul_reason: Mapped[str | None]
    created_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]

    deal: Mapped[Deal] = relationship()
    tournament: Mapped[Tournament | None] = relationship()
    table: Mapped[list[Seat]] = relationship(order_by="Seat.seat", back_populates="match")


class Seat(Base):
    """A seat of a match: the version that sits there, and its result. A bot sits at a table once.

    `tributes` says how many things its visits to El Zorro took from each seat, as in "0 2 1"; None
    if none. `misses` counts how often the bot was called and did not accept this match of the
    ladder (see `Debt`). The last columns are for the bot's author: what the referee said of a
    fault, what it had received (cut), and the think times by the referee's clock.
    `absent`: while the match waits, it may be played without this bot, whose grace time is over.
    """

    __tablename__ = "seats"
    __table_args__ = (
        sa.CheckConstraint("seat BETWEEN 0 AND 3", "seat"),
        sa.CheckConstraint("rank BETWEEN 1 AND 4", "rank"),
        sa.UniqueConstraint("match_id", "bot_id"),
        sa.Index(None, "bot_id", "match_id"),
        index_where(sa.text("misses > 0"), "ix_seats_missed", "bot_id", "match_id"),
        index_where(sa.text("rank IS NOT NULL"), "ix_seats_ranked", "bot_id", "match_id", "rank"),
    )

    match_id: Mapped[int] = mapped_column(sa.ForeignKey("matches.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    bot_id: Mapped[int] = mapped_column(sa.ForeignKey("bots.id"))
    version_id: Mapped[int] = mapped_column(sa.ForeignKey("versions.id"))
    absent: Mapped[bool] = mapped_column(server_default=sa.text("false"))
    rank: Mapped[int | None]
    vp: Mapped[int | None]
    fault: Mapped[str | None]
    tributes: Mapped[str | None]
    misses: Mapped[int] = mapped_column(server_default="0")
    fault_sentence: Mapped[str | None]
    received: Mapped[str | None]
    decisions: Mapped[int | None]
    think_ms: Mapped[int | None]
    longest_ms: Mapped[int | None]

    match: Mapped[Match] = relationship(back_populates="table")
    bot: Mapped[Bot] = relationship()
    version: Mapped[Version] = relationship()


class Debt(Base):
    """A match of the ladder that a bot owes: it was drawn, and the bot did not come.

    `since` is when it was first away. `misses` counts the calls that it refused though it answered
    otherwise, `missed_at` is the newest of these. The row goes with the match's job: when the match
    is over, however it ends.
    """

    __tablename__ = "debts"
    __table_args__ = (
        sa.ForeignKeyConstraint(
            ["kind", "match_id"], ["jobs.kind", "jobs.subject"], ondelete="CASCADE"
        ),
        sa.Index(None, "bot_id"),
    )

    match_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    bot_id: Mapped[int] = mapped_column(sa.ForeignKey("bots.id"), primary_key=True)
    kind: Mapped[str] = mapped_column(server_default="match")
    """The kind of the job, as `jobs` has it."""
    since: Mapped[datetime]
    misses: Mapped[int] = mapped_column(server_default="0")
    missed_at: Mapped[datetime | None]


class Replay(Base):
    """The replay file of a finished match."""

    __tablename__ = "replays"

    match_id: Mapped[int] = mapped_column(sa.ForeignKey("matches.id"), primary_key=True)
    data: Mapped[bytes] = mapped_column(sa.LargeBinary)


def move_tournament(
    session: Session, tournament_id: int, step: TournamentStep, **values: Any
) -> None:
    """Take a step; `values` are further columns to set. Raises NotFound and Refused.

    The test and the change are one statement, so of two that try the same only one succeeds.
    """
    starts, to = states.TOURNAMENT_STEPS[step]
    this = Tournament.id == tournament_id
    taking = (
        sa.update(Tournament).where(this, Tournament.state.in_(starts)).values(state=to, **values)
    )
    if execute(session, taking).rowcount:
        return
    state = session.scalar(sa.select(Tournament.state).where(this))
    if state is None:
        raise NotFound("there is no tournament %(tournament)s", tournament=tournament_id)
    raise Refused(
        "tournament %(tournament)s is %(state)s: it can't be %(step)s now",
        tournament=tournament_id,
        state=Phrase(state),
        step=Phrase(step),
    )


def move_entry(session: Session, tournament_id: int, bot_id: int) -> None:
    """Withdraw a bot from a tournament that it has entered. Raises Refused if it has withdrawn."""
    entered = Entry.tournament_id == tournament_id, Entry.state == EntryState.ENTERED
    leaving = sa.update(Entry).where(*entered, Entry.bot_id == bot_id)
    if not execute(session, leaving.values(state=EntryState.WITHDRAWN)).rowcount:
        raise Refused("the bot has withdrawn from this tournament already")
