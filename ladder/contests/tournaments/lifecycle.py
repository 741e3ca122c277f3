"""Start, pause, resume, cancel and finish tournaments; plan and write the rounds on the way.

The organiser's steps take `by`, the account that takes them (None at the operator's command line).
They raise Forbidden unless it is an organiser's, NotFound, and Refused if the tournament's state
does not allow the step; they leave an entry in the audit; the caller commits.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from random import Random
from typing import Any

from sqlalchemy import ColumnElement, func, insert, select, update
from sqlalchemy.orm import Session

from ladder import model
from ladder.bots import reach
from ladder.contests.cross_table import cross_table
from ladder.contests.formats import swiss_round
from ladder.contests.pairings import PlannedDeal, Table
from ladder.contests.tournaments.lookup import tournament_row
from ladder.errors import Forbidden, Phrase
from ladder.jobs import attempts
from ladder.matches.queue import clock_columns, clock_of
from ladder.matches.states import JOB, move_match
from ladder.people.accounts import Account, record_action
from ladder.people.notices import notify
from ladder.ratings import ledger


def start(session: Session, tournament_id: int, *, by: Account | None = None) -> None:
    """Let the tournament's matches be played, notify the authors, and check unreachable bots."""
    ledger.lock(session)
    may_organise(by)
    at = model.now(session)
    model.move_tournament(
        session, tournament_id, model.TournamentStep.START, started_at=at, waiting_since=at
    )
    reach.look_now(session, entered_versions(session, tournament_id).values())
    begun = Phrase("The tournament %(tournament)s has begun: %(bot)s plays in it.")
    _tell_authors(session, tournament_id, begun)
    _audit(session, by, model.TournamentStep.START, tournament_id)
    if tournament_row(session, tournament_id).round_is_over:  # all cancelled before
        round_over(session, tournament_id, at=at)


def pause(session: Session, tournament_id: int, *, by: Account | None = None) -> None:
    """Begin no further match of the tournament; running ones are played to their end."""
    ledger.lock(session)
    may_organise(by)
    model.move_tournament(session, tournament_id, model.TournamentStep.PAUSE)
    _audit(session, by, model.TournamentStep.PAUSE, tournament_id)


def resume(session: Session, tournament_id: int, *, by: Account | None = None) -> None:
    """Go on after a pause; check unreachable bots, and restart the time to wait for them."""
    ledger.lock(session)
    may_organise(by)
    model.move_tournament(
        session, tournament_id, model.TournamentStep.RESUME, waiting_since=model.now(session)
    )
    waiting = select(model.Match.id).where(
        model.Match.tournament_id == tournament_id, model.Match.state == model.MatchState.QUEUED
    )
    given_up = update(model.Seat).where(model.Seat.match_id.in_(waiting), model.Seat.absent)
    model.execute(session, given_up.values(absent=False))  # they are waited for anew
    reach.look_now(session, entered_versions(session, tournament_id).values())
    _audit(session, by, model.TournamentStep.RESUME, tournament_id)


def cancel(session: Session, tournament_id: int, *, by: Account | None = None) -> None:
    """Cancel the tournament and all its matches without a result, including running ones.

    Notifies the authors if it had started. Results stay, and count for the ratings. Needs a
    transaction of its own.
    """
    ledger.lock(session)
    may_organise(by)
    at = model.now(session)
    model.move_tournament(session, tournament_id, model.TournamentStep.CANCEL, finished_at=at)
    if tournament_row(session, tournament_id).started_at is not None:
        gone = Phrase("The tournament %(tournament)s, in which %(bot)s played, was cancelled.")
        _tell_authors(session, tournament_id, gone)
    cancel_matches(session, tournament_id, finished_at=at)
    _audit(session, by, model.TournamentStep.CANCEL, tournament_id)


