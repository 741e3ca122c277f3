"""Start, pause, resume, cancel and finish tournaments.

The organiser's steps take `by`, the account that takes them (None at the operator's command line).
They raise Forbidden unless it is an organiser's, NotFound, and Refused if the tournament's state
does not allow the step; they leave an entry in the audit; the caller commits. When the last match
of a round is over, the scheduler lets the tournament go on.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, select, update
from sqlalchemy.orm import Session

from ladder import model
from ladder.bots import reach
from ladder.contests.cross_table import cross_table
from ladder.contests.tournaments.lookup import tournament_row
from ladder.contests.tournaments.rounds import (
    ANNULLED,
    Basis,
    entered_versions,
    make_next,
    read_basis,
)
from ladder.errors import Forbidden, Phrase
from ladder.matches.states import move_match
from ladder.people.accounts import Account, record_action
from ladder.people.notices import make_notice
from ladder.ratings import ledger


class RankNews(NamedTuple):
    """The notices to authors if a match is annulled, and what the ranks in them go by."""

    annulled: int | None
    """How many matches of its tournament are annulled already; None if that is not finished."""
    notices: Sequence[model.Notice]


def start(session: Session, tournament_id: int, *, by: Account | None = None) -> None:
    """Let the tournament's matches be played, notify the authors, and check unreachable bots."""
    _take(session, by, model.TournamentStep.START, tournament_id, "started_at", "waiting_since")
    reach.look_now(session, entered_versions(session, tournament_id).values())
    begun = Phrase("The tournament %(tournament)s has begun: %(bot)s plays in it.")
    session.add_all(_notices(session, tournament_id, begun))


def pause(session: Session, tournament_id: int, *, by: Account | None = None) -> None:
    """Begin no further match or round; running matches are played to their end."""
    _take(session, by, model.TournamentStep.PAUSE, tournament_id)


def resume(session: Session, tournament_id: int, *, by: Account | None = None) -> None:
    """Go on after a pause; check unreachable bots, and restart the time to wait for them."""
    _take(session, by, model.TournamentStep.RESUME, tournament_id, "waiting_since")
    waiting = select(model.Match.id).where(
        model.Match.tournament_id == tournament_id, model.Match.state == model.MatchState.QUEUED
    )
    given_up = update(model.Seat).where(model.Seat.match_id.in_(waiting), model.Seat.absent)
    model.execute(session, given_up.values(absent=False))  # they are waited for anew
    reach.look_now(session, entered_versions(session, tournament_id).values())


def cancel(session: Session, tournament_id: int, *, by: Account | None = None) -> None:
    """Cancel the tournament and all its matches without a result, including running ones.

    Notifies the authors if it had started. Results stay, and count for the ratings. Needs a
    transaction of its own.
    """
    at = _take(session, by, model.TournamentStep.CANCEL, tournament_id, "finished_at")
    if tournament_row(session, tournament_id).started_at is not None:
        gone = Phrase("The tournament %(tournament)s, in which %(bot)s played, was cancelled.")
        session.add_all(_notices(session, tournament_id, gone))
    cancel_matches(session, tournament_id, finished_at=at)


def cancel_matches(
    session: Session,
    tournament_id: int,
    *where: ColumnElement[bool],
    states: Collection[model.MatchState] = model.MATCH_UNDER_WAY,
    **values: Any,
) -> None:
    """Cancel those of a tournament's matches in these states, and count them there.

    `values` are further columns of the matches to set. The ledger must be locked.
    """
    own = model.Match.tournament_id == tournament_id, *where
    cancelled = sum(
        move_match(session, state, model.MatchState.CANCELLED, *own, **values) for state in states
    )
    counted = update(model.Tournament).where(model.Tournament.id == tournament_id)
    model.execute(session, counted.values(settled=model.Tournament.settled + cancelled))


def go_on(session: Session, tournament_id: int) -> int:
    """Make the next round of a tournament that is due, or finish it; return how many new matches.

    Changes nothing if it is not due, or if a match was annulled, a bot withdrew or the like
    meanwhile. Must have its transaction for itself; the caller commits.
    """
    basis = read_basis(session, tournament_id)
    if basis is None:
        return 0
    tournament = tournament_row(session, tournament_id)
    if tournament.round < tournament.rounds and len(basis.versions) >= tournament.seats:
        return make_next(session, tournament, basis)
    _finish(session, tournament_id, basis)
    return 0


