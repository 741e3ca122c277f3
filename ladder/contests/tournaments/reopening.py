"""Have forfeits played after all: of the newest round, if the bots that missed them are back."""

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from ladder import model
from ladder.contests.pairings import PlannedDeal
from ladder.contests.tournaments.lifecycle import add_round, may_organise
from ladder.contests.tournaments.lookup import found
from ladder.errors import Phrase, Refused
from ladder.matches import results, tables
from ladder.matches.reading import ABSENT
from ladder.model import Deal, Entry, Match, MatchKind, Seat, Tournament
from ladder.people.accounts import Account, record_action
from ladder.ratings import ledger

_READY: Final = tables.ready_for(MatchKind.TOURNAMENT)


def play_forfeits(session: Session, tournament_id: int, *, by: Account | None = None) -> int:
    """Let the forfeits of the newest round be played whose bots are back; return how many.

    Each becomes a new match, of the same bots in the same seats on the same layout; the forfeit is
    annulled. `by` is an organiser's account, None the operator's. Raises Forbidden, NotFound, and
    Refused if the tournament is not under way or no such bot is back. Needs a transaction of its
    own, which the caller commits.
    """
    ledger.lock(session)
    may_organise(by)
    tournament = found(session, tournament_id)
    if tournament.state not in model.TOURNAMENT_UNDER_WAY:
        raise Refused(
            "tournament %(tournament)s is %(state)s: its forfeits can't be played any more",
            tournament=tournament_id,
            state=Phrase(tournament.state),
        )
    forfeited = session.scalars(_forfeited(tournament).order_by(Match.deal_id, Match.id)).all()
    if not forfeited:
        raise Refused("none of the bots that missed a match of this round is back")
    planned = [
        _as_deal(session, deal_id, list(matches))
        for deal_id, matches in groupby(forfeited, lambda match: match.deal_id)
    ]
    again = add_round(session, tournament, tournament.round, planned, model.now(session))
    for match, new in zip(forfeited, again, strict=True):
        results.annul(session, match, by.id if by else None, f"It is played as match {new}")
    tournament.total += len(again)
    session.flush()
    record_action(session, by, "play forfeits", f"tournament {tournament_id}")
    return len(again)


def count_playable(session: Session, tournament_id: int) -> int:
    """Return how many forfeits `play_forfeits` would let be played now."""
    tournament = found(session, tournament_id)
    if tournament.state not in model.TOURNAMENT_UNDER_WAY:
        return 0
    matches = _forfeited(tournament).with_only_columns(func.count())
    return session.scalar(matches) or 0


def _forfeited(tournament: Tournament) -> Select[Match]:
    """Select the forfeits of the newest round whose absent bots are all back."""
    missed = Seat.fault == ABSENT
    gone = select(Entry.bot_id).where(
        Entry.tournament_id == tournament.id, Entry.state == model.EntryState.WITHDRAWN
    )
    return select(Match).where(
        Match.tournament_id == tournament.id,
        Match.round == tournament.round,
        Match.state == model.MatchState.FINISHED,
        Match.annulled_at.is_(None),
        tables.at_table(missed),
        ~tables.at_table(missed, ~_READY),
        ~tables.at_table(Seat.bot_id.in_(gone)),
    )


def _as_deal(session: Session, deal_id: int, matches: Sequence[Match]) -> PlannedDeal:
    """Return a deal of these matches alone, on the layout of their deal."""
    layout_seed = session.get_one(Deal, deal_id).layout_seed
    seated = (match.table for match in matches)
    return PlannedDeal(layout_seed, tuple(tuple(seat.bot_id for seat in of) for of in seated))
