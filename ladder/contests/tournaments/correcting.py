"""Correct a tournament that runs: withdraw a bot, or have forfeits played after all."""

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from sqlalchemy import ColumnElement, Select, and_, func, or_, select
from sqlalchemy.orm import Session, joinedload, selectinload

from ladder import model
from ladder.contests.pairings import PlannedDeal
from ladder.contests.tournaments.forfeits import READY
from ladder.contests.tournaments.lifecycle import cancel_matches, may_organise
from ladder.contests.tournaments.lookup import tournament_row
from ladder.contests.tournaments.rounds import add_round, entered_versions
from ladder.errors import Forbidden, NotFound, Phrase, Refused
from ladder.matches import results, tables
from ladder.matches.reading import ABSENT
from ladder.model import Bot, BotState, Entry, Match, MatchState, NoticeTone, Seat, Tournament, User
from ladder.people.accounts import Account, record_action
from ladder.people.notices import notify
from ladder.ratings import ledger

_BY_AUTHOR: Final = Phrase("%(bot)s has withdrawn from the tournament %(tournament)s.")
_BY_ORGANISER: Final = Phrase("An organiser withdrew %(bot)s from the tournament %(tournament)s.")
_AND_ANNULLED: Final = Phrase(
    "An organiser withdrew %(bot)s from the tournament %(tournament)s and annulled its "
    "results there."
)
_ANNULLED: Final = Phrase(
    "An organiser annulled the results of %(bot)s in the tournament %(tournament)s."
)
_HAS_PLAYED: Final = (
    select(Match.id)
    .join(Seat, Seat.match_id == Match.id)
    .where(
        Match.tournament_id == Entry.tournament_id,
        Seat.bot_id == Entry.bot_id,
        Match.state.in_((MatchState.RUNNING, MatchState.FINISHED)),
        Match.annulled_at.is_(None),
    )
    .exists()
)
"""The condition that an entrant has results in the tournament, or plays in it."""
_RETIRED: Final = (
    select(Entry.tournament_id, Bot.id, User.id, User.name, User.role)
    .join(Bot, Bot.id == Entry.bot_id)
    .join(User, User.id == Bot.user_id)
    .where(
        Entry.tournament_id.in_(
            select(Tournament.id).where(Tournament.state.not_in(model.TOURNAMENT_OVER))
        ),
        Bot.state == BotState.RETIRED,
        Entry.state == model.EntryState.ENTERED,
    )
    .order_by(Entry.tournament_id, Entry.number)
)
"""Selects the entrants that never come back: tournament, bot, and its author's account."""


def withdraw(
    session: Session,
    tournament_id: int,
    bot_id: int,
    *,
    by: Account | None = None,
    annul: bool = False,
) -> None:
    """Withdraw a bot from a tournament that is not over, for good.

    Its matches that wait are cancelled; those that are played count, as does what it has played.
    With `annul`, its results in the tournament are annulled, and running matches are cancelled;
    that is possible after it has withdrawn, too. `by` is the bot's author, or an organiser (None:
    the operator), who alone may annul. Raises Forbidden, NotFound and Refused. Needs a transaction
    of its own, which the caller commits.
    """
    ledger.lock(session)
    bot = _entrant(session, tournament_id, bot_id)
    if annul:
        may_organise(by)
    elif by is not None and not by.may_organise and by.id != bot.user_id:
        raise Forbidden("only its author or an organiser can withdraw a bot")
    tournament = tournament_row(session, tournament_id)
    if tournament.state in model.TOURNAMENT_OVER:
        raise Refused(
            "tournament %(tournament)s is %(state)s: no bot can withdraw from it now",
            tournament=tournament_id,
            state=Phrase(tournament.state),
        )
    this = Entry.tournament_id == tournament_id, Entry.bot_id == bot_id
    withdrew = select(Entry.bot_id).where(
        *this, Entry.state == model.EntryState.WITHDRAWN, _HAS_PLAYED
    )
    before = annul and session.scalar(withdrew) is not None
    if not before:
        model.move_entry(session, tournament_id, bot_id)
    _void(session, tournament_id, bot, by, annul=annul)
    word = "annul results" if before else "withdraw and annul" if annul else "withdraw"
    record_action(session, by, word, f"tournament {tournament_id}", f"bot {bot_id}")
    annulled = _ANNULLED if before else _AND_ANNULLED if annul else None
    _notify(session, tournament, bot, by, annulled)


def withdraw_retired(session: Session) -> None:
    """Withdraw retired bots from tournaments that are not over, as if their authors did.

    They never come back, so nobody has to wait for them. Needs a transaction of its own, which the
    caller commits.
    """
    if session.execute(_RETIRED).first() is None:
        return
    ledger.lock(session)
    for tournament_id, bot_id, author_id, name, role in session.execute(_RETIRED).all():
        withdraw(session, tournament_id, bot_id, by=Account(author_id, name, role))


def may_withdraw(session: Session, tournament_id: int, account: Account | None) -> set[int]:
    """Return the bots that the account may withdraw from a tournament now.

    For an organiser also those that have withdrawn, if there is something to annul.
    """
    if account is None or tournament_row(session, tournament_id).state in model.TOURNAMENT_OVER:
        return set()
    query = (
        select(Bot.id)
        .join(Entry, Entry.bot_id == Bot.id)
        .where(Entry.tournament_id == tournament_id)
    )
    entered = Entry.state == model.EntryState.ENTERED
    if account.may_organise:
        return set(session.scalars(query.where(or_(entered, _HAS_PLAYED))))
    return set(session.scalars(query.where(entered, Bot.user_id == account.id)))