def _finish(session: Session, tournament_id: int, basis: Basis) -> None:
    """Finish the tournament and tell its authors, unless the basis of the standings has changed.

    The ledger is locked after the standings are computed: no result of the arena waits for that.
    """
    over = Phrase("The tournament %(tournament)s is over: %(bot)s has rank %(rank)s of %(bots)s.")
    notices = _notices(session, tournament_id, over, _ranks(session, tournament_id))
    ledger.lock(session)
    if read_basis(session, tournament_id) != basis:
        return
    made = tournament_row(session, tournament_id).made  # less than planned if too many withdrew
    at, finished = model.now(session), model.TournamentStep.FINISH
    model.move_tournament(session, tournament_id, finished, finished_at=at, total=made)
    session.add_all(notices)
    session.flush()


def rank_news(session: Session, match_id: int, known: RankNews | None = None) -> RankNews:
    """Make the notices to authors whose final ranks change if a match is annulled.

    Call it before the ledger is locked, since no result of the arena should wait for the standings,
    and again after: what is `known` is returned as long as it holds.
    """
    own = select(model.Match.tournament_id).where(model.Match.id == match_id).scalar_subquery()
    finished = select(model.Tournament.id, ANNULLED).where(
        model.Tournament.id == own, model.Tournament.state == model.TournamentState.FINISHED
    )
    tournament_id, annulled = session.execute(finished).one_or_none() or (None, None)
    if known is not None and known.annulled == annulled:
        return known
    if tournament_id is None:
        return RankNews(annulled, ())
    before = _ranks(session, tournament_id)
    ranks = _ranks(session, tournament_id, without=match_id)
    template = Phrase(
        "Match %(match)s of the tournament %(tournament)s was annulled: %(bot)s has rank %(rank)s "
        "of %(bots)s now."
    )
    notices = _notices(session, tournament_id, template, ranks, match=match_id)
    changed = {bot for bot, rank in ranks.items() if before.get(bot) != rank}
    return RankNews(annulled, [notice for notice in notices if notice.bot_id in changed])


def may_organise(account: Account | None) -> None:
    """Raise Forbidden unless the account may organise tournaments; None, the operator, may."""
    if account is not None and not account.may_organise:
        raise Forbidden("only organisers can do this: ask an admin of this site for the role")


def _take(
    session: Session,
    by: Account | None,
    step: model.TournamentStep,
    tournament_id: int,
    *stamped: str,
) -> datetime:
    """Take an organiser's step, with the ledger locked; return the time, which `stamped` get."""
    ledger.lock(session)
    may_organise(by)
    at = model.now(session)
    model.move_tournament(session, tournament_id, step, **dict.fromkeys(stamped, at))
    record_action(session, by, f"tournament {step}", f"tournament {tournament_id}")
    return at


def _ranks(session: Session, tournament_id: int, *, without: int = 0) -> dict[int, int]:
    rows = cross_table(session, tournament_id, without=without).rows
    return {row.bot_id: row.rank for row in rows}


def _notices(
    session: Session,
    tournament_id: int,
    template: str,
    ranks: Mapping[int, int] | None = None,
    **fields: int,
) -> list[model.Notice]:
    """Make a notice about the tournament for the author of each bot; `ranks` are final ones."""
    name, at = tournament_row(session, tournament_id).name, model.now(session)
    return [
        make_notice(
            at,
            bot.user_id,
            model.NoticeTone.NEUTRAL,
            template,
            bot_id=bot.id,
            tournament_id=tournament_id,
            tournament=name,
            bot=bot.name,
            **({"rank": ranks[bot.id], "bots": len(ranks)} if ranks else {}),
            **fields,
        )
        for bot in _entered(session, tournament_id)
    ]


def _entered(session: Session, tournament_id: int) -> Sequence[model.Bot]:
    """Return the bots that have not withdrawn and whose authors get notices, unlike house bots'."""
    query = (
        select(model.Bot)
        .join(model.Entry, model.Entry.bot_id == model.Bot.id)
        .join(model.User, model.User.id == model.Bot.user_id)
        .where(
            model.Entry.tournament_id == tournament_id,
            model.Entry.state == model.EntryState.ENTERED,
            ~model.Bot.house,
            model.User.deleted_at.is_(None),
        )
        .order_by(model.Entry.number)
    )
    return session.scalars(query).all()
