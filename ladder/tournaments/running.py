"""Starting a tournament and cancelling it."""

from __future__ import annotations

from sqlalchemy.orm import Session

from ladder import ledger
from ladder.database import models, now, write
from ladder.database.models import Match
from ladder.errors import Refused
from ladder.matches.states import State, move
from ladder.tournaments.reading import found


def start(session: Session, tournament_id: int) -> None:
    """Let its matches be played. Raises NotFound; Refused unless it waits. The caller commits."""
    write(session)
    tournament = found(session, tournament_id)
    if tournament.state != "created":
        raise _refused(tournament, "started")
    tournament.state = "running"
    tournament.started_at = now(session)
    session.flush()


def cancel(session: Session, tournament_id: int) -> None:
    """Cancel all its matches that have no result yet, also those that are being played.

    Results stay. Raises NotFound; Refused if it is over. The caller commits.
    """
    ledger.lock(session)
    tournament = found(session, tournament_id)
    if tournament.state not in ("created", "running"):
        raise _refused(tournament, "cancelled")
    at = now(session)
    own = Match.tournament_id == tournament_id
    for state in (State.QUEUED, State.RUNNING):
        tournament.settled += move(session, state, State.CANCELLED, own, finished_at=at)
    tournament.state = "cancelled"
    tournament.finished_at = at
    session.flush()


def _refused(tournament: models.Tournament, what: str) -> Refused:
    return Refused(f"tournament {tournament.id} is {tournament.state}: it can't be {what} now")