def play_forfeits(session: Session, tournament_id: int, *, by: Account | None = None) -> int:
    """Let the forfeits of the newest round be played whose bots are back; return how many.

    Each becomes a new match, of the same bots in the same seats on the same layout; the forfeit is
    annulled. `by` is an organiser's account, None the operator's. Raises Forbidden, NotFound, and
    Refused if the tournament is not under way or no such bot is back. Needs a transaction of its
    own, which the caller commits.
    """
    ledger.lock(session)
    may_organise(by)
    tournament = tournament_row(session, tournament_id)
    if tournament.state not in model.TOURNAMENT_UNDER_WAY:
        raise Refused(
            "tournament %(tournament)s is %(state)s: its forfeits can't be played any more",
            tournament=tournament_id,
            state=Phrase(tournament.state),
        )
    found = _forfeited(tournament).order_by(Match.deal_id, Match.id)
    with_tables = found.options(joinedload(Match.deal), selectinload(Match.table))
    forfeited = session.scalars(with_tables).all()
    if not forfeited:
        raise Refused("none of the bots that missed a match of this round is back")
    planned = [
        _as_deal(list(matches)) for _, matches in groupby(forfeited, lambda match: match.deal_id)
    ]
    versions = entered_versions(session, tournament_id)
    again = add_round(session, tournament, tournament.round, planned, versions)
    for match, new in zip(forfeited, again, strict=True):
        results.annul(session, match, by.id if by else None, f"It is played as match {new}")
    tournament.made += len(again)
    tournament.total += len(again)
    session.flush()
    record_action(session, by, "play forfeits", f"tournament {tournament_id}")
    return len(again)


def count_playable(session: Session, tournament_id: int) -> int:
    """Return how many forfeits `play_forfeits` would let be played now."""
    tournament = tournament_row(session, tournament_id)
    if tournament.state not in model.TOURNAMENT_UNDER_WAY:
        return 0
    return session.scalar(_forfeited(tournament).with_only_columns(func.count())) or 0


def _entrant(session: Session, tournament_id: int, bot_id: int) -> Bot:
    tournament_row(session, tournament_id)
    entered = Entry.tournament_id == tournament_id, Entry.bot_id == bot_id
    bot = session.scalar(select(Bot).join(Entry, Entry.bot_id == Bot.id).where(*entered))
    if bot is None:
        raise NotFound(
            "bot %(bot)s is not on the entry list of tournament %(tournament)s",
            bot=bot_id,
            tournament=tournament_id,
        )
    return bot


def _void(
    session: Session, tournament_id: int, bot: Bot, by: Account | None, *, annul: bool
) -> None:
    """Cancel what the bot has still to play; annul what it has played if wanted."""
    table = select(Seat.match_id).where(Seat.bot_id == bot.id)
    own = and_(Match.tournament_id == tournament_id, Match.id.in_(table))
    reason = f"{bot.name} withdrew from the tournament"
    if annul:
        _annul(session, own, by, reason)
    states = model.MATCH_UNDER_WAY if annul else (MatchState.QUEUED,)
    at = model.now(session)
    cancel_matches(session, tournament_id, own, states=states, reason=reason, finished_at=at)
    session.expire_all()


def _annul(session: Session, own: ColumnElement[bool], by: Account | None, reason: str) -> None:
    played = select(Match).where(
        own, Match.state == MatchState.FINISHED, Match.annulled_at.is_(None)
    )
    for match in session.scalars(played.order_by(Match.result_number)).all():
        results.annul(session, match, by.id if by else None, reason)


def _notify(
    session: Session, tournament: Tournament, bot: Bot, by: Account | None, annulled: Phrase | None
) -> None:
    """Tell the author what an organiser did, or the organiser what the author did.

    `annulled` is the sentence to say if results were annulled, else None.
    """
    about: dict[str, str | int] = {
        "bot": bot.name,
        "tournament": tournament.name,
        "tournament_id": tournament.id,
    }
    if by is not None and by.id == bot.user_id:
        organiser = tournament.created_by and session.get_one(User, tournament.created_by)
        if organiser and organiser.id != by.id and organiser.deleted_at is None:
            sentence = annulled or _BY_AUTHOR
            notify(session, organiser.id, NoticeTone.NEUTRAL, sentence, bot_id=bot.id, **about)
    elif not bot.house and bot.user.deleted_at is None:
        sentence = annulled or _BY_ORGANISER
        notify(session, bot.user_id, NoticeTone.BAD, sentence, bot_id=bot.id, **about)


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
        ~tables.at_table(missed, ~READY),
        ~tables.at_table(Seat.bot_id.in_(gone)),
    )


def _as_deal(matches: Sequence[Match]) -> PlannedDeal:
    """Return a deal of these matches alone, on the layout of their deal."""
    seated = (match.table for match in matches)
    layout_seed = matches[0].deal.layout_seed
    return PlannedDeal(layout_seed, tuple(tuple(seat.bot_id for seat in of) for of in seated))