def cancel_matches(
    session: Session,
    tournament_id: int,
    *where: ColumnElement[bool],
    states: Collection[model.MatchState] = (model.MatchState.QUEUED, model.MatchState.RUNNING),
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


def round_over(session: Session, tournament_id: int, *, at: datetime) -> None:
    """Make the next round, or finish the tournament after the last one.

    The ledger must be locked, and all matches made so far must be over.
    """
    tournament = tournament_row(session, tournament_id)
    if tournament.state not in model.TOURNAMENT_UNDER_WAY:
        return
    staying = entered_versions(session, tournament_id)
    if tournament.round < tournament.rounds and len(staying) >= tournament.seats:
        next_round(session, tournament)
    else:
        made = tournament.made  # less than planned if too many have withdrawn
        finished = model.TournamentStep.FINISH
        model.move_tournament(session, tournament_id, finished, finished_at=at, total=made)
        over = Phrase(
            "The tournament %(tournament)s is over: %(bot)s has rank %(rank)s of %(bots)s."
        )
        ranks = {row.bot_id: row.rank for row in cross_table(session, tournament_id).rows}
        _tell_authors(session, tournament_id, over, ranks)


def may_organise(account: Account | None) -> None:
    """Raise Forbidden unless the account may organise tournaments; None, the operator, may."""
    if account is not None and not account.may_organise:
        raise Forbidden("only organisers can do this: ask an admin of this site for the role")


def _audit(
    session: Session, by: Account | None, step: model.TournamentStep, tournament_id: int
) -> None:
    record_action(session, by, f"tournament {step}", f"tournament {tournament_id}")


def _tell_authors(
    session: Session, tournament_id: int, template: str, ranks: Mapping[int, int] | None = None
) -> None:
    """Tell the author of each bot about the tournament; `ranks` by bot, if they are final."""
    name = tournament_row(session, tournament_id).name
    for bot in _entered(session, tournament_id):
        notify(
            session,
            bot.user_id,
            model.NoticeTone.NEUTRAL,
            template,
            bot_id=bot.id,
            tournament=name,
            bot=bot.name,
            **({"rank": ranks[bot.id], "bots": len(ranks)} if ranks else {}),
        )


def _entered(session: Session, tournament_id: int) -> Iterator[model.Bot]:
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
    return iter(session.scalars(query).all())


def add_round(
    session: Session,
    tournament: model.Tournament,
    number: int,
    planned: Sequence[PlannedDeal],
    at: datetime,
) -> Sequence[int]:
    """Insert matches of a round, queued, in the order planned; return their ids."""
    deals = session.scalars(
        insert(model.Deal).returning(model.Deal.id, sort_by_parameter_order=True),
        [{"tournament_id": tournament.id, "layout_seed": deal.layout_seed} for deal in planned],
    ).all()
    tables = [
        (deal, rotation, table)
        for deal, plan in zip(deals, planned, strict=True)
        for rotation, table in enumerate(plan.matches)
    ]
    shared = _shared(tournament, number, at)
    ids = session.scalars(
        insert(model.Match).returning(model.Match.id, sort_by_parameter_order=True),
        [shared | {"deal_id": deal, "rotation": rotation} for deal, rotation, _ in tables],
    ).all()
    attempts.enqueue(session, JOB, model.MatchKind.TOURNAMENT, ids)
    versions = entered_versions(session, tournament.id)
    session.execute(
        insert(model.Seat),
        [
            {"match_id": match, "seat": seat, "bot_id": bot, "version_id": versions[bot]}
            for match, (_, _, table) in zip(ids, tables, strict=True)
            for seat, bot in enumerate(table)
        ],
    )
    tournament.made += len(ids)
    session.flush()
    model.note_growth(session, len(ids), model.Job, model.Match, model.Seat)
    return ids


def entered_versions(session: Session, tournament_id: int) -> Mapping[int, int]:
    """Return the version of each bot that has not withdrawn, in the order of the entry list."""
    query = (
        select(model.Entry.bot_id, model.Entry.version_id)
        .where(
            model.Entry.tournament_id == tournament_id,
            model.Entry.state == model.EntryState.ENTERED,
        )
        .order_by(model.Entry.number)
    )
    return dict(session.execute(query).all())


def round_luck(seed: int, number: int) -> Random:
    """Return the random numbers of a round, the same each time."""
    return Random(f"round {number} of {seed}")


def next_round(session: Session, tournament: model.Tournament) -> None:
    """Plan and insert the next round of a Swiss tournament, by the standings so far."""
    model.take_your_time(session)  # ten thousand matches take seconds
    tournament.round += 1
    session.flush()
    staying = entered_versions(session, tournament.id)
    rows = cross_table(session, tournament.id).rows
    assert tournament.seed is not None  # every tournament with rounds has one
    planned = swiss_round(
        {row.bot_id: row.rank for row in rows if row.bot_id in staying},
        seats=tournament.seats,
        deals=tournament.deals,
        past=_past(session, tournament),
        rng=round_luck(tournament.seed, tournament.round),
    )
    add_round(session, tournament, tournament.round, planned, model.now(session))
    rounds_left = tournament.rounds - tournament.round
    tournament.total = tournament.made + rounds_left * len(planned) * tournament.seats
    session.flush()


def _shared(tournament: model.Tournament, number: int, at: datetime) -> dict[str, Any]:
    """Return the columns that all matches of the round share."""
    return {
        "tournament_id": tournament.id,
        "kind": model.MatchKind.TOURNAMENT,
        "round": number,
        "seats": tournament.seats,
        "state": model.MatchState.QUEUED,
        "rated": tournament.rated,
        **clock_columns(clock_of(tournament)),
        "created_at": at,
    }


def _past(session: Session, tournament: model.Tournament) -> list[list[Table]]:
    """Read the tables of each earlier round that played: the first seat order of each deal.

    Its first match that was played tells it: others are void if a bot withdrew between them.
    Forfeits that are played after all are on the layout of the deal they belong to, and are no
    table more.
    """
    first = (
        select(func.min(model.Match.id))
        .where(
            model.Match.tournament_id == tournament.id,
            model.Match.round < tournament.round,
            model.Match.state != model.MatchState.CANCELLED,  # void: its bots sat out
        )
        .group_by(model.Match.deal_id)
    )
    query = (
        select(
            model.Match.round,
            model.Match.deal_id,
            model.Match.rotation,
            model.Deal.layout_seed,
            model.Seat.bot_id,
        )
        .join(model.Seat, model.Seat.match_id == model.Match.id)
        .join(model.Deal, model.Deal.id == model.Match.deal_id)
        .where(model.Match.id.in_(first))
        .order_by(model.Match.deal_id, model.Seat.seat)
    )
    tables: defaultdict[tuple[int, int, int, int], list[int]] = defaultdict(list)
    for number, deal, rotation, layout_seed, bot in session.execute(query):
        tables[number or 1, layout_seed, deal, rotation].append(bot)
    orders: dict[tuple[int, int], Table] = {}
    for (number, layout_seed, _, rotation), table in tables.items():
        orders.setdefault((number, layout_seed), tuple(table[-rotation:] + table[:-rotation]))
    past: list[list[Table]] = [[] for _ in range(tournament.round - 1)]
    for (number, _), order in orders.items():
        past[number - 1].append(order)
    return past
