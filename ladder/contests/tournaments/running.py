"""What organisers do with a tournament: start, pause, resume and cancel it."""

from __future__ import annotations

from sqlalchemy import update
from sqlalchemy.orm import Session

from ladder import model
from ladder.bots import reach
from ladder.contests.tournaments.making import entered_versions
from ladder.contests.tournaments.reading import found
from ladder.contests.tournaments.rounds import round_over
from ladder.contests.tournaments.telling import tell_begun, tell_cancelled
from ladder.errors import Forbidden
from ladder.matches.states import move_match
from ladder.model import Match, MatchState, TournamentStep, move_tournament, now
from ladder.people.accounts import Account
from ladder.people.audit import record_action
from ladder.ratings import ledger


def start(session: Session, tournament_id: int, *, by: Account | None = None) -> None:
    """Let its matches be played, and tell the authors; who is out of reach is looked for at once.

    `by` is who does it, None at the operator's command line. As all steps: raises Forbidden unless
    that is an organiser, NotFound, and Refused where its state does not allow it; leaves an entry
    in the audit; the caller commits.
    """
    ledger.lock(session)
    may_organise(by)
    at = now(session)
    move_tournament(session, tournament_id, TournamentStep.START, started_at=at, waiting_since=at)
    reach.look_now(session, list(entered_versions(session, tournament_id)))
    tell_begun(session, tournament_id)
    _audit(session, by, TournamentStep.START, tournament_id)
    if found(session, tournament_id).round_is_over:  # an admin had cancelled all before
        round_over(session, tournament_id, at=at)


def pause(session: Session, tournament_id: int, *, by: Account | None = None) -> None:
    """Let no further match begin; those under way are played to their end."""
    ledger.lock(session)
    may_organise(by)
    move_tournament(session, tournament_id, TournamentStep.PAUSE)
    _audit(session, by, TournamentStep.PAUSE, tournament_id)


def resume(session: Session, tournament_id: int, *, by: Account | None = None) -> None:
    """Go on after a pause; who is out of reach is looked for at once, and waited for anew."""
    ledger.lock(session)
    may_organise(by)
    move_tournament(session, tournament_id, TournamentStep.RESUME, waiting_since=now(session))
    reach.look_now(session, list(entered_versions(session, tournament_id)))
    _audit(session, by, TournamentStep.RESUME, tournament_id)


def cancel(session: Session, tournament_id: int, *, by: Account | None = None) -> None:
    """Cancel all its matches that have no result yet, also those that are being played.

    The authors are told where it had begun. Results stay, and count for the ratings. Must have its
    transaction for itself.
    """
    ledger.lock(session)
    may_organise(by)
    at = now(session)
    move_tournament(session, tournament_id, TournamentStep.CANCEL, finished_at=at)
    if found(session, tournament_id).started_at is not None:
        tell_cancelled(session, tournament_id)
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


def may_organise(account: Account | None) -> None:
    """Raises Forbidden unless the account may lead tournaments; the operator always may."""
    if account is not None and not account.may_organise:
        raise Forbidden("tournaments are for organisers: ask an admin of this site for the role")


def _audit(session: Session, by: Account | None, step: TournamentStep, tournament_id: int) -> None:
    record_action(session, by, f"tournament {step}", f"tournament {tournament_id}")
