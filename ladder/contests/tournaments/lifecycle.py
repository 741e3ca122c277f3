"""Start, pause, resume, cancel and finish tournaments, and notify the authors of their bots.

The organiser's steps take `by`, who does it (None at the operator's command line). They raise
Forbidden unless that is an organiser, NotFound, and Refused if the tournament's state does not
allow the step; they leave an entry in the audit; the caller commits.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from ladder import model
from ladder.bots import reach
from ladder.contests.cross_table import cross_table
from ladder.contests.tournaments.lookup import found
from ladder.contests.tournaments.rounds import entered_versions, next_round
from ladder.errors import Forbidden, Phrase
from ladder.matches.states import move_match
from ladder.model import (
    Bot,
    Entry,
    Match,
    MatchState,
    TournamentState,
    TournamentStep,
    User,
    move_tournament,
    now,
)
from ladder.people.accounts import Account
from ladder.people.audit import record_action
from ladder.people.notices import notify
from ladder.ratings import ledger


def start(session: Session, tournament_id: int, *, by: Account | None = None) -> None:
    """Let the tournament's matches be played, notify the authors, and check unreachable bots."""
    ledger.lock(session)
    may_organise(by)
    at = now(session)
    move_tournament(session, tournament_id, TournamentStep.START, started_at=at, waiting_since=at)
    reach.look_now(session, list(entered_versions(session, tournament_id)))
    _notify_begun(session, tournament_id)
    _audit(session, by, TournamentStep.START, tournament_id)
    if found(session, tournament_id).round_is_over:  # all cancelled before
        round_over(session, tournament_id, at=at)


def pause(session: Session, tournament_id: int, *, by: Account | None = None) -> None:
    """Begin no further match; those that run are played to their end."""
    ledger.lock(session)
    may_organise(by)
    move_tournament(session, tournament_id, TournamentStep.PAUSE)
    _audit(session, by, TournamentStep.PAUSE, tournament_id)


def resume(session: Session, tournament_id: int, *, by: Account | None = None) -> None:
    """Go on after a pause; check unreachable bots, and restart the time to wait for them."""
    ledger.lock(session)
    may_organise(by)
    move_tournament(session, tournament_id, TournamentStep.RESUME, waiting_since=now(session))
    reach.look_now(session, list(entered_versions(session, tournament_id)))
    _audit(session, by, TournamentStep.RESUME, tournament_id)


def cancel(session: Session, tournament_id: int, *, by: Account | None = None) -> None:
    """Cancel all its matches without a result, including those that run.

    Notifies the authors if it had started. Results stay, and count for the ratings. Needs a
    transaction of its own.
    """
    ledger.lock(session)
    may_organise(by)
    at = now(session)
    move_tournament(session, tournament_id, TournamentStep.CANCEL, finished_at=at)
    if found(session, tournament_id).started_at is not None:
        _notify_cancelled(session, tournament_id)
    own = Match.tournament_id == tournament_id
    cancelled = sum(
        move_match(session, state, MatchState.CANCELLED, own, finished_at=at)
        for state in (MatchState.QUEUED, MatchState.RUNNING)
    )
    session.execute(
        update(model.Tournament)
        .where(model.Tournament.id == tournament_id)
        .values(settled=model.Tournament.settled + cancelled),
        execution_options={"synchronize_session": False},
    )
    _audit(session, by, TournamentStep.CANCEL, tournament_id)


def round_over(session: Session, tournament_id: int, *, at: datetime) -> None:
    """Make the next round, or finish.

    The ledger must be locked, and all matches made so far must be over.
    """
    tournament = found(session, tournament_id)
    if tournament.state not in (TournamentState.RUNNING, TournamentState.PAUSED):
        return
    if tournament.round < tournament.rounds:
        next_round(session, tournament)
    else:
        move_tournament(session, tournament_id, TournamentStep.FINISH, finished_at=at)
        _notify_over(session, tournament_id)


def may_organise(account: Account | None) -> None:
    """Raise Forbidden unless the account may organise tournaments; None, the operator, may."""
    if account is not None and not account.may_organise:
        raise Forbidden("tournaments are for organisers: ask an admin of this site for the role")


def _audit(session: Session, by: Account | None, step: TournamentStep, tournament_id: int) -> None:
    record_action(session, by, f"tournament {step}", f"tournament {tournament_id}")


def _notify_begun(session: Session, tournament_id: int) -> None:
    """Notify the author of each bot that the tournament has begun."""
    name = found(session, tournament_id).name
    for bot in _entered(session, tournament_id):
        template = Phrase("The tournament %(tournament)s has begun: %(bot)s plays in it.")
        notify(session, bot.user_id, template, bot_id=bot.id, tournament=name, bot=bot.name)


def _notify_over(session: Session, tournament_id: int) -> None:
    """Notify the author of each bot of its final rank."""
    name = found(session, tournament_id).name
    rows = cross_table(session, tournament_id).rows
    ranks = {row.bot_id: row.rank for row in rows}
    for bot in _entered(session, tournament_id):
        notify(
            session,
            bot.user_id,
            "The tournament %(tournament)s is over: %(bot)s has rank %(rank)s of %(bots)s.",
            bot_id=bot.id,
            tournament=name,
            bot=bot.name,
            rank=ranks[bot.id],
            bots=len(rows),
        )


def _notify_cancelled(session: Session, tournament_id: int) -> None:
    """Notify the author of each bot that the tournament was cancelled."""
    name = found(session, tournament_id).name
    for bot in _entered(session, tournament_id):
        template = Phrase("The tournament %(tournament)s, in which %(bot)s played, was cancelled.")
        notify(session, bot.user_id, template, bot_id=bot.id, tournament=name, bot=bot.name)


def _entered(session: Session, tournament_id: int) -> Iterator[Bot]:
    """Return the bots on the entry list whose authors get notices (house bots have none)."""
    query = (
        select(Bot)
        .join(Entry, Entry.bot_id == Bot.id)
        .join(User, User.id == Bot.user_id)
        .where(Entry.tournament_id == tournament_id, ~Bot.house, User.deleted_at.is_(None))
        .order_by(Entry.number)
    )
    return iter(session.scalars(query).all())
